import { getMembership } from "@svc/apps/team/team";
import type { Actor } from "@svc/base/actor";
import { Failure } from "@svc/base/failure";
import { CARD_PATH, type Card, CardFault, findPayer, openCard } from "@svc/billing/payers/billing-card";
import { previewChanges } from "@svc/billing/payers/change-previews";
import type { Payer } from "@svc/billing/payers/payers";
import {
	cancelUserPlan,
	findOffer,
	getUserBilling,
	hasPlan,
	openUserCheckout,
	resumeUserPlan,
	switchUserPlan,
	type UserBilling,
	userPaymentMethodUrl,
	withdrawUserPlan,
} from "@svc/billing/payers/user-billing";
import type { Bought } from "@svc/billing/plans/plan";
import { findShownApp } from "../apps/find-shown-app.ts";
import { faultyLink } from "../connect/connect-query.ts";
import { t as link } from "../connect/messages.ts";
import { formToken, readForm, requireToken } from "../kit/form.ts";
import { conflictText } from "../kit/refusals.ts";
import type { PagesRooms } from "../kit/rooms.ts";
import { type Page, PageRefusal, type PageResult, type Route, redirect, type Visit } from "../kit/visit.ts";
import { askEmail, askToSignIn } from "../people/account/account-sign-in.ts";
import { findSignedIn } from "../people/signed-in.ts";
import { t as plans } from "../plans/messages.ts";
import { cardPage } from "./billing-card.tsx";
import { shownOrAsk } from "./billing-change.tsx";
import type { CardChoice, CardFacts, CardVersion } from "./billing-parts.tsx";
import { type BillingDone, cardAddress, doneOf, isDone, readCardQuery } from "./billing-query.ts";
import { t } from "./messages.ts";

/* The hosted billing card: where people buy plans, of the App or of the service, change them and leave them. */

export function billingRoutes(rooms: PagesRooms, version: CardVersion): Route[] {
	const { billing, variant } = rooms;
	const find = ({ url }: Visit) => openCard(billing, readCardQuery(url, variant.billing.card.choices));
	return cardRoutes({ rooms, version, find }, CARD_PATH, { instead: (visit) => leadOwner(rooms, visit) });
}

/** To the plan of the App itself, whose backend has this address too: its Owner who is no user of it that the App has sent. */
async function leadOwner(rooms: PagesRooms, visit: Visit): Promise<string | undefined> {
	const { app: id, redirectUri } = readCardQuery(visit.url, rooms.variant.billing.card.choices);
	const path = id && rooms.variant.billing.card.ownerPath({ id });
	const person = path ? await findSignedIn(rooms, visit) : undefined;
	if (!path || !person) return undefined;
	const membership = await getMembership(rooms.apps, person, id).catch(() => undefined);
	if (membership?.role !== "owner") return undefined;
	const isUser =
		redirectUri !== null && (await rooms.billing.payers.findByAccount(membership.app.pk, person.account.pk));
	return isUser ? undefined : path;
}

/** A card at this address, and its buttons. */
export function cardRoutes(place: CardPlace, path: string, { instead }: CardRouting = {}): Route[] {
	const post = (button: string, run: (call: CardPost) => Promise<BillingDone | string | Page>) => ({
		path: `${path}/${button}`,
		// The address that the person is at after a refusal, and that a reload asks for.
		get: async ({ url }: Visit) => redirect(`${url.pathname.slice(0, -button.length - 1)}${url.search}`),
		post: (visit: Visit) => refusingFaults(visit, () => act(place, visit, run)),
	});
	return [
		{
			path,
			get: (visit) =>
				refusingFaults(visit, async () => {
					const elsewhere = await instead?.(visit);
					return elsewhere === undefined ? await open(place, visit) : redirect(elsewhere);
				}),
		},
		post("checkout", checkout),
		post("switch", change),
		post("cancel", cancel),
		post("resume", resume),
		post("withdraw", withdraw),
		post("payment-method", payment),
	];
}

interface CardRouting {
	/** Where some people are led before there is a card at all. */
	readonly instead?: (visit: Visit) => Promise<string | undefined>;
}

/** @throws CardFault; Refusal 404 */
type FindCard = (visit: Visit) => Promise<Card>;

/** A card that has an address: whose it is, and what is its version's own. */
interface CardPlace {
	readonly rooms: PagesRooms;
	readonly version: CardVersion;
	readonly find: FindCard;
}

interface CardCall extends Omit<CardPlace, "find"> {
	readonly visit: Visit;
	readonly card: Card;
	readonly payer: Payer;
	/** The account and request that the audit logs. */
	readonly by: Actor;
}

export interface CardPost extends CardCall, CardChoice {
	/** A token for forms on the page, bound to the session. */
	readonly token: string;
}

/** Undefined for a person who is not signed in. @throws CardFault; Refusal for a person who is not connected to the App */
async function callOf({ rooms, version, find }: CardPlace, visit: Visit): Promise<CardCall | undefined> {
	const card = await find(visit);
	const person = await findSignedIn(rooms, visit);
	if (!person) return undefined;
	const payer = await findPayer(rooms.billing, card, person.account);
	if (!payer) throw notConnected(card);
	const by = { actor: person.account.id, requestId: visit.requestId, nowMs: rooms.clock.now() };
	return { rooms, version, visit, card, payer, by };
}

function notConnected({ app, opened }: Card): PageRefusal {
	const again = { href: "/account", label: t("unconnected.account") };
	if (opened === "by_person") {
		return new PageRefusal(403, t("no_storage"), t("no_storage.text"), {
			again: { href: "/account/keys", label: t("no_storage.key") },
		});
	}
	return new PageRefusal(403, t("unconnected", { app: app.name }), t("unconnected.text"), { again });
}

async function open(place: CardPlace, visit: Visit): Promise<PageResult> {
	const call = await callOf(place, visit);
	if (!call) return signIn(place.rooms, visit);
	const billing = await readBilling(call);
	const next = billing && (await straightOn(call, billing));
	if (typeof next === "string") return redirect(next);
	return await show(call, next ?? billing, { done: doneOf(visit.url) });
}

/** Signing in leads back to this very card. */
function signIn(rooms: PagesRooms, visit: Visit): Promise<Page> {
	if (visit.url.pathname.startsWith("/account/")) return askToSignIn(rooms, visit);
	const card = visit.url.search.slice(1);
	const url = new URL(`/account/sign-in?${new URLSearchParams({ card })}`, visit.url);
	return askEmail(rooms, { ...visit, url }, "");
}

/** Undefined while a renewal is being confirmed. */
async function readBilling({ rooms, payer }: CardCall): Promise<UserBilling | undefined> {
	try {
		return await getUserBilling(rooms.billing, payer);
	} catch (cause) {
		if (cause instanceof Failure && cause.code === "server_error") return undefined;
		throw cause;
	}
}

/** A price that was chosen in the App is paid for without another question, by a person who has no plan: then it is known. */
async function straightOn(call: CardCall, billing: UserBilling): Promise<string | UserBilling | undefined> {
	const { rooms, card, payer, by } = call;
	if (card.priceId === null || hasPlan(billing) || !payer.seller.selling) return undefined;
	const offer = await findOffer(rooms.billing, payer, card.priceId);
	if (!offer) return undefined;
	try {
		return await openUserCheckout(rooms.billing, { payer, by }, card.priceId, card);
	} catch (cause) {
		// What they had paid for before has just been found.
		if (cause instanceof Failure && cause.code === "state_conflict") return await readBilling(call);
		throw cause;
	}
}

type Said = Pick<Parameters<typeof cardPage>[0], "done" | "fault">;

async function show(call: CardCall, billing: UserBilling | undefined, said: Said, status = 200): Promise<Page> {
	const { rooms, version, visit, card, payer } = call;
	const plans = await rooms.billing.plans.listOnSale(payer.seller.pk, { limit: PLANS_SHOWN, afterPk: undefined });
	const token = await formToken(visit.cookies.read("session") ?? "");
	return cardPage({
		card,
		app: card.opened === "by_person" ? undefined : await findShownApp(rooms, card.app),
		email: payer.email,
		billing,
		paid: await findPaid(call, billing),
		plans,
		changes: await previewChanges(rooms.billing, billing?.subscription, plans, rooms.clock.now()),
		selling: payer.seller.selling,
		offers: version.offers,
		token,
		nowMs: rooms.clock.now(),
		status,
		...said,
	});
}

const PLANS_SHOWN = 200;

/** A plan that was bought is named although it may not be on sale any more. */
async function findPaid({ rooms, payer }: CardCall, billing: UserBilling | undefined): Promise<CardFacts["paid"]> {
	const { bought, pending } = billing?.subscription ?? {};
	const priceOf = async (one: Bought | undefined) =>
		one?.subject === "user" ? (await rooms.billing.plans.findPrice(payer.seller.pk, one.priceId))?.price : undefined;
	return { now: await priceOf(bought), next: await priceOf(pending?.bought) };
}

/** Performs the action, then shows the card again, or redirects to the payment processor. */
async function act(
	place: CardPlace,
	visit: Visit,
	run: (call: CardPost) => Promise<BillingDone | string | Page>,
): Promise<PageResult> {
	const { rooms } = place;
	const form = await readForm(visit, rooms.addresses);
	const call = await callOf(place, visit);
	if (!call) return signIn(rooms, visit);
	const address = cardAddress(call.card);
	await requireToken(form, visit.cookies.read("session"), address);
	try {
		const next = await run({ ...call, form, token: await formToken(visit.cookies.read("session") ?? "") });
		if (typeof next !== "string") return next;
		return redirect(isDone(next) ? cardAddress(call.card, undefined, next) : next);
	} catch (cause) {
		if (!(cause instanceof Failure)) throw cause;
		if (cause.code === "state_conflict")
			return show(call, await readBilling(call), { fault: conflictText(cause) }, 409);
		if (cause.code !== "server_error") throw cause;
		return show(call, await readBilling(call), { fault: t("away") }, 503);
	}
}

function chosenPrice(call: CardPost): Promise<string> {
	return call.version.choose(call);
}

async function checkout(call: CardPost): Promise<string> {
	const { rooms, payer, by, card } = call;
	return await openUserCheckout(rooms.billing, { payer, by }, await chosenPrice(call), card);
}

async function change(call: CardPost): Promise<BillingDone | string | Page> {
	const priceId = await chosenPrice(call);
	const at = await shownOrAsk(call, priceId);
	if (typeof at !== "number") return at;
	const switched = await switchUserPlan(call.rooms.billing, call, priceId, at);
	if (switched === "now") return "switched";
	if (switched === "kept") return "resumed";
	// A payment that failed is paid with another card.
	return switched === "at_renewal" ? "switching" : await payment(call);
}

async function cancel({ rooms, payer, by }: CardPost): Promise<BillingDone> {
	await cancelUserPlan(rooms.billing, { payer, by });
	return "cancelled";
}

async function resume({ rooms, payer, by }: CardPost): Promise<BillingDone> {
	await resumeUserPlan(rooms.billing, { payer, by });
	return "resumed";
}

async function withdraw({ rooms, payer, by }: CardPost): Promise<BillingDone> {
	await withdrawUserPlan(rooms.billing, { payer, by });
	return "withdrawn";
}

function payment({ rooms, payer, card }: CardPost): Promise<string> {
	return userPaymentMethodUrl(rooms.billing, payer, `${rooms.addresses.web}${cardAddress(card)}`);
}

/** A fault of the link ends on a page of ours: it names nowhere that one could safely be sent. */
async function refusingFaults({ url }: Visit, run: () => Promise<PageResult>): Promise<PageResult> {
	try {
		return await run();
	} catch (cause) {
		if (!(cause instanceof CardFault)) throw cause;
		if (cause.fault !== "app_unavailable") throw faultyLink(cause.fault, url, link(`fault.${cause.fault}`));
		// Whoever pays can stop without the App.
		throw faultyLink(cause.fault, url, t("fault.app_unavailable"), { href: "/account/plans", label: plans("all") });
	}
}
