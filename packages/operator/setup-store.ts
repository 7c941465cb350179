import { newAppSteps } from "@svc/apps/apps-store";
import { keyCreated } from "@svc/apps/key-events-store";
import { auditBy, auditEntry } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { accounts, operators } from "@svc/base/database/schema/accounts";
import { apps, storages } from "@svc/base/database/schema/apps";
import { keys } from "@svc/base/database/schema/keys";
import { sessions } from "@svc/base/database/schema/people";
import { columns } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { foldEmail } from "@svc/base/email";
import { toBits } from "@svc/keys/keys-store";
import type { NewLetter } from "@svc/people/letters/security-letter";
import { letterSteps } from "@svc/people/letters/security-letters-store";
import type { Account } from "@svc/people/people";
import { accountFields, toAccount } from "@svc/people/people-store";
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { NewOperator } from "./bootstrap.ts";

export function setupStore(database: Database) {
	return {
		/** True while there is no account at all. */
		async isEmpty(): Promise<boolean> {
			const { pk } = accounts;
			const rows = await database.read(() => database.queries.select({ pk }).from(accounts).limit(1));
			return rows.length === 0;
		},
		/** Once there is an operator, there always is one: the last one cannot leave. */
		async hasOperator(): Promise<boolean> {
			const { accountPk } = operators;
			const rows = await database.read(() => database.queries.select({ accountPk }).from(operators).limit(1));
			return rows.length > 0;
		},
		/** Who has been an operator for longest, of those who may sign in. */
		async findFirstOperator(): Promise<Account | undefined> {
			const { queries, read } = database;
			// A cross join is read in the order in which it is written: there are a handful of operators, and accounts without end.
			const theirs = and(eq(accounts.pk, operators.accountPk), eq(accounts.status, "active"));
			const found = queries.select(accountFields).from(operators).crossJoin(accounts);
			const oldest = found.where(theirs).orderBy(operators.createdMs).limit(1);
			const [row] = await read(() => oldest);
			return row && toAccount(row);
		},
		/** The account of an address, which is made where there is none; undefined once there is an operator. */
		async ensureAccount(
			operator: Pick<NewOperator, "accountId" | "email">,
			nowMs: number,
		): Promise<Account | undefined> {
			const known = await findAccount(database, operator.email);
			if (known !== undefined) return known;
			await database.write(accountSteps(operator, nowMs));
			// Also where another call has just made it.
			return await findAccount(database, operator.email);
		},
		/**
		 * One guarded commit. Whoever signed in with this address before becomes the operator; otherwise there is an account made.
		 * @returns the account's id; undefined, with nothing written, when there is an operator already
		 */
		async createOperator(
			operator: NewOperator,
			letters: readonly NewLetter[],
			nowMs: number,
		): Promise<string | undefined> {
			const { token, app } = operator;
			const known = (await findAccount(database, operator.email))?.id;
			const accountId = known ?? operator.accountId;
			const { refused } = await database.write([
				...(known === undefined ? accountSteps(operator, nowMs) : []),
				...operatorSteps(accountId, nowMs),
				...letterSteps(letters, nowMs),
				...(token ? tokenSteps(database, accountId, token, nowMs) : []),
				...(app ? appSteps(database, accountId, app, nowMs) : []),
			]);
			return refused === undefined ? accountId : undefined;
		},
	};
}

async function findAccount({ queries, read }: Database, email: string): Promise<Account | undefined> {
	const ofAddress = eq(accounts.emailNorm, foldEmail(email));
	const [row] = await read(() => queries.select(accountFields).from(accounts).where(ofAddress).limit(1));
	return row && toAccount(row);
}

type Token = NonNullable<NewOperator["token"]>;
type App = NonNullable<NewOperator["app"]>;

const pkOf = (table: typeof accounts | typeof apps | typeof storages, id: string): SQL<number> =>
	sql<number>`(SELECT ${table.pk} FROM ${table} WHERE ${table.id} = ${id})`;

const NO_OPERATOR = sql`NOT EXISTS (SELECT 1 FROM ${operators})`;

function accountSteps(
	{ accountId, email }: Pick<NewOperator, "accountId" | "email">,
	nowMs: number,
): readonly Step<"taken">[] {
	const { id, emailNorm, status, createdMs } = accounts;
	return [
		{
			run: sql`INSERT INTO ${accounts} (${columns(id, accounts.email, emailNorm, status, createdMs)})
				SELECT ${accountId}, ${email}, ${foldEmail(email)}, 'active', ${nowMs} WHERE ${NO_OPERATOR}
				ON CONFLICT (${sql.identifier(emailNorm.name)}) DO NOTHING`,
			guard: "taken",
		},
	];
}

function operatorSteps(id: string, nowMs: number): readonly Step<"taken">[] {
	return [
		{
			run: sql`INSERT INTO ${operators} (${columns(operators.accountPk, operators.createdMs)})
				SELECT ${accounts.pk}, ${nowMs} FROM ${accounts}
				WHERE ${accounts.id} = ${id} AND ${accounts.status} = 'active' AND ${NO_OPERATOR}`,
			guard: "taken",
		},
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
	const { key } = app;
	const by = { actor: accountId, requestId: null, nowMs };
	const appPk = pkOf(apps, app.id);
	return [
		...newAppSteps(queries, app, pkOf(accounts, accountId), by),
		{
			run: queries.insert(keys).values({
				...{ ...key, appPk, storagePk: pkOf(storages, app.storageId), creatorPk: pkOf(accounts, accountId) },
				...{ reach: "app", permissions: toBits(["read", "write"]), createdMs: nowMs },
			}),
		},
		{ run: auditBy(by, { appPk, event: "key.created", target: key.id }) },
		keyCreated(by, key.id),
	];
}
