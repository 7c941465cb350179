import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { type Moderated, nth, startModerated } from "./moderated.ts";
import type { Program } from "./program.ts";

/* Kitty's graphics protocol, byte for byte: what a terminal that speaks it is sent. */

const CRASH = fileURLToPath(new URL("crash.ts", import.meta.url));
const ESCAPE = "\u001b";
const QUERY = `${ESCAPE}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA${ESCAPE}\\`;
const YES = `${ESCAPE}_Gi=31;OK${ESCAPE}\\`;
const LEFT = `${ESCAPE}[?25h${ESCAPE}[?1049l`;
const CHUNK = 4_096;

/** Cells of 8 × 16 pixels. */
const KITTY = { [QUERY]: YES, [`${ESCAPE}[16t`]: `${ESCAPE}[6;16;8t` };

let world: Moderated;

beforeAll(async () => {
	world = await startModerated(["a.png", "b.png"]);
});

afterAll(() => world[Symbol.asyncDispose]());

interface Sequence {
	readonly keys: Readonly<Record<string, string>>;
	readonly payload: string;
}

const BEGINS = `${ESCAPE}_G`;
const ENDS = `${ESCAPE}\\`;

/** All of the protocol's sequences that were written after the question, in their order. */
function sequencesOf(program: Program): Sequence[] {
	const [, ...parts] = program.written().replace(QUERY, "").split(BEGINS);
	return parts
		.filter((part) => part.includes(ENDS))
		.map((part) => {
			const [keys = "", payload = ""] = part.slice(0, part.indexOf(ENDS)).split(";");
			return { keys: Object.fromEntries(keys.split(",").map((pair) => pair.split("=") as [string, string])), payload };
		});
}

const shown = (program: Program) => sequencesOf(program).filter(({ keys }) => keys.a === "T");
const removed = (program: Program) => sequencesOf(program).filter(({ keys }) => keys.a === "d");

async function untilSequences(program: Program, found: (program: Program) => Sequence[], count: number): Promise<void> {
	await program.until(() => found(program).length >= count);
}

/** A terminal that speaks the protocol, with the first picture revealed. */
async function revealed(more: Parameters<Moderated["start"]>[0] = {}): Promise<Program> {
	const program = world.start({ answers: KITTY, ...more });
	await program.until("b.png");
	// Covered ones are drawn in characters, whatever the terminal can do.
	await program.until("▀▀");
	program.type("v");
	await untilSequences(program, shown, 1);
	return program;
}

describe("a terminal that speaks it", () => {
	test("is sent the picture once, whole, in chunks, over exactly its cells, and told to answer nothing [tui.graphics.shown]", async () => {
		await using program = await revealed();
		const [first] = shown(program);
		// 40 × 30 pixels on cells of 8 × 16.
		expect(first?.keys).toMatchObject({ a: "T", f: "100", t: "d", c: "5", r: "2", C: "1", z: "-1", q: "2", m: "0" });
		const { width, height, format } = await sharp(Buffer.from(first?.payload ?? "", "base64")).metadata();
		expect({ width, height, format }).toEqual({ width: 40, height: 30, format: "png" });
		// From the first cell of the detail on, with the cursor where it was afterwards.
		const text = program.written();
		const start = text.indexOf(`${BEGINS}a=T`);
		expect(text.slice(0, start).endsWith(`${ESCAPE}7${ESCAPE}[4;69H`)).toBe(true);
		expect(text.indexOf(`${ESCAPE}8`, start)).toBeGreaterThan(start);
		// What leaves the picture where it is sends it no second time.
		program.type(" l");
		await program.until("1 image locked");
		program.type("z");
		await program.until("Undone");
		expect(shown(program)).toHaveLength(1);
	});

	test("the picture goes when another one comes, when a list lies over it, and when it is covered again [tui.graphics.removed]", async () => {
		await using program = await revealed();
		const id = shown(program)[0]?.keys.i;
		program.type("?");
		await untilSequences(program, removed, 1);
		expect(removed(program)[0]).toEqual({ keys: { a: "d", d: "I", i: id, q: "2" } as Sequence["keys"], payload: "" });
		program.type(ESCAPE);
		await untilSequences(program, shown, 2);
		program.type("v");
		await untilSequences(program, removed, 2);
		program.type("v");
		await untilSequences(program, shown, 3);
		program.type("j");
		await untilSequences(program, removed, 3);
		await program.until("▀▀");
		expect(shown(program)).toHaveLength(3);
	});

	test("a cleared screen gets it again, where it belongs then [tui.graphics.resize]", async () => {
		await using program = await revealed();
		await program.resize(140, 40);
		await untilSequences(program, shown, 2);
		await program.untilWritten(`${ESCAPE}[4;80H${BEGINS}a=T`);
		expect(removed(program)).toHaveLength(1);
	});

	test("a large picture comes in chunks of 4,096, the last one marked [tui.graphics.chunks]", async () => {
		const { service } = world;
		const noise = { type: "gaussian", mean: 128, sigma: 40 } as const;
		const file = await sharp({ create: { width: 300, height: 300, channels: 3, background: "#000", noise } })
			.png()
			.toBuffer();
		const form = new FormData();
		form.set("file", new Blob([new Uint8Array(file)], { type: "image/png" }), "noise.png");
		const headers = { Authorization: `Bearer ${service.apiKey}` };
		const answer = await service.api("/v1/images", { method: "POST", headers, body: form });
		const image = await answer.json();
		await using program = world.start({ answers: KITTY });
		await program.until("b.png");
		program.type("ssss");
		await program.until("noise.png");
		await untilSequences(program, shown, 1);
		await program.until(() => sequencesOf(program).at(-1)?.keys.m === "0");
		const chunks = sequencesOf(program);
		expect(chunks.length).toBeGreaterThan(10);
		expect(chunks.slice(0, -1).every(({ payload, keys }) => payload.length === CHUNK && keys.m === "1")).toBe(true);
		expect(chunks.slice(1).every(({ keys }) => Object.keys(keys).sort().join() === "m,q" && keys.q === "2")).toBe(true);
		const whole = Buffer.from(chunks.map(({ payload }) => payload).join(""), "base64");
		const { width = 0, height = 0 } = await sharp(whole).metadata();
		// The upper half of the detail: 51 × 12 cells.
		expect([width <= 51 * 8, height]).toEqual([true, 12 * 16]);
		expect(chunks[0]?.keys).toMatchObject({ c: String(Math.round(width / 8)), r: "12" });
		await service.api(`/v1/images/${image.id}`, { method: "DELETE", headers });
	});

	for (const [how, end, exit] of [
		["q", (program: Program) => program.type("q"), 0],
		["SIGTERM", (program: Program) => process.kill(program.pid, "SIGTERM"), 143],
		["an exception", (program: Program) => process.kill(program.pid, "SIGUSR2"), 70],
	] as const) {
		test(`${how}: no picture stays behind [tui.graphics.left]`, async () => {
			await using program = await revealed({ preload: CRASH, env: { TUI_CRASH: "exception" } });
			end(program);
			expect(await program.exited).toBe(exit);
			await program.untilWritten(LEFT);
			const text = program.written();
			const last = text.lastIndexOf(`${BEGINS}a=d,d=I`);
			expect(last).toBeGreaterThan(text.lastIndexOf(`${BEGINS}a=T`));
			expect(last).toBeLessThan(text.lastIndexOf(LEFT));
		});
	}
});

describe("who is asked, and who is believed without", () => {
	test.each([
		["tmux", { TMUX: "/tmp/tmux-0/default,1,0", TERM: "tmux-256color" }],
		["screen", { STY: "1.pts-0.host", TERM: "screen" }],
		["kitty with tmux in it", { TMUX: "/tmp/x,1,0", KITTY_WINDOW_ID: "1", TERM_PROGRAM: "WezTerm" }],
		["NO_COLOR", { NO_COLOR: "1", KITTY_WINDOW_ID: "1" }],
	])("%s: not asked, and answers change nothing [tui.graphics.never]", async (_, env) => {
		await using program = world.start({ answers: KITTY, env });
		await program.until("b.png");
		program.type("v");
		await program.until((lines) => !lines.join("\n").includes("covered"));
		await program.until((lines) => !lines.join("\n").includes("under way"));
		expect(program.written()).not.toContain(BEGINS);
	});

	test.each([
		["kitty", { TERM: "xterm-kitty" }],
		["Ghostty", { TERM: "xterm-ghostty" }],
		["WezTerm", { TERM_PROGRAM: "WezTerm" }],
	])("%s is sent pictures before it has answered [tui.graphics.known]", async (_, env) => {
		await using program = await revealed({ answers: {}, env });
		// Cells of 10 × 20 pixels, since it does not say.
		expect(shown(program)[0]?.keys).toMatchObject({ c: "4", r: "2" });
	});

	test("one that stays silent gets half-blocks, and hears every key [tui.graphics.silent]", async () => {
		await using program = world.start();
		await program.until("▀▀");
		expect(program.written()).toContain(QUERY);
		program.type("v");
		await program.until((lines) => lines.join("\n").includes("▀▀") && !lines.join("\n").includes("covered"));
		program.type("j");
		await program.until(/▸ .*a\.png/);
		expect(shown(program)).toEqual([]);
	});

	test("an answer that comes in the middle of keys is no key, and none of them is lost [tui.graphics.late]", async () => {
		await using program = world.start();
		await program.until("▀▀");
		program.type(`j${YES}v`);
		await untilSequences(program, shown, 1);
		expect(program.lines().join("\n")).toMatch(/▸ .*a\.png/);
		expect(await world.itemOf(nth(world.images, 0))).toMatchObject({ locked: false });
	});
});
