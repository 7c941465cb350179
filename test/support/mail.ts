import { SEALED_PLACES } from "@svc/base/crypto/deployment-secret";
import type { Database } from "@svc/base/database/client";
import { type MailFacts, type MailTemplate, newMail, withSecrets } from "@svc/mail/mail";
import { mailEntry } from "@svc/mail/mail-entries-store";
import { type SQL, sql } from "drizzle-orm";
import { keyringOf } from "./keyrings.ts";

/** Puts a mail into the outbox, as the change that it tells of would; its id. */
export async function addMail<Template extends MailTemplate>(
	{ database, clock }: { readonly database: Database; readonly clock: { now(): number } },
	template: Template,
	facts: MailFacts[Template],
	recipient = "ada@example.com",
): Promise<string> {
	const mail = newMail(template, recipient, facts);
	await database.write([{ run: mailEntry(mail, clock.now()) }]);
	return mail.id;
}

/** What is said in the mails that match, the oldest first, with the secrets that stand sealed in their rows. */
export async function mailedFacts<Facts extends object = Readonly<Record<string, string>>>(
	database: Database,
	where: SQL,
): Promise<readonly { readonly template: string; readonly facts: Facts }[]> {
	const rows = await database.read(() =>
		database.queries.values<[string, string, string]>(
			sql`SELECT id, template, facts FROM emails WHERE ${where} ORDER BY pk`,
		),
	);
	const opened = (id: string, text: string) => keyringOf(database).open(text, SEALED_PLACES.mail(id));
	return rows.map(([id, template, facts]) => ({
		template,
		facts: withSecrets(JSON.parse(facts) as Facts, (text) => opened(id, text)),
	}));
}

/** What the outbox remembers of a mail. */
export interface KeptMail {
	readonly state: "queued" | "sent" | "failed";
	readonly attempts: number;
	readonly failure: string | null;
	/** As JSON. */
	readonly facts: string;
}

export async function keptMail(database: Database, id: string): Promise<KeptMail> {
	const state: SQL = sql`CASE WHEN sent_ms IS NOT NULL THEN 'sent' WHEN next_ms IS NULL THEN 'failed' ELSE 'queued' END`;
	const [row] = await database.read(() =>
		database.queries.values<[KeptMail["state"], number, string | null, string]>(
			sql`SELECT ${state}, attempts, failure, facts FROM emails WHERE id = ${id}`,
		),
	);
	if (!row) throw new Error(`there is no mail ${id}`);
	return { state: row[0], attempts: Number(row[1]), failure: row[2], facts: row[3] };
}
