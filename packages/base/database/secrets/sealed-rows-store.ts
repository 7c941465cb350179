import { and, isNotNull, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { SEALED_PLACES, sealedPrefix } from "../../crypto/deployment-secret.ts";
import type { Keyring } from "../../crypto/keyring.ts";
import { newWebhookSecret } from "../../crypto/secrets.ts";
import type { Database } from "../client.ts";
import { apps } from "../schema/apps.ts";
import { signingKeys } from "../schema/delivery.ts";
import { emails } from "../schema/mail.ts";
import { meta, replays } from "../schema/service.ts";
import { webhookEndpoints } from "../schema/webhooks.ts";
import { column } from "../statements.ts";
import type { Step } from "../step.ts";

/* All rows with a text that is sealed with the deployment's secret: where they are, how they are sealed anew, and what becomes of them without it. */

/** Keys of older releases, and those that are kept. */
const KEYS = [
	...["anonymous", "cursors", "delivery", "logins", "reports", "simulated-events", "store-lease", "trials"],
	"upload_tickets",
];

type Kind = keyof typeof SEALED_PLACES;

/** A text of a table. Where it has none, or has ended, the text is NULL. */
interface Source {
	readonly kind: Kind;
	readonly id: SQLiteColumn;
	/** Its id is bytes, which are named in hex. */
	readonly hasBytes?: boolean;
	readonly text: SQL | SQLiteColumn;
	readonly where: SQL | undefined;
	/** What stands after SET to write another text. */
	set(text: string): SQL;
	/** What happens to a row whose text nobody can open. */
	lose(row: SQL): readonly SQL[];
}

const factSource = (name: "code" | "link"): Source => {
	const path = `$.${name}`;
	return {
		kind: "mail",
		id: emails.id,
		text: sql`(${emails.facts} ->> ${path})`,
		where: isNotNull(emails.nextMs),
		set: (text) => sql`${column(emails.facts)} = json_set(${emails.facts}, ${path}, ${text})`,
		lose: (row) => [
			sql`UPDATE ${emails} SET ${column(emails.nextMs)} = NULL, ${column(emails.failure)} = ${LOST_MAIL},
				${column(emails.facts)} = json_replace(${emails.facts}, '$.code', NULL, '$.link', NULL) WHERE ${row}`,
		],
	};
};

const LOST_MAIL = "The secret of the deployment was lost that it was sealed with.";

const SOURCES: readonly Source[] = [
	{
		kind: "webhook",
		id: webhookEndpoints.id,
		text: webhookEndpoints.secret,
		where: undefined,
		set: (text) => sql`${column(webhookEndpoints.secret)} = ${text}`,
		lose: (row) => [
			sql`UPDATE ${webhookEndpoints} SET ${column(webhookEndpoints.secret)} = ${newWebhookSecret()} WHERE ${row}`,
		],
	},
	{
		kind: "webhook",
		id: webhookEndpoints.id,
		text: webhookEndpoints.oldSecret,
		where: isNotNull(webhookEndpoints.oldSecret),
		set: (text) => sql`${column(webhookEndpoints.oldSecret)} = ${text}`,
		lose: (row) => [sql`UPDATE ${webhookEndpoints} SET ${column(webhookEndpoints.oldSecret)} = NULL WHERE ${row}`],
	},
	{
		kind: "signingKey",
		id: signingKeys.id,
		text: signingKeys.secret,
		where: undefined,
		set: (text) => sql`${column(signingKeys.secret)} = ${text}`,
		lose: (row) => [
			sql`UPDATE ${apps} SET ${column(apps.deliveryVersion)} = ${apps.deliveryVersion} + 1
				WHERE ${apps.pk} IN (SELECT ${signingKeys.appPk} FROM ${signingKeys} WHERE ${row})`,
			sql`DELETE FROM ${signingKeys} WHERE ${row}`,
		],
	},
	factSource("code"),
	factSource("link"),
	{
		kind: "answer",
		id: replays.hash,
		hasBytes: true,
		text: replays.body,
		where: undefined,
		set: (text) => sql`${column(replays.body)} = ${text}`,
		// What was asked for was done, and is not done a second time.
		lose: (row) => [
			sql`UPDATE ${replays} SET ${column(replays.status)} = NULL, ${column(replays.body)} = NULL, ${column(replays.changed)} = 1 WHERE ${row}`,
		],
	},
	{
		kind: "key",
		id: meta.key,
		text: meta.value,
		where: sql`${meta.key} IN ${KEYS}`,
		set: (text) => sql`${column(meta.value)} = ${text}`,
		lose: (row) => [sql`DELETE FROM ${meta} WHERE ${row}`],
	},
];

const AT_ONCE = 100;

type Found = readonly (readonly [id: string, text: string])[];

/** Texts that do not begin with any of these. */
async function findOthers({ queries, read }: Database, source: Source, prefixes: readonly string[]): Promise<Found> {
	const { id, hasBytes, text, where } = source;
	const name = hasBytes ? sql`lower(hex(${id}))` : id;
	const differs = prefixes.map((prefix) => sql`substr(${text}, 1, ${prefix.length}) <> ${prefix}`);
	const condition = and(where, sql`${text} IS NOT NULL`, ...differs);
	return await read(() =>
		queries.values<[string, string]>(sql`SELECT ${name}, ${text} FROM ${id.table} WHERE ${condition} LIMIT ${AT_ONCE}`),
	);
}

/** Nothing happens to a row that has another text by then. */
function sameRow({ id, hasBytes, text }: Source, [name, found]: Found[number]): SQL {
	const of = hasBytes ? Buffer.from(name, "hex") : name;
	return sql`${id} = ${of} AND ${text} = ${found}`;
}

/**
 * Seals, with the secret that seals at present, whatever is not sealed with it yet.
 * @param isSteady nothing has changed since the last time: answers, which are many and gone within a day, are not looked through
 * @returns how many texts were sealed
 */
export async function sealRows(database: Database, keyring: Keyring, isSteady = false): Promise<number> {
	const { maker } = keyring;
	if (!keyring.seals || !maker) return 0;
	let sealed = 0;
	for (const source of SOURCES) {
		if (isSteady && source.kind === "answer") continue;
		for (;;) {
			const found = await findOthers(database, source, [sealedPrefix(maker)]);
			if (found.length === 0) break;
			const place = SEALED_PLACES[source.kind];
			const steps: Step[] = found.map((row) => {
				const text = maker.seal(keyring.open(row[1], place(row[0])), place(row[0]));
				return { run: sql`UPDATE ${source.id.table} SET ${source.set(text)} WHERE ${sameRow(source, row)}` };
			});
			await database.write(steps);
			sealed += found.length;
		}
	}
	return sealed;
}

/** How many texts of each kind were lost. */
export type LostTexts = Readonly<Partial<Record<Kind, number>>>;

/** Makes anew, or ends, what was sealed with a secret that is not here. */
export async function loseRows(database: Database, { secrets }: Pick<Keyring, "secrets">): Promise<LostTexts> {
	const lost: Partial<Record<Kind, number>> = {};
	const own = secrets.map(sealedPrefix);
	for (const source of SOURCES) {
		for (;;) {
			const sealed = { ...source, where: and(source.where, sql`substr(${source.text}, 1, 7) = 'sealed:'`) };
			const found = await findOthers(database, sealed, own);
			if (found.length === 0) break;
			await database.write(found.flatMap((row) => source.lose(sameRow(source, row)).map((run) => ({ run }))));
			lost[source.kind] = (lost[source.kind] ?? 0) + found.length;
		}
	}
	return lost;
}
