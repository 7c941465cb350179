import type { Position } from "@svc/base/cursors";
import { storages } from "@svc/base/database/schema/apps";
import { deletedImages, images } from "@svc/base/database/schema/images";
import { asText, column } from "@svc/base/database/statements";
import { type SQL, sql } from "drizzle-orm";
import { CAPABILITY, RESTORABLE_MS } from "../delete/deleted-images-store.ts";
import { imageFields, unexpired } from "../image-rows-store.ts";
import type { LabelFilter, ListedState, ListFilter } from "./list-filters.ts";
import {
	beyond,
	IMAGE_PK,
	IMAGE_STREAM,
	idStream,
	PUBLISHED_MS,
	type StreamScope,
	type Way,
	within,
} from "./list-streams-store.ts";

/*
 * Lists of what no other list shows. An index has the images of each state in the order of their list, and the rest of a filter is looked at in each
 * of them: label rows are of listed images alone.
 */

type Shown = Exclude<ListedState, "ready" | "deleted">;

/** A query reaches each index by its literal condition alone. */
const STATES: Readonly<Record<Shown, { readonly index: SQL; readonly condition: SQL }>> = {
	blocked: { index: asText(sql`images_unlisted`), condition: asText(sql`${images.status} = 'blocked'`) },
	failed: { index: asText(sql`images_unlisted`), condition: asText(sql`${images.status} = 'failed'`) },
	locked: { index: asText(sql`images_held`), condition: asText(sql`${images.lockedMs} IS NOT NULL`) },
};

const DELETED_PK = asText(sql`(${deletedImages.image} ->> 'pk')`);

/** `narrow`: what is asked of an image besides. */
export function stateWay(
	scope: StreamScope,
	state: Exclude<ListedState, "ready">,
	{ ids, labels, narrowed = {}, order = "desc" }: ListFilter,
	narrow: readonly SQL[],
): Way | undefined {
	if (ids?.length === 0) return undefined;
	const { formats, published } = narrowed;
	const checks = [...narrow, ...labels.map(fitsLabel)];
	if (formats) checks.push(sql`${images.format} IN ${[...formats]}`);
	if (state !== "deleted") {
		const at = (after: Position | undefined) => ({ ...scope, after, order, published });
		return { streams: (after) => [shownStream(at(after), STATES[state], ids)], checks, order };
	}
	if (published) checks.push(within(sql`${images.publishedMs}`, published));
	return {
		streams: (after) => [deletedStream({ ...scope, after, order }, ids)],
		checks: [unexpired(images, scope.nowMs), ...checks],
		order,
		deleted: deletedRows(scope.storagePk),
	};
}

function shownStream(scope: StreamScope, { index, condition }: (typeof STATES)[Shown], ids: ListFilter["ids"]): SQL {
	if (ids) return idStream(scope, ids, condition);
	return sql`${IMAGE_STREAM} ${images} INDEXED BY ${index} WHERE ${condition} AND ${images.storagePk} = ${scope.storagePk}
		AND ${unexpired(images, scope.nowMs)}${beyond(scope, images.publishedMs, images.pk)}`;
}

/** The columns are named as those of every stream; the time is that of the delete. */
function deletedStream(scope: StreamScope, ids: ListFilter["ids"]): SQL {
	const named = ids ? sql` AND ${deletedImages.id} IN ${[...ids]}` : sql``;
	return sql`SELECT ${deletedImages.deletedMs} AS ${PUBLISHED_MS}, ${DELETED_PK} AS ${IMAGE_PK}
		FROM ${deletedImages}${ids ? sql`` : sql` INDEXED BY deleted_images_list`} WHERE ${deletedImages.storagePk} = ${scope.storagePk}
			AND ${deletedImages.deletedMs} > ${scope.nowMs - RESTORABLE_MS}${named}${beyond(scope, deletedImages.deletedMs, DELETED_PK)}`;
}

/** The kept rows under the names of the table that they were in: what is asked of an image is asked of them. */
function deletedRows(storagePk: number): SQL {
	const own = Object.values(imageFields).filter((field) => field !== storages.teamHash);
	const fields = [...own, images.sentSha256, images.sha256, images.words].map((field) => {
		const kept = sql`${deletedImages.image} ->> ${sql.raw(`'${field.name}'`)}`;
		const value = field.getSQLType() === "blob" ? sql`unhex(${kept})` : kept;
		return sql`${value} AS ${column(field)}`;
	});
	return sql`CROSS JOIN (SELECT ${sql.join(fields, sql`, `)}, ${deletedImages.deletedMs} AS deleted_ms,
			${deletedImages.storagePk} AS kept_in, ${deletedImages.image} ->> ${sql.raw(`'${CAPABILITY}'`)} AS capability
			FROM ${deletedImages}) AS ${images} CROSS JOIN ${storages}
		WHERE kept_in = ${storagePk} AND deleted_ms = page.${PUBLISHED_MS} AND ${images.pk} = page.${IMAGE_PK}
			AND ${storages.pk} = ${storagePk} AND ${storages.teamHash} = capability`;
}

function fitsLabel(label: LabelFilter): SQL {
	const own = sql`SELECT 1 FROM json_each(${images.labels}) AS label WHERE label.key = ${label.key}`;
	return "values" in label ? sql`EXISTS (${own} AND label.value IN ${[...label.values]})` : sql`NOT EXISTS (${own})`;
}
