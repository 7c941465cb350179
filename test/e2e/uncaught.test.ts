import { describe, expect, test } from "bun:test";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { removeData, SERVER_PROGRAM, startProcess } from "../support/process.ts";
import { isSkipped, RUNTIMES } from "../support/runtimes.ts";

const PROGRAM = fileURLToPath(new URL("../support/uncaught-program.ts", import.meta.url));
const FAULTS = fileURLToPath(new URL("../support/uncaught-faults.ts", import.meta.url));

const fact = (counts: readonly [rejections: number, exceptions: number], ended: boolean, message: string) => {
	const [rejections, exceptions] = counts;
	return { rejections, exceptions, counted: rejections + exceptions, ended, said: [message] };
};

describe("an error that no code caught is logged and counted, and ends the process only where a callback was left half-way", () => {
	test.each(RUNTIMES.map((one) => [`${one.name}${one.note}`, one] as const))("on %s", async (_, runtime) => {
		if (isSkipped(runtime)) return;
		const { outputs } = await Bun.build({ entrypoints: [PROGRAM], target: "node" });
		await using dir = await mkdtempDisposable(join(tmpdir(), "svc-uncaught-"));
		const path = join(dir.path, "program.mjs");
		await Bun.write(path, outputs[0] ?? "");
		const child = Bun.spawn([...runtime.command(), path], { stdout: "pipe", stderr: "pipe" });
		const lines = (await new Response(child.stdout).text()).trim().split("\n");
		expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, ""]);
		expect(lines.map((line) => JSON.parse(line))).toEqual([
			fact([1, 0], false, "a promise that nobody has"),
			fact([1, 1], false, "too many open files"),
			fact([1, 2], true, "a callback left in the middle"),
		]);
	});
});

// The faults are brought in as Bun does it.
test.skipIf(process.env.SVC_TEST_SERVER !== undefined)(
	"the service goes on after a promise that failed unheard, and ends in order, with 1, after an exception that nobody caught",
	async () => {
		const [runtime = "", ...words] = SERVER_PROGRAM;
		const server = await startProcess({}, { program: [runtime, "--preload", FAULTS, ...words] });
		await server.ready();
		server.process.kill("SIGUSR2");
		await server.said("a promise that nobody has");
		const metrics = await (await fetch(`${server.baseUrl}/metrics`)).text();
		expect(metrics).toContain("\nsvc_uncaught_total 1\n");
		server.process.kill("SIGUSR2");
		expect(await server.ended()).toBe(1);
		expect(server.stderr().match(/"an error that nobody caught"/g)).toHaveLength(2);
		await removeData(server.dataDir);
	},
);
