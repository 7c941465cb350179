import { resolve } from "node:path";
import type { Image } from "@svc/sdk/shapes";
import { plain } from "../support/pictures.ts";
import { cpuSeconds, interleaved, printTable, ratioOf, shown } from "./measure.ts";
import { type BenchService, startBenchService } from "./service.ts";

/*
 *   bun test/bench/beside.ts <folder of another checkout> [rounds]
 *
 * What the commonest calls cost here against another checkout of this repository, which has its packages installed: in processor time of the
 * process that answers, round by round. Says what a change added to calls that it should not touch.
 */

const [folder, rounds = "9"] = process.argv.slice(2);
if (!folder) throw new Error("name the folder of another checkout");

/** A round takes about half a second, so that its steps of 10 ms do not matter. */
const CALLS = { create: 200, change: 400, read: 1_000, list: 400, rendition: 4_000 };
const AT_ONCE = 16;
type Call = keyof typeof CALLS;

const QUIET = { SVC_LOG: "error", SVC_TUNING: "warm_sizes=off" };
await using here = await startBenchService(QUIET);
await using there = await startBenchService(QUIET, ["bun", resolve(folder, "apps/server/main.ts")]);
const file = new Blob([await plain(600, 400, "jpeg")]);

const rows: string[][] = [];
for (const call of Object.keys(CALLS) as Call[]) {
	const sides = { here: await side(here, call), there: await side(there, call) };
	await interleaved(1, sides);
	const { here: mine, there: others } = await interleaved(Number(rounds), sides);
	rows.push([call, shown(ratioOf(mine, others))]);
}
printTable(`Processor time here against ${folder}, ${rounds} rounds`, ["", "ratio"], rows);

/** One round of a call: processor seconds of the service. */
async function side(service: BenchService, call: Call): Promise<() => Promise<number>> {
	const images = await Promise.all(Array.from({ length: AT_ONCE }, () => service.upload(file, "a.jpg")));
	return async () => {
		const before = await cpuSeconds(service.pid);
		let left = CALLS[call];
		const caller = async (image: Image) => {
			while (left-- > 0) await asked(service, call, image);
		};
		await Promise.all(images.map(caller));
		return (await cpuSeconds(service.pid)) - before;
	};
}

async function asked(service: BenchService, call: Call, image: Image): Promise<void> {
	const answer = await sent(service, call, image);
	await answer.arrayBuffer();
	if (!answer.ok) throw new Error(`${call}: ${answer.status}`);
}

function sent(service: BenchService, call: Call, { id, url }: Image): Promise<Response> {
	const { baseUrl, headers } = service;
	switch (call) {
		case "create":
			return service.send(file, "a.jpg");
		case "change":
			return fetch(`${baseUrl}/v1/images/${id}`, {
				method: "PATCH",
				headers: { ...headers, "Content-Type": "application/json" },
				body: JSON.stringify({ caption: crypto.randomUUID() }),
			});
		case "read":
			return fetch(`${baseUrl}/v1/images/${id}`, { headers });
		case "list":
			return fetch(`${baseUrl}/v1/images?limit=20`, { headers });
		case "rendition":
			return fetch(`${url}?w=100`);
	}
}
