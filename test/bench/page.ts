import type { Image } from "@svc/sdk/shapes";
import { askFrom, countsOf } from "../support/strangers.ts";
import { printTable, shareBelow, verdict } from "./measure.ts";
import { pictureNote, twelveMegapixels } from "./pictures.ts";
import { startBenchService } from "./service.ts";

/*
 * Pages of fresh pictures, as a browser behind HTTP/2 asks for them: all at once. `bun test/bench/page.ts [masters]`. None may be refused, because no
 * browser asks again for a picture of a page.
 */

const MASTERS = Number(process.argv[2] ?? 100);
const FEW = 5;

const pages: readonly {
	readonly name: string;
	readonly query: string;
	readonly count: number;
	readonly few: boolean;
}[] = [
	{ name: `100 × size=s, ${FEW} masters`, query: "size=s", count: 100, few: true },
	{ name: `100 × size=s, ${MASTERS} masters`, query: "size=s", count: 100, few: false },
	{ name: "60 × size=m&format=webp", query: "size=m&format=webp", count: 60, few: true },
	{ name: "30 × w=640&format=avif", query: "w=640&format=avif", count: 30, few: true },
];

// Otherwise nothing would be fresh: the sizes of an upload are there before its first visitor.
await using service = await startBenchService({ SVC_TUNING: "warm_sizes=off" });
const file = new Blob([await twelveMegapixels()]);
const images: Image[] = [];
while (images.length < MASTERS) images.push(await service.upload(file, `${images.length}.jpg`));
while ((await service.metric("svc_cdn_cache_entries")) < MASTERS * 3) await Bun.sleep(100);

console.log(pictureNote);
let salt = 0;
const rows: string[][] = [];
for (const { name, query, count, few } of pages) {
	const masters = few ? images.slice(0, FEW) : images;
	const urls = Array.from(
		{ length: count },
		(_, index) => `${masters[index % masters.length]?.url}?${query}&q=${30 + (salt++ % 60)}&gamma=${1 + salt / 1_000}`,
	);
	const plain = few ? urls : masters.map(({ url }) => `${url}?${query}`);
	const answers = await Promise.all(plain.map((url) => askFrom("203.0.113.9", url)));
	const times = answers.map(({ ms }) => ms);
	const counts = countsOf(answers);
	rows.push([
		name,
		...[0.5, 0.95, 1].map((share) => shareBelow(times, share).toFixed(0)),
		Object.entries(counts)
			.map(([status, many]) => `${many} × ${status}`)
			.join(", "),
		verdict(counts["200"] === answers.length),
	]);
}
printTable(
	"Pages of fresh pictures, all at once: all 200",
	["page", "median ms", "p95 ms", "most ms", "answers", ""],
	rows,
);
