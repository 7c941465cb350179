import type { Database } from "@svc/base/database/client";
import { emails } from "@svc/base/database/schema/mail";
import { and, desc, lt, type SQL, sql } from "drizzle-orm";
import {
	MAIL_TEMPLATES,
	type Mail,
	type MailFilter,
	type MailState,
	type MailTemplate,
	type NewMail,
	SECRET_FACTS,
} from "./mail.ts";

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

/** Belongs into the same batch as the change that the mail tells of. */
export function mailEntry({ id, template, recipient, facts, dedupe }: NewMail, nowMs: number): SQL {
	return sql`INSERT INTO emails (id, template, recipient, facts, dedupe, next_ms, created_ms)
		VALUES (${id}, ${template}, ${recipient}, ${JSON.stringify(facts)}, ${dedupe}, ${nowMs}, ${nowMs})
		ON CONFLICT (dedupe) DO NOTHING`;
}

type MailRow = typeof emails.$inferSelect;

export function mailStore(database: Database): MailStore {
	const { read, write, queries } = database;
	const due = queries
		.select({ pk: emails.pk, facts: emails.facts, createdMs: emails.createdMs })
		.from(emails)
		.where(sql`next_ms <= ${sql.placeholder("nowMs")}`)
		.orderBy(emails.nextMs)
		.limit(sql.placeholder("limit"))
		.prepare();

	return {
		async isDue(nowMs) {
			return (await read(() => due.all({ nowMs, limit: 1 }))).length > 0;
		},
		async claim(claim, nowMs) {
			const { rows } = await write([{ run: claimNext(claim, nowMs) }]);
			const row = rows[0]?.[0] as MailRow | undefined;
			return row && { ...toMail(row), uncertain: row.uncertain };
		},
		async finish({ pk }, { nonce }, end, nowMs) {
			const { refused } = await write([
				{
					run: sql`UPDATE emails SET claim = NULL, ${ending(end, nowMs)} WHERE pk = ${pk} AND claim = ${nonce}`,
					guard: "lost",
				},
			]);
			return refused === undefined;
		},
		async listDue(nowMs, limit) {
			const rows = await read(() => due.all({ nowMs, limit }));
			return rows.map((row) => ({ ...row, facts: JSON.parse(row.facts) }));
		},
		async settle(mails, nowMs) {
			await write(
				mails.map(({ pk, nextMs }) => ({
					run: sql`UPDATE emails SET next_ms = ${nextMs}${nextMs === null ? sql`, ${FORGET_SECRETS}` : sql``}
						WHERE pk = ${pk} AND next_ms <= ${nowMs}`,
				})),
			);
		},
		async forget(beforeMs, limit) {
			// The oldest rows come first by pk, so that no index is needed to find them.
			const { rows } = await write([
				{
					run: sql`DELETE FROM emails WHERE created_ms < ${beforeMs}
						AND pk IN (SELECT pk FROM emails ORDER BY pk LIMIT ${limit}) RETURNING 1 AS forgotten`,
				},
			]);
			return rows[0]?.length ?? 0;
		},
		async list(filter, { beforePk, limit }) {
			const before = beforePk === undefined ? undefined : lt(emails.pk, beforePk);
			const query = queries
				.select()
				.from(emails)
				.where(and(before, ...conditionsOf(filter)));
			const rows = await read(() => query.orderBy(desc(emails.pk)).limit(limit));
			return rows.map(toMail);
		},
	};
}

/**
 * Ends every claim. For the start of a service that owns its database alone: whoever held them is gone. What they were sending
 * counts as a try without an answer, since the claim is still there when the mail is claimed again.
 */
export async function endMailClaims({ write }: Database, nowMs: number): Promise<void> {
	await write([{ run: sql`UPDATE emails SET next_ms = ${nowMs} WHERE next_ms > ${nowMs} AND claim IS NOT NULL` }]);
}

const KNOWN = sql.raw(MAIL_TEMPLATES.map((name) => `'${name}'`).join(", "));
const PATHS = [...SECRET_FACTS].map((name) => `'$.${name}', NULL`).join(", ");
/** Replaces those that are there; adds none. */
const FORGET_SECRETS = sql.raw(`facts = json_replace(facts, ${PATHS})`);

/** One statement: of two who ask at once, the second finds the mail put off. */
function claimNext({ nonce, untilMs }: MailClaim, nowMs: number): SQL {
	return sql`UPDATE emails SET claim = ${nonce}, next_ms = ${untilMs}, attempts = attempts + 1, uncertain = uncertain + (claim IS NOT NULL)
		WHERE pk = (SELECT pk FROM emails WHERE next_ms <= ${nowMs} AND template IN (${KNOWN}) ORDER BY next_ms LIMIT 1)
		RETURNING pk, id, template, recipient, facts, dedupe, attempts, uncertain, failure,
			next_ms AS nextMs, claim, sent_ms AS sentMs, created_ms AS createdMs`;
}

function ending(end: MailEnd, nowMs: number): SQL {
	switch (end.state) {
		case "sent":
			return sql`sent_ms = ${nowMs}, next_ms = NULL, failure = NULL, ${FORGET_SECRETS}`;
		case "failed":
			return sql`next_ms = NULL, failure = ${end.failure}, ${FORGET_SECRETS}`;
		case "queued":
			return sql`next_ms = ${end.nextMs}, failure = ${end.failure}, uncertain = uncertain + ${end.uncertain ? 1 : 0}`;
	}
}

const IN_STATE: Readonly<Record<MailState, SQL>> = {
	sent: sql`sent_ms IS NOT NULL`,
	failed: sql`(sent_ms IS NULL AND next_ms IS NULL AND failure IS NOT NULL)`,
	queued: sql`(sent_ms IS NULL AND (next_ms IS NOT NULL OR failure IS NULL))`,
};

function conditionsOf({ recipient, template, state }: MailFilter): readonly (SQL | undefined)[] {
	return [
		// Another version's mails cannot be read by this one.
		sql`template IN (${KNOWN})`,
		recipient === undefined ? undefined : sql`lower(recipient) = lower(${recipient})`,
		template === undefined ? undefined : sql`template = ${template}`,
		state === undefined ? undefined : IN_STATE[state],
	];
}

function toMail({ pk, id, template, recipient, facts, attempts, nextMs, sentMs, failure, createdMs }: MailRow): Mail {
	return {
		pk,
		id,
		template: template as MailTemplate,
		recipient,
		facts: JSON.parse(facts),
		state: stateOf({ nextMs, sentMs, failure }),
		attempts,
		failure,
		sentMs,
		createdMs,
	};
}

/** Where none is sent, a mail stays queued for good: nothing about it has failed. */
function stateOf({ nextMs, sentMs, failure }: Pick<MailRow, "nextMs" | "sentMs" | "failure">): MailState {
	if (sentMs !== null) return "sent";
	return nextMs === null && failure !== null ? "failed" : "queued";
}
