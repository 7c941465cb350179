import { SOCIAL_CARD } from "@svc/images/layout/geometry";
import { cardRoutes } from "./billing/billing.tsx";
import { ChangeCost, payWords, shownFields } from "./billing/billing-change.tsx";
import { planOffers } from "./billing/billing-offers.tsx";
import { type CardOffers, changeTerms, nothingYet, obstacleTo } from "./billing/billing-parts.tsx";
import { cardAddress } from "./billing/billing-query.ts";
import { priceText } from "./billing/price-text.ts";
import { findPublic } from "./images/images.ts";
import { formToken, readForm, requireToken } from "./kit/form.ts";
import { contentPolicy, missing } from "./kit/layout.tsx";
import { Alert, Day, fileSize, Notice, PostForm } from "./kit/parts.tsx";
import { conflictText, isProcessorAway, processorAway } from "./kit/refusals.ts";
import type { PagesRooms } from "./kit/rooms.ts";
import { pageTexts, usePlain } from "./kit/text.ts";
import { Refusal, redirect, show } from "./kit/visit.ts";
import { askEmail } from "./people/account-sign-in.ts";
import { findSignedIn } from "./people/signed-in.ts";

/* What the pages hand to the interface version that is served, for the pages in which it differs: a version imports no face. */

export type { CardPost } from "./billing/billing.tsx";
export type { CardOffers } from "./billing/billing-parts.tsx";

export interface PageParts {
	readonly rooms: PagesRooms;
	readonly show: typeof show;
	readonly missing: typeof missing;
	readonly contentPolicy: typeof contentPolicy;
	readonly Alert: typeof Alert;
	readonly Day: typeof Day;
	readonly Notice: typeof Notice;
	readonly PostForm: typeof PostForm;
	readonly fileSize: typeof fileSize;
	/** Makes texts of a catalogue: see docs/languages.md. */
	readonly texts: typeof pageTexts;
	readonly usePlain: typeof usePlain;
	/** In pixels. */
	readonly SOCIAL_CARD: typeof SOCIAL_CARD;
	readonly findSignedIn: typeof findSignedIn;
	readonly findPublic: typeof findPublic;
	/** Of pages with forms, for those who are signed in. */
	readonly forms: typeof FORMS;
	/** Of the hosted card. */
	readonly cardRoutes: typeof cardRoutes;
	readonly cardAddress: typeof cardAddress;
	readonly changeTerms: typeof changeTerms;
	readonly nothingYet: typeof nothingYet;
	readonly obstacleTo: typeof obstacleTo;
	readonly priceText: typeof priceText;
	readonly shownFields: typeof shownFields;
	readonly ChangeCost: typeof ChangeCost;
	readonly payWords: typeof payWords;
	/** The views of a card that sells an App's own plans. */
	readonly planOffers: CardOffers;
}

const FORMS = {
	readForm,
	requireToken,
	formToken,
	askEmail,
	redirect,
	Refusal,
	conflictText,
	isProcessorAway,
	processorAway,
};

export function pageParts(rooms: PagesRooms): PageParts {
	return {
		rooms,
		show,
		missing,
		contentPolicy,
		Alert,
		Day,
		Notice,
		PostForm,
		fileSize,
		texts: pageTexts,
		usePlain,
		SOCIAL_CARD,
		findSignedIn,
		findPublic,
		forms: FORMS,
		cardRoutes,
		cardAddress,
		changeTerms,
		nothingYet,
		obstacleTo,
		priceText,
		shownFields,
		ChangeCost,
		payWords,
		planOffers,
	};
}
