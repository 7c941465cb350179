import { expect, test } from "bun:test";
import { join } from "node:path";
import { EXIT } from "@svc/base/processes/exit";
import { fakeWorld } from "@svc/test/support/fake-world";
import { version } from "./commands/program/version.ts";
import { run } from "./kit/run.ts";

test("what every command loads is a few modules of its own: no package, and neither the streams of Node nor its files [cli.start]", async () => {
	const { metafile } = await Bun.build({
		entrypoints: [join(import.meta.dir, "main.ts")],
		target: "node",
		splitting: true,
		external: ["*/devtools.js"],
		metafile: true,
	});
	const inputs = metafile?.inputs ?? {};
	const loaded = new Set<string>();
	const load = (path: string) => {
		if (loaded.has(path)) return;
		loaded.add(path);
		for (const { path: next, kind } of inputs[path]?.imports ?? []) if (kind === "import-statement") load(next);
	};
	// Relative to wherever the tests were started.
	load(Object.keys(inputs).find((path) => /(^|cli\/)main\.ts$/.test(path)) ?? "");
	const own = [...loaded].filter((path) => path in inputs);
	expect(own.filter((path) => path.includes("node_modules"))).toEqual([]);
	expect(own.length).toBeGreaterThan(10);
	expect(own.length).toBeLessThan(20);
	// What each of these loads takes Bun as long as starting, or half of that.
	const imports = own.flatMap((path) => inputs[path]?.imports ?? []).filter(({ kind }) => kind === "import-statement");
	const runtime = imports.filter(({ path }) => path.startsWith("node:"));
	expect([...new Set(runtime.map(({ path }) => path))].sort()).toEqual(["node:process"]);
});

test("svc --help loads no commands of groups [cli.start]", async () => {
	const loaded: string[] = [];
	const group = (name: string) => ({
		summary: `about ${name}`,
		commands: async () => {
			loaded.push(name);
			return { version };
		},
	});
	const commands = {
		summary: "a few",
		commands: async () => ({ version, keys: group("keys"), images: group("images") }),
	};
	const process = fakeWorld();
	expect(await run(["--help"], process, commands)).toBe(EXIT.ok);
	expect([process.outText().includes("about images"), loaded]).toEqual([true, []]);
	await run(["keys", "--help"], process, commands);
	expect(new Set(loaded)).toEqual(new Set(["keys"]));
});
