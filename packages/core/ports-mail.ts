import type { Mail, MailState, MailTemplate } from "./mail.ts";

/* What is asked of the world about mail; see ports.ts. */

/** Whoever is sending a mail. Nothing is done any more under a nonce that is not the row's own. */
export interface MailClaim {
	readonly nonce: string;
	/** Then the mail is free for others. */
	readonly untilMs: number;
}

export interface ClaimedMail extends Mail {
	/** Earlier tries of which nobody knows whether they delivered it: cut off, or by a process that died. */
	readonly uncertain: number;
}

/** What became of a try. */
export type MailEnd =
	| { readonly state: "sent" }
	| { readonly state: "failed"; readonly failure: string }
	| { readonly state: "queued"; readonly failure: string; readonly nextMs: number; readonly uncertain: boolean };

export interface MailFilter {
	/** Whatever its letters' case. */
	readonly recipient?: string;
	readonly template?: MailTemplate;
	readonly state?: MailState;
}

export interface MailStore {
	/** Whether there is anything to claim. */
	isDue(nowMs: number): Promise<boolean>;
	/**
	 * Takes the mail that has been due longest, and counts the try. Mails of templates that this version does not know are left to
	 * the version that does.
	 */
	claim(claim: MailClaim, nowMs: number): Promise<ClaimedMail | undefined>;
	/** Ends a try; secrets go once the mail is sent or given up. False when the claim has been lost. */
	finish(mail: Pick<Mail, "pk">, claim: MailClaim, end: MailEnd, nowMs: number): Promise<boolean>;
	/** Mails to look after where none is sent, those that have waited longest first. */
	listDue(nowMs: number, limit: number): Promise<readonly Pick<Mail, "pk" | "facts" | "createdMs">[]>;
	/** Puts a mail off until then; with `null` for good, and then its secrets go. */
	settle(mails: readonly { readonly pk: number; readonly nextMs: number | null }[], nowMs: number): Promise<void>;
	/** Removes mails made before `beforeMs`, of at most `limit` that are looked at; returns how many. */
	forget(beforeMs: number, limit: number): Promise<number>;
	/** Newest first. */
	list(
		filter: MailFilter,
		page: { readonly beforePk: number | undefined; readonly limit: number },
	): Promise<readonly Mail[]>;
}

/** What a mail server made of a mail. `failure` may be shown to operators. */
export type Delivery =
	| { readonly kind: "accepted" }
	/** For good: trying again changes nothing. */
	| { readonly kind: "refused"; readonly failure: string }
	/** For now, and certainly not delivered. */
	| { readonly kind: "failed"; readonly failure: string }
	/** All of it was handed over, and no answer came. */
	| { readonly kind: "uncertain"; readonly failure: string };

export interface MailTransport {
	/** Never rejects because of the mail server; ends within half a minute. */
	deliver(mail: Mail): Promise<Delivery>;
}
