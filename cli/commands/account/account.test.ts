import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXIT } from "@svc/base/processes/exit";
import { fakeService, type Sent } from "@svc/test/support/fake-service";
import { fakeWorld } from "@svc/test/support/fake-world";
import { run } from "../../kit/run.ts";

let cwd = "";
beforeAll(async () => {
	cwd = await mkdtemp(join(tmpdir(), "svc-account-"));
});
afterAll(() => rm(cwd, { recursive: true }));

async function svc(...argv: readonly string[]) {
	const file = ({ path }: Sent) => (path.endsWith("/file") ? new Response("PK all of it") : undefined);
	const service = fakeService(file);
	const world = fakeWorld({ fetch: service.fetch, cwd });
	const exit = await run(["account", ...argv], world);
	return { exit, err: world.errText(), sent: service.sent.map(({ method, path }) => `${method} ${path}`) };
}

test("svc account export asks, waits, and saves the file for its owner alone; it never writes over another", async () => {
	const first = await svc("export", "--out", "copy.zip");
	expect(first.sent[0]).toBe("POST /v1/me/export");
	expect(first.sent.at(-1)).toMatch(/^GET \/v1\/me\/exports\/job_\w+\/file$/);
	expect([first.exit, await readFile(join(cwd, "copy.zip"), "utf8")]).toEqual([EXIT.ok, "PK all of it"]);
	expect((await stat(join(cwd, "copy.zip"))).mode & 0o777).toBe(0o600);
	const again = await svc("export", "--job", "job_1", "--out", "copy.zip");
	expect([again.exit, again.sent[0]]).toEqual([EXIT.conflict, "GET /v1/jobs/job_1"]);
});

test("a copy that is not waited for cannot be saved, and is not asked for", async () => {
	const { exit, sent } = await svc("export", "--no-wait", "--out", "other.zip");
	expect([exit, sent]).toEqual([EXIT.usage, []]);
});
