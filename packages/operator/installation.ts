import type { Database } from "@svc/base/database/client";
import { claimInstallation, type DatabaseMark, readDatabaseMark } from "@svc/base/database/meta";
import { newId } from "@svc/base/ids";
import type { BlobStore, StoreMark } from "@svc/base/ports";
import { hasLiveBlobs, listUnknownBlobs } from "@svc/images/keep/blobs-store";
import { BLOB_PREFIX, isBlobKey } from "@svc/images/keep/orphans";

/*
 * A database and the store of its pictures belong together: both carry the id of the installation. A service that started on the wrong
 * one of them would take all pictures for leftovers, or all images for lost.
 */

/** The two sides, before either was changed. */
export interface Sides {
	/** The database as people know it: a path, or an address without secrets. */
	readonly databasePlace: string;
	readonly mark: StoreMark;
	readonly blobs: Pick<BlobStore, "list">;
}

/** One page of the store, seen by the database. A page holds some thousand blobs at most, of all ages. */
interface StoreSample {
	readonly known: number;
	readonly unknown: number;
}

/** A start that would bring a database together with another installation's pictures. The message names both, and the ways out. */
class StrangeStore extends Error {
	override readonly name = "StrangeStore";
}

/**
 * To be asked before anything is written, migrations included.
 * @throws StrangeStore where the ids differ, or where the database is new and the pictures are not
 */
export async function requireSameInstallation(sides: Sides, database: DatabaseMark): Promise<void> {
	const store = await sides.mark.read();
	if (store !== undefined && store !== database.installation) {
		const found = `the pictures of installation ${store}`;
		throw new StrangeStore(refusal(sides, told(database), found));
	}
	if (database.isMade || store !== undefined) return;
	const { unknown } = await sampleStore(sides.blobs, undefined);
	if (unknown > 0) throw new StrangeStore(refusal(sides, told(database), `${unknown} pictures or more`));
}

/**
 * Names the installation in the database, where that was not done yet: on the first start, and on the first one of a release that knows
 * installations. The database comes first, {@link markStore} later. A start that ends between the two leaves a store without a mark, and
 * the next one goes on from there: the other order would leave a marked store beside a new database, which is what a lost database
 * looks like.
 * @returns the id
 * @throws StrangeStore where the store has no mark yet, and what lies there is not this database's
 */
export async function nameInstallation(sides: Sides, database: Database): Promise<string> {
	if ((await sides.mark.read()) === undefined) await requireOwnBlobs(sides, database);
	return await claimInstallation(database, newId("ins"));
}

/**
 * Writes the id into the store, where that was not done yet.
 * @throws StrangeStore where another process came first, with another database
 */
export async function markStore(sides: Sides, installation: string): Promise<void> {
	const { mark } = sides;
	if ((await mark.read()) === undefined) await mark.create(installation);
	const store = await mark.read();
	if (store === installation) return;
	const found =
		store === undefined ? "no mark, although one was just written" : `the pictures of installation ${store}`;
	throw new StrangeStore(refusal(sides, told({ isMade: true, installation }), found));
}

/** Counts what the database, which may be of any release, or none at all, knows of the first page of the store. */
async function sampleStore(blobs: Sides["blobs"], database: Database | undefined): Promise<StoreSample> {
	const page = await blobs.list(BLOB_PREFIX);
	const keys = page.blobs.map(({ key }) => key).filter(isBlobKey);
	const unknown = database ? (await listUnknownBlobs(database, keys)).length : keys.length;
	return { known: keys.length - unknown, unknown };
}

/** What an operator is told before they bring a database and a store together on their own word. */
export interface AdoptionFacts {
	readonly database: { readonly place: string; readonly installation: string | null };
	readonly pictures: { readonly place: string; readonly installation: string | null } & StoreSample;
}

/** `database` is undefined for a file that is missing or empty. Writes nothing. */
export async function readAdoptionFacts(sides: Sides, database: Database | undefined): Promise<AdoptionFacts> {
	const known = database && (await readDatabaseMark(database));
	const sample = await sampleStore(sides.blobs, known?.isMade ? database : undefined);
	return {
		database: { place: sides.databasePlace, installation: known?.installation ?? null },
		pictures: { place: sides.mark.place, installation: (await sides.mark.read()) ?? null, ...sample },
	};
}

async function requireOwnBlobs(sides: Sides, database: Database): Promise<void> {
	const { known, unknown } = await sampleStore(sides.blobs, database);
	// A database with an id and a store without one is a restored copy: its pictures may be of a later moment, and hold deleted ones.
	const isNamed = (await readDatabaseMark(database)).installation !== undefined;
	if (isNamed ? known === 0 && unknown > 0 : unknown > known) {
		const found = `${known + unknown} pictures or more, of which the database does not know ${unknown}`;
		throw new StrangeStore(refusal(sides, "a database that never was used with this store", found));
	}
	if (known === 0 && (await hasLiveBlobs(database)))
		throw new StrangeStore(refusal(sides, "a database with images", "not one of its pictures"));
}

function told({ isMade, installation }: DatabaseMark): string {
	if (installation !== undefined) return `the database of installation ${installation}`;
	return isMade ? "a database of no installation yet" : "no database, or an empty one";
}

function refusal({ databasePlace, mark }: Sides, database: string, store: string): string {
	return `the database and the pictures do not belong together, so nothing was changed.
  ${databasePlace}: ${database}
  ${mark.place}: ${store}
What to do, one of:
  - bring a backup back into an empty folder, and start on that one: svc server restore <backup> --to <folder>
  - name the database or the pictures that belong to the other: SVC_DATA_DIR, SVC_DATABASE_URL, SVC_STORAGE
  - only if you know that this database is to have these pictures from now on: svc server adopt`;
}
