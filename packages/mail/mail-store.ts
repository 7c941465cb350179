import type { Database } from "@svc/base/database/client";
import { type Throttle, takeThrottle } from "@svc/base/database/rate-shared";
import { accounts } from "@svc/base/database/schema/accounts";
import { emails } from "@svc/base/database/schema/mail";
import { columns, returned, statements } from "@svc/base/database/statements";
import { foldEmail } from "@svc/base/email";
import { LOCALES } from "@svc/base/enumerations";
import { findLocale } from "@svc/base/languages";
import { and, desc, eq, getTableColumns, gt, inArray, isNotNull, lt, lte, type SQL, sql } from "drizzle-orm";
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import { type TryOutcome, tryEntry } from "./health-store.ts";
import {
	classOf,
	MAIL_TEMPLATES,
	type Mail,
	type MailClass,
	type MailFacts,
	type MailFilter,
	type MailState,
	type MailTemplate,
	type NewMail,
	personOf,
	SECRET_FACTS,
} from "./mail.ts";

/** The claim of the process that is sending a mail. Under another nonce than the row's own nothing is written any more. */
export interface MailClaim {
	readonly nonce: string;
	/** The time from which other processes may claim the mail. */
	readonly untilMs: number;
}

export interface ClaimedMail extends Mail {
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

export function mailStore(database: Database) {
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
		claim: claimMail.bind(null, database),
		/**
		 * Ends a try; secrets are removed once the mail is sent or given up. `outcome`: what it says about mail as a whole, if anything. False
		 * when the claim has been lost.
		 */
		finish: finishMail.bind(null, database),
		/** Lists due mails of a deployment that sends none, those that have waited longest first. */
		async listDue(nowMs: number, limit: number): Promise<readonly Pick<Mail, "pk" | "facts" | "createdMs">[]> {
			const rows = await read(() => due.all({ nowMs, limit }));
			return rows.map((row) => ({ ...row, facts: JSON.parse(row.facts) }));
		},
		/** Postpones a mail until then; with `null` for good, and then its secrets are removed. */
		settle: settleMails.bind(null, database),
		/** Removes mails made before `beforeMs`, of at most `limit` that are looked at; returns how many. */
		forget: forgetMails.bind(null, database),
		/** Lists mails newest first. */
		list: listMails.bind(null, database),
	};
}

/** Must be in the same batch as the change that the mail reports. */
export function mailEntry(mail: NewMail, nowMs: number): SQL {
	const { id, template, recipient, facts, dedupe } = mail;
	const turn = { class: classOf(template), person: personOf(mail) };
	const locale = mail.locale ?? languageOf(recipient);
	const row = {
		id,
		template,
		recipient,
		locale,
		facts: JSON.stringify(facts),
		dedupe,
		nextMs: nowMs,
		createdMs: nowMs,
	};
	return statements
		.insert(emails)
		.values({ ...row, ...turn, round: roundOf(turn, nowMs) })
		.onConflictDoNothing({ target: emails.dedupe })
		.getSQL();
}

/** A mail to several people of whom the database alone knows who they are at the commit. */
interface MailForEach<Template extends MailTemplate> {
	readonly template: Template;
	/** What only the database knows stands here as SQL. */
	readonly facts: { readonly [Name in keyof MailFacts[Template]]: NonNullable<MailFacts[Template][Name]> | SQL };
	/** A query of their `email` and `locale`. */
	readonly to: SQL;
}

/** Must be in the same batch as the change that the mails report. */
export function mailEach<Template extends MailTemplate>(mail: MailForEach<Template>, nowMs: number): SQL {
	const { template, facts, to } = mail;
	const by = "by" in facts ? sql`${facts.by}` : sql`told.email`;
	const turn = { class: classOf(template), person: sql`lower(${by})` };
	const named = Object.entries(facts).map(([name, value]) => sql`${name}, ${value}`);
	const names = columns(
		...[emails.id, emails.template, emails.recipient, emails.class, emails.person, emails.round],
		...[emails.locale, emails.facts, emails.nextMs, emails.createdMs],
	);
	return sql`INSERT INTO ${emails} (${names})
		SELECT 'eml_' || lower(hex(randomblob(11))), ${template}, told.email, ${turn.class}, ${turn.person},
			${roundOf(turn, nowMs)}, told.locale, json_object(${sql.join(named, sql`, `)}), ${nowMs}, ${nowMs}
		FROM (${to}) AS told`;
}

/** As {@link mailEntry}, for a change that may turn out to be none: only where the statement just before it touched a row. */
export function mailOnChange(mail: NewMail, nowMs: number): SQL {
	const { template, recipient, facts } = mail;
	const to = sql`SELECT ${recipient} AS email, ${languageOf(recipient)} AS locale WHERE changes() > 0`;
	return mailEach({ template, facts, to }, nowMs);
}

/** The language in which the recipient signed in last; none for somebody without an account. */
function languageOf(recipient: string): SQL<string | null> {
	const found = statements
		.select({ locale: accounts.mailLocale })
		.from(accounts)
		.where(eq(accounts.emailNorm, foldEmail(recipient)));
	return sql`(${found})`;
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

/**
 * The round of a new mail: the one after the person's last that waits, but none that is over already. So a person's second mail goes
 * after the first mails of all others, and who comes later does not wait for what was sent before.
 */
function roundOf(turn: { readonly class: MailClass; readonly person: string | SQL }, nowMs: number): SQL {
	const waits = sql`${emails.class} = ${turn.class} AND ${emails.nextMs} IS NOT NULL`;
	const running = sql`SELECT ${emails.round} FROM ${emails} WHERE ${waits} AND ${emails.nextMs} <= ${nowMs}
		ORDER BY ${emails.round} LIMIT 1`;
	const own = sql`SELECT max(${emails.round}) + 1 FROM ${emails} WHERE ${waits} AND ${emails.person} = ${turn.person}`;
	return sql`max(coalesce((${running}), 0), coalesce((${own}), 0))`;
}

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
		.set({ claim: nonce, nextMs: untilMs, attempts, uncertain })
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
	return row ? { ...toMail(row), uncertain: row.uncertain } : "none";
}

async function finishMail(
	{ write }: Database,
	{ pk }: Pick<Mail, "pk">,
	{ nonce }: MailClaim,
	end: MailEnd,
	nowMs: number,
	outcome?: TryOutcome,
): Promise<boolean> {
	const finish = statements.update(emails).set({ claim: null, ...ending(end, nowMs) });
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
	filter: MailFilter,
	{ beforePk, limit }: { readonly beforePk: number | undefined; readonly limit: number },
): Promise<readonly Mail[]> {
	const before = beforePk === undefined ? undefined : lt(emails.pk, beforePk);
	const rows = await read(() =>
		queries
			.select()
			.from(emails)
			.where(and(before, ...conditionsOf(filter)))
			.orderBy(desc(emails.pk))
			.limit(limit),
	);
	return rows.map(toMail);
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

function toMail(row: MailRow): Mail {
	const { pk, id, template, recipient, locale, facts, attempts, nextMs, sentMs, failure, createdMs } = row;
	return {
		pk,
		id,
		template: template as MailTemplate,
		recipient,
		locale: findLocale([locale ?? ""]) ?? LOCALES[0],
		facts: JSON.parse(facts),
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
