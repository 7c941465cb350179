import type { Authority } from "@svc/apps/authority";
import { authorityStep } from "@svc/apps/authority-store";
import { SEALED_PLACES } from "@svc/base/crypto/deployment-secret";
import type { Keyring } from "@svc/base/crypto/keyring";
import type { Span } from "@svc/base/cursors";
import { auditBy } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { signingKeys } from "@svc/base/database/schema/delivery";
import { condition, olderThan, statements } from "@svc/base/database/statements";
import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import type { SigningKey } from "./signing-key.ts";
import { changedStep } from "./versions-store.ts";

interface NewSigningKey extends Omit<SigningKey, "pk"> {
	readonly secret: string;
}

export function signingKeyStore(database: Database, keyring: Pick<Keyring, "open">) {
	return {
		/** The newest first, without their secrets. */
		list: (appPk: number, { limit, beforePk }: Span) =>
			findKeys(database, and(eq(signingKeys.appPk, appPk), olderThan(signingKeys.pk, beforePk)), limit),
		async find(appPk: number, id: string): Promise<SigningKey | undefined> {
			const [found] = await findKeys(database, and(eq(signingKeys.id, id), eq(signingKeys.appPk, appPk)), 1);
			return found;
		},
		/** Undefined where the App has no key. */
		async newestSecret(appPk: number): Promise<string | undefined> {
			const { pk, id, secret } = signingKeys;
			const select = database.queries.select({ id, secret }).from(signingKeys).where(eq(signingKeys.appPk, appPk));
			const [newest] = await database.read(() => select.orderBy(desc(pk)).limit(1));
			return newest && keyring.open(newest.secret, SEALED_PLACES.signingKey(newest.id));
		},
		/** `full` where the App has `max` already. */
		create: createKey.bind(null, database),
		delete: deleteKey.bind(null, database),
	};
}

function findKeys({ queries, read }: Database, where: SQL | undefined, limit: number): Promise<readonly SigningKey[]> {
	const { pk, id, name, last4, createdMs } = signingKeys;
	const select = queries.select({ pk, id, name, last4, createdMs }).from(signingKeys);
	return read(() => select.where(where).orderBy(desc(pk)).limit(limit));
}

async function createKey(
	{ write }: Database,
	authority: Authority,
	key: NewSigningKey,
	max: number,
): Promise<"demoted" | "full" | undefined> {
	const { appPk, by } = authority;
	const { id, name, last4 } = key;
	const count = sql`SELECT count(*) FROM ${signingKeys} WHERE ${signingKeys.appPk} = ${appPk}`;
	const { refused } = await write([
		authorityStep(authority),
		condition(appPk, sql`(${count}) < ${max}`, "full"),
		{ run: statements.insert(signingKeys).values({ ...key, appPk }) },
		changedStep(appPk),
		{ run: auditBy(by, { appPk, event: "signing_key.created", target: id, changes: { name, last4 } }) },
	]);
	return refused;
}

async function deleteKey(
	{ write }: Database,
	authority: Authority,
	{ pk, id, name }: SigningKey,
): Promise<"demoted" | "gone" | undefined> {
	const { appPk, by } = authority;
	const named = and(eq(signingKeys.pk, pk), eq(signingKeys.id, id));
	const { refused } = await write([
		authorityStep(authority),
		{ run: statements.delete(signingKeys).where(named), guard: "gone" },
		changedStep(appPk),
		{ run: auditBy(by, { appPk, event: "signing_key.deleted", target: id, changes: { name } }) },
	]);
	return refused;
}
