import { shrunkFactorsOf } from "@svc/images/transform/shrunk-masters";
import { startChild } from "./child.ts";
import { forgetPeak, megabytes, printTable, residentOf, shareBelow, verdict } from "./measure.ts";
import type { Answered, Asked } from "./overload-client.ts";
import { pictureNote, twelveMegapixels } from "./pictures.ts";
import type { Probe } from "./probe-client.ts";
import { startBenchService } from "./service.ts";

/*
 * Ten times as many renditions as the service can make, each at an address of its own, of which three in ten are not waited for:
 * `bun test/bench/overload.ts [seconds]`.
 * The client runs on the same processor, so what it needs is missing to both sides of every ratio except the first.
 */

const SECONDS = Number(process.argv[2] ?? 60);
const TIMES = 10;
const ABORTED = 0.3;
const UNLOADED_SECONDS = 10;
const CAPACITY_SECONDS = 8;
/** Enough pictures that no address has to be asked for twice. */
const PICTURES = 8;

await using service = await startBenchService();
await using client = startChild("./overload-client.ts");
await using healthClient = startChild("./probe-client.ts");
await using apiClient = startChild("./probe-client.ts");

async function uploadAll(): Promise<string[]> {
	const file = new Blob([await twelveMegapixels()]);
	const urls: string[] = [];
	let copies = 0;
	for (let count = 0; count < PICTURES; count++) {
		const image = await service.upload(file, "picture.jpg");
		copies += shrunkFactorsOf(image).length;
		urls.push(image.url);
	}
	while ((await service.metric("svc_cdn_cache_entries")) < copies) await Bun.sleep(100);
	return urls;
}

const urls = await uploadAll();
let from = 0;

async function load(asked: Omit<Asked, "urls" | "from">): Promise<Answered> {
	const answered = (await client.ask({ ...asked, urls, from } satisfies Asked)) as Answered;
	from = answered.next;
	return answered;
}

const health: Probe = { url: `${service.baseUrl}/healthz`, headers: {}, seconds: SECONDS };
const api: Probe = { url: `${service.baseUrl}/v1/images?limit=10`, headers: service.headers, seconds: SECONDS };

console.log(pictureNote);
await load({ seconds: 2, connections: 2 });
const unloaded = await load({ seconds: UNLOADED_SECONDS, connections: 1 });
const full = await load({ seconds: CAPACITY_SECONDS, connections: 4 });
const capacity = full.accepted.length / full.seconds;
const before = { ...(await residentOf(service.pid)), uptime: await service.metric("process_uptime_seconds") };
await forgetPeak(service.pid);
const [overloaded, healthTimes, apiTimes] = await Promise.all([
	load({ seconds: SECONDS, perSecond: capacity * TIMES, aborted: ABORTED }),
	healthClient.ask(health) as Promise<readonly number[]>,
	apiClient.ask(api) as Promise<readonly number[]>,
]);
const after = { ...(await residentOf(service.pid)), uptime: await service.metric("process_uptime_seconds") };

const p99 = (times: readonly number[]) => shareBelow(times, 0.99);
const asked = overloaded.accepted.length + overloaded.refused.length + overloaded.left;
const ms = (value: number) => value.toFixed(1);
const timesRow = (name: string, times: readonly number[], target: string, met: boolean) => [
	name,
	String(times.length),
	ms(shareBelow(times, 0.5)),
	ms(p99(times)),
	ms(Math.max(...times)),
	target,
	target && verdict(met),
];
printTable(
	`${(asked / overloaded.seconds).toFixed(0)} requests per second for ${SECONDS} s; alone the service makes ${capacity.toFixed(0)} renditions per second: ${(asked / overloaded.seconds / capacity).toFixed(1)} times its capacity`,
	["", "count", "median ms", "p99 ms", "most ms", "target", ""],
	[
		timesRow("unloaded", unloaded.accepted, "", true),
		timesRow("accepted", overloaded.accepted, "", true),
		timesRow("accepted later", overloaded.later, "", true),
		timesRow("refused", overloaded.refused, "", true),
		timesRow("/healthz", healthTimes, "p99 < 200 ms", p99(healthTimes) < 200),
		timesRow("GET /v1/images", apiTimes, "p99 < 200 ms", p99(apiTimes) < 200),
	],
);
const goodput = overloaded.accepted.length / overloaded.seconds / capacity;
console.log(
	`\nCompleted: ${goodput.toFixed(2)} of the capacity: ${verdict(goodput >= 0.8)} (≥ 0.8). Left: ${overloaded.left}.`,
);
console.log(
	`Neither 200 nor 503 with Retry-After: ${told(overloaded)}: ${verdict(Object.keys(overloaded.others).length === 0)}.`,
);
console.log(
	`Resident memory of the service, without its workers: ${megabytes(before.now)} before, peak ${megabytes(after.peak)}: ${verdict(after.peak < 1e9)} (< 1000 MB).`,
);
console.log(`Restarted: ${after.uptime > before.uptime ? "no" : "YES"}.`);

function told({ others }: Answered): string {
	return (
		Object.entries(others)
			.map(([what, count]) => `${count} × ${what}`)
			.join(", ") || "none"
	);
}
