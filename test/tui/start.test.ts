import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));

test("2, and what to run instead [tui.no-terminal]", async () => {
	const { HOME = "/", PATH = "/bin" } = process.env;
	const env = { HOME, PATH, SVC_BASE_URL: "http://127.0.0.1:9", SVC_API_KEY: "svc_pat_test_none" };
	const child = Bun.spawn([process.execPath, MAIN, "tui"], { env, stderr: "pipe" });
	expect(await child.exited).toBe(2);
	expect(await new Response(child.stderr).text()).toContain("svc tui --screen moderation --print");
});

test("no command but this one loads Ink [tui.lazy]", async () => {
	const build = await Bun.build({
		entrypoints: [MAIN],
		target: "node",
		splitting: true,
		external: ["*/devtools.js"],
		metafile: true,
	});
	const inputsOf = (name: string) => Object.keys(build.metafile?.outputs[name]?.inputs ?? {});
	const outputs = build.metafile?.outputs ?? {};
	const reached = new Set<string>();
	const reach = (name: string) => {
		if (reached.has(name)) return;
		reached.add(name);
		for (const { path, kind } of outputs[name]?.imports ?? []) if (kind === "import-statement") reach(path);
	};
	reach("./main.js");
	const inkOf = (names: Iterable<string>) => [...names].flatMap(inputsOf).filter((path) => /\/(ink|react)@/.test(path));
	expect(inkOf(reached)).toEqual([]);
	expect(inkOf(Object.keys(outputs)).length).toBeGreaterThan(0);
});
