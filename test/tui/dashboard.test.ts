import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ModerationItem } from "@svc/sdk/management-types";
import type { Image } from "@svc/sdk/types";
import { plain } from "../support/pictures.ts";
import { uploaded } from "../support/requests.ts";
import { type StartedService, startService } from "../support/service.ts";
import { startProgram } from "./program.ts";

const CRASH = fileURLToPath(new URL("crash.ts", import.meta.url));
const ESCAPE = "\u001b";

let service: StartedService;
let folder = "";
let images: Image[] = [];

async function report(image: Image): Promise<void> {
	const body = JSON.stringify({ url: image.url, reason: "spam", note: "looks odd" });
	const answer = await service.api("/v1/reports", {
		method: "POST",
		headers: { "content-type": "application/json" },
		body,
	});
	if (answer.status !== 202) throw new Error(await answer.text());
}

beforeAll(async () => {
	service = await startService();
	folder = await mkdtemp(join(tmpdir(), "svc-tui-"));
	const { baseUrl, apiKey, token } = service;
	const profiles = { local: { base_url: baseUrl, api_key: apiKey, token } };
	await writeFile(join(folder, "profiles.json"), JSON.stringify({ current: "local", profiles }), { mode: 0o600 });
	const file = await plain(40, 30);
	for (const name of ["a.png", "b.png", "c.png"]) {
		const image = await uploaded(service, file, name);
		await report(image);
		images = [...images, image];
	}
});

afterAll(async () => {
	await service.stop();
	await rm(folder, { recursive: true });
});

function start(more: Partial<Parameters<typeof startProgram>[0]> = {}) {
	return startProgram({ ...more, env: { SVC_PROFILE_FILE: join(folder, "profiles.json"), ...more.env } });
}

function moderate(id: string, verb?: string): Promise<Response> {
	return service.api(`/v1/moderation/images/${id}${verb === undefined ? "" : `/${verb}`}`, {
		method: verb === undefined ? "GET" : "POST",
		headers: { Authorization: `Bearer ${service.token}`, "content-type": "application/json" },
		...(verb !== undefined && { body: "{}" }),
	});
}

const itemOf = async (image: Image | undefined) => (await (await moderate(image?.id ?? "")).json()) as ModerationItem;

describe("moderation", () => {
	test("[tui.moderation.lock] the queue is shown, l locks, z takes it back, q gives the terminal back", async () => {
		await using program = start();
		const queue = await program.until("a.png");
		expect(queue[0]).toMatch(/operator@localhost \(operator\) · App My first App.* LIVE/);
		expect(queue.join("\n")).toMatch(/▸ {2}○ open +1 +spam +c\.png/);
		expect(program.isAlternate).toBe(true);

		program.type("jjl");
		await program.until("1 image locked; z takes it back.");
		expect(program.lines().join("\n")).toMatch(/▸ {2}▣ locked +1 +spam +a\.png/);
		expect(await itemOf(images[0])).toMatchObject({ locked: true });

		program.type("z");
		await program.until("Undone: 1 image unlocked.");
		expect(await itemOf(images[0])).toMatchObject({
			locked: false,
			actions: [{ action: "unlock" }, { action: "lock" }],
		});

		program.type("q");
		expect(await program.exited).toBe(0);
		expect(program.isAlternate).toBe(false);
	});

	test("[tui.moderation.conflict] an undo that comes too late changes nothing and says who was faster", async () => {
		await using program = start();
		await program.until("c.png");
		program.type("l");
		await program.until("1 image locked");
		await moderate(images[2]?.id ?? "", "unlock");
		await moderate(images[2]?.id ?? "", "lock");
		program.type("z");
		await program.until("✗ operator@localhost (lock) changed c.png");
		expect(await itemOf(images[2])).toMatchObject({ locked: true });
		await moderate(images[2]?.id ?? "", "unlock");
	});

	test("[tui.moderation.batch] marked images are blocked with one reason and freed again", async () => {
		await using program = start();
		await program.until("a.png");
		program.type("  b");
		await program.until("Block for: 1 content_policy  2 dmca");
		program.type("2");
		await program.until("2 images blocked");
		expect([await itemOf(images[2]), await itemOf(images[1]), await itemOf(images[0])]).toMatchObject([
			{ blocked_reason: "dmca" },
			{ blocked_reason: "dmca" },
			{ blocked_reason: null },
		]);
		program.type("z");
		await program.until("Undone: 2 images unblocked.");
		expect(await itemOf(images[2])).toMatchObject({ blocked_reason: null });
		await Promise.all(images.slice(1).map(report));
	});

	test("[tui.preview] a reported picture is hidden until v, and drawn in half-blocks then", async () => {
		await using program = start({ env: { COLORTERM: "truecolor" } });
		await program.until("[picture hidden; v shows it]");
		expect(program.written()).not.toContain("▀");
		program.type("v");
		await program.until("▀▀▀▀");
		expect(program.written()).toContain(`${ESCAPE}[38;2;`);
	});

	test("[tui.read-only] no key changes anything", async () => {
		await using program = start({ args: ["--read-only"] });
		const [top] = await program.until("a.png");
		expect(top).toContain("READ-ONLY");
		program.type("lb1n?");
		const keys = await program.until("All keys");
		expect(keys.join("\n")).not.toMatch(/\bLock|Block|nsfw/);
		expect(await itemOf(images[2])).toMatchObject({ locked: false, blocked_reason: null });
	});
});

/** A proxy in front of the service that lets nothing change while it is told so. */
function startProxy() {
	let isDown = false;
	const error = { type: "api_error", code: "app_context_unavailable", message: "It is not there now." };
	const server = Bun.serve({
		port: 0,
		fetch: async (request) => {
			if (isDown) return Response.json({ error }, { status: 503 });
			const { pathname, search } = new URL(request.url);
			const { method, headers } = request;
			const body = method === "GET" ? null : await request.text();
			return service.open(`${service.baseUrl}${pathname}${search}`, { method, headers, body });
		},
	});
	return {
		baseUrl: `http://localhost:${server.port}`,
		down(now: boolean) {
			isDown = now;
		},
		stop: () => server.stop(true),
	};
}

describe("a service that is not there", () => {
	test("[tui.moderation.rollback, tui.stale] a lock goes back and says why; what is shown stays, with a badge, until it is there again", async () => {
		const proxy = startProxy();
		try {
			const env = { SVC_API_KEY: service.token, SVC_BASE_URL: proxy.baseUrl };
			await using program = start({ env });
			await program.until("a.png");
			proxy.down(true);
			program.type("jjl");
			await program.until("✗ It is not there now.");
			expect(program.lines().join("\n")).toMatch(/▸ {2}○ open +1 +spam +a\.png/);
			expect(await itemOf(images[0])).toMatchObject({ locked: false });
			program.type("\u001b");
			await Bun.sleep(100);
			program.type("r");
			const stale = await program.until("✗ STALE: It is not there now.", 20_000);
			expect(stale.join("\n")).toContain("a.png");
			proxy.down(false);
			program.type("r");
			await program.until((lines) => !lines.join("\n").includes("STALE"));
		} finally {
			await proxy.stop();
		}
	});
});

test("[tui.screens] every screen shows what the service has", async () => {
	await using program = start();
	await program.until("a.png");
	for (const [key, text] of [
		["2", "My first App"],
		["3", "read+write"],
		["4", "Nobody is connected to this App."],
		["5", "This App has no plan."],
		["6", "Uploads this month"],
		["7", "image.created"],
	] as const) {
		program.type(key);
		await program.until(text);
	}
	program.type("3");
	await program.until("read+write");
	program.type("cSecond key\r");
	await program.until(/svc_sk_test_\w{20,} +shown this once/);
	program.type("\u001b");
	await program.until("Made the key Second key.");
	program.type("t");
	await program.until("shown this once");
	program.type("\u001b");
	await program.until(/Done: rotate/);
	expect(
		program
			.lines()
			.join("\n")
			.match(/First key/g)?.length,
	).toBeGreaterThanOrEqual(2);
	program.type("2");
	await program.until("○ active");
	program.type("p");
	await program.until("▣ paused");
	program.type("p");
	await program.until("○ active");
});

describe("the terminal", () => {
	test("[tui.resize] after many sizes the screen is what a fresh start at the last one shows", async () => {
		await using program = start();
		await program.until("a.png");
		for (const [columns, rows] of [
			[80, 20],
			[140, 40],
			[60, 15],
			[100, 24],
			[99, 31],
			[110, 26],
		] as const) {
			await program.resize(columns, rows);
			await Bun.sleep(60);
		}
		await using fresh = start({ columns: 110, rows: 26 });
		await fresh.until("a.png");
		const withoutAges = (lines: string[]) =>
			lines.map((line) => line.replace(/\d+[smh] ago/g, "ago").replace(/ +/g, " "));
		await program.until((lines) => Bun.deepEquals(withoutAges(lines), withoutAges(fresh.lines())));
	});

	test("[tui.narrow] under 100 columns there is the list only, and Enter opens the detail", async () => {
		await using program = start({ columns: 80 });
		const list = await program.until("a.png");
		expect(list.join("\n")).not.toContain("revision");
		program.type("\r");
		expect((await program.until("revision")).join("\n")).not.toContain("a.png");
		program.type("q");
		await program.until("a.png");
	});

	test("[tui.ci] CI, NO_COLOR and no colours at all leave it as usable", async () => {
		await using program = start({ env: { CI: "true", NO_COLOR: "1" } });
		const lines = await program.until("a.png");
		expect(lines[0]).toContain(" LIVE");
		// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what must not be there.
		expect(program.written()).not.toMatch(/\u001b\[(3[0-8]|4[0-8]|9\d)[;m]/);
	});

	test("[tui.mouse] a click selects, the wheel moves", async () => {
		await using program = start();
		await program.until("a.png");
		program.type(`${ESCAPE}[<0;10;6M${ESCAPE}[<0;10;6m`);
		await program.until(/▸ .*a\.png/);
		program.type(`${ESCAPE}[<64;10;6M`);
		await program.until(/▸ .*c\.png/);
	});

	for (const [signal, exit] of [
		["SIGTERM", 143],
		["SIGHUP", 129],
		["SIGINT", 130],
	] as const) {
		test(`[tui.restore.${signal}] ${exit}, and the terminal is as it was`, async () => {
			await using program = start();
			await program.until("a.png");
			process.kill(program.pid, signal);
			expect(await program.exited).toBe(exit);
			expect(program.isAlternate).toBe(false);
			expect(program.written()).toContain(`${ESCAPE}[?1000l${ESCAPE}[0m${ESCAPE}[?25h${ESCAPE}[?1049l`);
		});
	}

	test("[tui.restore.ctrl-c] 130, and the terminal is as it was", async () => {
		await using program = start();
		await program.until("a.png");
		program.type("\u0003");
		expect(await program.exited).toBe(130);
		expect(program.isAlternate).toBe(false);
	});

	for (const kind of ["exception", "rejection"]) {
		test(`[tui.restore.${kind}] 70, the terminal is as it was, and the bug is told on it`, async () => {
			await using program = start({ preload: CRASH, env: { TUI_CRASH: kind } });
			await program.until("a.png");
			process.kill(program.pid, "SIGUSR2");
			expect(await program.exited).toBe(70);
			expect(program.isAlternate).toBe(false);
			expect(program.lines().join("\n")).toContain(`${kind} of the test`);
			expect(program.written()).toContain(`${ESCAPE}[?1000l`);
		});
	}
});

test("[tui.no-terminal] 2, and what to run instead", async () => {
	const main = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));
	const child = Bun.spawn([process.execPath, main, "tui"], {
		env: { ...process.env, SVC_PROFILE_FILE: join(folder, "profiles.json") },
		stderr: "pipe",
	});
	expect(await child.exited).toBe(2);
	expect(await new Response(child.stderr).text()).toContain("svc tui --screen moderation --print");
});

test("[tui.lazy] no command but this one loads Ink", async () => {
	const build = await Bun.build({
		entrypoints: [fileURLToPath(new URL("../../cli/main.ts", import.meta.url))],
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
