import { readdirSync, readFileSync } from "node:fs";
import type { Image } from "@svc/sdk/shapes";
import { BOMBS } from "./bomb-files.ts";
import { megabytes, printTable, verdict } from "./measure.ts";
import { type BenchService, startBenchService } from "./service.ts";

/*
 * What small files that are large pictures cost: each is sent to one service, and asked for in its dearest forms, two at once. Prints the most memory of
 * the whole process tree, what was answered, and the slowest answer of the health check meanwhile.
 * `bun test/bench/bombs.ts [part of a name]`
 */

const MOST_BYTES = 1_024 ** 3;
const HEALTH_MS = 200;
/** Every answer is final by then. */
const FINAL_MS = 60_000;
const FORMS = ["format=avif", "format=webp", "blur=250", "rotate=90"];

interface Seen {
	readonly tree: number;
	readonly health: number;
}

/** All processes that were started by one, and by those, and itself. */
function treeOf(pid: number): number[] {
	const parents = new Map<number, number>();
	for (const name of readdirSync("/proc")) {
		const parent = /^\d+$/.test(name) ? /PPid:\s+(\d+)/.exec(statusOf(name))?.[1] : undefined;
		if (parent) parents.set(Number(name), Number(parent));
	}
	const children = [...parents].filter(([, parent]) => parent === pid).map(([child]) => child);
	return [pid, ...children.flatMap(treeOf)];
}

function statusOf(pid: string | number): string {
	try {
		return readFileSync(`/proc/${pid}/status`, "latin1");
	} catch {
		return "";
	}
}

function treeBytes(pid: number): number {
	return treeOf(pid).reduce((sum, one) => sum + Number(/VmRSS:\s+(\d+)/.exec(statusOf(one))?.[1] ?? 0) * 1_024, 0);
}

async function watched<T>(service: BenchService, work: () => Promise<T>): Promise<Seen & { readonly result: T }> {
	let [tree, health] = [0, 0];
	let done = false;
	const memory = setInterval(() => {
		tree = Math.max(tree, treeBytes(service.pid));
	}, 20);
	const asking = (async () => {
		while (!done) {
			const startMs = performance.now();
			await (await fetch(`${service.baseUrl}/healthz`)).text();
			health = Math.max(health, performance.now() - startMs);
			await Bun.sleep(100);
		}
	})();
	const result = await work();
	done = true;
	clearInterval(memory);
	await asking;
	return { result, tree, health };
}

/** Again while it says that it may succeed later. */
async function final(ask: () => Promise<Response>): Promise<string> {
	const startMs = performance.now();
	for (let tries = 1; ; tries++) {
		const answer = await ask();
		const bytes = (await answer.arrayBuffer()).byteLength;
		const retry = answer.headers.get("retry-after");
		const seconds = Math.round((performance.now() - startMs) / 1_000);
		if (retry === null || performance.now() - startMs > FINAL_MS) {
			return `${answer.status} in ${seconds} s${tries > 1 ? `, ${tries} tries` : ""}${answer.ok ? `, ${Math.round(bytes / 1_000)} kB` : ""}`;
		}
		await Bun.sleep(Math.min(Number(retry), 5) * 1_000);
	}
}

const part = process.argv[2] ?? "";
await using service = await startBenchService();
const rows: string[][] = [];
for (const { name, make } of BOMBS.filter((bomb) => bomb.name.includes(part))) {
	const file = new Blob([await make()]);
	const sent = await watched(service, async () => {
		const answer = await service.send(file, name);
		const body = (await answer.json()) as Image & { error?: { details?: { file?: string[] }; message: string } };
		return { status: answer.status, url: body.url, said: body.error?.details?.file?.[0] ?? body.error?.message ?? "" };
	});
	const asked = await watched(service, async () => {
		if (sent.result.status !== 201) return [];
		const pairs = [FORMS.slice(0, 2), FORMS.slice(2)];
		const said: string[] = [];
		for (const pair of pairs)
			said.push(...(await Promise.all(pair.map((form) => final(() => fetch(`${sent.result.url}?${form}`))))));
		return said;
	});
	const tree = Math.max(sent.tree, asked.tree);
	const health = Math.max(sent.health, asked.health);
	rows.push([
		`${name} (${megabytes(file.size)})`,
		`${sent.result.status} ${sent.result.said}`,
		...(asked.result.length > 0 ? asked.result : FORMS.map(() => "")),
		`${megabytes(tree)} ${verdict(tree <= MOST_BYTES)}`,
		`${Math.round(health)} ${verdict(health <= HEALTH_MS)}`,
	]);
	await Bun.sleep(1_500);
	console.log(rows.at(-1)?.join(" | "), `| at rest ${megabytes(treeBytes(service.pid))}`);
}
printTable(
	`Bombs: the most memory of the process tree in MB (bound ${megabytes(MOST_BYTES)}), and the slowest health check in ms`,
	["", "upload", ...FORMS, "tree", "health"],
	rows,
);
