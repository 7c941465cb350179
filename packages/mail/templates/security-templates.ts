import type { Locale } from "@svc/base/enumerations";
import type { MailFacts } from "../mail.ts";
import type { texts } from "../messages.ts";
import { type Letter, nameLine, note, type Part, text } from "./letter.ts";

/*
 * Letters about the safety of an account. None of them holds six digits in a row, so that nobody, and no program, takes them for a code:
 * names that people chose lose theirs.
 */

type SecurityTemplate = "email_changed" | "security_letter" | "address_given_up";
type Say = ReturnType<typeof texts>;

/** Characters of a name or an address that a letter repeats. */
const SHOWN_MAX = 254;
/** Digits as codes are written: in a row, or in groups. */
const CODE_LIKE = /\p{Nd}(?:[\s\p{Pd}.]?\p{Nd}){5,}/gu;

/** A name or address from a person, without what could be taken for a code. */
function shown(value: string): string {
	return nameLine(value, SHOWN_MAX).replace(CODE_LIKE, "…");
}

/** An ISO date and time in words, which nobody takes for a code. */
function moment(iso: string, locale: Locale): string {
	const ms = Date.parse(iso);
	const zone = { timeZone: "UTC", timeZoneName: "short" } as const;
	const day = { day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit" } as const;
	return Number.isNaN(ms)
		? shown(iso)
		: new Intl.DateTimeFormat(locale, { ...day, ...zone, hourCycle: "h23" }).format(ms);
}

type LetterFacts = MailFacts["security_letter"];

/** What has been done, in one sentence. */
const DEEDS = {
	device: (_, service, t) => t("letter.device", { service }),
	token: ({ name }, service, t) => t("letter.token", { service, name: shown(name) }),
	key: ({ name, app, who }, _, t) => {
		const made = { name: shown(name), app: shown(app) };
		// A letter of an earlier release does not know who it was.
		return who === "" ? t("letter.key", made) : t("letter.key_by", { ...made, who: shown(who) });
	},
	app_connected: ({ app }, service, t) => t("letter.app_connected", { service, app: shown(app) }),
	operator: ({ who }, service, t) => t("letter.operator", { service, who: shown(who) }),
	transfer: ({ app, who }, _, t) => t("letter.transfer", { app: shown(app), who: shown(who) }),
	address: (_, service, t) => t("letter.address", { service }),
	passkey_added: (_, service, t) => t("letter.passkey_added", { service }),
	passkey_removed: (_, service, t) => t("letter.passkey_removed", { service }),
	passkey_counter: (_, service, t) => t("letter.passkey_counter", { service }),
	many: (_, service, t) => t("letter.many", { service }),
} satisfies Record<LetterFacts["deed"], (facts: LetterFacts, service: string, t: Say) => string>;

/** What else there is to say of it. */
function detailOf({ deed, name, who }: LetterFacts, t: Say): readonly Part[] {
	if (deed === "many") return [text(t("letter.many_detail"))];
	return deed === "address" ? [text(t("letter.address_detail", { name: shown(name), who: shown(who) }))] : [];
}

function originOf({ device, network }: LetterFacts, t: Say): readonly Part[] {
	if (device === "" && network === "") return [];
	return [text(t("letter.from", { device: shown(device) || "–", network: shown(network) || "–" }))];
}

export const SECURITY_TEMPLATES = {
	security_letter: (facts, service, t, locale) => {
		const sentence = DEEDS[facts.deed](facts, service, t);
		return {
			subject: sentence,
			heading: sentence,
			parts: [
				...detailOf(facts, t),
				text(t("letter.when", { at: moment(facts.at, locale) })),
				...originOf(facts, t),
				text(t("letter.not_you", { days: facts.days })),
				{ kind: "link", label: t("letter.link"), address: facts.link },
				note(t("letter.why", { service })),
			],
		};
	},
	email_changed: ({ email, link, days = 0 }, service, t) => ({
		subject: t("email_changed.subject", { service }),
		heading: t("email_changed.heading"),
		parts: [
			text(t("email_changed.text", { service, email: shown(email) })),
			// A mail of an earlier release has no way back.
			...(link === undefined
				? []
				: [
						text(t("email_changed.undo", { days })),
						{ kind: "link" as const, label: t("email_changed.link"), address: link },
					]),
			note(t("letter.why", { service })),
		],
	}),
	address_given_up: ({ email, until, link }, service, t, locale) => ({
		subject: t("address_given_up.subject", { service }),
		heading: t("address_given_up.heading"),
		parts: [
			text(t("address_given_up.text", { service, email: shown(email), until: moment(until, locale) })),
			{ kind: "link", label: t("email_changed.link"), address: link },
			note(t("letter.why", { service })),
		],
	}),
} satisfies {
	readonly [Template in SecurityTemplate]: (
		facts: MailFacts[Template],
		service: string,
		t: Say,
		locale: Locale,
	) => Letter;
};
