import { storages } from "@svc/base/database/schema/apps";
import { connections } from "@svc/base/database/schema/connect";
import { images } from "@svc/base/database/schema/images";
import type { Step } from "@svc/base/database/step";
import { keptStatement, type Places } from "@svc/base/database/write/kept-statements";
import type { EventType, ImageEventType } from "@svc/base/enumerations";
import { newEvent, type Occasion } from "@svc/events/event-entries-store";
import { snapshotOf } from "@svc/events/snapshots-store";
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { imageFields } from "./image-rows-store.ts";
import type { Image } from "./images.ts";
import { FACTS_SNAPSHOT } from "./picture-facts-store.ts";

/** What an event says besides the image as it now is. */
interface Besides {
	/** The former values of what changed. */
	readonly previous?: Partial<Image> | undefined;
	/** Why it was locked or blocked. */
	readonly reason?: string | null | undefined;
}

/** Images by their public id, by their number, or by a JSON array of numbers. */
type Named = { readonly id: string } | { readonly pk: number } | { readonly pks: string };

/** The condition on `images` for each of these names. */
const IS_NAMED = {
	id: (name: SQLWrapper) => sql`${images.id} = ${name}`,
	pk: (name: SQLWrapper) => sql`${images.pk} = ${name}`,
	pks: (name: SQLWrapper) => sql`${images.pk} IN (SELECT value FROM json_each(${name}))`,
};

interface Written {
	readonly nowMs: number;
	readonly requestId: string | null;
	readonly type: EventType;
	readonly name: string | number;
	/** JSON. */
	readonly previous: string | null;
	readonly reason: string | null;
}

/** The image as it is, with what is said besides, or nothing of it. */
type Said = "image" | "more" | "nothing";

const writeEvents = keptStatement<Written, [by: keyof typeof IS_NAMED, said: Said]>((at, by, said) => {
	const data = said === "nothing" ? {} : { data: said === "image" ? ALONE : dataWith(at) };
	return newEvent(at, { ...OF_IMAGE, type: at.type, ...data }, fromImages(IS_NAMED[by](at.name))).run;
});

/**
 * One event for each of the images; the data is the row as the steps before have left it. Storages outside of every App have no feed, and of one that is
 * being deleted it was said already.
 */
export function imageEvents(occasion: Occasion, type: ImageEventType, named: Named, besides: Besides = {}): Step {
	const { previous, reason = null } = besides;
	const said = previous === undefined && reason === null ? "image" : "more";
	const before = previous === undefined ? null : JSON.stringify(previous);
	return eventStep(occasion, type, named, { previous: before, reason, said });
}

function eventStep(
	{ nowMs, requestId = null }: Occasion,
	type: EventType,
	named: Named,
	{ said, ...besides }: Pick<Written, "previous" | "reason"> & { readonly said: Said },
): Step {
	const [[by, name] = []] = Object.entries(named) as [keyof typeof IS_NAMED, string | number][];
	if (by === undefined || name === undefined) throw new Error("No image is named.");
	return { run: writeEvents({ nowMs, requestId, type, name, ...besides }, by, said) };
}

/**
 * One event for each image of a batch, in its order: `rows` is a JSON array of arrays, in which the number of an image comes first and then, as
 * JSON in a string, the former values of what changed.
 */
export function updatedEvents(occasion: Occasion, rows: string): Step {
	const data = sql`json_object('object', ${SNAPSHOT}, 'previous', json(changed.value ->> 1), 'reason', NULL)`;
	const from = sql`FROM json_each(${rows}) AS changed CROSS JOIN ${images} ON ${images.pk} = changed.value ->> 0
		${OF_FEED} ORDER BY changed.key`;
	return newEvent(occasion, { ...OF_IMAGE, type: "image.updated", data }, from);
}

/** The tombstones of images; the step stands before the one that deletes them. */
export function imageGoneEvents(occasion: Occasion, type: "image.deleted" | "image.expired", named: Named): Step {
	return eventStep(occasion, type, named, { previous: null, reason: null, said: "nothing" });
}

const { pk: _, appPk: __, ...imageKept } = imageFields;

/** What an event keeps of its image, besides what is known of the picture. */
export { imageKept };

/** With what is known of the picture by then. */
const SNAPSHOT = sql`json_set(${snapshotOf(imageKept)}, '$.facts', json(${FACTS_SNAPSHOT}))`;

const ALONE = sql`json_object('object', ${SNAPSHOT})`;

function dataWith({ previous, reason }: Pick<Places<Written>, "previous" | "reason">): SQL {
	return sql`json_object('object', ${SNAPSHOT}, 'previous', json(${previous}), 'reason', ${reason})`;
}

const OF_IMAGE = {
	appPk: images.appPk,
	userId: sql`(SELECT ${connections.userId} FROM ${connections} WHERE ${connections.storagePk} = ${images.storagePk})`,
	subject: images.id,
} as const;

const OF_FEED = sql`JOIN ${storages} ON ${storages.pk} = ${images.storagePk}
	WHERE ${storages.kind} IN ('app', 'user') AND ${storages.state} = 'active'`;

function fromImages(which: SQL): SQL {
	return sql`FROM ${images} ${OF_FEED} AND ${which} ORDER BY ${images.pk}`;
}
