import { expect, test } from "bun:test";
import { join } from "node:path";

/* `npm run advisories` on a registry that answers, and on one that does not. */

const ROOT = join(import.meta.dirname, "../..");

async function askAt(answer: () => Response): Promise<{ readonly exit: number; readonly out: string }> {
	using registry = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer });
	const child = Bun.spawn([process.execPath, "test/house/advisories.ts"], {
		cwd: ROOT,
		env: { ...process.env, npm_config_registry: `http://127.0.0.1:${registry.port}/` },
		stdio: ["ignore", "pipe", "inherit"],
	});
	const out = await new Response(child.stdout).text();
	return { exit: await child.exited, out: out.trim() };
}

test("a known advisory is named, and ends the command with 1", async () => {
	const advisory = {
		id: 1,
		title: "Reads what it should not",
		severity: "high",
		url: "https://github.com/advisories/GHSA-0000",
		vulnerable_versions: "<1.0.0",
	};
	const { exit, out } = await askAt(() => Response.json({ sharp: [advisory] }));
	expect([exit, out.split("\n")]).toEqual([
		1,
		[
			"high: sharp <1.0.0: Reads what it should not https://github.com/advisories/GHSA-0000",
			"1 known for what bun.lock installs",
		],
	]);
});

test("none is said to be none", async () => {
	expect(await askAt(() => Response.json({}))).toEqual({ exit: 0, out: "0 known for what bun.lock installs" });
});

test("a registry that does not tell is named, and no good news", async () => {
	const { exit, out } = await askAt(() => new Response("no", { status: 405 }));
	expect(exit).toBe(0);
	expect(out).toStartWith("NOT LOOKED FOR: the registry tells of no advisories, neither good nor bad (");
});
