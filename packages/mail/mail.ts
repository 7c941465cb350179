import { SEALED_PLACES } from "@svc/base/crypto/deployment-secret";
import type { Keyring } from "@svc/base/crypto/keyring";
import type { DisputeState, LetterDeed, Locale, WatchedPart } from "@svc/base/enumerations";
import { newId } from "@svc/base/ids";

export interface MailFilter {
	/** Whatever its letters' case. */
	readonly recipient?: string;
	readonly template?: MailTemplate;
	readonly state?: MailState;
}

/** What every mail about a plan says. Mails of earlier releases wait in the outbox with the first two alone. */
export interface PlanFacts {
	readonly app: string;
	readonly plan: string;
	/** Whose plan it is; left out: the App's. */
	readonly seller?: "app" | "service";
	/** The price, in the currency's smallest unit. */
	readonly amount?: number;
	readonly currency?: string;
	readonly interval?: string;
	/** Whether the price holds its tax; left out where none is taken. */
	readonly taxed?: "inclusive" | "exclusive";
	/** The page on which the plan is seen, cancelled and taken back. */
	readonly page?: string;
	/** The page of the invoice that money was paid back for. */
	readonly receipt?: string;
}

/** Every mail that the service sends, and what each one says. */
export interface MailFacts {
	/** The code for signing in to the console or the account page. */
	sign_in_code: { readonly code: string; readonly minutes: number };
	/** The code that connects a person to an App. */
	connect_code: { readonly code: string; readonly minutes: number; readonly app: string };
	/** The link that signs in where wrong codes keep new devices out; it is of use in one browser alone. */
	sign_in_link: { readonly link: string; readonly minutes: number };
	/** The same for connecting a person to an App. */
	connect_link: { readonly link: string; readonly minutes: number; readonly app: string };
	/** The code that makes a session fresh. */
	step_up_code: { readonly code: string; readonly minutes: number };
	/** The code that proves a new address. */
	email_change_code: { readonly code: string; readonly minutes: number };
	/** Goes to the old address, once it has been replaced: `email` is the new one, masked, and `link` leads back for `days`. */
	email_changed: { readonly email: string; readonly link?: string; readonly days?: number };
	/**
	 * Tells of what was done in somebody's name; `link` takes it back, for `days`. `at` is an ISO date and time; the others are empty where the
	 * deed has no such thing: `name` is a token's, a key's or an old address, `who` another person or the new address, masked.
	 */
	security_letter: {
		readonly deed: LetterDeed;
		readonly at: string;
		readonly days: number;
		readonly link: string;
		readonly device: string;
		readonly network: string;
		readonly name: string;
		readonly app: string;
		readonly who: string;
	};
	/** Goes to an address that its account gave up lately, when somebody signs in with it. `until` is an ISO date and time. */
	address_given_up: { readonly email: string; readonly until: string; readonly link: string };
	invite: {
		readonly app: string;
		/** The address of the person who invites. */
		readonly by: string;
		readonly role: string;
		readonly link: string;
		/** How long the link can be used. */
		readonly days?: number;
	};
	/** Goes to a person whose export can be fetched, at `page`, until then: an ISO date and time. `bytes` are those of the pictures. */
	export_ready: { readonly images: number; readonly bytes: number; readonly until: string; readonly page: string };
	/** Goes to a member whose role in a team is another one now; `by` is the address of who changed it, `page` their account. */
	role_changed: { readonly app: string; readonly by: string; readonly role: string; readonly page: string };
	/** Goes to somebody who was taken out of a team. */
	removed_from_team: { readonly app: string; readonly by: string; readonly page: string };
	/** Goes to an Owner and Admins, when an operator blocks images of their App; `appId` tells apart those that are named alike. */
	image_blocked: { readonly app: string; readonly appId?: string; readonly image: string; readonly reason: string };
	/** Goes to who reported images and left an address, once operators have decided. */
	report_settled: { readonly image: string; readonly outcome: string };
	/** Goes to an Owner and Admins, when a webhook endpoint of their App has failed for a day. */
	webhook_failing: { readonly app: string; readonly url: string };
	/** Goes to them, when it is disabled because it fails or is gone. */
	webhook_disabled: { readonly app: string; readonly url: string };
	/** Goes to an Owner and Admins, when an operator ends the block of their App. */
	app_unblocked: { readonly app: string };
	/** Goes to an Owner and Admins, when an operator blocks their App. */
	app_blocked: { readonly app: string; readonly reason: string };
	/** Goes to an Owner and Admins, when their App's own image host is no longer used, since its record is gone; `page` is where it is set. */
	image_host_lost: { readonly app: string; readonly host: string; readonly page: string };
	/** Goes to an Owner and Admins, when far more of their App is served on a day than usual; `page` is where that is bounded. */
	delivery_unusual: {
		readonly app: string;
		readonly bytes: number;
		readonly renditions: number;
		/** On a day of the two weeks before. */
		readonly usualBytes: number;
		readonly usualRenditions: number;
		readonly page: string;
	};
	/** Goes to operators, when a part of the service has failed for ten minutes. `since` is an ISO date and time. */
	part_failing: { readonly part: WatchedPart; readonly since: string };
	/** Goes to operators who got the one before. */
	part_healed: { readonly part: WatchedPart; readonly since: string; readonly until: string };
	/** Goes to a subscriber, right after checkout. */
	subscription_started: PlanFacts & Partial<{ until: string; withdraw: string; tax: number }>;
	/** Goes out instead when the plan starts with a trial. `until` is an ISO date and time. */
	trial_started: PlanFacts & { readonly until: string } & Partial<{ withdraw: string }>;
	/** Goes out three days before a trial ends, or at once for a shorter one. */
	trial_ending: PlanFacts & { readonly until: string };
	/** Goes to a payer, when what they pay for is not sold any more, and ends with its term. `until` is an ISO date and time, `page` where they see it. */
	not_renewed: {
		readonly app: string;
		readonly plan: string;
		readonly goods: string;
		readonly until: string;
		readonly page: string;
	};
	/** What an operator did about a subscription, or the App that sold it, and why. `returned`: the App has paid money back. */
	plan_by_operator: PlanFacts & {
		readonly deed: "ended" | "cancelled" | "refunded" | "extended" | "returned";
		readonly reason: string;
	} & Partial<{ until: string; refund: number; invoices: string }>;
	/** A plan that somebody is given for nothing, or was. `until` is an ISO date and time. */
	plan_granted: PlanFacts & { readonly deed: "given" | "ended"; readonly until: string; readonly reason: string };
	/** `held`: what a bank has asked back, and is not paid back for now. */
	withdrawn: PlanFacts & Partial<{ refund: number; held: number; invoices: string }>;
	/** Goes out after a withdrawal, or after the App is `gone`, when a payment that could not be refunded with it is refunded. */
	further_refund: PlanFacts & Partial<{ refund: number; gone: boolean }>;
	/** Goes to somebody who paid for the same twice: the second payment is paid back. */
	paid_twice: PlanFacts & Partial<{ refund: number }>;
	/** Goes to somebody who paid for a plan of an App that is paused or blocked: it comes back at once. */
	paid_unavailable: PlanFacts & Partial<{ refund: number }>;
	/** Goes out while an App is paused or blocked for which somebody pays, and when it is back. */
	plan_paused: PlanFacts;
	plan_resumed: PlanFacts & Partial<{ until: string }>;
	/** Goes to an App's Owner when the App begins to pay for itself. */
	app_plan_started: PlanFacts & { readonly until: string; readonly withdraw: string; readonly tax: number };
	/** Goes to an App's Owner and Admins when a renewal is not paid: `due` is open, and the plan is lost at `until`. */
	app_plan_failing: PlanFacts & { readonly due: number; readonly until: string } & Partial<{ next: string }>;
	/** Goes to the Owner of an App that has lost its plan because a renewal was never paid. */
	app_plan_locked: PlanFacts & { readonly until: string };
	/** Goes to the Owner of an App whose plan has ended otherwise. */
	app_plan_ended: PlanFacts & { readonly until: string };
	/** Goes to an App's Owner once so much of a limit is used; `page` is where a plan with a higher one is chosen. */
	app_limit: {
		readonly app: string;
		readonly limit: string;
		readonly percent: number;
		readonly used: number;
		readonly most: number;
		readonly page: string;
	};
	/** Goes to an Owner and to operators: a payer's bank asks a payment back, or has decided about it. `until` is an ISO date and time. */
	payment_disputed: {
		readonly app: string;
		readonly plan: string;
		readonly state: DisputeState;
		/** In the currency's smallest unit. */
		readonly disputed: number;
		readonly currency: string;
		readonly until?: string;
	};
	/** Goes to those who paid when their App is deleted. */
	plan_gone: PlanFacts & Partial<{ refund: number; held: number; until: string }>;
}

/** Stands between the images of which one mail tells. */
export const BETWEEN_IMAGES = ", ";

export type MailTemplate = keyof MailFacts;

/** A mail's template with the facts that belong to it. */
export type MailContent = {
	readonly [Template in MailTemplate]: { readonly template: Template; readonly facts: MailFacts[Template] };
}[MailTemplate];

/** In which order mails are sent: all of a class that are due go before any of the classes after it. */
export const MAIL_CLASSES = ["code", "security", "billing", "team", "notice"] as const;
export type MailClass = (typeof MAIL_CLASSES)[number];

/** Every template, and the class that its mails are sent in. */
const CLASSES = {
	sign_in_code: "code",
	connect_code: "code",
	sign_in_link: "code",
	connect_link: "code",
	step_up_code: "code",
	email_change_code: "code",
	email_changed: "security",
	security_letter: "security",
	address_given_up: "security",
	invite: "team",
	export_ready: "notice",
	role_changed: "team",
	removed_from_team: "team",
	image_blocked: "notice",
	report_settled: "notice",
	webhook_failing: "notice",
	webhook_disabled: "notice",
	app_unblocked: "notice",
	app_blocked: "notice",
	delivery_unusual: "notice",
	image_host_lost: "notice",
	part_failing: "notice",
	part_healed: "notice",
	subscription_started: "billing",
	trial_started: "billing",
	trial_ending: "billing",
	not_renewed: "billing",
	plan_by_operator: "billing",
	plan_granted: "billing",
	withdrawn: "billing",
	further_refund: "billing",
	paid_twice: "billing",
	paid_unavailable: "billing",
	plan_paused: "billing",
	plan_resumed: "billing",
	app_plan_started: "billing",
	app_plan_failing: "billing",
	app_plan_locked: "billing",
	app_plan_ended: "billing",
	app_limit: "billing",
	payment_disputed: "billing",
	plan_gone: "billing",
} as const satisfies Record<MailTemplate, MailClass>;

/** All templates by name. */
export const MAIL_TEMPLATES = Object.keys(CLASSES) as readonly MailTemplate[];

export function classOf(template: MailTemplate): MailClass {
	return CLASSES[template];
}

/** Facts that are secret, and are removed once the mail is of no use any more. */
export const SECRET_FACTS: ReadonlySet<string> = new Set(["code", "link"]);

/** Replaces a secret that may not be read, or that was removed. */
export const HIDDEN = "••••••";

export interface NewMail<Template extends MailTemplate = MailTemplate> {
	readonly id: string;
	readonly template: Template;
	readonly recipient: string;
	readonly facts: MailFacts[Template];
	/** The same mail is never enqueued twice. */
	readonly dedupe: string | null;
	/** The language of the page that asked for it; left out: the one that the recipient signed in in last. */
	readonly locale?: Locale | undefined;
}

export function newMail<Template extends MailTemplate>(
	template: Template,
	recipient: string,
	facts: MailFacts[Template],
	dedupe: string | null = null,
): NewMail<Template> {
	return { id: newId("eml"), template, recipient, facts, dedupe };
}

/** The same with its secret facts sealed, as they are to stand in the outbox. */
export function sealedMail<Template extends MailTemplate>(
	keyring: Pick<Keyring, "seal">,
	mail: NewMail<Template>,
): NewMail<Template> {
	return { ...mail, facts: withSecrets(mail.facts, (text) => keyring.seal(text, SEALED_PLACES.mail(mail.id))) };
}

/** The same facts with every secret text changed. */
export function withSecrets<Facts extends object>(facts: Facts, change: (text: string) => string): Facts {
	const changed = Object.entries(facts).map(([name, value]) =>
		SECRET_FACTS.has(name) && typeof value === "string" ? [name, change(value)] : [name, value],
	);
	return Object.fromEntries(changed) as Facts;
}

/**
 * The address of the person whose mails of one class wait behind each other: who invites, of an invite, and otherwise who gets it. Whatever
 * one person causes, others wait for one mail of it at most.
 */
export function personOf({ recipient, facts }: Pick<NewMail, "recipient" | "facts">): string {
	return ("by" in facts ? facts.by : recipient).toLowerCase();
}

/** The state that a mail's times show. */
export const MAIL_STATES = ["queued", "sent", "failed"] as const;
export type MailState = (typeof MAIL_STATES)[number];

/** A mail as the outbox keeps it; secret facts become null once they are of no use any more. */
export interface OutboxMail {
	readonly pk: number;
	readonly id: string;
	readonly template: MailTemplate;
	readonly recipient: string;
	readonly locale: Locale;
	readonly facts: Readonly<Record<string, string | number | null>>;
	readonly state: MailState;
	/** Tries that were begun. */
	readonly attempts: number;
	/** Why the last try failed, without secrets; null where none did. */
	readonly failure: string | null;
	readonly sentMs: number | null;
	readonly createdMs: number;
}

/** What a mail says, in all three forms. */
export interface RenderedMail {
	/** One line, without control characters. */
	readonly subject: string;
	readonly text: string;
	/** A whole document that loads nothing. */
	readonly html: string;
}

/** A mail's content; with `secrets` set to `hidden`, or once they are removed, bullets replace them. */
export function contentOf({ template, facts }: OutboxMail, secrets: "shown" | "hidden"): MailContent {
	const readable = Object.entries(facts).map(([name, value]) => {
		const hidden = SECRET_FACTS.has(name) && (secrets === "hidden" || value === null);
		return [name, hidden ? HIDDEN : value] as const;
	});
	// The row was written from a NewMail, whose template and facts belong together.
	return { template, facts: Object.fromEntries(readable) } as MailContent;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Used where the facts do not say how long a link can be used. */
const LINK_DAYS = 7;

/** The time until which its secrets are of use to the recipient; undefined for a mail that holds none. */
export function usefulUntilMs({ facts, createdMs }: Pick<OutboxMail, "facts" | "createdMs">): number | undefined {
	const { minutes, days } = facts;
	if (!Object.entries(facts).some(([name, value]) => SECRET_FACTS.has(name) && value !== null)) return undefined;
	if (typeof minutes === "number") return createdMs + minutes * MINUTE_MS;
	return createdMs + (typeof days === "number" ? days : LINK_DAYS) * DAY_MS;
}
