import type { Span } from "@svc/base/cursors";
import { auditBy } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { redirectUris } from "@svc/base/database/schema/apps";
import { condition, olderThan, statements } from "@svc/base/database/statements";
import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import type { Authority } from "../authority.ts";
import { authorityStep } from "../authority-store.ts";
import type { RedirectUri } from "./redirect-uris.ts";

export function redirectUriStore(database: Database) {
	return {
		list(appPk: number, { limit, beforePk }: Span): Promise<readonly RedirectUri[]> {
			return findRedirectUris(
				database,
				and(eq(redirectUris.appPk, appPk), olderThan(redirectUris.pk, beforePk)),
				limit,
			);
		},
		async find(appPk: number, id: string): Promise<RedirectUri | undefined> {
			const [found] = await findRedirectUris(database, and(eq(redirectUris.id, id), eq(redirectUris.appPk, appPk)), 1);
			return found;
		},
		create: createRedirectUri.bind(null, database),
		delete: deleteRedirectUri.bind(null, database),
	};
}

function findRedirectUris(
	{ queries, read }: Database,
	where: SQL | undefined,
	limit: number,
): Promise<readonly RedirectUri[]> {
	const { pk, id, uri, createdMs } = redirectUris;
	const select = queries.select({ pk, id, uri, createdMs }).from(redirectUris);
	return read(() => select.where(where).orderBy(desc(pk)).limit(limit));
}

async function createRedirectUri(
	{ write }: Database,
	authority: Authority,
	{ id, uri }: Pick<RedirectUri, "id" | "uri">,
	max: number,
): Promise<"demoted" | "full" | "taken" | undefined> {
	const { appPk, by } = authority;
	const target = [redirectUris.appPk, redirectUris.uri];
	const insert = statements.insert(redirectUris).values({ id, appPk, uri, createdMs: by.nowMs });
	const count = sql`SELECT count(*) FROM ${redirectUris} WHERE ${redirectUris.appPk} = ${appPk}`;
	const { refused } = await write([
		authorityStep(authority),
		{ run: insert.onConflictDoNothing({ target }), guard: "taken" },
		// The count includes the new URI.
		condition(appPk, sql`(${count}) <= ${max}`, "full"),
		{ run: auditBy(by, { appPk, event: "redirect_uri.added", target: id, changes: { uri } }) },
	]);
	return refused;
}

async function deleteRedirectUri(
	{ write }: Database,
	authority: Authority,
	{ pk, id, uri }: RedirectUri,
): Promise<"demoted" | "gone" | undefined> {
	const { appPk, by } = authority;
	const named = and(eq(redirectUris.pk, pk), eq(redirectUris.id, id));
	const { refused } = await write([
		authorityStep(authority),
		{ run: statements.delete(redirectUris).where(named), guard: "gone" },
		{ run: auditBy(by, { appPk, event: "redirect_uri.removed", target: id, changes: { uri } }) },
	]);
	return refused;
}
