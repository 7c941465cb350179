import { expect, test } from "bun:test";
import { closeSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { noise } from "../support/pictures.ts";
import { errorOf, upload } from "../support/requests.ts";
import { openService } from "../support/service.ts";

/* How many files a process may open is a limit of the whole process, so this file runs itself once more, under a small one. */

const LIMIT = 400;
/** More than an upload takes, with the processes that look at it. */
const MOST_FREE = 12;

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

function takeAllBut(free: number): number[] {
	const taken: number[] = [];
	try {
		for (;;) taken.push(openSync("/dev/null", "r"));
	} catch {
		for (const descriptor of taken.splice(0, free)) closeSync(descriptor);
		return taken;
	}
}
