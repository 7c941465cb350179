import type { NewOperator, SetupStore } from "@svc/core/ports";
import { type SQL, sql } from "drizzle-orm";
import { auditEntry } from "./audit.ts";
import type { Database, Step } from "./client.ts";
import { toBits } from "./keys.ts";
import { accounts, apps, appUsage, keys, members, operators, sessions, storages } from "./schema.ts";

export function setupStore(database: Database): SetupStore {
	return {
		async isEmpty() {
			const rows = await database.read(() => database.queries.values(sql`SELECT 1 FROM accounts LIMIT 1`));
			return rows.length === 0;
		},
		async createOperator(operator, nowMs) {
			const { token, app } = operator;
			const { refused } = await database.write([
				...accountSteps(database, operator, nowMs),
				...(token ? tokenSteps(database, operator.accountId, token, nowMs) : []),
				...(app ? appSteps(database, operator.accountId, app, nowMs) : []),
			]);
			return refused === undefined;
		},
	};
}

type Token = NonNullable<NewOperator["token"]>;
type App = NonNullable<NewOperator["app"]>;

const pkOf = (table: typeof accounts | typeof apps | typeof storages, id: string): SQL<number> =>
	sql<number>`(SELECT pk FROM ${table} WHERE id = ${id})`;

function accountSteps({ queries }: Database, operator: NewOperator, nowMs: number): readonly Step<"taken">[] {
	const { accountId: id, email } = operator;
	return [
		{
			run: sql`INSERT INTO accounts (id, email, email_norm, status, created_ms)
				SELECT ${id}, ${email}, ${foldEmail(email)}, 'active', ${nowMs} WHERE NOT EXISTS (SELECT 1 FROM accounts)`,
			guard: "taken",
		},
		{ run: queries.insert(operators).values({ accountPk: pkOf(accounts, id), createdMs: nowMs }) },
		{ run: auditEntry({ atMs: nowMs, actor: id, appPk: null, event: "operator.created", target: id }) },
	];
}

function tokenSteps({ queries }: Database, accountId: string, token: Token, nowMs: number): readonly Step[] {
	const { id, name, scopes, expiresMs, secretHash: hash } = token;
	const accountPk = pkOf(accounts, accountId);
	return [
		{
			run: queries
				.insert(sessions)
				.values({ hash, id, accountPk, kind: "pat", name, scopes, expiresMs, createdMs: nowMs }),
		},
		{ run: auditEntry({ atMs: nowMs, actor: accountId, appPk: null, event: "token.created", target: id }) },
	];
}

/** An App with its Owner, its storage, its counters and an App-wide key. */
function appSteps({ queries }: Database, accountId: string, app: App, nowMs: number): readonly Step[] {
	const { id, name, storageId, teamHash } = app;
	const { secretHash: hash, ...key } = app.key;
	const accountPk = pkOf(accounts, accountId);
	const appPk = pkOf(apps, id);
	const audited = (event: string, target: string): Step => ({
		run: auditEntry({ atMs: nowMs, actor: accountId, appPk, event, target }),
	});
	return [
		{ run: queries.insert(apps).values({ id, name, nameFold: foldName(name), createdMs: nowMs }) },
		{ run: queries.insert(appUsage).values({ appPk }) },
		{ run: queries.insert(members).values({ appPk, accountPk, role: "owner", createdMs: nowMs }) },
		{
			run: queries
				.insert(storages)
				.values({ id: storageId, appPk, kind: "app", teamHash, state: "active", createdMs: nowMs }),
		},
		{
			run: queries.insert(keys).values({
				...key,
				hash,
				appPk,
				storagePk: pkOf(storages, storageId),
				creatorPk: accountPk,
				reach: "app",
				permissions: toBits(["read", "write"]),
				createdMs: nowMs,
			}),
		},
		audited("app.created", id),
		audited("key.created", app.key.id),
	];
}

/** The form under which an address is unique. */
function foldEmail(email: string): string {
	return email.trim().normalize("NFKC").toLowerCase();
}

function foldName(name: string): string {
	return name.trim().normalize("NFKC").toLowerCase();
}
