import type { Actor } from "@svc/base/actor";
import { ofRequest } from "@svc/base/database/request-claims";
import { type Rows, rowsOf } from "@svc/base/database/rows";
import { appUsage, storages } from "@svc/base/database/schema/apps";
import { imageAnalyses, imageLabels, images } from "@svc/base/database/schema/images";
import { audit } from "@svc/base/database/schema/service";
import { column, columns } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { keptStatement, type Places } from "@svc/base/database/write/kept-statements";
import {
	type AuthorityShape,
	type AuthorityValues,
	type authorityOf,
	NOBODY,
	type NoAuthority,
	stillWrites,
} from "@svc/keys/authority-store";
import { type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { imageGoneEvents } from "../image-events-store.ts";
import type { Image } from "../images.ts";
import { markBlobsDead } from "../keep/blobs-store.ts";
import { keepDeleted } from "./deleted-images-store.ts";

/** Deletes one image; see {@link deleteImagesSteps}. */
export function deleteSteps(
	image: Pick<Image, "pk" | "id" | "storagePk" | "blobKey">,
	{ actor, requestId, nowMs }: Actor,
	event = "image.deleted",
): readonly Step<"gone">[] {
	const [published, rows] = ["image.deleted" as const, rowsOfGone([image])];
	return deleteImagesSteps([image.pk], { actor, requestId, nowMs, event, published, rows });
}

/** What goes with images, and what counts them. Whoever keeps anything of an image's picture has its row too, whatever its bytes are by now. */
export function rowsOfGone(gone: readonly Pick<Image, "id" | "storagePk" | "blobKey">[]): readonly Rows[] {
	return [
		rowsOf.images(...gone.map(({ id }) => id)),
		rowsOf.analyses(...gone.map(({ blobKey }) => blobKey)),
		rowsOf.storageCounts(...gone.map(({ storagePk }) => storagePk)),
	];
}

/** The actor of a deletion, and its audit event. */
interface Deletion {
	readonly actor: string;
	readonly requestId?: string | null;
	readonly nowMs: number;
	/** `image.deleted` when left out. */
	readonly event?: string;
	/** What the App's feed says of each image; left out where the event of something larger says it. */
	readonly published?: "image.deleted" | "image.expired";
	/** Whether they can be restored for a while. */
	readonly kept?: boolean;
	/** The rows that they have and are counted in; any where it is not said. */
	readonly rows?: readonly Rows[];
	/** What is asked of who deletes them. */
	readonly authority?: ReturnType<typeof authorityOf> | undefined;
}

/**
 * Deletes images of one storage with all that belongs to them; their blobs are dead from then on. What they free is read from the rows
 * themselves: a caller's copy may be older than the last change. "gone" when none of them is there any more, or it is not allowed.
 */
export function deleteImagesSteps(
	pks: readonly number[],
	{ actor, requestId = null, nowMs, event = "image.deleted", published, kept = false, authority, rows = [] }: Deletion,
): readonly Step<"gone">[] {
	const values = { pks: JSON.stringify(pks), nowMs, actor, event, requestId };
	const { shape = NOBODY } = authority ?? {};
	return [
		{ run: freeApp({ pks: values.pks, ...authority?.values }, ...shape), guard: "gone" },
		{ run: freeStorage({ pks: values.pks }), rows },
		{ run: endBlobs({ pks: values.pks, nowMs }) },
		{ run: ofRequest(requestId, tellGone(values)) },
		...(published ? [imageGoneEvents({ nowMs, requestId }, published, { pks: values.pks })] : []),
		...(kept ? [{ run: keepGone({ pks: values.pks, nowMs }) }] : []),
		{ run: dropLabels({ pks: values.pks }) },
		{ run: dropAnalyses({ pks: values.pks }), rows },
		{ run: dropImages({ pks: values.pks }), rows },
	];
}

interface Doomed {
	/** A JSON array of the numbers of images. */
	readonly pks: string;
}

interface DoomedAt extends Doomed {
	readonly nowMs: number;
}

interface Told extends DoomedAt {
	readonly actor: string;
	readonly event: string;
	readonly requestId: string | null;
}

const isIn = ({ pks }: Places<Doomed>) => sql`IN (SELECT value FROM json_each(${pks}))`;
const keysOf = (at: Places<Doomed>) => sql`(SELECT ${images.blobKey} FROM ${images} WHERE ${images.pk} ${isIn(at)})`;

const freeApp = keptStatement<Doomed & Partial<AuthorityValues>, AuthorityShape | NoAuthority>((at, ...by) =>
	freeCounters(appUsage, appUsage.appPk, images.appPk, isIn(at), stillWrites(at, ...by)),
);
const freeStorage = keptStatement<Doomed>((at) =>
	freeCounters(storages, storages.pk, images.storagePk, isIn(at), sql`TRUE`),
);
const endBlobs = keptStatement<DoomedAt>((at) => markBlobsDead(keysOf(at), at.nowMs));
const tellGone = keptStatement<Told>((at) => {
	const names = columns(...[audit.atMs, audit.actor, audit.appPk, audit.event, audit.target, audit.requestId]);
	return sql`INSERT INTO ${audit} (${names})
		SELECT ${at.nowMs}, ${at.actor}, ${images.appPk}, ${at.event}, ${images.id}, ${at.requestId} FROM ${images}
		WHERE ${images.pk} ${isIn(at)}`;
});
const keepGone = keptStatement<DoomedAt>((at) => keepDeleted(sql`${images.pk} ${isIn(at)}`, at.nowMs));
const dropLabels = keptStatement<Doomed>(
	(at) => sql`DELETE FROM ${imageLabels} WHERE ${imageLabels.imagePk} ${isIn(at)}`,
);
const dropAnalyses = keptStatement<Doomed>(
	(at) => sql`DELETE FROM ${imageAnalyses} WHERE ${imageAnalyses.blobKey} IN ${keysOf(at)}`,
);
const dropImages = keptStatement<Doomed>((at) => sql`DELETE FROM ${images} WHERE ${images.pk} ${isIn(at)}`);

/** Subtracts an owner's images from the owner's counters. */
function freeCounters(
	counters: typeof appUsage | typeof storages,
	key: SQLiteColumn,
	owner: SQLiteColumn,
	doomed: SQL,
	allowed: SQL,
): SQL {
	return sql`UPDATE ${counters} SET ${column(counters.images)} = ${counters.images} - gone.freed,
			${column(counters.bytes)} = ${counters.bytes} - gone.freed_bytes
		FROM (SELECT ${owner} AS owner, count(*) AS freed, sum(${images.bytes}) AS freed_bytes
			FROM ${images} WHERE ${images.pk} ${doomed} GROUP BY ${owner}) AS gone
		WHERE ${key} = gone.owner AND ${allowed}`;
}
