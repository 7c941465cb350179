import type { Access } from "@svc/apps/access";
import { Failure } from "@svc/base/failure";
import { streamOf } from "@svc/base/streams/streams";
import { type ZipEntry, zip } from "@svc/base/streams/zip";
import type { Image } from "@svc/images/images";
import type { ListFilter } from "@svc/images/list/list-filters";
import { placeOf } from "@svc/images/list/lists";
import type { Account } from "@svc/people/people";
import { contentOf, counted, type ExportFile, requireTurn, zipHeaders } from "./exports.ts";
import type { Exports } from "./room.ts";

/** Pictures in one file, and their bytes. */
export const ZIP_MAX = { images: 5_000, bytes: 10_000_000_000 };

/** Images that are looked up at once. */
const PAGE = 500;

interface ImageZip {
	/** Who reads it. */
	readonly account: Account;
	readonly storage: Access["storage"];
	/** Of a list of ready images. */
	readonly filter: ListFilter;
	/** Asked before each picture, since a file is read as slowly as its reader likes. @throws Failure where they may read no more */
	readonly requireStill: () => Promise<unknown>;
}

/**
 * The pictures that fit a filter, made into a file while it is read.
 * @throws Failure validation_error under `filter` for more than {@link ZIP_MAX}; rate_limited while too many are read
 */
export async function openImageZip(room: Exports, wanted: ImageZip): Promise<ExportFile> {
	requireTurn(room, wanted.account);
	const images = await findAll(room, wanted);
	const parts = counted(room, wanted.account, zip(entriesOf(room, wanted, images)));
	const day = new Date(room.clock.now()).toISOString().slice(0, 10);
	return { headers: zipHeaders(`images-${day}.zip`), body: streamOf(parts) };
}

type Known = Pick<Image, "id" | "filename">;

async function findAll(
	{ images: { store }, clock }: Exports,
	{ storage, filter }: ImageZip,
): Promise<readonly Known[]> {
	const found: Known[] = [];
	let bytes = 0;
	let after: ReturnType<typeof placeOf> | undefined;
	do {
		const page = await store.list(storage.pk, { ...filter, limit: PAGE, after }, clock.now());
		for (const image of page) bytes += image.bytes;
		found.push(...page.map(({ id, filename }) => ({ id, filename })));
		if (found.length > ZIP_MAX.images || bytes > ZIP_MAX.bytes) throw tooMany();
		const last = page.at(-1);
		after = page.length > PAGE && last ? placeOf(last) : undefined;
	} while (after !== undefined);
	return found;
}

function tooMany(): Failure {
	const [images, gigabytes] = [ZIP_MAX.images.toLocaleString("en"), ZIP_MAX.bytes / 1e9];
	return new Failure("validation_error", {
		filter: [`must find at most ${images} images of ${gigabytes} GB together: narrow it, by dates for example`],
	});
}

async function* entriesOf(
	room: Exports,
	{ storage, requireStill }: ImageZip,
	known: readonly Known[],
): AsyncGenerator<ZipEntry> {
	const names = new Set<string>();
	for (const { id, filename } of known) {
		await requireStill();
		const image = await room.images.store.find(storage.pk, id, room.clock.now());
		const content = image?.status === "ready" ? await contentOf(room, image) : undefined;
		if (!image || !content) continue;
		const name = nameOf(id, filename, names);
		names.add(name.toLowerCase());
		yield { name, changedMs: image.createdMs, content };
	}
}

/** Programs that unpack take `/` and `\\` for folders, `..` for the one above, and may not tell upper from lower case. */
function nameOf(id: string, filename: string, taken: ReadonlySet<string>): string {
	const plain = filename.replace(/[\\/:*?"<>|\p{C}]/gu, "_").replace(/^\.+/, "_");
	return plain === "" || taken.has(plain.toLowerCase()) ? `${id}-${plain}` : plain;
}
