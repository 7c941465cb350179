import { expect, test } from "bun:test";
import { join } from "node:path";

test("[cli.start] what every command loads is a few modules of its own: neither Ink nor citty", async () => {
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
	expect(own.length).toBeLessThan(40);
});
