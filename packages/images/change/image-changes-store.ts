import { auditEntry } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { rowsOf } from "@svc/base/database/rows";
import { images } from "@svc/base/database/schema/images";
import { statements } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { keptStatement } from "@svc/base/database/write/kept-statements";
import { nextTurn } from "@svc/base/pace/turns";
import {
	type AuthorityShape,
	type AuthorityValues,
	authorityOf,
	NOBODY,
	type NoAuthority,
	stillWrites,
} from "@svc/keys/authority-store";
import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { externalIdTaken } from "../create/create-failure.ts";
import { imageEvents } from "../image-events-store.ts";
import { deleteLabels, externalIdSteps, insertLabels, unexpired } from "../image-rows-store.ts";
import type { ChangeableFields, Image } from "../images.ts";
import { CHANGEABLE } from "../images.ts";
import type { ChangedBy, ImagePlace, ImageStore } from "../ports.ts";
import { keptWords } from "../search-words.ts";

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

	async function attempt(...[place, change, by, nowMs]: Changing) {
		for (let attempts = 0; attempts < ATTEMPTS; attempts += 1) {
			const image = await find(place.storagePk, place.id, nowMs);
			if (image === undefined) return undefined;
			const changed = change(image);
			if (changed === image) return image;
			const { refused } = await database.write(updateSteps(image, changed, by, nowMs));
			if (refused === undefined) return { ...changed, revision: image.revision + 1 };
			await again(by, refused);
		}
		throw new Error(`The image moved ${ATTEMPTS} times while it was to be changed.`);
	}

	return (...changing) => {
		const [{ storagePk, id }] = changing;
		return inTurn(`${storagePk} ${id}`, () => attempt(...changing));
	};
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
	/** What is asked of them, for a statement that is kept; of a job nothing. */
	readonly authority: ReturnType<typeof authorityOf> | undefined;
}

/** The actor and request for the audit, and the condition that they may make the change still. */
export function changedBy(by: ChangedBy): Changer {
	return typeof by === "string"
		? { actor: by, requestId: null, authority: undefined }
		: { actor: by.caller.id, requestId: by.requestId ?? null, authority: authorityOf(by) };
}

/** Runs tasks of one name one after the other, and tasks of different names concurrently. */
function takeTurns() {
	const last = new Map<string, Promise<unknown>>();
	return <T>(name: string, work: () => Promise<T>): Promise<T> => {
		const result = (last.get(name) ?? Promise.resolve()).then(work);
		const over = result.then(leave, leave);
		function leave(): void {
			if (last.get(name) === over) last.delete(name);
		}
		last.set(name, over);
		return result;
	};
}

interface RowChange extends Partial<ChangeableFields>, Partial<AuthorityValues> {
	readonly pk: number;
	/** As it was read. */
	readonly revision: number;
	readonly after: number;
	readonly nowMs: number;
	readonly words?: string;
}

type RowChangeShape = readonly [fields: string, ...by: AuthorityShape | NoAuthority];

/** `fields`: the names of those that are set, with commas between them. */
const changeRow = keptStatement<RowChange, RowChangeShape>((at, ...[fields, ...by]) => {
	const names = fields.split(",") as (keyof ChangeableFields | "words")[];
	const set = Object.fromEntries(names.map((name) => [name, at[name] as unknown as SQL]));
	const asRead = and(eq(images.pk, at.pk), eq(images.revision, at.revision));
	const open = and(asRead, eq(images.status, "ready"), isNull(images.lockedMs), unexpired(images, at.nowMs));
	return statements
		.update(images)
		.set({ ...set, revision: sql`${at.after}` })
		.where(and(open, stillWrites(at, ...by)));
});

function updateSteps(before: Image, after: Image, by: ChangedBy, nowMs: number): readonly Step<"moved" | "taken">[] {
	const { actor, requestId, authority } = changedBy(by);
	const { pk, id, revision } = before;
	const previous = changedFields(before, after);
	// A column that is set is written to its indexes, also where it stays as it is.
	const worded = "caption" in previous || "labels" in previous;
	const words = worded && { words: keptWords({ ...after, revision: revision + 1 }) };
	const set = { ...changedFields(after, before), ...words };
	const values = { pk, revision, after: revision + 1, nowMs, ...set, ...authority?.values };
	const run = changeRow(values, Object.keys(set).join(), ...(authority?.shape ?? NOBODY));
	return [
		...("externalId" in previous ? externalIdSteps(after, nowMs) : []),
		{ run, kind: "update", guard: "moved", rows: [rowsOf.images(id)] },
		...(isListedAlike(before, after) ? [] : [{ run: deleteLabels(pk) }, { run: insertLabels(id) }]),
		{ run: auditEntry({ atMs: nowMs, actor, requestId, appPk: before.appPk, event: "image.updated", target: id }) },
		imageEvents({ nowMs, requestId }, "image.updated", { pk }, { previous }),
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
