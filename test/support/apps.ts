import { mintSecret } from "@svc/base/crypto/secrets";
import type { Database } from "@svc/base/database/client";
import type { KeyReach, Permission } from "@svc/base/enumerations";
import { newId, newTeamHash } from "@svc/base/ids";
import { toBits } from "@svc/keys/keys-store";
import { type SQL, sql } from "drizzle-orm";

/* People, Apps, keys and connections, put straight into the database. */

async function change(database: Database, ...statements: SQL[]): Promise<void> {
	await database.write(statements.map((run) => ({ run })));
}

const pkOf = (table: string, id: string): SQL => sql`(SELECT pk FROM ${sql.identifier(table)} WHERE id = ${id})`;

export async function addAccount(database: Database): Promise<string> {
	const id = newId("acc");
	const email = `${id.toLowerCase()}@example.com`;
	await change(
		database,
		sql`INSERT INTO accounts (id, email, email_norm, status, created_ms) VALUES (${id}, ${email}, ${email}, 'active', 0)`,
	);
	return id;
}

export interface TestApp {
	readonly id: string;
	readonly ownerId: string;
	readonly storageId: string;
	/** An App-wide key with read and write. */
	readonly key: string;
}

export async function addApp(database: Database, name = "Another App"): Promise<TestApp> {
	const ownerId = await addAccount(database);
	const [id, storageId] = [newId("app"), newId("sto")];
	const appPk = pkOf("apps", id);
	await change(
		database,
		sql`INSERT INTO apps (id, name, name_fold, plan, created_ms) VALUES (${id}, ${name}, ${name.toLowerCase()}, 'free', 0)`,
		sql`INSERT INTO app_usage (app_pk) VALUES (${appPk})`,
		sql`INSERT INTO members (app_pk, account_pk, role, created_ms) VALUES (${appPk}, ${pkOf("accounts", ownerId)}, 'owner', 0)`,
		sql`INSERT INTO storages (id, app_pk, kind, team_hash, state, created_ms)
			VALUES (${storageId}, ${appPk}, 'app', ${newTeamHash()}, 'active', 0)`,
	);
	const app = { id, ownerId, storageId };
	return { ...app, key: await addKey(database, app) };
}

/** The App, owner and storage that the first start made. */
export async function firstApp(database: Database): Promise<Omit<TestApp, "key">> {
	const [row] = await database.read(() =>
		database.queries.values<[string, string, string]>(
			sql`SELECT apps.id, accounts.id, storages.id FROM apps
				JOIN members ON members.app_pk = apps.pk AND role = 'owner'
				JOIN accounts ON accounts.pk = members.account_pk
				JOIN storages ON storages.app_pk = apps.pk AND storages.kind = 'app' ORDER BY apps.pk LIMIT 1`,
		),
	);
	if (!row) throw new Error("there is no first App");
	return { id: row[0], ownerId: row[1], storageId: row[2] };
}

export interface KeyOptions {
	readonly reach?: KeyReach;
	readonly permissions?: readonly Permission[];
	readonly storageId?: string;
	readonly expiresMs?: number;
	/** The App's owner when left out. */
	readonly creatorId?: string;
}

/** The secret of a new key. */
export async function addKey(database: Database, app: Omit<TestApp, "key">, options: KeyOptions = {}): Promise<string> {
	const {
		reach = "app",
		permissions = ["read", "write"],
		storageId = app.storageId,
		expiresMs = null,
		creatorId = app.ownerId,
	} = options;
	const { secret, hash, prefix, last4 } = await mintSecret("svc_sk_test_");
	await change(
		database,
		sql`INSERT INTO keys (id, app_pk, reach, storage_pk, creator_pk, name, permissions, hash, prefix, last4, expires_ms, created_ms)
			VALUES (${newId("key")}, ${pkOf("apps", app.id)}, ${reach}, ${pkOf("storages", storageId)},
				${pkOf("accounts", creatorId)}, 'test', ${toBits(permissions)}, ${hash}, ${prefix}, ${last4}, ${expiresMs}, 0)`,
	);
	return secret;
}

export interface TestUser {
	/** What X-Svc-User takes. */
	readonly id: string;
	readonly accountId: string;
	readonly storageId: string;
}

/** A person connected to the App, with a storage of their own. */
export async function connectUser(database: Database, app: Pick<TestApp, "id">): Promise<TestUser> {
	const accountId = await addAccount(database);
	const [id, storageId] = [newId("usr"), newId("sto")];
	const [appPk, accountPk] = [pkOf("apps", app.id), pkOf("accounts", accountId)];
	await change(
		database,
		sql`INSERT INTO storages (id, app_pk, kind, account_pk, team_hash, state, created_ms)
			VALUES (${storageId}, ${appPk}, 'user', ${accountPk}, ${newTeamHash()}, 'active', 0)`,
		sql`INSERT INTO connections (id, user_id, app_pk, account_pk, storage_pk, state, email_at_consent, consent_version, created_ms)
			VALUES (${newId("req")}, ${id}, ${appPk}, ${accountPk}, ${pkOf("storages", storageId)}, 'connected', 'a@example.com', 1, 0)`,
		sql`UPDATE app_usage SET users = users + 1 WHERE app_pk = ${appPk}`,
	);
	return { id, accountId, storageId };
}

/** The secret of a key that the user issued for their own storage. */
export function addUserKey(database: Database, app: Omit<TestApp, "key">, user: TestUser): Promise<string> {
	return addKey(database, app, { reach: "user", storageId: user.storageId, creatorId: user.accountId });
}

export function setStorageState(database: Database, storageId: string, state: "active" | "deleting"): Promise<void> {
	return change(database, sql`UPDATE storages SET state = ${state} WHERE id = ${storageId}`);
}

export function setPlan(
	database: Database,
	appId: string,
	plan: string,
	imagesLimit: number | null = null,
): Promise<void> {
	const granted = plan === "free" ? null : plan;
	return change(
		database,
		sql`UPDATE apps SET plan = ${plan}, tier = iif(${plan} = 'unlimited', 'max', ${plan}), granted_plan = ${granted}, images_limit = ${imagesLimit} WHERE id = ${appId}`,
	);
}

export function setAppState(database: Database, appId: string, state: "active" | "paused" | "blocked"): Promise<void> {
	return change(
		database,
		sql`UPDATE apps SET paused_ms = ${state === "paused" ? 1 : null}, paused_by = ${state === "paused" ? "owner" : null},
			blocked_ms = ${state === "blocked" ? 1 : null}, block_reason = ${state === "blocked" ? "spam" : null} WHERE id = ${appId}`,
	);
}

/** Puts an image into a state that moderation or a failed job would bring about. */
export function setImageStatus(
	database: Database,
	imageId: string,
	status: string,
	reason: string | null = null,
): Promise<void> {
	return change(
		database,
		sql`DELETE FROM image_labels WHERE image_pk = ${pkOf("images", imageId)}`,
		sql`UPDATE images SET status = ${status}, block_reason = ${reason} WHERE id = ${imageId}`,
	);
}

export function lockImage(database: Database, imageId: string): Promise<void> {
	return change(database, sql`UPDATE images SET locked_ms = 1 WHERE id = ${imageId}`);
}

export function revokeKeys(database: Database, appId: string): Promise<void> {
	return change(database, sql`UPDATE keys SET revoked_ms = 1 WHERE app_pk = ${pkOf("apps", appId)}`);
}

/** One number from the database. */
export async function countOf(database: Database, query: SQL): Promise<number> {
	const [row] = await database.read(() => database.queries.values<[number]>(query));
	return Number(row?.[0]);
}
