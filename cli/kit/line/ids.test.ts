import { describe, expect, test } from "bun:test";
import { EXIT } from "@svc/base/processes/exit";
import { everyCommand, type FoundCommand, shellWords } from "@svc/test/support/command-lines";
import { fakeService } from "@svc/test/support/fake-service";
import { fakeWorld } from "@svc/test/support/fake-world";
import { positionals } from "../command.ts";
import { run } from "../run.ts";
import { hoistGlobals, parseLine } from "./strict.ts";

const NO_IDS = [
	...["", ".", "..", "a/b", "../me", "a\\b", "a b", "ü", "x".repeat(10_000)],
	...["a\nb", "\u0000", "\u001b[2J", "\u007f", "\u202eimg_1"],
];

interface Line extends FoundCommand {
	/** Flags and words of its first example. */
	readonly flags: readonly string[];
	readonly words: readonly string[];
}

function lineOf({ path, command }: FoundCommand): Line {
	const example = shellWords(command.examples[0]).slice(1 + path.length);
	const { words, values } = parseLine(command, "svc", hoistGlobals(example).line, []);
	const isSwitch = (name: string) => command.args[name]?.type === "boolean";
	const flags = [...values].flatMap(([name, all]) =>
		all.map((value) => (isSwitch(name) ? `--${name}` : `--${name}=${value}`)),
	);
	return { path, command, words, flags };
}

interface Described {
	readonly description?: string | undefined;
	readonly valueHint?: string | undefined;
}

/** By what its help says, so that an argument that was not marked as an id is found, too. */
function isAboutIds({ description = "", valueHint }: Described): boolean {
	return valueHint === "id" || /\bids?\b/i.test(description);
}

/** Whether the example names this option itself: it cannot be given twice. */
function isSentAs(name: string, word: string, id: string): boolean {
	return word.startsWith(`--${name}=`) && word !== `--${name}=${id}`;
}

/** The command's line with one of its ids replaced, by the name of the argument. */
function linesWith(id: string, { path, command, flags, words }: Line): (readonly [name: string, argv: string[]])[] {
	const named = positionals(command);
	const argv = (more: readonly string[], at: number) => [
		...path,
		...flags,
		...more,
		"--yes",
		"--",
		...(at < 0 ? words : [...words.slice(0, at), id, ...words.slice(at + 1)]),
	];
	const positional = named.flatMap((name, at) =>
		isAboutIds(command.args[name] ?? {}) ? [[`<${name}>`, argv([], at)] as const] : [],
	);
	const rest =
		command.rest && isAboutIds(command.rest) ? [[`<${command.rest.name}>`, argv([], named.length)] as const] : [];
	const options = Object.entries(command.args)
		.filter(([, arg]) => arg.type === "string" && arg.valueHint?.startsWith("id"))
		.map(([name]) => [`--${name}`, argv([`--${name}=${id}`], -1).filter((word) => !isSentAs(name, word, id))] as const);
	const globals = ["--app", "--user"].map((name) => [name, argv([`${name}=${id}`], -1)] as const);
	return [...positional, ...rest, ...options, ...globals];
}

async function svc(argv: readonly string[]) {
	const { fetch, sent } = fakeService();
	const world = fakeWorld({ fetch });
	return { exit: await run(argv, world), err: world.errText(), out: world.outText(), sent };
}

describe("ids", async () => {
	const all = (await everyCommand()).map(lineOf);

	test("what can be no id is exit 2, names the argument, and nothing is sent, in every command that takes one [ids.walk]", async () => {
		let lines = 0;
		for (const id of NO_IDS) {
			for (const [name, argv] of all.flatMap((line) => linesWith(id, line))) {
				const { exit, err, out, sent } = await svc(argv);
				expect([argv, exit, out, sent]).toEqual([argv, EXIT.usage, "", []]);
				expect(err).toStartWith(`error: ${name} takes an id; not "`);
				expect(err).toMatch(/^[\n\x20-\x7eü…]{1,120}$/);
				lines++;
			}
		}
		expect(lines).toBeGreaterThan(NO_IDS.length * all.length * 2);
	});

	test("the second of several ids counts as the first does [ids.walk]", async () => {
		for (const { path, command, flags, words } of all) {
			if (command.rest?.valueHint === undefined || path.join(" ") === "apps get") continue;
			const { exit, sent } = await svc([...path, ...flags, "--yes", "--", ...words, "a/b"]);
			expect([path, exit, sent]).toEqual([path, EXIT.usage, []]);
		}
	});

	test("where an address or a list of ids is taken, too, it is [ids.other]", async () => {
		for (const argv of [
			["members", "remove", "ada@example.com", "--dry-run", "--app", "app_1"],
			["redirect-uris", "rm", "https://app.example.com/callback", "--dry-run", "--app", "app_1"],
			["images", "list", "--ids", "img_1,img_2"],
			["config", "set", "app", "app_1", "--profile", "none"],
		]) {
			expect((await svc(argv)).err).not.toContain("takes an id");
		}
		expect((await svc(["config", "set", "app", "a/b"])).exit).toBe(EXIT.usage);
		expect((await svc(["images", "list", "--ids", "img_1,,img_2"])).exit).toBe(EXIT.usage);
	});
});
