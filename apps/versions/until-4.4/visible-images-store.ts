import type { Database } from "@svc/base/database/client";
import { members, storages } from "@svc/base/database/schema/apps";
import { images } from "@svc/base/database/schema/images";
import { column } from "@svc/base/database/statements";
import type { ImageFormat } from "@svc/base/enumerations";
import { selectImages, toImage, unexpired } from "@svc/images/image-rows-store";
import type { Image } from "@svc/images/images";
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { PublicRow, SitemapStretch } from "./sitemap.ts";

export type VisibleImageStore = ReturnType<typeof visibleImageStore>;

export function visibleImageStore(database: Database) {
	const { queries, read } = database;
	const kept = and(eq(storages.state, "active"), unexpired(images, sql.placeholder("nowMs")));
	const there = and(eq(images.id, sql.placeholder("id")), kept);
	const forPerson = selectImages(database).where(and(there, hasAccess())).prepare();
	return {
		/**
		 * Finds an image of any visibility and status, for a person with access: a member of the App's team, or the storage's own user.
		 * Expired images are not found.
		 */
		async findFor(accountPk: number, id: string, nowMs: number): Promise<Image | undefined> {
			const [row] = await read(() => forPerson.all({ accountPk, id, nowMs }));
			return row && toImage(row);
		},
		/** The pk at which the range goes on after its first `count` public images; undefined when it has no more. */
		async findNext(fromPk: number, count: number): Promise<number | undefined> {
			const [row] = await read(() => queries.values<[number]>(nextPublic(fromPk, count)));
			return row?.[0];
		},
		/** The first `limit` public images of a stretch. */
		async listPublic(stretch: SitemapStretch, limit: number, nowMs: number): Promise<readonly PublicRow[]> {
			const rows = await read(() => queries.values<ListedRow>(publicRows(stretch, limit, nowMs)));
			return rows.map(([pk, id, teamHash, format, createdMs, listed]) => {
				return { pk, id, teamHash, format, createdMs, listed: listed === 1 };
			});
		},
	};
}

/** The storage of a person who is disconnecting is no longer active: that it is the person's own is enough. */
function hasAccess(): SQL {
	const accountPk = sql.placeholder("accountPk");
	return sql`(${storages.accountPk} = ${accountPk} OR EXISTS (
		SELECT 1 FROM ${members} WHERE ${members.appPk} = ${images.appPk} AND ${members.accountPk} = ${accountPk}))`;
}

/** SQLite takes the index only for the literal that the index itself compares with. */
const PUBLIC_PKS = sql`SELECT ${images.pk} FROM ${images} INDEXED BY images_public WHERE ${images.public} = 1`;

type ListedRow = [pk: number, id: string, teamHash: string, format: ImageFormat, createdMs: number, listed: number];

/** Reads the index alone: the images themselves are not visited. */
export function nextPublic(fromPk: number, count: number): SQL {
	return sql`${PUBLIC_PKS} AND ${images.pk} >= ${fromPk} ORDER BY ${images.pk} LIMIT 1 OFFSET ${count}`;
}

// Images that are not listed count as well: the work is limited by the rows read, not by the rows found.
export function publicRows(
	{ fromPk, beforePk = Number.MAX_SAFE_INTEGER }: SitemapStretch,
	limit: number,
	nowMs: number,
): SQL {
	const pagePk = sql`page.${column(images.pk)}`;
	return sql`SELECT ${images.pk}, ${images.id}, ${storages.teamHash}, ${images.format}, ${images.createdMs},
			${images.status} = 'ready' AND ${images.nsfw} = 0 AND ${storages.state} = 'active' AND ${unexpired(images, nowMs)}
		FROM (${PUBLIC_PKS} AND ${images.pk} >= ${fromPk} AND ${images.pk} < ${beforePk}
			ORDER BY ${images.pk} LIMIT ${limit}) AS page
		CROSS JOIN ${images} ON ${images.pk} = ${pagePk} CROSS JOIN ${storages} ON ${storages.pk} = ${images.storagePk}
		ORDER BY ${pagePk}`;
}
