import { expect, test } from "bun:test";
import { closeSync, openSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { noise } from "../support/pictures.ts";
import { removeData, startProcess } from "../support/process.ts";
import { errorOf, form, upload } from "../support/requests.ts";
import { openService } from "../support/service.ts";
import { until, workersOf } from "../support/workers.ts";

/* How many files a process may open is a limit of the whole process, so this file runs itself once more, under a small one. */

const LIMIT = 400;
/** More than an upload takes, with the processes that look at it. */
const MOST_FREE = 12;

/** Fewer than a new worker takes: its pipes, both ends of each for a moment, and what tells of its end. */
const TOO_FEW = [0, 3];

const isLimited = process.env.SVC_TEST_FEW_DESCRIPTORS === "1";

if (isLimited) test("under the limit", uploadWithFewLeft, 120_000);
else {
	test("uploads for which no descriptors are left are 500 and a retry, never the picture's fault; later they succeed", async () => {
		const command = `ulimit -n ${LIMIT} && exec "$0" test "$1"`;
		const child = Bun.spawn(["sh", "-c", command, process.execPath, fileURLToPath(import.meta.url)], {
			env: { ...process.env, SVC_TEST_FEW_DESCRIPTORS: "1" },
			stdout: "ignore",
			stderr: "pipe",
		});
		const said = await new Response(child.stderr).text();
		expect([await child.exited, said]).toEqual([0, expect.stringContaining("1 pass")]);
	}, 180_000);

	test.skipIf(process.platform !== "linux" || Bun.which("prlimit") === null)(
		"a service that cannot start its workers goes on, says so, and opens pictures again once it can",
		goOnWithoutWorkers,
		120_000,
	);
}

async function uploadWithFewLeft(): Promise<void> {
	const service = await openService();
	const file = await noise(300, 200);
	expect((await upload(service, file, "a.jpg")).status).toBe(201);
	const statuses = new Set<number>();
	for (let free = 0; free <= MOST_FREE; free++) {
		const taken = takeAllBut(free);
		const answers = await Promise.all([1, 2, 3].map(() => upload(service, file, "a.jpg")));
		for (const descriptor of taken) closeSync(descriptor);
		for (const answer of answers) {
			statuses.add(answer.status);
			if (answer.status === 201) continue;
			expect(answer.headers.get("Retry-After")).toMatch(/^\d+$/);
			expect((await errorOf(answer)).code).toBeOneOf(["upload_failed", "server_error", "app_context_unavailable"]);
		}
	}
	expect(statuses).toContain(500);
	expect((await upload(service, file, "a.jpg")).status).toBe(201);
	await service.close();
}

/** Its workers are killed while there are no descriptors for new ones. */
async function goOnWithoutWorkers(): Promise<void> {
	const server = await startProcess({ SVC_RENDER_CONCURRENCY: "2" });
	await server.ready();
	const { pid } = server.process;
	const headers = { Authorization: `Bearer ${/svc_sk_test_\w{38}/.exec(server.stdout())?.[0]}` };
	const file = await noise(300, 200);
	const send = () =>
		fetch(`${server.baseUrl}/v1/images`, { method: "POST", headers, body: form(file, "a.jpg") }).then(
			({ status }) => status,
		);
	expect(await send()).toBe(201);
	for (const free of TOO_FEW) {
		const failures = () => server.stderr().split("a worker could not be started").length;
		const before = failures();
		await limitDescriptors(pid, readdirSync(`/proc/${pid}/fd`).length + free);
		for (const worker of workersOf(pid)) process.kill(worker, "SIGKILL");
		await until(() => failures() > before || server.process.exitCode !== null);
	}
	await limitDescriptors(pid, 4_096);
	expect(await send()).toBe(201);
	expect(server.stderr()).not.toContain("nobody caught");
	expect(await server.stop()).toBe(0);
	await removeData(server.dataDir);
}

async function limitDescriptors(pid: number, most: number): Promise<void> {
	expect(await Bun.spawn(["prlimit", "--pid", String(pid), `--nofile=${most}:`]).exited).toBe(0);
}

function takeAllBut(free: number): number[] {
	const taken: number[] = [];
	try {
		for (;;) taken.push(openSync("/dev/null", "r"));
	} catch {
		for (const descriptor of taken.splice(0, free)) closeSync(descriptor);
		return taken;
	}
}
