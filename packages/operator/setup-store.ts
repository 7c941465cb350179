import { foldName } from "@svc/apps/app-names";
import { newAppSteps } from "@svc/apps/apps-store";
import { auditBy, auditEntry } from "@svc/base/database/audit";
import type { Database, Step } from "@svc/base/database/client";
import { accounts, operators } from "@svc/base/database/schema/accounts";
import { apps, storages } from "@svc/base/database/schema/apps";
import { keys } from "@svc/base/database/schema/keys";
import { sessions } from "@svc/base/database/schema/people";
import { foldEmail } from "@svc/base/email";
import { toBits } from "@svc/keys/keys-store";
import { type SQL, sql } from "drizzle-orm";
import type { NewOperator } from "./bootstrap.ts";

export interface SetupStore {
	/** True while there is no account at all. */
	isEmpty(): Promise<boolean>;
	/** One guarded commit; false, and nothing written, when any account exists already. */
	createOperator(operator: NewOperator, nowMs: number): Promise<boolean>;
}

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

/** An App with its Owner, and an App-wide key. */
function appSteps({ queries }: Database, accountId: string, app: App, nowMs: number): readonly Step[] {
	const { secretHash: hash, ...key } = app.key;
	const by = { actor: accountId, requestId: null, nowMs };
	const appPk = pkOf(apps, app.id);
	return [
		...newAppSteps(queries, { ...app, nameFold: foldName(app.name) }, pkOf(accounts, accountId), by),
		{
			run: queries.insert(keys).values({
				...key,
				hash,
				appPk,
				storagePk: pkOf(storages, app.storageId),
				creatorPk: pkOf(accounts, accountId),
				reach: "app",
				permissions: toBits(["read", "write"]),
				createdMs: nowMs,
			}),
		},
		{ run: auditBy(by, { appPk, event: "key.created", target: key.id }) },
	];
}
