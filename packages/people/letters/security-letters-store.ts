import type { Database } from "@svc/base/database/client";
import { takeThrottle } from "@svc/base/database/rate-shared";
import { accounts } from "@svc/base/database/schema/accounts";
import { emails } from "@svc/base/database/schema/mail";
import { securityLetters } from "@svc/base/database/schema/people";
import { throttles } from "@svc/base/database/schema/service";
import { columns, statements } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { mailEntry } from "@svc/mail/mail-entries-store";
import { and, eq, gt, type SQL, sql } from "drizzle-orm";
import type { NewLetter, SentLetter } from "./security-letter.ts";

const HOUR_MS = 3_600_000;
/** How many letters a person gets in an hour; then one that sums up. */
const MOST_AN_HOUR = 20;
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

export function securityLetterStore(database: Database) {
	return {
		/** Undefined once its time is over. */
		async find(ref: string, nowMs: number): Promise<SentLetter | undefined> {
			const open = and(eq(securityLetters.ref, ref), gt(securityLetters.untilMs, nowMs));
			return (await select(database, open))[0];
		},
		/** What a letter that sums up stands for. */
		listSummedUp: (ref: string): Promise<readonly SentLetter[]> =>
			select(database, eq(securityLetters.summedUpIn, ref)),
	};
}

async function select({ queries, read }: Database, where: SQL | undefined): Promise<readonly SentLetter[]> {
	const rows = await read(() =>
		queries
			.select({ letter: securityLetters, accountId: accounts.id })
			.from(securityLetters)
			.innerJoin(accounts, eq(accounts.pk, securityLetters.accountPk))
			.where(where),
	);
	return rows.map(({ letter: { ref, accountPk, deed, subject, facts, usedMs, createdMs }, accountId }) => ({
		...{ ref, accountPk, accountId, deed, subject, usedMs, createdMs },
		facts: JSON.parse(facts) as SentLetter["facts"],
	}));
}

/** The letters about a deed; must be in the same batch as the deed. */
export function letterSteps(letters: readonly NewLetter[], nowMs: number): readonly Step[] {
	return letters.flatMap((letter) => stepsOf(letter, nowMs));
}

function stepsOf(letter: NewLetter, nowMs: number): readonly Step[] {
	const { mail, summary, to } = letter;
	const bucket = `letters ${to.pk}`;
	const count = sql`(SELECT ${throttles.count} FROM ${throttles} WHERE ${throttles.bucket} = ${bucket})`;
	const unless = (mailId: string, holds: SQL): Step => ({
		run: statements.delete(emails).where(sql`${emails.id} = ${mailId} AND NOT (${holds})`),
	});
	return [
		{ run: takeThrottle({ bucket, limit: NO_LIMIT, windowMs: HOUR_MS }, nowMs) },
		// Of both mails at most one stays: which one is known only here.
		{ run: mailEntry(mail, nowMs) },
		unless(mail.id, sql`${count} <= ${MOST_AN_HOUR}`),
		{ run: mailEntry(summary.mail, nowMs) },
		unless(summary.mail.id, sql`${count} = ${MOST_AN_HOUR + 1}`),
		{
			run: sql`${insert({ ...letter, ...MANY, ref: summary.ref }, sql`NULL`, nowMs)} WHERE ${count} = ${MOST_AN_HOUR + 1}`,
		},
		{
			run: sql`${insert(letter, sql`iif(${count} > ${MOST_AN_HOUR}, (${latestSummary(to.pk)}), NULL)`, nowMs)} WHERE true`,
		},
	];
}

const MANY = { deed: "many", subject: "many", facts: {} } as const;

function latestSummary(accountPk: number): SQL {
	return sql`SELECT ${securityLetters.ref} FROM ${securityLetters} WHERE ${securityLetters.accountPk} = ${accountPk}
		AND ${securityLetters.deed} = 'many' ORDER BY ${securityLetters.createdMs} DESC LIMIT 1`;
}

function insert(
	{ ref, to, deed, subject, facts, untilMs }: Pick<NewLetter, "ref" | "to" | "deed" | "subject" | "facts" | "untilMs">,
	summedUpIn: SQL,
	nowMs: number,
): SQL {
	const names = columns(
		...[securityLetters.ref, securityLetters.accountPk, securityLetters.deed, securityLetters.subject],
		...[securityLetters.facts, securityLetters.summedUpIn, securityLetters.untilMs, securityLetters.createdMs],
	);
	return sql`INSERT INTO ${securityLetters} (${names}) SELECT ${ref}, ${to.pk}, ${deed}, ${subject},
		${JSON.stringify(facts)}, ${summedUpIn}, ${untilMs}, ${nowMs}`;
}
