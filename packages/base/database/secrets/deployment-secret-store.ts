import { and, eq } from "drizzle-orm";
import { SEALED_PLACES } from "../../crypto/deployment-secret.ts";
import type { Keyring } from "../../crypto/keyring.ts";
import type { Database } from "../client.ts";
import { meta } from "../schema/service.ts";
import { statements } from "../statements.ts";

/* What the database knows of the deployment's secret, which it does not have, and the keys that are kept in it. */

const STATE = "deployment-secret";
/** Every release has made this key at its first start. */
const FORMER = "cursors";

export interface SecretState {
	/** Of the secret that seals. */
	readonly fingerprint: string;
	/** Since when. */
	readonly sinceMs: number;
	/** When a process of a release was last seen that knows of no secret; null where there was never one. */
	readonly olderMs: number | null;
	/** Whether all that must stay readable is sealed, and what is new at once. */
	readonly isSealed: boolean;
	/** Whether the file was written anew since, so that nothing is left of what lay readable. */
	readonly isCompacted: boolean;
}

/** For a database of any release that has the table. */
export async function findSecretState(database: Database): Promise<SecretState | undefined> {
	const text = await findValue(database, STATE);
	return text === undefined ? undefined : JSON.parse(text);
}

/** Whether a release has worked on it that keeps its keys in the database. */
export async function hasFormerKeys(database: Database): Promise<boolean> {
	return (await findValue(database, FORMER)) !== undefined;
}

/** Writes the first state; returns the one that stands there. */
export async function claimSecretState(database: Database, fresh: SecretState): Promise<SecretState> {
	const insert = statements.insert(meta).values({ key: STATE, value: JSON.stringify(fresh) });
	await database.write([{ run: insert.onConflictDoNothing() }]);
	return (await findSecretState(database)) ?? fresh;
}

/** False where another process came first. */
export async function changeSecretState(
	{ write }: Database,
	before: SecretState,
	after: SecretState,
): Promise<boolean> {
	const as = and(eq(meta.key, STATE), eq(meta.value, JSON.stringify(before)));
	const change = statements
		.update(meta)
		.set({ value: JSON.stringify(after) })
		.where(as);
	return (await write([{ run: change, guard: "other" as const }])).refused === undefined;
}

export async function forgetSecretState({ write }: Database): Promise<void> {
	await write([{ run: statements.delete(meta).where(eq(meta.key, STATE)) }]);
}

/** A key of 32 bytes that lies in the database; undefined where there is none. */
export async function findKey(
	database: Database,
	keyring: Pick<Keyring, "open">,
	name: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
	const text = await findValue(database, name);
	return text === undefined ? undefined : Uint8Array.fromHex(keyring.open(text, SEALED_PLACES.key(name)));
}

/**
 * A key that outlives the deployment's secret, since what is made with it stands in rows for good. It is random, made by the first process
 * that needs it, and lies sealed in the database.
 * @returns 32 bytes
 */
export async function keptKey(
	database: Database,
	keyring: Pick<Keyring, "open" | "seal">,
	name: string,
): Promise<Uint8Array<ArrayBuffer>> {
	const fresh = crypto.getRandomValues(new Uint8Array(32)).toHex();
	const row = { key: name, value: keyring.seal(fresh, SEALED_PLACES.key(name)) };
	await database.write([{ run: statements.insert(meta).values(row).onConflictDoNothing() }]);
	const key = await findKey(database, keyring, name);
	if (!key) throw new Error(`The key ${name} could not be read back.`);
	return key;
}

async function findValue({ queries, read }: Database, key: string): Promise<string | undefined> {
	const [row] = await read(() => queries.select({ value: meta.value }).from(meta).where(eq(meta.key, key)));
	return row?.value;
}
