import { mintSecret } from "@svc/base/crypto/secrets";
import type { Database } from "@svc/base/database/client";
import type { Role } from "@svc/base/enumerations";
import { newId } from "@svc/base/ids";
import type { Scope } from "@svc/people/people";
import { type SQL, sql } from "drizzle-orm";
import { addAccount } from "./apps.ts";
import type { Caller } from "./requests.ts";

/* People with sessions and roles, put straight into the database: what tests of other things start from. */

export interface TestPerson {
	/** Account id. */
	readonly id: string;
	readonly email: string;
	/** Secret of a session. */
	readonly secret: string;
}

const DAY_MS = 86_400_000;
const pkOf = (table: string, id: string): SQL => sql`(SELECT pk FROM ${sql.identifier(table)} WHERE id = ${id})`;

/** A person who has just signed in. */
export async function addPerson(
	database: Database,
	{ operator = false }: { readonly operator?: boolean } = {},
): Promise<TestPerson> {
	const id = await addAccount(database);
	if (operator) {
		await database.write([
			{ run: sql`INSERT INTO operators (account_pk, created_ms) VALUES (${pkOf("accounts", id)}, 0)` },
		]);
	}
	const secret = await addSession(database, id);
	return { id, email: `${id.toLowerCase()}@example.com`, secret };
}

interface SessionOptions {
	/** How long a session stays fresh; 0 for one that is not, and for ever where nothing is said. */
	readonly freshForMs?: number;
	/** Makes a token rather than a session. */
	readonly scopes?: readonly Scope[];
	/** Binds a token to an App. */
	readonly appId?: string;
	readonly kind?: "web" | "console";
}

/** The secret of another session, or token, of an account. */
export async function addSession(database: Database, accountId: string, options: SessionOptions = {}): Promise<string> {
	const { freshForMs = 4_000 * DAY_MS, scopes, appId, kind = "console" } = options;
	const now = Date.now();
	const { secret, hash } = await mintSecret(scopes ? "svc_pat_" : "svc_ses_");
	await database.write([
		{
			run: sql`INSERT INTO sessions (hash, id, account_pk, kind, app_pk, scopes, fresh_ms, expires_ms, created_ms)
				VALUES (${hash}, ${newId(scopes ? "tok" : "ses")}, ${pkOf("accounts", accountId)}, ${scopes ? "pat" : kind},
					${appId ? pkOf("apps", appId) : null}, ${scopes?.join(" ") ?? null},
					${scopes || freshForMs === 0 ? null : now + freshForMs}, ${now + 30 * DAY_MS}, ${now})`,
		},
	]);
	return secret;
}

export async function addMember(
	database: Database,
	app: { readonly id: string },
	person: { readonly id: string },
	role: Role,
): Promise<void> {
	await database.write([
		{
			run: sql`INSERT INTO members (app_pk, account_pk, role, created_ms)
				VALUES (${pkOf("apps", app.id)}, ${pkOf("accounts", person.id)}, ${role}, 0)`,
		},
	]);
}

/** A caller for the helpers of requests.ts; with an App selected for image routes. */
export function as(person: { readonly secret: string }, appId?: string): Caller {
	return { key: person.secret, headers: appId === undefined ? {} : { "X-Svc-App": appId } };
}
