import type { Database } from "@svc/base/database/client";
import { imageStore } from "@svc/images/images-store";
import type { ListFilter } from "@svc/images/lists";
import { appUsageStore } from "@svc/images/usage-store";
import { migratedDatabase, NOW, seedApp } from "../support/scratch.ts";
import { fill } from "./full-storage.ts";
import { printTable } from "./measure.ts";
import { longestStretch } from "./stretch.ts";

/*
 * What lists cost as a storage grows, from a thousand images to a million (the argument sets another largest number): for each question the
 * median time of a first page of 50 as a multiple of that at a thousand, and the longest stretch in which nothing else could run. A
 * question whose cost grows is answered in strides, so that the stretch does not.
 */

const LARGEST = Number(process.argv[2] ?? 1_000_000);
const SIZES = [1_000, 10_000, 100_000, 1_000_000].filter((size) => size <= LARGEST);
const ROUNDS = 9;

const has = (key: string, ...values: string[]) => ({ key, values });
const lacks = (key: string) => ({ key, absent: true }) as const;
const since = (from: number, to?: number) => ({ from, to });

const PAGES: Readonly<Record<string, (size: number) => Partial<ListFilter>>> = {
	"no filter": () => ({}),
	"oldest first": () => ({ order: "asc" }),
	"published in the middle": (size) => ({ narrowed: { published: since(NOW - size * 600, NOW - size * 500) } }),
	"format: nearly all": () => ({ narrowed: { formats: ["jpg"] } }),
	"format: one in a thousand": () => ({ narrowed: { formats: ["gif"] } }),
	"created: all of them": (size) => ({ narrowed: { created: since(NOW - size * 2_000) } }),
	"created: a hundredth": (size) => ({ narrowed: { created: since(NOW - size * 10) } }),
	"created: none": () => ({ narrowed: { created: since(NOW + 1) } }),
	"filename: one in a thousand": () => ({ narrowed: { filenamePrefix: "scan" } }),
	"filename: none": () => ({ narrowed: { filenamePrefix: "x" } }),
	"expires: a hundredth": () => ({ narrowed: { expires: since(NOW) } }),
	"expires, and another name": () => ({ narrowed: { expires: since(NOW), filenamePrefix: "picture" } }),
	"two labels of a half": () => ({ labels: [has("colour", "red"), has("shape", "round")] }),
	"a label, another absent": () => ({ labels: [has("colour", "red"), lacks("draft")] }),
	"absent, where all carry it": () => ({ labels: [lacks("tag")] }),
};

interface Cost {
	readonly ms: number;
	readonly longestMs: number;
}

/** Runs `work` some times. */
async function costOf(work: () => Promise<unknown>): Promise<Cost> {
	const took: number[] = [];
	let longestMs = 0;
	for (let round = 0; round < ROUNDS; round += 1) {
		const startMs = performance.now();
		longestMs = Math.max(longestMs, await longestStretch(work));
		took.push(performance.now() - startMs);
	}
	return { ms: took.sort((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? 0, longestMs };
}

function questionsOf(database: Database, size: number): readonly (readonly [string, () => Promise<unknown>])[] {
	const store = imageStore(database);
	const filter = (more: Partial<ListFilter>): ListFilter => ({ ids: undefined, labels: [], ...more });
	const pages = Object.entries(PAGES).map(([name, more]) => {
		const query = { ...filter(more(size)), limit: 50, after: undefined };
		return [name, () => store.list(1, query, NOW)] as const;
	});
	return [
		...pages,
		["total", () => store.count(1, filter({}), 100_001, NOW)],
		["total of a label", () => store.count(1, filter({ labels: [has("colour", "red")] }), 100_001, NOW)],
		["labels counted", () => appUsageStore(database).labels(1, "", 1_000, NOW)],
	];
}

const costs = new Map<string, Cost[]>();
for (const size of SIZES) {
	await using scratch = await migratedDatabase();
	await seedApp(scratch.database);
	await fill(scratch, size);
	for (const [name, work] of questionsOf(scratch.database, size)) {
		await work();
		costs.set(name, [...(costs.get(name) ?? []), await costOf(work)]);
	}
}
const times = ({ ms }: Cost, first: Cost | undefined) => `${(ms / (first?.ms ?? ms)).toFixed(1)} ×`;
const rows = [...costs].map(([name, measured]) => [
	name,
	...measured.map((cost) => times(cost, measured[0])),
	`${Math.max(...measured.map(({ longestMs }) => longestMs)).toFixed(1)} ms`,
]);
printTable(
	"The first page of 50, against a thousand images",
	["question", ...SIZES.map((size) => size.toLocaleString("en")), "longest stretch"],
	rows,
);
