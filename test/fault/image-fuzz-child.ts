import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Image } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { censusOf } from "../support/census.ts";
import { corpus, corpusNames } from "../support/corpus.ts";
import { bmp, ico, svg } from "../support/kept-as-is.ts";
import { corners, noise, plain } from "../support/pictures.ts";
import { send, upload } from "../support/requests.ts";
import { type OpenService, openService } from "../support/service.ts";
import { damaged } from "./damage.ts";
import { Dice } from "./seed.ts";

/*
 * Uploads damaged pictures and asks for renditions of what was accepted. A process of its own: a decoder that fails takes it along.
 * `image-fuzz-child.ts <seed> <from> <mutations>` says `at <n>` on the way, and what came of it as one line of JSON.
 */

/** Larger ones are only slower. */
const MOST_BYTES = 60_000;
const HEIC_SHARE = 0.02;
const MOST_FAULTS = 20;
const QUERIES = [
	"",
	"?w=40&format=webp",
	"?rotate=90&format=png",
	"?w=30&h=30&fit=cover&format=jpg",
	"?blur=3",
] as const;
const TRANSFORMABLE = new Set(["jpg", "png", "gif", "webp", "avif"]);

/** What the parent is told. */
export interface Tally {
	accepted: number;
	refused: number;
	/** What is neither: each with the number of its mutation and the file that brought it about. */
	readonly faults: string[];
	/** Temporary files that nobody removed. */
	left: readonly string[];
	/** Of memory, with everything that was done. */
	peakBytes: number;
}

interface Originals {
	readonly usual: readonly Uint8Array<ArrayBuffer>[];
	/** Each costs a second or more. */
	readonly slow: readonly Uint8Array<ArrayBuffer>[];
}

async function originals(): Promise<Originals> {
	const usual: Uint8Array<ArrayBuffer>[] = [new TextEncoder().encode(svg()), bmp(20, 10), await ico(16, 32)];
	for (const format of ["jpeg", "png", "webp", "gif", "avif"] as const) {
		usual.push(await plain(30, 20, format), await corners(40, 30, format), await noise(60, 40, format));
	}
	const slow: Uint8Array<ArrayBuffer>[] = [];
	for (const name of await corpusNames()) {
		// A bomb that is damaged is a slow way to find out what it says in its header.
		if (/^bomb|^bad/.test(name)) continue;
		const file = await corpus(name);
		if (/\.hei[cf]$/.test(name)) slow.push(file);
		else if (file.length <= MOST_BYTES) usual.push(file);
	}
	return { usual, slow };
}

/** Most of a picture is pixels; what decoders stumble over lies in front of them. */
function mutated(original: Uint8Array<ArrayBuffer>, dice: Dice): Uint8Array<ArrayBuffer> {
	const head = dice.chance(0.5) ? Math.min(original.length, 600) : original.length;
	const part = original.slice(0, head);
	// What is hardly damaged gets furthest.
	const changed = dice.chance(0.6) ? flipped(part, dice) : damaged(part, dice);
	return new Uint8Array(Buffer.concat([changed, original.subarray(head)]));
}

function flipped(bytes: Uint8Array<ArrayBuffer>, dice: Dice): Uint8Array<ArrayBuffer> {
	for (let flips = dice.below(3); flips >= 0; flips--) bytes[dice.below(bytes.length)] = dice.below(256);
	return bytes;
}

/** What is wrong with how the service took a file; undefined when nothing is. */
async function attempt(service: OpenService, file: Uint8Array<ArrayBuffer>, dice: Dice, tally: Tally) {
	const answer = await upload(service, file, "picture");
	if (answer.status === 422) {
		tally.refused++;
		return undefined;
	}
	if (answer.status !== 201) return `create: ${answer.status}`;
	const image = (await answer.json()) as Image;
	// Formats that not all browsers can show are looked at as a whole only now.
	await service.runJobs();
	const found = await send(service, "GET", `/v1/images/${image.id}`);
	tally[found.status === 200 ? "accepted" : "refused"]++;
	const fault = found.status === 200 ? await draw(service, (await found.json()) as Image, dice) : faultOf(found);
	await send(service, "DELETE", `/v1/images/${image.id}`);
	return fault;
}

const faultOf = ({ status }: Response) => (status === 422 ? undefined : `get: ${status}`);

async function draw(service: OpenService, { status, format, url }: Image, dice: Dice): Promise<string | undefined> {
	if (status !== "ready") return `it stays ${status}`;
	for (const query of TRANSFORMABLE.has(format) ? ["", dice.pick(QUERIES)] : [""]) {
		const answer = await service.open(url + query);
		await answer.arrayBuffer();
		if (answer.status !== 200) return `${format}${query}: ${answer.status}`;
	}
	return undefined;
}

async function peakBytes(): Promise<number> {
	const status = await readFile("/proc/self/status", "utf8").catch(() => "");
	return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1_024;
}

const [seed = 0, from = 0, mutations = 0] = process.argv.slice(2).map(Number);
const { usual, slow } = await originals();
const service = await openService({ SVC_VARIANT: "legacy" });
const tally: Tally = { accepted: 0, refused: 0, faults: [], left: [], peakBytes: 0 };
for (let n = from; n < from + mutations; n++) {
	const dice = new Dice(seed, n);
	const original = slow.length > 0 && dice.chance(HEIC_SHARE) ? dice.pick(slow) : dice.pick(usual);
	const file = mutated(original, dice);
	process.stdout.write(`at ${n}\n`);
	// The tier's bound on uploads is not what is tried here.
	if (n % 500 === 0) await service.database.write([{ run: sql`DELETE FROM monthly_usage` }]);
	const fault = await attempt(service, file, dice, tally).catch(String);
	if (fault === undefined) continue;
	if (tally.faults.length === MOST_FAULTS) break;
	const kept = join(tmpdir(), `svc-fuzz-${createHash("sha256").update(file).digest("hex").slice(0, 12)}`);
	await writeFile(kept, file);
	tally.faults.push(`${n}: ${fault} (${kept})`);
}
tally.left = (await censusOf(service)).incoming;
tally.peakBytes = await peakBytes();
await service.close();
process.stdout.write(`${JSON.stringify(tally)}\n`);
process.exit(0);
