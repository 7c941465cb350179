import type { Span } from "@svc/base/cursors";
import { auditBy } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { redirectUris } from "@svc/base/database/schema/apps";
import { and, desc, eq, lt, sql } from "drizzle-orm";
import type { Authority } from "./authority.ts";
import { authorityStep, condition } from "./authority-store.ts";
import type { RedirectUri } from "./redirect-uris.ts";

export interface RedirectUriStore {
	list(appPk: number, span: Span): Promise<readonly RedirectUri[]>;
	find(appPk: number, id: string): Promise<RedirectUri | undefined>;
	create(
		authority: Authority,
		uri: Pick<RedirectUri, "id" | "uri">,
		max: number,
	): Promise<"demoted" | "full" | "taken" | undefined>;
	delete(authority: Authority, uri: RedirectUri): Promise<"demoted" | "gone" | undefined>;
}

export function redirectUriStore({ queries, read, write }: Database): RedirectUriStore {
	return {
		async list(appPk, { limit, beforePk }) {
			const before = beforePk === undefined ? undefined : lt(redirectUris.pk, beforePk);
			const rows = await read(() =>
				queries
					.select()
					.from(redirectUris)
					.where(and(eq(redirectUris.appPk, appPk), before))
					.orderBy(desc(redirectUris.pk))
					.limit(limit),
			);
			return rows.map(toRedirectUri);
		},
		async find(appPk, id) {
			const [row] = await read(() =>
				queries
					.select()
					.from(redirectUris)
					.where(and(eq(redirectUris.id, id), eq(redirectUris.appPk, appPk))),
			);
			return row && toRedirectUri(row);
		},
		async create(authority, { id, uri }, max) {
			const { appPk, by } = authority;
			const count = sql`(SELECT count(*) FROM redirect_uris WHERE app_pk = ${appPk})`;
			const { refused } = await write([
				authorityStep(authority),
				{
					run: sql`INSERT INTO redirect_uris (id, app_pk, uri, created_ms) VALUES (${id}, ${appPk}, ${uri}, ${by.nowMs})
						ON CONFLICT (app_pk, uri) DO NOTHING`,
					guard: "taken",
				},
				// The new one is among those that are counted.
				condition(appPk, sql`${count} <= ${max}`, "full"),
				{ run: auditBy(by, { appPk, event: "redirect_uri.added", target: id, changes: { uri } }) },
			]);
			return refused;
		},
		async delete(authority, { pk, id, uri }) {
			const { appPk, by } = authority;
			const { refused } = await write([
				authorityStep(authority),
				{ run: sql`DELETE FROM redirect_uris WHERE pk = ${pk} AND id = ${id}`, guard: "gone" },
				{ run: auditBy(by, { appPk, event: "redirect_uri.removed", target: id, changes: { uri } }) },
			]);
			return refused;
		},
	};
}

function toRedirectUri({ pk, id, uri, createdMs }: typeof redirectUris.$inferSelect): RedirectUri {
	return { pk, id, uri, createdMs };
}
