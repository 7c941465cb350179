import type { Database } from "@svc/base/database/client";
import { storages } from "@svc/base/database/schema/apps";
import { images } from "@svc/base/database/schema/images";
import type { ImageFormat } from "@svc/base/enumerations";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { imageFields, toImage } from "./image-rows-store.ts";
import type { Image } from "./images.ts";
import type { PublicRow, Stretch } from "./sitemap.ts";

export interface VisibleImageStore {
	/**
	 * Of whatever visibility and status, for a person who has access: whoever is in the App's team, and whose storage it lies in.
	 * Expired images are not found.
	 */
	findFor(accountPk: number, id: string, nowMs: number): Promise<Image | undefined>;
	/** Where the stretch goes on after its first `count` public images; undefined when it has no more. */
	findNext(fromPk: number, count: number): Promise<number | undefined>;
	/** The first `limit` public images of a stretch. */
	listPublic(stretch: Stretch, limit: number, nowMs: number): Promise<readonly PublicRow[]>;
}

export function visibleImageStore({ queries, read }: Database): VisibleImageStore {
	const findFor = queries
		.select(imageFields)
		.from(images)
		.innerJoin(storages, eq(storages.pk, images.storagePk))
		.where(
			and(
				eq(images.id, sql.placeholder("id")),
				eq(storages.state, "active"),
				sql`(${images.expiresMs} IS NULL OR ${images.expiresMs} > ${sql.placeholder("nowMs")})`,
				hasAccess(),
			),
		)
		.prepare();
	return {
		async findFor(accountPk, id, nowMs) {
			const [row] = await read(() => findFor.all({ accountPk, id, nowMs }));
			return row && toImage(row);
		},
		async findNext(fromPk, count) {
			const [row] = await read(() => queries.values<[number]>(nextPublic(fromPk, count)));
			return row?.[0];
		},
		async listPublic(stretch, limit, nowMs) {
			const rows = await read(() => queries.values<ListedRow>(publicRows(stretch, limit, nowMs)));
			return rows.map(([pk, id, teamHash, format, createdMs, isListed]) => ({
				pk,
				id,
				teamHash,
				format,
				createdMs,
				listed: isListed === 1,
			}));
		},
	};
}

/** A storage of whoever disconnects is no longer active: that it is the person's own says enough. */
function hasAccess(): SQL {
	const accountPk = sql.placeholder("accountPk");
	return sql`(${storages.accountPk} = ${accountPk} OR EXISTS (
		SELECT 1 FROM members WHERE members.app_pk = ${images.appPk} AND members.account_pk = ${accountPk}))`;
}

type ListedRow = [pk: number, id: string, teamHash: string, format: ImageFormat, createdMs: number, listed: number];

/** Out of the index alone: the images themselves are not visited. */
export function nextPublic(fromPk: number, count: number): SQL {
	return sql`SELECT pk FROM images INDEXED BY images_public
		WHERE public = 1 AND pk >= ${fromPk} ORDER BY pk LIMIT 1 OFFSET ${count}`;
}

// What is not listed takes part as well: the work is bounded by what is looked at, not by what is found.
export function publicRows({ fromPk, beforePk = Number.MAX_SAFE_INTEGER }: Stretch, limit: number, nowMs: number): SQL {
	return sql`SELECT images.pk, images.id, storages.team_hash, images.format, images.created_ms,
			images.status = 'ready' AND images.nsfw = 0 AND storages.state = 'active'
				AND (images.expires_ms IS NULL OR images.expires_ms > ${nowMs})
		FROM (SELECT pk FROM images INDEXED BY images_public WHERE public = 1 AND pk >= ${fromPk} AND pk < ${beforePk}
			ORDER BY pk LIMIT ${limit}) AS page
		CROSS JOIN images ON images.pk = page.pk CROSS JOIN storages ON storages.pk = images.storage_pk
		ORDER BY page.pk`;
}
