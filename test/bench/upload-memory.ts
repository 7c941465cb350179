import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BareServer } from "./bare-server.ts";
import { startChild } from "./child.ts";
import { interleaved, megabytes, peakDuring, printTable, ratioOf, shown, spreadOf, verdict } from "./measure.ts";
import { heavyJpeg, pictureNote } from "./pictures.ts";
import { startBenchService } from "./service.ts";

/*
 * How much memory uploads take above idle, against a server that holds each upload in memory and decodes it at once.
 */

const UPLOAD_BYTES = 20_000_000;
const ROUNDS = 5;
/** What was mapped at the start and will never be touched again has gone by then. */
const SETTLING_MS = 1_000;
/** Of a progressive JPEG a decoder holds all coefficients, two bytes for each of a picture's samples. */
const LOADS = [
	{ uploads: 1, kind: "baseline", targetBytes: 150e6 },
	{ uploads: 8, kind: "baseline", targetBytes: 400e6 },
	{ uploads: 1, kind: "progressive", targetBytes: 150e6 },
	{ uploads: 8, kind: "progressive", targetBytes: 400e6 },
] as const;

type Send = () => Promise<Response>;

async function growth(pid: number, uploads: number, send: Send): Promise<number> {
	await Bun.sleep(SETTLING_MS);
	const { result, idle, peak } = await peakDuring(pid, () => Promise.all(Array.from({ length: uploads }, send)));
	const refused = result.find(({ status }) => status !== 201);
	if (refused) throw new Error(`${refused.status} ${await refused.text()}`);
	return peak - idle;
}

async function serviceGrowth(uploads: number, file: Blob): Promise<number> {
	await using service = await startBenchService();
	return await growth(service.pid, uploads, () => service.send(file, "heavy.jpg"));
}

async function bareGrowth(uploads: number, file: Blob): Promise<number> {
	await using bare = startChild("./bare-server.ts");
	const question: BareServer = { path: "/dev/null", headers: {} };
	const port = await bare.ask(question);
	return await growth(bare.pid, uploads, () => {
		const body = new FormData();
		body.append("file", file, "heavy.jpg");
		return fetch(`http://127.0.0.1:${port}/`, { method: "POST", body });
	});
}

async function measureLoad({ uploads, kind, targetBytes }: (typeof LOADS)[number], file: Blob): Promise<string[]> {
	// Every measurement has a process of its own: memory that an earlier upload left behind would hide what this one takes.
	const measured = await interleaved(ROUNDS, {
		service: () => serviceGrowth(uploads, file),
		bare: () => bareGrowth(uploads, file),
	});
	const own = spreadOf(measured.service);
	const inMegabytes = { median: own.median / 1e6, min: own.min / 1e6, max: own.max / 1e6 };
	return [
		`${uploads} at once, ${kind}`,
		String(ROUNDS),
		shown(inMegabytes, 0),
		megabytes(spreadOf(measured.bare).median),
		shown(ratioOf(measured.service, measured.bare)),
		`${verdict(own.median < targetBytes)} (< ${megabytes(targetBytes)})`,
	];
}

// Where the pictures lie that are sent, so that this process does not hold them twice.
const folder = await mkdtemp(join(tmpdir(), "svc-bench-"));
try {
	console.log(pictureNote);
	const rows: string[][] = [];
	for (const load of LOADS) {
		const path = join(folder, `${load.kind}.jpg`);
		await Bun.write(path, await heavyJpeg(UPLOAD_BYTES, load.kind === "progressive"));
		rows.push(await measureLoad(load, Bun.file(path)));
	}
	printTable(
		`Uploads of ${UPLOAD_BYTES.toLocaleString("en")} bytes (23 megapixels): peak memory above idle, a fresh process each; median (min–max)`,
		["", "rounds", "service MB", "in memory", "service/in memory", "target"],
		rows,
	);
} finally {
	await rm(folder, { recursive: true });
}
