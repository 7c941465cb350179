import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Terminal } from "@xterm/headless";
import { type Moderated, startModerated } from "./moderated.ts";
import { looksOf, type Program } from "./program.ts";

const ESCAPE = "\u001b";
const CLEARED = `${ESCAPE}[2J${ESCAPE}[H`;

let world: Moderated;

beforeAll(async () => {
	world = await startModerated();
});

afterAll(() => world[Symbol.asyncDispose]());

/** What has been written since the screen was last cleared, on a screen that has always had this size. */
async function repainted(program: Program, columns: number, rows: number): Promise<string[]> {
	const whole = program.written();
	const screen = new Terminal({ cols: columns, rows, allowProposedApi: true });
	const since = whole.slice(whole.lastIndexOf(CLEARED));
	await new Promise<void>((done) => screen.write(`${ESCAPE}[?1049h${since}`, done));
	const looks = looksOf(screen);
	screen.dispose();
	return looks;
}

/** Whether the whole frame is there, at its size. */
function isWhole(lines: readonly string[], columns: number): boolean {
	const head = lines[0]?.trimEnd() ?? "";
	const isHeadWhole = head.length === columns - 1 && head.endsWith(" TEST");
	return isHeadWhole && lines[1]?.startsWith("[1 Mod") === true && lines.at(-1)?.startsWith("space") === true;
}

/** Sixty sizes in no order, the same ones each time. */
function sizes(): (readonly [columns: number, rows: number])[] {
	let seed = 7;
	const next = (from: number, to: number) => {
		seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
		return from + (seed % (to - from + 1));
	};
	return Array.from({ length: 60 }, () => [next(70, 160), next(10, 50)] as const);
}

describe("sizes", () => {
	test("after each of sixty sizes the screen is what a full repaint shows [tui.resize]", async () => {
		await using program = world.start();
		await program.until("a.png");
		for (const [columns, rows] of sizes()) {
			await program.resize(columns, rows);
			await program.until((lines) => isWhole(lines, columns));
			let [there, wanted] = [program.looks(), await repainted(program, columns, rows)];
			for (let tries = 0; tries < 500 && !Bun.deepEquals(there, wanted); tries++) {
				await Bun.sleep(20);
				[there, wanted] = [program.looks(), await repainted(program, columns, rows)];
			}
			expect(there).toEqual(wanted);
		}
	}, 180_000);

	test("a size that was another one for a moment, unseen by the program, leaves nothing cut off [tui.resize.back]", async () => {
		await using program = world.start();
		await program.until("a.png");
		await program.until("covered");
		const before = program.lines()[0];
		process.kill(program.pid, "SIGSTOP");
		await program.resize(60, 12);
		await program.resize(120, 30);
		expect(program.lines()[0]).not.toBe(before);
		process.kill(program.pid, "SIGCONT");
		await program.until(() => program.written().split(CLEARED).length >= 3);
		await program.until((lines) => isWhole(lines, 120) && lines.join("\n").includes("revision"));
	});

	test("after sixty sizes at once it is what a fresh start at the last one shows [tui.resize.fast]", async () => {
		await using program = world.start();
		await program.until("a.png");
		for (const [columns, rows] of [...sizes(), [110, 26] as const]) await program.resize(columns, rows);
		await using fresh = world.start({ columns: 110, rows: 26 });
		await fresh.until("a.png");
		const withoutAges = (lines: string[]) =>
			lines.map((line) => line.replace(/\bnow\b|\d+[smh] ago/g, "ago").replace(/ +/g, " "));
		await program.until((lines) => Bun.deepEquals(withoutAges(lines), withoutAges(fresh.lines())));
	});
});

describe("keys and the mouse", () => {
	test("keys that come in one chunk are pressed one after the other [tui.chunk]", async () => {
		await using program = world.start();
		await program.until("a.png");
		program.type("jjjk");
		await program.until(/▸ .*b\.png/);
		program.type(`${ESCAPE}[B${ESCAPE}[Bgj`);
		await program.until(/▸ .*b\.png/);
	});

	test("a paste presses no key [tui.paste]", async () => {
		await using program = world.start();
		await program.until("a.png");
		program.type(`${ESCAPE}[200~lqb1${ESCAPE}[201~j`);
		await program.until(/▸ {2}○ open .*b\.png/);
		expect(program.lines().join("\n")).not.toContain("locked");
	});

	test("a click selects, the wheel moves [tui.mouse]", async () => {
		await using program = world.start();
		await program.until("a.png");
		program.type(`${ESCAPE}[<0;10;7M${ESCAPE}[<0;10;7m`);
		await program.until(/▸ .*a\.png/);
		program.type(`${ESCAPE}[<64;10;7M`);
		await program.until(/▸ .*c\.png/);
	});
});

describe("the environment", () => {
	test("CI and NO_COLOR leave it as usable [tui.ci]", async () => {
		await using program = world.start({ env: { CI: "true", NO_COLOR: "1" } });
		const lines = await program.until("a.png");
		expect(lines[0]).toContain(" TEST");
		program.type("j");
		await program.until(/▸ .*b\.png/);
		// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what must not be there.
		expect(program.written()).not.toMatch(/\u001b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9\d)[;m]/);
	});

	test("a screen reader gets the words only: one thing below the other, no rules, no picture [tui.reader]", async () => {
		await using program = world.start({ env: { INK_SCREEN_READER: "true" } });
		const lines = await program.until("a.png");
		expect(lines.join("\n")).not.toMatch(/[│▀]/);
		program.type("j");
		await program.until(/▸ .*b\.png/);
		program.type("\r");
		const detail = await program.until("revision");
		expect(detail.join("\n")).toContain("o opens it in a browser");
		expect(detail.join("\n")).not.toContain("a.png");
	});
});
