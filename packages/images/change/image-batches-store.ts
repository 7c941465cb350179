import { auditEach } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { rowsOf } from "@svc/base/database/rows";
import { imageLabels, images } from "@svc/base/database/schema/images";
import { column, condition } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { mayStillWrite } from "@svc/keys/authority-store";
import { type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { updatedEvents } from "../image-events-store.ts";
import { insertLabelsOf, unexpired } from "../image-rows-store.ts";
import type { CallAccess, ImageChange, ImageStore } from "../ports.ts";
import { keptWords } from "../search-words.ts";
import { changedBy, changedFields, isListedAlike } from "./image-changes-store.ts";

/* Many images are changed by as many statements as one: each gets all of them as one JSON array. */

/** The columns that a batch sets, in the order of {@link rowOf}; a name is for one image. */
const SET = [
	images.caption,
	images.publishedMs,
	images.expiresMs,
	images.metadata,
	images.labels,
	images.public,
] as const satisfies readonly SQLiteColumn[];

export async function updateAll(
	{ write }: Pick<Database, "write">,
	...[changes, access, nowMs]: Parameters<ImageStore["updateAll"]>
): Promise<boolean> {
	if (changes.length === 0) return true;
	const { refused } = await write(updateAllSteps(changes, access, nowMs));
	return refused === undefined;
}

function updateAllSteps(
	changes: readonly ImageChange[],
	access: CallAccess,
	nowMs: number,
): readonly Step<"moved" | "closed">[] {
	const { actor, requestId } = changedBy(access);
	const allowed = mayStillWrite(access);
	const asRead = JSON.stringify(changes.map(({ before }) => [before.pk, before.revision]));
	const rows = JSON.stringify(changes.map(rowOf));
	const previous = changes.map(({ before, after }) => [before.pk, JSON.stringify(changedFields(before, after))]);
	const relisted = changes.filter(({ before, after }) => !isListedAlike(before, after)).map(({ before }) => before.pk);
	// What holds here holds for the statements after it: nobody else writes between them.
	const unmoved = sql`${allowed} AND ${changes.length} = (SELECT count(*) FROM json_each(${asRead}) AS known
		CROSS JOIN ${images} ON ${images.pk} = known.value ->> 0
		WHERE ${images.revision} = known.value ->> 1 AND ${images.status} = 'ready' AND ${images.lockedMs} IS NULL
		AND ${unexpired(images, nowMs)})`;
	const entry = { atMs: nowMs, actor, requestId, appPk: images.appPk, event: "image.updated", target: images.id };
	return [
		...(access.besides ?? []),
		condition(access.app.pk, unmoved, "moved"),
		{ run: setRows(rows), rows: [rowsOf.images(...changes.map(({ before }) => before.id))] },
		...(relisted.length === 0 ? [] : labelSteps(relisted)),
		{
			run: auditEach(
				entry,
				sql`FROM json_each(${asRead}) AS known CROSS JOIN ${images}
			ON ${images.pk} = known.value ->> 0 ORDER BY known.key`,
			),
		},
		updatedEvents({ nowMs, requestId }, JSON.stringify(previous)),
	];
}

/** Words are left out where they stay. */
function rowOf({ before, after: image }: ImageChange): readonly unknown[] {
	const isWorded = before.caption !== image.caption || before.labels !== image.labels;
	const { caption, publishedMs, expiresMs, metadata, labels } = image;
	const words = keptWords({ ...image, revision: image.revision + 1 });
	const maps = [JSON.stringify(metadata), JSON.stringify(labels)];
	return [image.pk, caption, publishedMs, expiresMs, ...maps, image.public, isWorded ? words : null];
}

function setRows(rows: string): SQL {
	const set = SET.map((of, place) => sql`${column(of)} = changed.value ->> ${sql.raw(String(place + 1))}`);
	const words = sql`${column(images.words)} = coalesce(changed.value ->> ${sql.raw(String(SET.length + 1))}, ${images.words})`;
	return sql`UPDATE ${images} SET ${sql.join([...set, words], sql`, `)}, ${column(images.revision)} = ${images.revision} + 1
		FROM json_each(${rows}) AS changed WHERE ${images.pk} = changed.value ->> 0`;
}

function labelSteps(pks: readonly number[]): readonly Step[] {
	const those = sql`IN (SELECT value FROM json_each(${JSON.stringify(pks)}))`;
	return [
		{ run: sql`DELETE FROM ${imageLabels} WHERE ${imageLabels.imagePk} ${those}` },
		{ run: insertLabelsOf(sql`${images.pk} ${those}`) },
	];
}
