import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Image, Job } from "@svc/sdk/shapes";
import { plain } from "../support/pictures.ts";
import { openProgram, type Program } from "../support/program.ts";
import { uploaded } from "../support/requests.ts";
import { type StartedService, startService } from "../support/service.ts";
import { readZip } from "../support/zip-file.ts";

/* Many images at once from the command line: by a job, and as one file. */

let service: StartedService;
let program: Program;
const ids: string[] = [];

beforeAll(async () => {
	service = await startService();
	program = await openProgram(service);
	for (const place of [0, 1, 2, 3]) {
		const album = place < 3 ? "summer" : "winter";
		const labels = JSON.stringify({ album });
		ids.push((await uploaded(service, await plain(20, 20), `m${place}.png`, { labels })).id);
	}
});

afterAll(async () => {
	await program.close();
	await service.stop();
});

test("all that fit a filter are changed by one job, which says how many, and is listed, shown and waited for [C]", async () => {
	const job = await program.json<Job>("image-jobs", "create", "--label", "album=summer", "--set-label", "season=2026");
	expect(job).toMatchObject({ state: "done", total: 3, done: 3, result: { changed: 3, skipped: {} } });
	expect((await program.svc("images", "count", "--label", "season=2026", "--field", "total")).out).toBe("3\n");
	expect((await program.svc("image-jobs", "list", "--field", "id")).out).toContain(job.id);
	expect(await program.json<Job>("image-jobs", "get", job.id)).toMatchObject({ id: job.id, state: "done" });
	// One that has ended stays as it ended.
	expect(await program.json<Job>("image-jobs", "cancel", job.id)).toMatchObject({ id: job.id, state: "done" });
	for (const wrong of [[], ["--delete", "--restore"], ["--ttl", "7d", "--to-app"]])
		expect([wrong, (await program.svc("image-jobs", "create", ...wrong)).exit]).toEqual([wrong, 2]);
});

test("the pictures of a filter are saved as one new file; one that is there stays [C]", async () => {
	const file = join(program.cwd, "summer.zip");
	const saved = await program.svc("images", "zip", "--label", "album=summer", "--to", file);
	expect(saved.exit).toBe(0);
	const names = [...(await readZip(await Bun.file(file).bytes())).keys()];
	expect(names.filter((name) => name.endsWith(".png"))).toHaveLength(3);
	expect((await program.svc("images", "zip", "--to", file)).exit).toBe(6);
});

test("an edit that names a revision changes nothing that somebody else has changed since [C]", async () => {
	const [id = ""] = ids;
	const { revision } = await program.json<Image>("api", "GET", `/v1/images/${id}?include=revision`);
	expect((await program.svc("images", "edit", id, "--caption", "One", "--if-revision", String(revision))).exit).toBe(0);
	const late = await program.svc("images", "edit", id, "--caption", "Two", "--if-revision", String(revision));
	expect([late.exit, late.err.includes("caption")]).toEqual([6, true]);
	expect((await program.json<Image>("images", "get", id)).caption).toBe("One");
	expect((await program.svc("images", "edit", ...ids, "--caption", "All", "--if-revision", "1")).exit).toBe(2);
});
