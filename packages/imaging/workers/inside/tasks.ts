import { createHash } from "node:crypto";
import { access, open, readFile, rm, writeFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import type { BlobStore, Staged } from "@svc/base/ports";
import type { Made, Master, RenderAids, ShrunkMaster, Stripped } from "@svc/images/ports";
import type { Overview } from "@svc/images/transform/analysis";
import { hasMends } from "@svc/images/transform/mends";
import { isTransformable, type LayerName } from "@svc/images/transform/transform";
import type { Memory } from "../../inspect/gate.ts";
import { type InspectorOptions, sharpInspector } from "../../inspect/inspect.ts";
import { overviewOf, sharpLooks } from "../../kept/looks.ts";
import { foundMends } from "../../kept/mends.ts";
import { sharpShrinker } from "../../kept/shrink.ts";
import { strip } from "../../metadata/strip.ts";
import { KeptPixels } from "../../render/kept-pixels.ts";
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
		const stripped = await strip(masterOf(master));
		return { made: stripped && (await written(stripped, out)) };
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
	{ file, hints, rules, mostBytes, out }: Order<"inspect">,
	admitted: Price,
): Promise<Work["inspect"]["answer"]> {
	let copies: readonly MadeCopy[] = [];
	let overview: Overview | undefined;
	const copied: InspectorOptions["copied"] = async ({ copies: made, pixels }) => {
		if (pixels) kept.keep(file.sha256, pixels);
		copies = await writtenCopies(made, out ?? "");
		const smallest = made.get(Math.max(...made.keys()));
		// It is looked for again where it fails, and is no reason to refuse a file.
		overview = smallest && (await overviewOf(smallest, file.path).catch(() => undefined));
	};
	const settings = { stage: stagingAt(file.path), memory: upTo(admitted), mostBytes, log: workerLog };
	const inspector = sharpInspector({ ...settings, ...(out !== undefined && { copied }) });
	// The service removes the file that it received.
	const staged: Staged = { ...file, sha256: Buffer.from(file.sha256, "hex"), discard: () => Promise.resolve() };
	const { master, ...facts } = await inspector.inspect(staged, hints, {
		...rules,
		formats: new Set(rules.formats),
		queued: new Set(rules.queued),
	});
	const { path, bytes, sha256 } = master;
	const isWanted = out !== undefined && !facts.queued && isTransformable(facts.format);
	return {
		queued: false,
		...facts,
		converted: master === staged ? undefined : { path, bytes, sha256 },
		copies,
		overview,
		stripped: isWanted ? await strippedOf({ path, bytes, ...facts }, out, admitted) : undefined,
	};
}

/** The file is still in memory and read once, so that its first visitor need not wait for a worker. Where it fails, that visitor's try tells why. */
async function strippedOf(file: MasterFile, out: string, admitted: Price): Promise<Stripped | undefined> {
	// It is held once as it came, and once more as it goes.
	if (2 * file.bytes > admitted.bytes) return undefined;
	try {
		const master = masterOf(file);
		const bytes = await master.blob.read();
		const stripped = await strip({ ...master, blob: { ...master.blob, read: async () => bytes } });
		const mends = hasMends(file.format) ? await foundMends(bytes, file.format) : undefined;
		const made = stripped && (await written(stripped, `${out}.0`, SENT_COPY_BYTES));
		return { made, format: file.format, mends };
	} catch {
		return undefined;
	}
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
