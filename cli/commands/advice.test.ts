import { expect, test } from "bun:test";
import { join } from "node:path";
import { isGroup, load } from "../kit/command.ts";
import { COMMANDS } from "./commands.ts";

const WRITTEN = /(?<![\w./@-])svc ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/g;
/** What follows svc or a group in a sentence, and is no command. */
const PROSE = new Set(["alone", "beside", "of", "on"]);

const commands = await COMMANDS.commands();

async function isThere(word: string, next: string | undefined): Promise<boolean> {
	if (PROSE.has(word)) return true;
	const found = Object.entries(commands).find(([name]) => name === word)?.[1];
	if (found === undefined) return false;
	const entry = await load(found);
	return next === undefined || !isGroup(entry) || PROSE.has(next) || Object.hasOwn(await entry.commands(), next);
}

test("every command that a message, a note or an advice names is there [tree.advice]", async () => {
	const missing: string[] = [];
	const root = join(import.meta.dir, "..");
	const files = await Array.fromAsync(new Bun.Glob("{commands,kit,profile,handover,service}/**/*.ts").scan(root));
	for (const file of files.filter((name) => !name.endsWith(".test.ts"))) {
		// Comments speak of what was, and of what others type.
		const texts = (await Bun.file(join(root, file)).text()).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
		for (const [written, word = "", next] of texts.matchAll(WRITTEN))
			if (!(await isThere(word, next))) missing.push(`${file}: ${written}`);
	}
	expect(missing).toEqual([]);
});
