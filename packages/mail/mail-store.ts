import { SEALED_PLACES } from "@svc/base/crypto/deployment-secret";
import type { Keyring } from "@svc/base/crypto/keyring";
import type { Database } from "@svc/base/database/client";
import { type Throttle, takeThrottle } from "@svc/base/database/rate-shared";
import { emails } from "@svc/base/database/schema/mail";
import { returned, statements } from "@svc/base/database/statements";
import { LOCALES } from "@svc/base/enumerations";
import { findLocale } from "@svc/base/words/languages";
import { and, desc, eq, getTableColumns, gt, inArray, isNotNull, lt, lte, type SQL, sql } from "drizzle-orm";
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import { type TryOutcome, tryEntry } from "./health-store.ts";
import {
	MAIL_TEMPLATES,
	type MailClass,
	type MailFilter,
	type MailState,
	type MailTemplate,
	type OutboxMail,
	SECRET_FACTS,
	withSecrets,
} from "./mail.ts";

/** The claim of the process that is sending a mail. Under another nonce than the row's own nothing is written any more. */
export interface MailClaim {
	readonly nonce: string;
	/** The time from which other processes may claim the mail. */
	readonly untilMs: number;
}

export interface ClaimedMail extends OutboxMail {
	/** Earlier tries that may or may not have delivered it: interrupted, or by a process that died. */
	readonly uncertain: number;
}

/** The result of a try. */
export type MailEnd =
	| { readonly state: "sent" }
	/** It stays where it is, and is not sent: nothing about it has failed. */
	| { readonly state: "kept" }
	| { readonly state: "failed"; readonly failure: string }
	| { readonly state: "queued"; readonly failure: string; readonly nextMs: number; readonly uncertain: boolean };

export type MailStore = ReturnType<typeof mailStore>;

/** @param process the id of this process: its claims end with it */
export function mailStore(database: Database, process: string, keyring: Pick<Keyring, "open">) {
	const { read } = database;
	const due = prepareDue(database);
	return {
		/** Whether there is anything to claim. */
		async isDue(nowMs: number): Promise<boolean> {
			return (await read(() => due.all({ nowMs, limit: 1 }))).length > 0;
		},
		/** The class of the mail whose turn it is, of those in `classes`, the first of them first; undefined where none is due. */
		nextClass: nextClass.bind(null, database),
		/**
		 * Claims the mail of a class whose turn it is, and counts the try: the oldest of the people who have had the fewest turns. Mails of
		 * templates that this version does not know are left to the version that does. `none` where none is due, `full` where one of the
		 * throttles, which count it, has no room.
		 */
		claim: claimMail.bind(null, database, keyring, process),
		/**
		 * Ends a try; secrets are removed once the mail is sent or given up. `outcome`: what it says about mail as a whole, if anything. False
		 * when the claim has been lost.
		 */
		finish: finishMail.bind(null, database),
		/** Lists due mails of a deployment that sends none, those that have waited longest first. */
		async listDue(nowMs: number, limit: number): Promise<readonly Pick<OutboxMail, "pk" | "facts" | "createdMs">[]> {
			const rows = await read(() => due.all({ nowMs, limit }));
			return rows.map((row) => ({ ...row, facts: JSON.parse(row.facts) }));
		},
		/** Postpones a mail until then; with `null` for good, and then its secrets are removed. */
		settle: settleMails.bind(null, database),
		/** Removes mails made before `beforeMs`, of at most `limit` that are looked at; returns how many. */
		forget: forgetMails.bind(null, database),
		/** Lists mails newest first. */
		list: listMails.bind(null, database, keyring),
	};
}

/**
 * Ends every claim. For the start of a service that owns its database alone: their holders are gone. What they were sending
 * counts as a try without an answer, since the claim is still there when the mail is claimed again.
 */
export async function endMailClaims({ write }: Database, nowMs: number): Promise<void> {
	const claimed = and(gt(emails.nextMs, nowMs), isNotNull(emails.claim));
	await write([{ run: statements.update(emails).set({ nextMs: nowMs }).where(claimed) }]);
}

type MailRow = typeof emails.$inferSelect;
type Changes = SQLiteUpdateSetSource<typeof emails>;

function prepareDue({ queries }: Database) {
	return queries
		.select({ pk: emails.pk, facts: emails.facts, createdMs: emails.createdMs })
		.from(emails)
		.where(lte(emails.nextMs, sql.placeholder("nowMs")))
		.orderBy(emails.nextMs)
		.limit(sql.placeholder("limit"))
		.prepare();
}

const KNOWN = sql.raw(MAIL_TEMPLATES.map((name) => `'${name}'`).join(", "));
const IS_KNOWN = sql`${emails.template} IN (${KNOWN})`;
const PATHS = sql.raw([...SECRET_FACTS].map((name) => `'$.${name}', NULL`).join(", "));
/** Replaces the secrets that are there; adds none. */
const WITHOUT_SECRETS = { facts: sql`json_replace(${emails.facts}, ${PATHS})` } satisfies Changes;

/** The mail of a class whose turn it is. */
function nextOf(of: MailClass, nowMs: number): SQL {
	return sql`SELECT ${emails.pk} FROM ${emails}
		WHERE ${emails.class} = ${of} AND ${emails.nextMs} <= ${nowMs} AND ${IS_KNOWN}
		ORDER BY ${emails.round}, ${emails.nextMs} LIMIT 1`;
}

async function nextClass(
	{ queries, read }: Database,
	classes: readonly MailClass[],
	nowMs: number,
): Promise<MailClass | undefined> {
	const cases = classes.map((of) => sql`WHEN EXISTS (${nextOf(of, nowMs)}) THEN ${of}`);
	if (cases.length === 0) return undefined;
	const [row] = await read(() => queries.values<[MailClass | null]>(sql`SELECT CASE ${sql.join(cases, sql` `)} END`));
	return row?.[0] ?? undefined;
}

/** One statement: of two concurrent claims, the second finds the mail claimed. */
async function claimMail(
	{ queries, read, write }: Database,
	keyring: Pick<Keyring, "open">,
	process: string,
	{ nonce, untilMs }: MailClaim,
	of: MailClass,
	nowMs: number,
	throttles: readonly Throttle[] = [],
): Promise<ClaimedMail | "none" | "full"> {
	const next = sql`(${nextOf(of, nowMs)})`;
	const attempts = sql`${emails.attempts} + 1`;
	const uncertain = sql`${emails.uncertain} + (${emails.claim} IS NOT NULL)`;
	const claim = statements
		.update(emails)
		.set({ claim: nonce, process, nextMs: untilMs, attempts, uncertain })
		.where(eq(emails.pk, next))
		.returning(returned(getTableColumns(emails)));
	const written = await write([
		{ run: claim, guard: "none" },
		...throttles.map((throttle) => ({ run: takeThrottle(throttle, nowMs), guard: "full" as const })),
	]);
	if (written.refused) return written.refused;
	// A claim whose rows were lost on the way has its nonce in the table.
	const lost = () => read(() => queries.select().from(emails).where(eq(emails.claim, nonce)));
	const [row] = (written.rows?.[0] ?? (await lost())) as readonly MailRow[];
	return row ? { ...toMail(row, keyring), uncertain: row.uncertain } : "none";
}

async function finishMail(
	{ write }: Database,
	{ pk }: Pick<OutboxMail, "pk">,
	{ nonce }: MailClaim,
	end: MailEnd,
	nowMs: number,
	outcome?: TryOutcome,
): Promise<boolean> {
	const finish = statements.update(emails).set({ claim: null, process: null, ...ending(end, nowMs) });
	const { refused } = await write([
		{ run: finish.where(and(eq(emails.pk, pk), eq(emails.claim, nonce))), guard: "lost" },
		...(outcome ? [{ run: tryEntry(outcome, nowMs) }] : []),
	]);
	return refused === undefined;
}

async function settleMails(
	{ write }: Database,
	mails: readonly { readonly pk: number; readonly nextMs: number | null }[],
	nowMs: number,
): Promise<void> {
	await write(
		mails.map(({ pk, nextMs }) => ({
			run: statements
				.update(emails)
				.set({ nextMs, ...(nextMs === null && WITHOUT_SECRETS) })
				.where(and(eq(emails.pk, pk), lte(emails.nextMs, nowMs))),
		})),
	);
}

async function forgetMails({ write }: Database, beforeMs: number, limit: number): Promise<number> {
	// The oldest rows come first by pk, so that no index is needed to find them.
	const oldest = statements.select({ pk: emails.pk }).from(emails).orderBy(emails.pk).limit(limit);
	const old = and(lt(emails.createdMs, beforeMs), inArray(emails.pk, oldest));
	const { rows } = await write([{ run: statements.delete(emails).where(old).returning({ pk: emails.pk }) }]);
	return rows?.[0]?.length ?? 0;
}

async function listMails(
	{ queries, read }: Database,
	keyring: Pick<Keyring, "open">,
	filter: MailFilter,
	{ beforePk, limit }: { readonly beforePk: number | undefined; readonly limit: number },
): Promise<readonly OutboxMail[]> {
	const before = beforePk === undefined ? undefined : lt(emails.pk, beforePk);
	const rows = await read(() =>
		queries
			.select()
			.from(emails)
			.where(and(before, ...conditionsOf(filter)))
			.orderBy(desc(emails.pk))
			.limit(limit),
	);
	return rows.map((row) => toMail(row, keyring));
}

function ending(end: MailEnd, nowMs: number): Changes {
	switch (end.state) {
		case "sent":
			return { sentMs: nowMs, nextMs: null, failure: null, ...WITHOUT_SECRETS };
		case "kept":
			return { nextMs: null, failure: null, attempts: sql`${emails.attempts} - 1`, ...WITHOUT_SECRETS };
		case "failed":
			return { nextMs: null, failure: end.failure, ...WITHOUT_SECRETS };
		case "queued": {
			const uncertain = sql`${emails.uncertain} + ${end.uncertain ? 1 : 0}`;
			return { nextMs: end.nextMs, failure: end.failure, uncertain };
		}
	}
}

const IN_STATE: Readonly<Record<MailState, SQL>> = {
	sent: sql`${emails.sentMs} IS NOT NULL`,
	failed: sql`(${emails.sentMs} IS NULL AND ${emails.nextMs} IS NULL AND ${emails.failure} IS NOT NULL)`,
	queued: sql`(${emails.sentMs} IS NULL AND (${emails.nextMs} IS NOT NULL OR ${emails.failure} IS NULL))`,
};

function conditionsOf({ recipient, template, state }: MailFilter): readonly (SQL | undefined)[] {
	return [
		// This version cannot read another version's mails.
		IS_KNOWN,
		recipient === undefined ? undefined : sql`lower(${emails.recipient}) = lower(${recipient})`,
		template === undefined ? undefined : eq(emails.template, template),
		state === undefined ? undefined : IN_STATE[state],
	];
}

function toMail(row: MailRow, keyring: Pick<Keyring, "open">): OutboxMail {
	const { pk, id, template, recipient, locale, facts, attempts, nextMs, sentMs, failure, createdMs } = row;
	return {
		pk,
		id,
		template: template as MailTemplate,
		recipient,
		locale: findLocale([locale ?? ""]) ?? LOCALES[0],
		facts: withSecrets(JSON.parse(facts), (text) => keyring.open(text, SEALED_PLACES.mail(id))),
		state: stateOf({ nextMs, sentMs, failure }),
		attempts,
		failure,
		sentMs,
		createdMs,
	};
}

/** Where no mail is sent, a mail stays queued for good: nothing about it has failed. */
function stateOf({ nextMs, sentMs, failure }: Pick<MailRow, "nextMs" | "sentMs" | "failure">): MailState {
	if (sentMs !== null) return "sent";
	return nextMs === null && failure !== null ? "failed" : "queued";
}
