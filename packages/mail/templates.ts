import { BLOCK_REASON_TEXTS, type GivableRole, type Locale, type WatchedPart } from "@svc/base/enumerations";
import { shortLine } from "@svc/base/text";
import { BILLING_TEMPLATES } from "./billing-templates.ts";
import { type Letter, NAME_MAX, appName as name, note, type Part, type Sender, text, utc } from "./letter.ts";
import type { MailContent, MailFacts, MailTemplate } from "./mail.ts";
import { texts } from "./messages.ts";
import { SECURITY_TEMPLATES } from "./security-templates.ts";

/* The text of each mail: plain words, the App by its name, and what to do for a recipient who did not ask for it. */

/** Characters of an address that a mail repeats. */
const ADDRESS_MAX = 254;

/** The texts of the mails in one language. */
type Say = ReturnType<typeof texts>;
type Templates = {
	readonly [Template in MailTemplate]: (facts: MailFacts[Template], service: string, t: Say) => Letter;
};

const TEMPLATES = {
	sign_in_code: ({ code, minutes }, service, t) => ({
		subject: t("sign_in_code.subject", { code, service }),
		heading: t("sign_in_code.heading"),
		parts: [
			text(t("sign_in_code.text", { service })),
			...codeParts(code, minutes, service, t),
			note(t("sign_in_code.note")),
		],
	}),
	connect_code: ({ code, minutes, app }, service, t) => ({
		subject: t("connect_code.subject", { code, app: name(app) }),
		heading: t("connect_code.heading", { app: name(app) }),
		parts: [
			text(t("connect_code.text", { service, app: name(app) })),
			...codeParts(code, minutes, service, t),
			note(t("connect_code.note", { app: name(app) })),
		],
	}),
	step_up_code: ({ code, minutes }, service, t) => ({
		subject: t("step_up_code.subject", { code, service }),
		heading: t("step_up_code.heading"),
		parts: [
			text(t("step_up_code.text", { service })),
			...codeParts(code, minutes, service, t),
			note(t("step_up_code.note", { service })),
		],
	}),
	email_change_code: ({ code, minutes }, service, t) => ({
		subject: t("email_change_code.subject", { code, service }),
		heading: t("email_change_code.heading"),
		parts: [
			text(t("email_change_code.text", { service })),
			...codeParts(code, minutes, service, t),
			note(t("email_change_code.note")),
		],
	}),
	...SECURITY_TEMPLATES,
	invite: ({ app, by, role, link, days }, service) => ({
		subject: `Invitation to the team of ${name(app)}`,
		heading: `Join the team of “${name(app)}”`,
		parts: [
			text(
				`${shortLine(by, ADDRESS_MAX)} invites you to look after the App “${name(app)}” at ${service}, as ${nameOf(ROLE_NAMES, role)}.`,
			),
			{ kind: "link", label: "Open the invitation", address: link },
			text(
				`The link is meant for you alone and works once${days === undefined ? "" : `, within ${count(days, "day")}`}.`,
			),
			note("You did not expect this? Then ignore this mail: nothing happens unless you accept."),
		],
	}),
	app_blocked: ({ app, reason }, service) => ({
		subject: `${name(app)} has been blocked`,
		heading: `“${name(app)}” has been blocked`,
		parts: [
			text(`An operator of ${service} has blocked your App “${name(app)}”. The reason: ${reasonText(reason)}.`),
			text(
				"Until it is unblocked nobody can sign in to it, its App-wide keys do not work, and the keys of its storage only read. Nothing has been deleted.",
			),
			note(`You think that this is a mistake? Then tell the people who run ${service}.`),
		],
	}),
	part_failing: ({ part, since }, service) => ({
		subject: `${service}: ${nameOf(PART_NAMES, part)} has been failing`,
		heading: `${capital(nameOf(PART_NAMES, part))} has been failing`,
		parts: [
			text(`${capital(nameOf(PART_NAMES, part))} of ${service} has been failing since ${utc(since)}.`),
			text("svc server status tells more, and so does the service’s log. You get one more mail when it works again."),
			note(`You get this because you are an operator of ${service}.`),
		],
	}),
	part_healed: ({ part, since, until }, service) => ({
		subject: `${service}: ${nameOf(PART_NAMES, part)} works again`,
		heading: `${capital(nameOf(PART_NAMES, part))} works again`,
		parts: [
			text(
				`${capital(nameOf(PART_NAMES, part))} of ${service} failed from ${utc(since)}, and has worked again since ${utc(until)}.`,
			),
			note(`You get this because you are an operator of ${service}.`),
		],
	}),
	...BILLING_TEMPLATES,
} satisfies Templates;

export function letterOf({ template, facts }: MailContent, { serviceName }: Sender, locale: Locale): Letter {
	// A template and its facts belong together; the compiler cannot follow that through the table.
	const write = TEMPLATES[template] as (facts: MailContent["facts"], service: string, t: Say) => Letter;
	return write(facts, shortLine(serviceName, NAME_MAX), texts(locale));
}

function codeParts(code: string, minutes: number, service: string, t: Say): readonly Part[] {
	return [{ kind: "code", code: shortLine(code, NAME_MAX) }, text(t("code.validity", { minutes, service }))];
}

function count(amount: number, unit: string): string {
	return `${amount} ${unit}${amount === 1 ? "" : "s"}`;
}

/** Outboxes outlive releases: a word that this release does not know is shown unchanged. */
function nameOf(names: Readonly<Record<string, string>>, word: string): string {
	return Object.hasOwn(names, word) ? (names[word] ?? "") : shortLine(word, NAME_MAX);
}

const ROLE_NAMES = {
	viewer: "a Viewer, who sees what the others do",
	editor: "an Editor, who uploads, changes and deletes images",
	admin: "an Admin, who manages images, keys, settings and the team",
} satisfies Record<GivableRole, string>;

const PART_NAMES = {
	mail: "mail",
	billing: "billing",
	store: "the store of pictures",
	backup: "the backup",
} satisfies Record<WatchedPart, string>;

function capital(words: string): string {
	return words.charAt(0).toUpperCase() + words.slice(1);
}

function reasonText(reason: string): string {
	const known: Readonly<Record<string, { readonly mail: string }>> = BLOCK_REASON_TEXTS;
	return Object.hasOwn(known, reason) ? (known[reason]?.mail ?? "") : shortLine(reason, NAME_MAX);
}
