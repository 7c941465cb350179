import { expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { countOf } from "../support/apps.ts";
import { noise } from "../support/pictures.ts";
import { startService } from "../support/service.ts";

const PROGRAM = join(import.meta.dirname, "../../examples/python/upload.py");
const python = Bun.which("python3");
const isPossible = python !== null && Bun.spawnSync([python, "-c", "import requests"]).success;
const note = isPossible ? "" : " (SKIPPED: no python3 with requests)";

test.skipIf(!isPossible)(
	`examples/python uploads each file once, however often it runs, and says why a file is refused${note}`,
	async () => {
		const folder = await mkdtemp(join(tmpdir(), "svc-python-"));
		const service = await startService();
		const run = async (...files: readonly string[]) => {
			const env = { PATH: process.env.PATH, SVC_API_KEY: service.apiKey, SVC_BASE_URL: service.baseUrl };
			const options = { cwd: folder, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" } as const;
			const child = Bun.spawn([python ?? "", PROGRAM, ...files], options);
			const [output, errors] = await Promise.all([
				new Response(child.stdout).text(),
				new Response(child.stderr).text(),
			]);
			return { exit: await child.exited, output, errors };
		};
		try {
			for (const [name, width] of [
				["a.jpg", 500],
				["b.jpg", 300],
			] as const)
				await writeFile(join(folder, name), await noise(width, 200));
			await writeFile(join(folder, "notes.txt"), "no picture");
			const first = await run("a.jpg", "b.jpg");
			expect([first.exit, first.errors]).toEqual([0, ""]);
			const addresses = first.output.trim().split("\n");
			expect(addresses).toHaveLength(2);
			for (const address of addresses) expect((await fetch(address)).status).toBe(200);
			expect((await run("a.jpg")).output.trim()).toBe(addresses[0] ?? "");
			expect(await countOf(service.database, sql`SELECT count(*) FROM images`)).toBe(2);
			const refused = await run("notes.txt");
			expect(refused.exit).toBe(1);
			expect(refused.errors).toStartWith("notes.txt: validation_error: {'file':");
		} finally {
			await service.stop();
			await rm(folder, { recursive: true });
		}
	},
	60_000,
);
