import { BLOCK_REASON_TEXTS, type GivableRole, type WatchedPart } from "@svc/base/enumerations";
import { shortLine } from "@svc/base/text";
import { BILLING_TEMPLATES } from "./billing-templates.ts";
import { type Letter, NAME_MAX, appName as name, note, type Part, type Sender, text } from "./letter.ts";
import type { MailContent, MailFacts, MailTemplate } from "./mail.ts";

/* The text of each mail: plain words, the App by its name, and what to do for a recipient who did not ask for it. */

/** Characters of an address that a mail repeats. */
const ADDRESS_MAX = 254;

type Templates = { readonly [Template in MailTemplate]: (facts: MailFacts[Template], service: string) => Letter };

const TEMPLATES = {
	sign_in_code: ({ code, minutes }, service) => ({
		subject: `${code} is your ${service} sign-in code`,
		heading: "Your sign-in code",
		parts: [
			text(`Type this code where you were asked for it, to sign in to ${service}:`),
			...codeParts(code, minutes, service),
			note(
				"You did not ask for it? Then somebody has typed your address, perhaps by mistake. Ignore this mail: without the code nobody can sign in as you.",
			),
		],
	}),
	connect_code: ({ code, minutes, app }, service) => ({
		subject: `${code} is your code for ${name(app)}`,
		heading: `Sign in to ${name(app)}`,
		parts: [
			text(
				`Type this code on the page of ${service} that asks for it. That connects you with the App “${name(app)}”: it gets your e-mail address and private storage of its own for you.`,
			),
			...codeParts(code, minutes, service),
			note(
				`You did not ask for it, or do not know “${name(app)}”? Then ignore this mail: without the code nothing is connected and nothing is shared.`,
			),
		],
	}),
	step_up_code: ({ code, minutes }, service) => ({
		subject: `${code} confirms that it is you at ${service}`,
		heading: "Confirm that it is you",
		parts: [
			text(`You are about to do something at ${service} that cannot be undone. Type this code to go on:`),
			...codeParts(code, minutes, service),
			note(
				`You did not ask for it? Then somebody may be using your account. Do not pass the code on, and sign out everywhere else in your account at ${service}.`,
			),
		],
	}),
	email_change_code: ({ code, minutes }, service) => ({
		subject: `${code} confirms your new address at ${service}`,
		heading: "Confirm your new address",
		parts: [
			text(`Type this code to make this your address at ${service}:`),
			...codeParts(code, minutes, service),
			note(
				"You did not ask for it? Then somebody has typed your address, perhaps by mistake. Ignore this mail: without the code nothing changes.",
			),
		],
	}),
	email_changed: ({ email }, service) => ({
		subject: `Your address at ${service} has changed`,
		heading: "Your address has changed",
		parts: [
			text(`Your account at ${service} now belongs to the address ${shortLine(email, ADDRESS_MAX)}.`),
			text("Codes for signing in go there from now on. This address is not used any more."),
			note(`It was not you? Then tell the people who run ${service} at once.`),
		],
	}),
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

export function letterOf({ template, facts }: MailContent, { serviceName }: Sender): Letter {
	// A template and its facts belong together; the compiler cannot follow that through the table.
	const write = TEMPLATES[template] as (facts: MailContent["facts"], service: string) => Letter;
	return write(facts, shortLine(serviceName, NAME_MAX));
}

function codeParts(code: string, minutes: number, service: string): readonly Part[] {
	return [
		{ kind: "code", code: shortLine(code, NAME_MAX) },
		text(
			`It is valid for ${count(minutes, "minute")} and works once. Nobody at ${service} will ever ask you for it: do not pass it on.`,
		),
	];
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

/** An ISO date and time, to the minute. */
function utc(moment: string): string {
	return `${shortLine(moment, NAME_MAX).slice(0, 16).replace("T", " ")} UTC`;
}

function reasonText(reason: string): string {
	const known: Readonly<Record<string, { readonly mail: string }>> = BLOCK_REASON_TEXTS;
	return Object.hasOwn(known, reason) ? (known[reason]?.mail ?? "") : shortLine(reason, NAME_MAX);
}
