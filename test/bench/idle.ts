import { cpuSeconds, printTable, verdict } from "./measure.ts";
import { startBenchService } from "./service.ts";

/*
 *   bun test/bench/idle.ts [seconds]
 *
 * What a service of which nobody wants anything takes of a core, and how many system calls it makes where there is strace.
 */

const SECONDS = Number(process.argv[2] ?? 60);
/** A service is awake for ten seconds after its last request; what a runtime compiles and collects after a start takes longer. */
const SETTLED_MS = 45_000;
const CORE_MAX = 0.001;

await using service = await startBenchService();
await Bun.sleep(SETTLED_MS);
const before = await cpuSeconds(service.pid);
await Bun.sleep(SECONDS * 1_000);
const share = ((await cpuSeconds(service.pid)) - before) / SECONDS;
const rows = [["of a core", `${(share * 100).toFixed(3)} %`, verdict(share <= CORE_MAX)]];
const calls = await systemCalls();
if (calls) for (const [name, count] of calls) rows.push([name, (count / SECONDS).toFixed(1), ""]);
printTable(`Nobody wants anything for ${SECONDS} s`, ["what", "each second", "bar"], rows);

/** By name, the most frequent first. */
async function systemCalls(): Promise<readonly (readonly [string, number])[] | undefined> {
	const strace = Bun.which("strace");
	if (!strace) return undefined;
	const command = ["timeout", "-s", "INT", String(SECONDS), strace, "-f", "-c", "-p", String(service.pid)];
	const counted = Bun.spawn(command, { stdio: ["ignore", "ignore", "pipe"] });
	const text = await new Response(counted.stderr).text();
	const lines = text.matchAll(/^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$/gm);
	return [...lines].map(([, count, name]) => [name ?? "", Number(count)] as const).filter(([name]) => name !== "total");
}
