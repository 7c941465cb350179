import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assemble, filesIn } from "./assemble.ts";
import { manifestOf, ROOT } from "./package-files.ts";
import { platformOf, thisPlatform } from "./platform.ts";

describe("what an image and an executable are made of", () => {
	let folder: string;
	let moved: string;

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), "svc-assembled-"));
		const made = join(folder, "made");
		moved = join(folder, "moved");
		await assemble({ to: made, platform: platformOf(thisPlatform()), withCli: false });
		// It is put together elsewhere than it is run.
		await rename(made, moved);
	}, 120_000);
	afterAll(() => rm(folder, { recursive: true, force: true }));

	test("is the service built, with its migrations, documentation, models, and what people take from it, and none of its sources", async () => {
		const found = await readdir(join(moved, "server"));
		expect(found).toContain("main.js");
		expect(found).toContain("program.js");
		for (const name of ["drizzle", "docs", "examples", "models"])
			expect(await readdir(join(moved, "server", name))).not.toEqual([]);
		const { version } = await manifestOf(join(ROOT, "packages", "sdk"));
		const packages = ["cli", "sdk"].map((room) => `svc-${room}-${version}.tgz`);
		expect((await readdir(join(moved, "server", "downloads"))).sort()).toEqual([...packages, "ticket-upload.js"]);
		const sources = (await filesIn(moved)).filter((path) => !path.startsWith("node_modules/") && /\.tsx?$/.test(path));
		expect(sources).toEqual([]);
	});

	test("has the packages beside the service, wherever it is put, and no link that leads nowhere", async () => {
		for (const name of ["sharp", "libsql", "libheif-js", "@litertjs/core"])
			expect(existsSync(join(moved, "server", "node_modules", name, "package.json"))).toBe(true);
		expect((await filesIn(moved)).filter((path) => !existsSync(join(moved, path)))).toEqual([]);
	});

	test("has of a package that became part of the service its name and its licence alone", async () => {
		const store = join(moved, "node_modules", ".bun");
		const elysia = (await readdir(store)).find((name) => name.startsWith("elysia@")) ?? "";
		expect(await filesIn(join(store, elysia, "node_modules", "elysia"))).toEqual(["LICENSE", "package.json"]);
	});
});
