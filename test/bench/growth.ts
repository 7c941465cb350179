import type { Database } from "@svc/base/database/client";
import { imageStore } from "@svc/images/images-store";
import type { ListFilter } from "@svc/images/list/list-filters";
import { appUsageStore } from "@svc/images/usage/usage-store";
import { migratedDatabase, NOW, seedApp } from "../support/scratch.ts";
import { fill } from "./full-storage.ts";
import { printTable, shown, spreadOf } from "./measure.ts";
import { longestStretch } from "./stretch.ts";

/*
 * What lists cost as a storage grows, from a thousand images to a million (the argument sets another largest number): for each question the
 * median time of a first page of 50 as a multiple of that at a thousand, what bounds it, and the longest stretch of processor time in which nothing else
 * could run, as median, least and most of the rounds of the largest storage: what only one of them has is the collector's of garbage. A question whose cost grows is
 * answered in strides, so that the stretch does not.
 */

const LARGEST = Number(process.argv[2] ?? 1_000_000);
const SIZES = [1_000, 10_000, 100_000, 1_000_000].filter((size) => size <= LARGEST);
const ROUNDS = 9;

const has = (key: string, ...values: string[]) => ({ key, values });
const lacks = (key: string) => ({ key, absent: true }) as const;
const since = (from: number, to?: number) => ({ from, to });

/** What a page costs at worst. */
const BOUNDS = {
	page: "the page",
	few: "2,500 images that fit",
	one: "one image in n fits: n pages, in strides",
	all: "all images, in strides",
	merge: "all images of both labels, in strides",
} as const;

type Question = readonly [bound: keyof typeof BOUNDS, filter: (size: number) => Partial<ListFilter>];

const PAGES: Readonly<Record<string, Question>> = {
	"no filter": ["page", () => ({})],
	"oldest first": ["page", () => ({ order: "asc" })],
	"published in the middle": [
		"page",
		(size) => ({ narrowed: { published: since(NOW - size * 600, NOW - size * 500) } }),
	],
	"format: nearly all": ["page", () => ({ narrowed: { formats: ["jpg"] } })],
	"format: one in a thousand": ["page", () => ({ narrowed: { formats: ["gif"] } })],
	"created: all of them": ["one", (size) => ({ narrowed: { created: since(NOW - size * 2_000) } })],
	"created: a hundredth": ["one", (size) => ({ narrowed: { created: since(NOW - size * 10) } })],
	"created: none": ["few", () => ({ narrowed: { created: since(NOW + 1) } })],
	"filename: one in a thousand": ["few", () => ({ narrowed: { filenamePrefix: "scan" } })],
	"filename: none": ["few", () => ({ narrowed: { filenamePrefix: "x" } })],
	"expires: a hundredth": ["one", () => ({ narrowed: { expires: since(NOW) } })],
	"expires, and another name": ["one", () => ({ narrowed: { expires: since(NOW), filenamePrefix: "picture" } })],
	"two labels of a half": ["merge", () => ({ labels: [has("colour", "red"), has("shape", "round")] })],
	"two that never meet": ["merge", () => ({ labels: [has("colour", "red"), has("mood", "wild")] })],
	"a label, another absent": ["one", () => ({ labels: [has("colour", "red"), lacks("draft")] })],
	"absent, where all carry it": ["all", () => ({ labels: [lacks("tag")] })],
};

interface Cost {
	readonly ms: number;
	/** Of each round. */
	readonly longestMs: readonly number[];
}

/** Runs `work` some times. */
async function costOf(work: () => Promise<unknown>): Promise<Cost> {
	const took: number[] = [];
	const longestMs: number[] = [];
	for (let round = 0; round < ROUNDS; round += 1) {
		const startMs = performance.now();
		longestMs.push(await longestStretch(work));
		took.push(performance.now() - startMs);
	}
	return { ms: spreadOf(took).median, longestMs };
}

type Asked = readonly [name: string, bound: string, work: () => Promise<unknown>];

function questionsOf(database: Database, size: number): readonly Asked[] {
	const store = imageStore(database);
	const filter = (more: Partial<ListFilter>): ListFilter => ({ ids: undefined, labels: [], ...more });
	const pages = Object.entries(PAGES).map(([name, [bound, more]]): Asked => {
		const query = { ...filter(more(size)), limit: 50, after: undefined };
		return [name, BOUNDS[bound], () => store.list(1, query, NOW)];
	});
	return [
		...pages,
		["total", "100,001 images, in strides", () => store.count(1, filter({}), 100_001, NOW)],
		[
			"total of a label",
			"100,001 images, in strides",
			() => store.count(1, filter({ labels: [has("colour", "red")] }), 100_001, NOW),
		],
		[
			"labels counted",
			"1,000 labels, 1,000 images of each, 8 labels at once",
			() => appUsageStore(database).labels(1, "", 1_000, NOW),
		],
	];
}

const costs = new Map<string, { readonly bound: string; readonly measured: Cost[] }>();
for (const size of SIZES) {
	await using scratch = await migratedDatabase();
	await seedApp(scratch.database);
	await fill(scratch, size);
	for (const [name, bound, work] of questionsOf(scratch.database, size)) {
		await work();
		costs.set(name, { bound, measured: [...(costs.get(name)?.measured ?? []), await costOf(work)] });
	}
}
const times = ({ ms }: Cost, first: Cost | undefined) => `${(ms / (first?.ms ?? ms)).toFixed(1)} ×`;
const rows = [...costs].map(([name, { bound, measured }]) => [
	name,
	...measured.map((cost) => times(cost, measured[0])),
	`${shown(spreadOf(measured.at(-1)?.longestMs ?? []), 1)} ms`,
	bound,
]);
printTable(
	"The first page of 50, against a thousand images",
	["question", ...SIZES.map((size) => size.toLocaleString("en")), "longest stretch", "bounded by"],
	rows,
);
