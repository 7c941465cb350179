import type { CameFile } from "./came-file.ts";
import { externalIdOf, fitted } from "./fitting.ts";
import { bodyOf, keyOf, type Ready, sorted } from "./move.ts";
import {
	type Download,
	type FoundImage,
	type ImageSource,
	isUnfit,
	type SourceImage,
	type Unfit,
} from "./sources/source.ts";

/*
 * A collection in pieces: what the service fetches goes in large ones. Their bounds are those of the collection and not of what is
 * left of it, so that a run that goes on asks for the same pieces as the one before.
 */

const CHUNK_ITEMS = 1_000;
/** The service takes 8 MB. */
const CHUNK_BYTES = 7_500_000;

export type Parcel =
	| { readonly kind: "addresses"; readonly pictures: readonly Ready[] }
	| { readonly kind: "one"; readonly picture: Ready }
	| { readonly kind: "unfit"; readonly unfit: Unfit }
	/** The collection cannot be read any further. */
	| { readonly kind: "broken"; readonly error: unknown };

interface Wanted {
	readonly source: ImageSource;
	readonly came: Pick<CameFile, "has">;
	/** How many pictures are to come in this run. */
	readonly limit: number;
	readonly hasImports: boolean;
	/** Part of each picture's key. */
	readonly app: string | undefined;
	readonly user: string | undefined;
	readonly labels: SourceImage["fields"]["labels"];
	readonly signal: AbortSignal;
	/** Fetches from here what the service would fetch; undefined: the service does. */
	readonly open: ((address: string, signal: AbortSignal) => Promise<Download>) | undefined;
}

export async function* parcelsOf(wanted: Wanted): AsyncGenerator<Parcel, void, undefined> {
	const chunk = new Chunk();
	let broken: { readonly error: unknown } | undefined;
	try {
		yield* whole(wanted, chunk);
	} catch (error) {
		broken = { error };
	}
	yield* chunk.end();
	if (broken) yield { kind: "broken", ...broken };
}

/** All but what is left in the chunk at the end. */
async function* whole(wanted: Wanted, chunk: Chunk): AsyncGenerator<Parcel, void, undefined> {
	let room = wanted.limit;
	for await (const listed of wanted.source.list(wanted.signal)) {
		if (room === 0) return;
		const one = prepared(listed, wanted);
		if (isUnfit(one)) {
			yield { kind: "unfit", unfit: one };
			continue;
		}
		const isThere = wanted.came.has(one.key);
		if (!isThere) room--;
		if (!one.download && wanted.hasImports) yield* chunk.add(one, isThere, bytesOf(one, wanted));
		else if (!isThere) yield { kind: "one", picture: one };
	}
}

function bytesOf(one: Ready, wanted: Wanted): number {
	return Buffer.byteLength(JSON.stringify({ url: one.address, ...bodyOf(one, wanted) }));
}

class Chunk {
	#left: Ready[] = [];
	#items = 0;
	#bytes = 0;

	*add(picture: Ready, isThere: boolean, bytes: number): Generator<Parcel, void, undefined> {
		if (this.#items === CHUNK_ITEMS || this.#bytes + bytes > CHUNK_BYTES) yield* this.end();
		this.#items++;
		this.#bytes += bytes;
		if (!isThere) this.#left.push(picture);
	}

	/** What is left of it, if anything is. */
	*end(): Generator<Parcel, void, undefined> {
		const pictures = this.#left;
		[this.#left, this.#items, this.#bytes] = [[], 0, 0];
		if (pictures.length > 0) yield { kind: "addresses", pictures };
	}
}

/** The picture as it is sent. One whose source says exactly what it wants does not come in part. */
function prepared(listed: FoundImage, { source, app, user, labels, open, hasImports }: Wanted): Ready | Unfit {
	if (isUnfit(listed)) return listed;
	const { line, address, name, version, identity = [source.name, source.place, name, version] } = listed;
	const added = Object.keys(labels).length === 0 ? [] : [sorted(labels)];
	const key = keyOf([...identity, app, user, ...added]);
	const { fields, leftOut } = fitted({ ...listed.fields, labels: { ...listed.fields.labels, ...labels } });
	if (source.isExact && leftOut.length > 0) {
		return { line, address, why: `There is no room for ${leftOut.join("; ")}.`, isNoPicture: false };
	}
	const download = listed.download ?? (open && ((signal) => open(address, signal)));
	const ready = { ...listed, fields, key, download, externalId: externalIdOf(name), leftOut };
	// What says all of itself in its key already keeps the key that it has always had.
	const isWhole = listed.identity !== undefined && download === undefined;
	return { ...ready, createKey: isWhole ? key : keyOf([key, bodyOf(ready, { hasImports })]) };
}
