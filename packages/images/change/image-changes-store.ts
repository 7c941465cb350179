import { auditEntry } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { rowsOf } from "@svc/base/database/rows";
import { images } from "@svc/base/database/schema/images";
import { updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { nextTurn } from "@svc/base/pace/turns";
import { mayStillWrite } from "@svc/keys/authority-store";
import { and, eq, isNull, type SQL } from "drizzle-orm";
import { externalIdTaken } from "../create/create-failure.ts";
import { imageEvents } from "../image-events-store.ts";
import { appOf, deleteLabels, externalIdSteps, insertLabels, unexpired } from "../image-rows-store.ts";
import type { ChangeableFields, Image } from "../images.ts";
import { CHANGEABLE } from "../images.ts";
import type { ChangedBy, ImagePlace, ImageStore } from "../ports.ts";

type ImageWrite = (image: Image) => Image;

/** How often a change starts again because the image changed. One process never needs to: it serializes changes of one image. */
const ATTEMPTS = 20;

/**
 * Reads, changes, commits if nothing changed meanwhile. Every commit requires the revision that was read, so that processes need not know
 * of each other; the turns within this one only avoid attempts that would fail.
 */
export function updateImages(database: Database, find: ImageStore["find"]): ImageStore["update"] {
	const inTurn = takeTurns();

	type Changing = readonly [place: ImagePlace, change: ImageWrite, by: ChangedBy, nowMs: number];

	/** The first reading may be what was foreseen, unless the change before this one has moved the image since. */
	function reader(hasWaited: boolean, ...[place, , by, nowMs]: Changing): () => Promise<Image | undefined> {
		let early = hasWaited ? undefined : foreseen(by, place);
		return () => {
			const reading = early ?? find(place.storagePk, place.id, nowMs);
			early = undefined;
			return reading;
		};
	}

	async function attempt(read: ReturnType<typeof reader>, ...[, change, by, nowMs]: Changing) {
		for (let attempts = 0; attempts < ATTEMPTS; attempts += 1) {
			const image = await read();
			if (image === undefined) return undefined;
			const changed = change(image);
			if (changed === image) return image;
			const { refused } = await database.write(updateSteps(database, image, changed, by, nowMs));
			if (refused === undefined) return { ...changed, revision: image.revision + 1 };
			await again(by, refused);
		}
		throw new Error(`The image moved ${ATTEMPTS} times while it was to be changed.`);
	}

	return (...changing) => {
		const [{ storagePk, id }] = changing;
		return inTurn(`${storagePk} ${id}`, (hasWaited) => attempt(reader(hasWaited, ...changing), ...changing));
	};
}

/** A commit requires the revision that was read, so it may have been read before the caller was known. */
function foreseen(by: ChangedBy, place: ImagePlace): Promise<Image | undefined> | undefined {
	return typeof by === "string" ? undefined : by.foreseen?.image(place);
}

/** @throws Failure what the caller is told who may not make the change any more, or who wants a name that is taken */
async function again(by: ChangedBy, refused: "moved" | "taken"): Promise<void> {
	if (typeof by !== "string") await by.again?.();
	if (refused === "taken") throw externalIdTaken();
	await nextTurn();
}

interface Changer {
	readonly actor: string;
	readonly requestId: string | null;
	readonly allowed: SQL | undefined;
}

/** The actor and request for the audit, and the condition that they may make the change still. */
export function changedBy(by: ChangedBy): Changer {
	return typeof by === "string"
		? { actor: by, requestId: null, allowed: undefined }
		: { actor: by.caller.id, requestId: by.requestId ?? null, allowed: mayStillWrite(by) };
}

/** Runs tasks of one name one after the other, and tasks of different names concurrently; tells each whether it has waited for another. */
function takeTurns() {
	const last = new Map<string, Promise<unknown>>();
	return <T>(name: string, work: (hasWaited: boolean) => Promise<T>): Promise<T> => {
		const before = last.get(name);
		const result = (before ?? Promise.resolve()).then(() => work(before !== undefined));
		const over = result.then(leave, leave);
		function leave(): void {
			if (last.get(name) === over) last.delete(name);
		}
		last.set(name, over);
		return result;
	};
}

function updateSteps(
	database: Database,
	before: Image,
	after: Image,
	by: ChangedBy,
	nowMs: number,
): readonly Step<"moved" | "taken">[] {
	const { actor, requestId, allowed } = changedBy(by);
	const { pk, id, revision } = before;
	const previous = changedFields(before, after);
	// A column that is set is written to its indexes, also where it stays as it is.
	const set = { ...changedFields(after, before), revision: revision + 1 };
	const asRead = and(eq(images.pk, pk), eq(images.revision, revision));
	const changeable = and(
		asRead,
		eq(images.status, "ready"),
		isNull(images.lockedMs),
		unexpired(images, nowMs),
		allowed,
	);
	return [
		...("externalId" in previous ? externalIdSteps(after, nowMs) : []),
		updateStep(images, set, changeable, "moved", [rowsOf.images(id)]),
		...(isListedAlike(before, after) ? [] : [{ run: deleteLabels(database, pk) }, { run: insertLabels(id) }]),
		{ run: auditEntry({ atMs: nowMs, actor, requestId, appPk: appOf(pk), event: "image.updated", target: id }) },
		imageEvents({ nowMs, requestId }, "image.updated", eq(images.pk, pk), { previous }),
	];
}

/** The former values of the fields that changed. */
export function changedFields(before: ChangeableFields, after: ChangeableFields): Partial<ChangeableFields> {
	const changed = CHANGEABLE.filter((field) => after[field] !== before[field]);
	return Object.fromEntries(changed.map((field) => [field, before[field]]));
}

/** Label rows hold the date and the expiry of their image: they change with any of the three. */
export function isListedAlike(before: Image, after: Image): boolean {
	return (
		before.labels === after.labels && before.publishedMs === after.publishedMs && before.expiresMs === after.expiresMs
	);
}
