import { storages } from "@svc/base/database/schema/apps";
import { connections } from "@svc/base/database/schema/connect";
import { images } from "@svc/base/database/schema/images";
import type { Step } from "@svc/base/database/step";
import type { ImageEventType } from "@svc/base/enumerations";
import { newEvent } from "@svc/events/event-entries-store";
import { snapshotOf } from "@svc/events/snapshots-store";
import { type SQL, sql } from "drizzle-orm";
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

type Occasion = Parameters<typeof newEvent>[0];

/**
 * One event for each image that `which`, a condition on `images`, holds for; the data is the row as the steps before have left it. Storages
 * outside of every App have no feed, and of one that is being deleted it was said already.
 */
export function imageEvents(occasion: Occasion, type: ImageEventType, which: SQL, besides: Besides = {}): Step {
	return newEvent(occasion, { ...OF_IMAGE, type, data: dataWith(besides) }, fromImages(which));
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
export function imageGoneEvents(occasion: Occasion, type: "image.deleted" | "image.expired", which: SQL): Step {
	return newEvent(occasion, { ...OF_IMAGE, type }, fromImages(which));
}

const { pk: _, appPk: __, ...imageKept } = imageFields;

/** What an event keeps of its image, besides what is known of the picture. */
export { imageKept };

/** With what is known of the picture by then. */
const SNAPSHOT = sql`json_set(${snapshotOf(imageKept)}, '$.facts', json(${FACTS_SNAPSHOT}))`;

function dataWith({ previous, reason = null }: Besides): SQL {
	if (previous === undefined && reason === null) return sql`json_object('object', ${SNAPSHOT})`;
	const before = previous === undefined ? null : JSON.stringify(previous);
	return sql`json_object('object', ${SNAPSHOT}, 'previous', json(${before}), 'reason', ${reason})`;
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
