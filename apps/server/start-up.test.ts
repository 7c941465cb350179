import { expect, test } from "bun:test";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
/** What only some services are ever asked for, and what it takes to make that. */
const LATER = [
	/apps\/pages\/app\.ts$/,
	/apps\/api\/docs\/(shelf|reference-desk)\.ts$/,
	/node_modules\/(react-dom|@elysiajs\/swagger|zod|@scalar\/\w+|marked|pino-pretty|ws|@libsql\/hrana-client)\//,
	/node_modules\/prom-client\/index\.js$/,
];

test("a start loads neither the pages and the documentation nor what generates the API document [start.loads]", async () => {
	const { metafile } = await Bun.build({
		entrypoints: [join(ROOT, "apps/server/main.ts")],
		target: "bun",
		splitting: true,
		external: ["sharp", "libsql", "onnxruntime-node", "libheif-js", "@litertjs/core"],
		metafile: true,
	});
	const inputs = metafile?.inputs ?? {};
	const loaded = new Set<string>();
	const load = (path: string) => {
		if (loaded.has(path)) return;
		loaded.add(path);
		for (const { path: next, kind } of inputs[path]?.imports ?? []) if (kind !== "dynamic-import") load(next);
	};
	// Relative to wherever the tests were started.
	load(Object.keys(inputs).find((path) => /(^|server\/)main\.ts$/.test(path)) ?? "");
	expect(loaded.size).toBeGreaterThan(500);
	const found = [...loaded].filter((path) => LATER.some((one) => one.test(path)));
	expect(found).toEqual([]);
	// Each pattern still names something.
	const all = Object.keys(inputs);
	expect(LATER.filter((one) => !all.some((path) => one.test(path)))).toEqual([/node_modules\/prom-client\/index\.js$/]);
});
