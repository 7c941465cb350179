import { afterAll, beforeAll, expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { type Moderated, startModerated } from "./moderated.ts";
import type { Program } from "./program.ts";

/* However it ends, the terminal goes back as it was. */

const CRASH = fileURLToPath(new URL("crash.ts", import.meta.url));
const ESCAPE = "\u001b";
/** No paste marks, no mouse, no style, a cursor, the screen from before. */
const LEFT = `${ESCAPE}[?2004l${ESCAPE}[?1006l${ESCAPE}[?1000l${ESCAPE}[0m${ESCAPE}[?25h${ESCAPE}[?1049l`;

let world: Moderated;

beforeAll(async () => {
	world = await startModerated(["a.png"]);
});

afterAll(() => world[Symbol.asyncDispose]());

async function expectRestored(program: Program, exit: number): Promise<void> {
	expect(await program.exited).toBe(exit);
	await program.untilWritten(LEFT);
	await program.until(() => !program.isAlternate);
	// Nothing is drawn any more, nor is the mouse asked for again.
	const after = program.written().slice(program.written().lastIndexOf(LEFT) + LEFT.length);
	expect(after).not.toContain("a.png");
	expect(after).not.toContain(`${ESCAPE}[?1000h`);
}

for (const [signal, exit] of [
	["SIGTERM", 143],
	["SIGHUP", 129],
	["SIGINT", 130],
] as const) {
	test(`[tui.restore.${signal}] ${exit}, and the terminal is as it was`, async () => {
		await using program = world.start();
		await program.until("a.png");
		process.kill(program.pid, signal);
		await expectRestored(program, exit);
	});
}

test("130, and the terminal is as it was [tui.restore.ctrl-c]", async () => {
	await using program = world.start();
	await program.until("a.png");
	program.type("\u0003");
	await expectRestored(program, 130);
});

test("0, and the terminal is as it was [tui.restore.quit]", async () => {
	await using program = world.start();
	await program.until("a.png");
	program.type("q");
	await expectRestored(program, 0);
});

for (const kind of ["exception", "rejection"]) {
	test(`[tui.restore.${kind}] 70, the terminal is as it was, and the bug is told on it`, async () => {
		await using program = world.start({ preload: CRASH, env: { TUI_CRASH: kind } });
		await program.until("a.png");
		process.kill(program.pid, "SIGUSR2");
		await expectRestored(program, 70);
		await program.until(`${kind} of the test`);
	});
}
