import { auditEach } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { imageLabels, images } from "@svc/base/database/schema/images";
import { column, condition } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { updatedEvents } from "../image-events-store.ts";
import { insertLabelsOf, unexpired } from "../image-rows-store.ts";
import type { ChangeableFields } from "../images.ts";
import type { CallAccess, ImageChange, ImageStore } from "../ports.ts";
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

function updateAllSteps(changes: readonly ImageChange[], access: CallAccess, nowMs: number): readonly Step<"moved">[] {
	const { actor, requestId, allowed = sql`TRUE` } = changedBy(access);
	const asRead = JSON.stringify(changes.map(({ before }) => [before.pk, before.revision]));
	const rows = JSON.stringify(changes.map(({ after }) => rowOf(after)));
	const previous = changes.map(({ before, after }) => [before.pk, JSON.stringify(changedFields(before, after))]);
	const relisted = changes.filter(({ before, after }) => !isListedAlike(before, after)).map(({ before }) => before.pk);
	// What holds here holds for the statements after it: nobody else writes between them.
	const unmoved = sql`${allowed} AND ${changes.length} = (SELECT count(*) FROM json_each(${asRead}) AS known
		CROSS JOIN ${images} ON ${images.pk} = known.value ->> 0
		WHERE ${images.revision} = known.value ->> 1 AND ${images.status} = 'ready' AND ${images.lockedMs} IS NULL
		AND ${unexpired(images, nowMs)})`;
	const entry = { atMs: nowMs, actor, requestId, appPk: images.appPk, event: "image.updated", target: images.id };
	return [
		condition(access.app.pk, unmoved, "moved"),
		{ run: setRows(rows) },
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

function rowOf(image: ChangeableFields & { readonly pk: number }): readonly unknown[] {
	const { caption, publishedMs, expiresMs, metadata, labels } = image;
	return [image.pk, caption, publishedMs, expiresMs, JSON.stringify(metadata), JSON.stringify(labels), image.public];
}

function setRows(rows: string): SQL {
	const set = SET.map((of, place) => sql`${column(of)} = changed.value ->> ${sql.raw(String(place + 1))}`);
	return sql`UPDATE ${images} SET ${sql.join(set, sql`, `)}, ${column(images.revision)} = ${images.revision} + 1
		FROM json_each(${rows}) AS changed WHERE ${images.pk} = changed.value ->> 0`;
}

function labelSteps(pks: readonly number[]): readonly Step[] {
	const those = sql`IN (SELECT value FROM json_each(${JSON.stringify(pks)}))`;
	return [
		{ run: sql`DELETE FROM ${imageLabels} WHERE ${imageLabels.imagePk} ${those}` },
		{ run: insertLabelsOf(sql`${images.pk} ${those}`) },
	];
}
