import { accounts } from "@svc/base/database/schema/accounts";
import { emails } from "@svc/base/database/schema/mail";
import { columns, statements } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { foldEmail } from "@svc/base/email";
import { eq, type SQL, sql } from "drizzle-orm";
import {
	BETWEEN_IMAGES,
	classOf,
	type MailClass,
	type MailFacts,
	type MailTemplate,
	type NewMail,
	personOf,
} from "./mail.ts";

/* How mails come into the outbox: in the commit of the change that they report. */

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

interface EachOptions {
	/** Sends none unless the statement just before touched a row: for a change that may turn out to be none, and has no guard. */
	readonly onChange?: boolean;
}

/** Must be in the same batch as the change that the mails report. */
export function mailEach<Template extends MailTemplate>(
	mail: MailForEach<Template>,
	nowMs: number,
	{ onChange = false }: EachOptions = {},
): SQL {
	return insertEach(mail, nowMs, nowMs, onChange ? sql`changes() > 0` : undefined);
}

/** @param which of those whom the mail is for, as `addressee`; left out: all */
function insertEach<Template extends MailTemplate>(
	{ template, facts, to }: MailForEach<Template>,
	nowMs: number,
	nextMs: number,
	which: SQL = sql`1`,
): SQL {
	const by = "by" in facts ? sql`${facts.by}` : sql`addressee.email`;
	const turn = { class: classOf(template), person: sql`lower(${by})` };
	const named = Object.entries(facts).map(([name, value]) => sql`${name}, ${value}`);
	const names = columns(
		...[emails.id, emails.template, emails.recipient, emails.class, emails.person, emails.round],
		...[emails.locale, emails.facts, emails.nextMs, emails.createdMs],
	);
	return sql`INSERT INTO ${emails} (${names})
		SELECT 'eml_' || lower(hex(randomblob(11))), ${template}, addressee.email, ${turn.class}, ${turn.person},
			${roundOf(turn, nowMs)}, addressee.locale, json_object(${sql.join(named, sql`, `)}), ${nextMs}, ${nowMs}
		FROM (${to}) AS addressee WHERE ${which}`;
}

/** How long a mail waits for more of the same. */
const GATHERED_MS = 60_000;
/** Characters of what a mail gathers; with more a second one begins. */
const GATHERED_MAX = 3_000;

/**
 * As {@link mailEach}, for what is done to many images at once: the mail waits for a minute, and images of which the same person is told the
 * same in the meantime are named in it, rather than in a mail each.
 */
export function mailGathered<Template extends "image_blocked" | "report_settled">(
	mail: MailForEach<Template>,
	nowMs: number,
): readonly Step[] {
	const { template, facts, to } = mail;
	const { image, ...others } = facts;
	const kept = (name: string) => sql`${emails.facts} ->> ${`$.${name}`}`;
	const same = Object.entries(others).map(([name, value]) => sql` AND ${kept(name)} = ${value}`);
	const waits = sql`${emails.class} = ${classOf(template)} AND ${emails.person} = lower(addressee.email)
		AND ${emails.template} = ${template} AND ${emails.attempts} = 0 AND ${emails.nextMs} > ${nowMs}
		AND length(${kept("image")}) < ${GATHERED_MAX}${sql.join(same, sql``)}`;
	const more = sql`json_set(${emails.facts}, '$.image', ${kept("image")} || ${BETWEEN_IMAGES} || ${image})`;
	return [
		{ run: insertEach(mail, nowMs, nowMs + GATHERED_MS, sql`NOT EXISTS (SELECT 1 FROM ${emails} WHERE ${waits})`) },
		{
			run: sql`UPDATE ${emails} SET ${columns(emails.facts)} = ${more} FROM (${to}) AS addressee
				WHERE ${waits} AND instr(${kept("image")}, ${image}) = 0`,
		},
	];
}

/** As {@link mailEntry}, for a change that may turn out to be none: only where the statement just before it touched a row. */
export function mailOnChange(mail: NewMail, nowMs: number): SQL {
	const { template, recipient, facts } = mail;
	const to = sql`SELECT ${recipient} AS email, ${languageOf(recipient)} AS locale`;
	return mailEach({ template, facts, to }, nowMs, { onChange: true });
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
