import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Moderated, startModerated } from "./moderated.ts";

const ESCAPE = "\u001b";
const ASKS = `${ESCAPE}]11;?${ESCAPE}\\`;
const DEVICE = { [`${ESCAPE}[c`]: `${ESCAPE}[?62;22c` };
const answering = (colour: string) => ({ [ASKS]: `${ESCAPE}]11;rgb:${colour}${ESCAPE}\\`, ...DEVICE });

/** What the row under the cursor is painted with. */
const DARK = "48;5;24";
const LIGHT = "48;5;153";

let world: Moderated;

beforeAll(async () => {
	world = await startModerated(["a.png"]);
});

afterAll(() => world[Symbol.asyncDispose]());

/** What was drawn until the image is on the screen. */
async function drawn(more: Parameters<Moderated["start"]>[0]): Promise<string> {
	await using program = world.start(more);
	await program.until("▸");
	return program.written();
}

test("a terminal with a light ground gets colours for it from the first frame on, one with a dark ground those for it [tui.theme.asked]", async () => {
	const light = await drawn({ answers: answering("fdfd/f6f6/e3e3") });
	expect([light.includes(LIGHT), light.includes(DARK)]).toEqual([true, false]);
	const dark = await drawn({ answers: answering("2828/2828/2828"), env: { COLORFGBG: "0;15" } });
	expect([dark.includes(LIGHT), dark.includes(DARK)]).toEqual([false, true]);
});

test("one that stays silent is waited for no longer than a moment, and what it has set in the environment counts [tui.theme.silent]", async () => {
	expect(await drawn({})).toContain(DARK);
	expect(await drawn({ env: { COLORFGBG: "0;15" } })).toContain(LIGHT);
});

test("an answer that comes late and in parts is no key [tui.theme.late]", async () => {
	await using program = world.start();
	await program.until("▸");
	program.type(`${ESCAPE}]11;rgb:ffff/ff`);
	await Bun.sleep(200);
	program.type(`ff/ffff${ESCAPE}\\`);
	await program.untilWritten(LIGHT);
	expect(program.lines().join("\n")).toContain("1/1");
});

test("the theme that is chosen from the palette is kept in the profile; a flag and NO_COLOR go before it, and then nothing is asked [tui.theme.kept]", async () => {
	const choose = async (name: string, said: string) => {
		await using program = world.start({ answers: answering("0000/0000/0000") });
		await program.until("▸");
		program.type(`:theme ${name}\r`);
		await program.until(said);
	};
	await choose("light", "Theme light, kept in the profile local.");
	const kept = await drawn({ answers: answering("0000/0000/0000") });
	expect([kept.includes(LIGHT), kept.includes(ASKS)]).toEqual([true, false]);
	expect(await drawn({ args: ["--theme", "dark"] })).toContain(DARK);
	const none = await drawn({ env: { NO_COLOR: "1" } });
	expect([none.includes(LIGHT), none.includes("48;5;")]).toEqual([false, false]);
	await choose("auto", "The terminal's ground chooses the colours, kept in the profile local.");
	expect(await drawn({ answers: answering("0000/0000/0000") })).toContain(DARK);
});

test("who leaves at once leaves no answer behind as keys for the shell [tui.theme.leaves]", async () => {
	await using program = world.start();
	await program.untilWritten(ASKS);
	// The terminal is slow: the key comes first, and the answer is still read.
	program.type("q");
	program.type(`${ESCAPE}]11;rgb:ffff/ffff/ffff${ESCAPE}\\${ESCAPE}[?62c`);
	expect(await program.exited).toBe(0);
	await program.until((lines) => !lines.join("\n").includes("rgb:"));
});
