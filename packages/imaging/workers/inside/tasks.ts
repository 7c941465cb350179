import { createHash } from "node:crypto";
import { access, open, readFile, rm, writeFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import type { BlobStore, Staged } from "@svc/base/ports";
import type { Made, Master, RenderAids, ShrunkMaster, Stripped } from "@svc/images/ports";
import type { Overview } from "@svc/images/transform/analysis";
import { type FoundMends, hasGainMap, hasMends } from "@svc/images/transform/mends";
import { shrunkFactorsOf } from "@svc/images/transform/shrunk-masters";
import { smallestOf } from "@svc/images/transform/smallest";
import { isTransformable, type LayerName } from "@svc/images/transform/transform";
import type { Metadata } from "sharp";
import type { Memory } from "../../inspect/gate.ts";
import { type InspectorOptions, sharpInspector } from "../../inspect/inspect.ts";
import { overviewOf, sharpLooks } from "../../kept/looks.ts";
import { foundMends } from "../../kept/mends.ts";
import { sharpShrinker } from "../../kept/shrink.ts";
import { findHeader, strip, stripped } from "../../metadata/strip.ts";
import { KeptPixels, type Pixels } from "../../render/kept-pixels.ts";
import { type HeaderFacts, sharpRenderer } from "../../render/render.ts";
import { renderPrice } from "../../render/render-price.ts";
import { Dearer } from "../failures.ts";
import type { CopyFile, LayerFiles, MadeCopy, MasterFile, Order, OrderKind, Work } from "../orders.ts";
import type { Price } from "../price.ts";
import { compare, compareMasters } from "./compare.ts";
import { workerLog } from "./serve.ts";

/** Smaller files go back through the pipe: the service has them in memory anyway, to answer with them and to keep them there. */
const SENT_BYTES = 1_000_000;
/** A copy is a file in the end, and nobody waits for it. */
const SENT_COPY_BYTES = 64_000;

/** Nothing in a worker is stopped half-way: the whole process is. */
const { signal: NEVER_ABORTED } = new AbortController();

/** The service counts processor time; a machine may be busy with others. */
const TIMEOUT_SECONDS = 60;
/** Pixels of a picture that is looked at along with its inspection: for so few, the way to a worker and back takes longer than the look. */
const SEEN_PIXELS = 250_000;
/** Pixels of a picture whose smallest size is made along with its inspection, while its sender waits. */
const SHOWN_PIXELS = 1_000_000;
/** A price is an estimate, and the service knows better how far from the truth it has been lately. */
const FAR_FROM_IT = 4;

const kept = new KeptPixels();

/** What a worker does for each kind of order. */
const TASKS: { readonly [K in OrderKind]: (order: Order<K>, admitted: Price) => Promise<Work[K]["answer"]> } = {
	inspect: inspected,
	async render({ master, copies, transform, aids, layers, out }, admitted) {
		const all = { ...aids, ...layerMasters(layers) };
		const opened = (facts: HeaderFacts) => {
			const factors = copies.map(({ factor }) => factor);
			const price = renderPrice({ ...master, ...facts }, transform, all, factors);
			if (price.bytes > admitted.bytes || price.cpuMs > FAR_FROM_IT * admitted.cpuMs) throw new Dearer(price);
		};
		const renderer = sharpRenderer({
			timeoutSeconds: TIMEOUT_SECONDS,
			opened,
			kept,
			...(copies.length > 0 && { ownPixels: () => compare(master) }),
		});
		const { bytes, format } = await renderer.render(masterOf(master, copies), transform, all, NEVER_ABORTED);
		return { format, made: await written(bytes, out) };
	},
	async strip({ master, out }) {
		const rest = await strip(masterOf(master));
		return { made: rest && (await written(rest, out)) };
	},
	async shrink({ master, factors, out }, admitted) {
		const { reduce } = sharpShrinker({ stage: stagingAt(out), memory: upTo(admitted) });
		return { copies: await writtenCopies(await reduce(masterOf(master), factors), out) };
	},
	picture: async ({ master }) => await sharpLooks.picture(masterOf(master), { signal: NEVER_ABORTED }),
	focus: async ({ picture }) => ({ focus: await sharpLooks.focus(picture, { signal: NEVER_ABORTED }) }),
	content: async ({ master }) => ({ content: await sharpLooks.content(masterOf(master), { signal: NEVER_ABORTED }) }),
	header: async ({ master }) => await sharpLooks.header(masterOf(master), { signal: NEVER_ABORTED }),
	mends: async ({ master }) => await sharpLooks.mends(masterOf(master), { signal: NEVER_ABORTED }),
	pixels: async ({ master }) => ({ pixels: await sharpLooks.pixels(masterOf(master), { signal: NEVER_ABORTED }) }),
	overview: async ({ master, copies }) =>
		await sharpLooks.overview(masterOf(master, copies), { signal: NEVER_ABORTED }),
};

/** @throws whatever the work throws; Damaged, and Dearer when the header says that it takes more than was admitted */
export async function work(order: Order, admitted: Price): Promise<unknown> {
	const task = TASKS[order.kind] as (order: Order, admitted: Price) => Promise<unknown>;
	await compareMasters(order);
	return await task(order, admitted);
}

async function inspected(
	{ file, hints, rules, mostBytes, out, smallest }: Order<"inspect">,
	admitted: Price,
): Promise<Work["inspect"]["answer"]> {
	let copies: readonly MadeCopy[] = [];
	let seen: Pixels | Uint8Array | undefined;
	const proven: InspectorOptions["proven"] = async ({ copies: made, pixels }) => {
		if (pixels) kept.keep(file.sha256, pixels);
		copies = await writtenCopies(made, out ?? "");
		seen = pixels ?? made.get(Math.max(...made.keys()));
	};
	const settings = { stage: stagingAt(file.path), memory: upTo(admitted), mostBytes, log: workerLog };
	const inspector = sharpInspector({ ...settings, ...(out !== undefined && { proven }) });
	// The service removes the file that it received.
	const staged: Staged = { ...file, sha256: Buffer.from(file.sha256, "hex"), discard: () => Promise.resolve() };
	const { master, ...facts } = await inspector.inspect(staged, hints, {
		...rules,
		formats: new Set(rules.formats),
		queued: new Set(rules.queued),
	});
	const { path, bytes } = master;
	const isWanted = out !== undefined && !facts.queued && isTransformable(facts.format);
	const sha256 = Buffer.from(master.sha256).toString("hex");
	return {
		queued: false,
		...facts,
		converted: master === staged ? undefined : { path, bytes, sha256: master.sha256 },
		copies,
		stripped: isWanted
			? await strippedOf({ path, bytes, sha256, ...facts }, { out, admitted, smallest, seen })
			: undefined,
	};
}

interface Wanted {
	readonly out: string;
	readonly admitted: Price;
	/** Whether its smallest size is. */
	readonly smallest: boolean;
	/** Its pixels, or the smallest copy that was made of it. */
	readonly seen: Pixels | Uint8Array | undefined;
}

/** The file is still in memory and read once, so that its first visitor need not wait for a worker. Where it fails, that visitor's try tells why. */
async function strippedOf(
	file: MasterFile,
	{ out, admitted, smallest: isWanted, seen }: Wanted,
): Promise<Stripped | undefined> {
	// It is held once as it came, and once more as it goes.
	if (2 * file.bytes > admitted.bytes) return undefined;
	try {
		const { format, width, height } = file;
		const bytes = new Uint8Array(await readFile(file.path));
		const header = await findHeader(bytes);
		const rest = await stripped(bytes, file, header);
		const mends = hasMends(format) ? await foundMends(bytes, format, format === "jpg" ? header : undefined) : undefined;
		const made = rest && (await written(rest, `${out}.0`, SENT_COPY_BYTES));
		const small = isWanted && header ? await smallestIn(file, header, mends, admitted) : undefined;
		const overview = header && (await overviewIn(masterOf(file), seen ?? small, header));
		const smallest = small && (await written(small, `${out}.s`, SENT_COPY_BYTES));
		return { made, smallest, format, width, height, mends, overview };
	} catch {
		return undefined;
	}
}

/**
 * A rendition like any other, so that it is the same whenever it is made: of the pixels that have just been decoded, where they are kept. Undefined
 * where it is too much to wait for, fails, or has to come from a copy: then it is made afterwards.
 */
async function smallestIn(
	file: MasterFile,
	{ pages = 1 }: Metadata,
	mends: FoundMends | undefined,
	admitted: Price,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
	const transform = smallestOf(file);
	const aids = hasGainMap(mends) && mends ? { mends } : {};
	if (pages > 1 || file.width * file.height > SHOWN_PIXELS || shrunkFactorsOf(file).length > 0) return undefined;
	if (renderPrice(file, transform, aids, []).bytes > admitted.bytes) return undefined;
	const renderer = sharpRenderer({ timeoutSeconds: TIMEOUT_SECONDS, kept });
	const making = renderer.render(masterOf(file), transform, aids, NEVER_ABORTED);
	return await making.then(
		({ bytes }) => bytes,
		() => undefined,
	);
}

/** Where it fails it is looked for again, as that of every picture that is neither small nor has copies. */
async function overviewIn(
	master: Master,
	seen: Pixels | Uint8Array | undefined,
	header: Metadata,
): Promise<Overview | undefined> {
	if (!seen && master.width * master.height > SEEN_PIXELS) return undefined;
	const look = seen ? overviewOf(seen, header) : sharpLooks.overview(master, { signal: NEVER_ABORTED });
	return await look.catch(() => undefined);
}

async function writtenCopies(
	copies: ReadonlyMap<number, Uint8Array<ArrayBuffer>>,
	out: string,
): Promise<readonly MadeCopy[]> {
	const made: MadeCopy[] = [];
	for (const [factor, bytes] of copies)
		made.push({ factor, made: await written(bytes, `${out}.${factor}`, SENT_COPY_BYTES) });
	return made;
}

function upTo({ bytes: admitted, cpuMs }: Price): Memory {
	return async (bytes, work) => {
		if (bytes > admitted) throw new Dearer({ bytes, cpuMs });
		return await work();
	};
}

function masterOf({ path, bytes, sha256, ...facts }: MasterFile, copies: readonly CopyFile[] = []): Master {
	const read = async () => new Uint8Array(await readFile(path));
	const blob = { path, bytes, read, stream: () => new Blob().stream(), ...(sha256 !== undefined && { sha256 }) };
	return { ...facts, blob, shrunkMasters: copies.map(copyOf) };
}

function layerMasters(layers: LayerFiles): Pick<RenderAids, LayerName> {
	return Object.fromEntries(Object.entries(layers).map(([name, file]) => [name, masterOf(file)]));
}

/** A copy may have been removed since the service looked: the master itself is always there. */
function copyOf({ factor, path }: CopyFile): ShrunkMaster {
	return {
		factor,
		path: () =>
			access(path).then(
				() => path,
				() => undefined,
			),
	};
}

async function written(bytes: Uint8Array<ArrayBuffer>, path: string, sentBytes = SENT_BYTES): Promise<Made> {
	if (bytes.length <= sentBytes) return bytes;
	try {
		await writeFile(path, bytes);
		return { path, length: bytes.length, crc32: crc32(bytes) };
	} catch {
		// A disk without room is no reason to serve nothing.
		await rm(path, { force: true });
		return bytes;
	}
}

/** Files beside the one at `base`: the service knows what may be there, and removes it when this process is killed. */
function stagingAt(base: string): BlobStore["stage"] {
	let count = 0;
	return async (chunks) => {
		const path = `${base}.${count++}`;
		const file = await open(path, "w", 0o600);
		const hash = createHash("sha256");
		let bytes = 0;
		try {
			for await (const chunk of chunks) {
				hash.update(chunk);
				bytes += chunk.length;
				await file.writeFile(chunk);
			}
		} finally {
			await file.close();
		}
		return { path, bytes, sha256: new Uint8Array(hash.digest()), discard: () => rm(path, { force: true }) };
	};
}
