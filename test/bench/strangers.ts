import { startChild } from "./child.ts";
import { printTable, shareBelow, verdict } from "./measure.ts";
import { hugeJpeg, pictureNote, twelveMegapixels } from "./pictures.ts";
import { startBenchService } from "./service.ts";
import type { Crowd, Seen, Visit } from "./strangers-client.ts";

/*
 * What strangers cost a visitor: `bun test/bench/strangers.ts [runs] [seconds]`. Twelve connections ask for the dearest forms of a picture of 12
 * megapixels and one of 108, and 24 for thumbnails, while a visitor from another address looks at fresh thumbnails.
 */

const RUNS = Number(process.argv[2] ?? 10);
const SECONDS = Number(process.argv[3] ?? 8);
const CALM_SECONDS = 5;
const VISITOR = "203.0.113.9";
/** Of the visitor's answers. */
const SERVED = 0.99;
/** Milliseconds, or so many times as long as without strangers. */
const P95_MS = 1_000;
const P95_TIMES = 5;

const crowds: Readonly<Record<string, Pick<Crowd, "kind" | "connections" | "networks" | "polite">>> = {
	"dearest forms, one address, polite": { kind: "dearest", connections: 12, networks: 1, polite: true },
	"dearest forms, one address, impolite": { kind: "dearest", connections: 12, networks: 1, polite: false },
	"dearest forms, 12 addresses, polite": { kind: "dearest", connections: 12, networks: 12, polite: true },
	"dearest forms, 12 addresses, impolite": { kind: "dearest", connections: 12, networks: 12, polite: false },
	"thumbnails, one address, impolite": { kind: "thumbnails", connections: 24, networks: 1, polite: false },
};

await using service = await startBenchService();
await using strangers = startChild("./strangers-client.ts");
await using visitor = startChild("./strangers-client.ts");

const camera = await service.upload(new Blob([await twelveMegapixels()]), "camera.jpg");
const huge = await service.upload(new Blob([await hugeJpeg()]), "huge.jpg");
const urls = [camera.url, huge.url];
while ((await service.metric("svc_cdn_cache_entries")) < 8) await Bun.sleep(100);

let from = 0;
/** No form is asked for twice. */
function fresh(): number {
	from += 10_000;
	return from;
}

async function visit(seconds: number): Promise<Seen> {
	return (await visitor.ask({
		kind: "visit",
		urls: [camera.url],
		address: VISITOR,
		seconds,
		from: fresh(),
	} satisfies Visit)) as Seen;
}

console.log(pictureNote);
await visit(1);
const calm = await visit(CALM_SECONDS);
const calmP95 = shareBelow(calm.times, 0.95);
const rows: string[][] = [["none", ...columns(calm.counts, calm.times), "", ""]];
for (const [name, crowd] of Object.entries(crowds)) {
	const [asked, seen]: [Record<string, number>, Record<string, number>] = [{}, {}];
	const times: number[] = [];
	for (let run = 0; run < RUNS; run++) {
		const crowding = strangers.ask({
			...crowd,
			urls,
			seconds: SECONDS,
			from: fresh(),
		} satisfies Crowd) as Promise<Seen>;
		const visited = await visit(SECONDS);
		add(asked, (await crowding).counts);
		add(seen, visited.counts);
		times.push(...visited.times);
		await Bun.sleep(1_000);
	}
	const share = (seen["200"] ?? 0) / times.length;
	const p95 = shareBelow(times, 0.95);
	const met = share >= SERVED && p95 <= Math.max(P95_MS, P95_TIMES * calmP95);
	rows.push([name, ...columns(seen, times), told(asked), verdict(met)]);
}
printTable(
	`A visitor's fresh thumbnails beside strangers, ${RUNS} × ${SECONDS} s each; at least ${SERVED * 100} % 200, p95 at most ${Math.max(P95_MS, P95_TIMES * calmP95).toFixed(0)} ms`,
	["strangers", "looks", "200", "others", "median ms", "p95 ms", "most ms", "strangers got", ""],
	rows,
);

function columns(counts: Seen["counts"], times: readonly number[]): string[] {
	const served = counts["200"] ?? 0;
	const ms = (value: number) => value.toFixed(0);
	return [
		String(times.length),
		`${((served / times.length) * 100).toFixed(1)} %`,
		told(Object.fromEntries(Object.entries(counts).filter(([status]) => status !== "200"))),
		ms(shareBelow(times, 0.5)),
		ms(shareBelow(times, 0.95)),
		ms(Math.max(...times)),
	];
}

function add(sum: Record<string, number>, counts: Seen["counts"]): void {
	for (const [status, count] of Object.entries(counts)) sum[status] = (sum[status] ?? 0) + count;
}

function told(counts: Seen["counts"]): string {
	return (
		Object.entries(counts)
			.map(([status, count]) => `${count} × ${status}`)
			.join(", ") || "none"
	);
}
