import type { Image } from "@svc/sdk/shapes";
import { corpus, corpusDir, corpusNames } from "../support/corpus.ts";
import { megabytes, peakDuring, printTable, verdict } from "./measure.ts";
import { type BenchService, startBenchService } from "./service.ts";

/*
 * What every file of the corpus, hostile ones included, costs a fresh process: its upload and, where it is accepted, renditions of it.
 * `SVC_TEST_CORPUS=<folder> bun test/bench/hostile.ts [part of a name]`
 */

const MOST_BYTES = 1.2e9;
const MOST_MS = 5_000;
/** Each asks for something else of the decoder: a still, all frames, all pixels. */
const QUERIES = ["?w=64&format=jpg", "?w=200&format=webp", "?rotate=90&format=png", "?trim=border&w=300"];

interface Tried {
	readonly name: string;
	readonly peak: number;
	readonly ms: number;
	readonly row: readonly string[];
}

interface Step {
	readonly said: string;
	readonly ms: number;
}

async function timed(work: () => Promise<string>): Promise<Step> {
	const startMs = performance.now();
	const said = await work();
	return { said, ms: performance.now() - startMs };
}

/** One after the other: the upload, then each rendition. */
async function steps(service: BenchService, name: string): Promise<Step[]> {
	const file = new Blob([await corpus(name)]);
	let url: string | undefined;
	const upload = await timed(async () => {
		const answer = await service.send(file, name);
		const text = await answer.text();
		if (answer.status === 201) url = (JSON.parse(text) as Image).url;
		return told(answer.status, text);
	});
	const done = [upload];
	for (const query of url === undefined ? [] : QUERIES) {
		const render = await timed(async () => {
			const answer = await fetch(url + query);
			await answer.arrayBuffer();
			return answer.status === 200 ? "" : `, ${answer.status} for ${query}`;
		});
		done.push(render);
	}
	return done;
}

/** The status, and why. */
function told(status: number, text: string): string {
	if (status === 201) return "201";
	const { error } = JSON.parse(text) as { error: { message: string; details?: { file?: string[] } } };
	return `${status} ${error.details?.file?.[0] ?? error.message}`;
}

async function tryFile(name: string): Promise<Tried> {
	await using service = await startBenchService();
	const { result, idle, peak } = await peakDuring(service.pid, () => steps(service, name));
	const alive = (await fetch(`${service.baseUrl}/healthz`)).ok;
	const ms = Math.max(...result.map((step) => step.ms));
	const said = result.map((step) => step.said).join("") + (alive ? "" : ", and the process DIED");
	return { name, peak, ms, row: [name, megabytes(peak), megabytes(peak - idle), ms.toFixed(0), said] };
}

if (!corpusDir) {
	console.log("Nothing was tried: SVC_TEST_CORPUS is not set.");
} else {
	const names = (await corpusNames()).filter((name) => name.includes(process.argv[2] ?? ""));
	const tried: Tried[] = [];
	for (const name of names) tried.push(await tryFile(name));
	tried.sort((one, other) => other.peak - one.peak);
	const most = Math.max(...tried.map(({ peak }) => peak));
	const longest = Math.max(...tried.map(({ ms }) => ms));
	printTable(
		"Every file of the corpus, each in a fresh process: peak memory with children, and its longest step",
		["", "peak", "above idle", "ms", "answer"],
		tried.map(({ row }) => row),
	);
	console.log(`\nMost memory: ${megabytes(most)}: ${verdict(most < MOST_BYTES)} (< ${megabytes(MOST_BYTES)}).`);
	console.log(`Longest: ${longest.toFixed(0)} ms: ${verdict(longest < MOST_MS)} (< ${MOST_MS} ms).`);
}
