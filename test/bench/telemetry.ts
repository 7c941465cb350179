import { startChild } from "./child.ts";
import type { Load, Served } from "./load-client.ts";
import { cpuSeconds, interleaved, printTable, ratioOf, shown, spreadOf } from "./measure.ts";
import { twelveMegapixels } from "./pictures.ts";
import { startBenchService } from "./service.ts";

/* What traces cost: processor time for a cached rendition with every trace kept, with one in ten, and with no collector at all. */

const ROUNDS = 7;
const SECONDS = 1;
const CONNECTIONS = 16;

const collector = Bun.serve({ port: 0, fetch: () => Response.json({}) });
const sending = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}` };
await using client = startChild("./load-client.ts");
await using off = await startBenchService();
await using all = await startBenchService(sending);
await using tenth = await startBenchService({ ...sending, OTEL_TRACES_SAMPLER_ARG: "0.1" });

type BenchService = typeof off;

async function loadOf(service: BenchService): Promise<() => Promise<number>> {
	const image = await service.upload(new Blob([await twelveMegapixels()]), "picture.jpg");
	const url = new URL(`${image.url}?w=400`);
	await (await fetch(url)).arrayBuffer();
	const load: Load = {
		path: `${url.pathname}${url.search}`,
		host: url.host,
		port: Number(url.port),
		connections: CONNECTIONS,
		seconds: SECONDS,
	};
	return async () => {
		const before = await cpuSeconds(service.pid);
		const { requests } = (await client.ask(load)) as Served;
		return (((await cpuSeconds(service.pid)) - before) / requests) * 1e6;
	};
}

const measured = await interleaved(ROUNDS, {
	off: await loadOf(off),
	all: await loadOf(all),
	tenth: await loadOf(tenth),
});
const [plain, every, some] = [measured.off.slice(1), measured.all.slice(1), measured.tenth.slice(1)];
printTable(
	`A cached rendition, ${CONNECTIONS} connections, ${ROUNDS - 1} rounds of ${SECONDS} s each; median (min–max)`,
	["", "processor µs per request", "to no collector"],
	[
		["no collector", spreadOf(plain).median.toFixed(0), "1.00"],
		["one trace in ten", spreadOf(some).median.toFixed(0), shown(ratioOf(some, plain))],
		["every trace", spreadOf(every).median.toFixed(0), shown(ratioOf(every, plain))],
	],
);
await collector.stop(true);
