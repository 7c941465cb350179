import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COMMANDS } from "../commands/commands.ts";
import { everyEntry, isGroup } from "../kit/command.ts";
import { GLOBAL_FLAGS } from "../kit/line/globals.ts";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { positionsOf } from "./positions.ts";
import { zshScript } from "./zsh.ts";

const [BASH, ZSH, FISH] = ["bash", "zsh", "fish"].map((shell) => Bun.which(process.env[shell.toUpperCase()] ?? shell));

/** For the titles of tests that need a shell: a run without it says so. */
const noteOn = (shell: string | null | undefined) => (shell ? "" : " (SKIPPED: it is not installed)");

// What is typed decides what is shown; what a profile is called must not decide what is run.
const PROFILES = "svc() { printf 'local\\nwork x\\n$(touch pwned)\\n'; }";

let cwd = "";

beforeAll(async () => {
	cwd = await mkdtemp(join(tmpdir(), "svc-completion-"));
	const positions = await positionsOf(COMMANDS);
	await writeFile(join(cwd, "svc.bash"), bashScript(positions));
	await writeFile(join(cwd, "svc.zsh"), zshScript(positions));
	await writeFile(join(cwd, "svc.fish"), fishScript(positions));
	await writeFile(join(cwd, "cat.jpg"), "");
});

afterAll(() => rm(cwd, { recursive: true }));

function runs(command: readonly string[]): string {
	const child = Bun.spawnSync([...command], { cwd, env: { HOME: cwd, PATH: process.env.PATH ?? "" } });
	expect([child.exitCode, child.stderr.toString()]).toEqual([0, ""]);
	return child.stdout.toString();
}

/** Every group with the words that lead to it, and the words that it offers. */
async function everyGroup() {
	const groups = (await everyEntry(COMMANDS)).flatMap(({ path, entry }) => (isGroup(entry) ? [{ path, entry }] : []));
	return await Promise.all(
		groups.map(async ({ path, entry }) => ({ path, words: Object.keys(await entry.commands()) })),
	);
}

const long = Object.keys(GLOBAL_FLAGS).map((name) => `--${name}`);

describe.skipIf(!BASH)(`bash${noteOn(BASH)}`, () => {
	/** What is offered for the last word of each line, one answer for each. */
	function complete(...lines: readonly (readonly string[])[]): string[][] {
		const asked = lines.map((words) => {
			const quoted = ["svc", ...words].map((word) => `'${word}'`).join(" ");
			return `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _svc; printf '%s\\x1f' "\${COMPREPLY[@]}"; printf '\\x1e'`;
		});
		const out = runs([BASH ?? "", "--norc", "-c", `source svc.bash; ${PROFILES}\n${asked.join("\n")}`]);
		return out
			.split("\x1e")
			.slice(0, -1)
			.map((answer) => answer.split("\x1f").filter((word) => word !== ""));
	}

	test("every group offers exactly its commands, also behind global flags [completion.bash-tree]", async () => {
		const groups = await everyGroup();
		const behind = ["--profile", "local", "-q", "-o", "json"];
		const offered = complete(
			...groups.flatMap(({ path }) => [
				[...path, ""],
				[...behind, ...path, ""],
			]),
		);
		expect(offered).toEqual(groups.flatMap(({ words }) => [words, words]));
	});

	test("a command offers its own flags and those of every command, and the values that are known [completion.bash-flags]", () => {
		const [flags = [], format, equals, half, profile, shell, method, nothing] = complete(
			["images", "list", "--"],
			["images", "list", "-o", ""],
			["images", "list", "--output", "=", "js"],
			["images", "list", "--outp"],
			["images", "--profile", "l"],
			["completion", ""],
			["api", "DE"],
			["images", "list", "--limit", ""],
		);
		expect(flags).toEqual(expect.arrayContaining(["--limit", "--all", "--label", ...long]));
		expect(format).toEqual(["table", "json", "jsonl", "tsv"]);
		expect([equals, half]).toEqual([["json", "jsonl"], ["--output"]]);
		expect([profile, shell, method, nothing]).toEqual([["local"], ["bash", "zsh", "fish"], ["DELETE"], []]);
	});

	test("ids are those of the service, as the line says whose, and no file is one [completion.bash-ids]", () => {
		const stub = `svc() { [ "$1 $2" = "keys list" ] && printf 'key_1\\nkey_2\\n%s\\n' "$*"; }; compopt() { echo "files $1"; }`;
		const ask = (...words: string[]) => {
			const quoted = ["svc", ...words].map((word) => `'${word}'`).join(" ");
			const line = `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`;
			return runs([BASH ?? "", "--norc", "-c", `source svc.bash; ${stub}\n${line}`])
				.trimEnd()
				.split("\n");
		};
		const listing = "keys\\ list\\ --field\\ id\\ --limit\\ 100\\ --timeout\\ 3s\\ --app\\ app_1";
		expect(ask("keys", "delete", "--app", "app_1", "")).toEqual(["files +o", "key_1", "key_2", listing]);
		expect(ask("keys", "delete", "key_2")).toEqual(["files +o", "key_2"]);
		expect(ask("keys", "create", "x", "--secret-file", "")).toEqual([""]);
		expect(ask("images", "upload", "")).toEqual([""]);
		expect(ask("users", "list", "--limit", "")).toEqual(["files +o"]);
	});

	test("the name of a profile is never run [completion.bash-code]", async () => {
		expect(complete(["--profile", ""])).toEqual([["local", "work\\ x", "\\$\\(touch\\ pwned\\)"]]);
		expect(await Bun.file(join(cwd, "pwned")).exists()).toBe(false);
	});
});

const STUBS = `compdef() {}; compset() {}; _files() { print files }; compadd() { print -rl -- \${@:#--} }
_describe() { local name=\${@[-1]}; print -rl -- \${(P)name} }`;

describe.skipIf(!ZSH)(`zsh${noteOn(ZSH)}`, () => {
	test("offers commands, flags and values with what they are for [completion.zsh]", () => {
		const ask = (...words: string[]) => {
			const quoted = ["svc", ...words].map((word) => `'${word}'`).join(" ");
			const line = `${STUBS}\n${PROFILES}\nsource ./svc.zsh\nwords=(${quoted}); CURRENT=$#words; _svc`;
			return runs([ZSH ?? "", "-f", "-c", line])
				.trimEnd()
				.split("\n");
		};
		expect(ask("--profile", "local", "images", "")).toContain("list:List images, newest first");
		expect(ask("images", "list", "--")).toEqual(expect.arrayContaining(["--all:Every one there is"]));
		expect(ask("images", "list", "--output", "")).toEqual(["table", "json", "jsonl", "tsv"]);
		expect(ask("images", "upload", "")).toEqual(["files"]);
		expect(ask("images", "list", "--limit", "")).toEqual([""]);
		expect(ask("keys", "delete", "")).toEqual(["local", "work x", "$(touch pwned)"]);
		expect(ask("--app", "")).toEqual(["local", "work x", "$(touch pwned)"]);
		expect(ask("--profile", "")).toEqual(["local", "work x", "$(touch pwned)"]);
	});
});

describe.skipIf(!FISH)(`fish${noteOn(FISH)}`, () => {
	const IDS =
		'function svc; test "$argv[1] $argv[2]" = "keys list"; and echo -e "key_1\\tof $argv[-2..-1]\\tmore"; end';

	test("offers commands, flags and values with what they are for [completion.fish]", () => {
		const ask = (line: string) =>
			runs([FISH ?? "", "--no-config", "-c", `source svc.fish; ${IDS}; complete -C '${line}'`])
				.trimEnd()
				.split("\n");
		expect(ask("svc --profile local images li")).toEqual(["list\tList images, newest first"]);
		expect(ask("svc images list --al")).toEqual(["--all\tEvery one there is"]);
		expect(ask("svc images list -o js")).toEqual(["json\tFormat of the data", "jsonl\tFormat of the data"]);
		expect(ask("svc images upload c")).toEqual(["cat.jpg"]);
		expect(ask("svc whoami c")).toEqual([""]);
		expect(ask("svc keys delete --app app_1 k")).toEqual(["key_1\tof --app app_1"]);
		expect(ask("svc images list --app a")).toEqual([""]);
	});
});

describe("what was listed is kept for 30 seconds in the shell that asked, for one line and no other", () => {
	// Each call of the command leaves a line in the file, and answers with how many there are.
	const counting = "echo call >> calls; wc -l < calls | tr -d ' '";

	async function answers(program: readonly string[]): Promise<readonly string[]> {
		await rm(join(cwd, "calls"), { force: true });
		return runs(program).trimEnd().split("\n");
	}

	test.skipIf(!BASH)(`bash${noteOn(BASH)} [completion.kept]`, async () => {
		const ask = (words: string, count: number) =>
			`COMP_WORDS=(svc keys delete ${words} ""); COMP_CWORD=${count}; _svc; echo "\${COMPREPLY[@]}"`;
		const lines = [ask("", 3), ask("", 3), ask("--app app_1", 5), ask("--app app_1", 5), "SECONDS=$((SECONDS + 31))"];
		const script = `set -u; source svc.bash; svc() { ${counting}; }; compopt() { :; }\n${[...lines, ask("--app app_1", 5)].join("\n")}`;
		expect(await answers([BASH ?? "", "--norc", "-c", script])).toEqual(["1", "1", "2", "2", "3"]);
	});

	test.skipIf(!ZSH)(`zsh${noteOn(ZSH)} [completion.kept]`, async () => {
		const ask = (words: string) => `words=(svc keys delete ${words} ''); CURRENT=$#words; _svc`;
		const lines = [
			ask(""),
			ask(""),
			ask("--app app_1"),
			ask("--app app_1"),
			"SECONDS=$((SECONDS + 31))",
			ask("--app app_1"),
		];
		const script = `${STUBS}; svc() { ${counting}; }\nsource ./svc.zsh\n${lines.join("\n")}`;
		expect(await answers([ZSH ?? "", "-f", "-c", script])).toEqual(["1", "1", "2", "2", "3"]);
	});

	test.skipIf(!FISH)(`fish${noteOn(FISH)} [completion.kept]`, async () => {
		const ask = (words: string) => `complete -C 'svc keys delete ${words}'`;
		const later = "function date; command date +%s -d '31 seconds'; end";
		const lines = [ask(""), ask(""), ask("--app app_1 "), ask("--app app_1 "), later, ask("--app app_1 ")];
		const script = `source svc.fish; function svc; ${counting}; end\n${lines.join("\n")}`;
		expect(await answers([FISH ?? "", "--no-config", "-c", script])).toEqual(["1", "1", "2", "2", "3"]);
	});
});

test("whatever is put into a script as a word is one [completion.words]", async () => {
	const positions = await positionsOf(COMMANDS);
	const words = positions.flatMap(({ path, commands, flags, words: known }) => [
		...path,
		...known,
		...commands.map(({ word }) => word),
		...flags.flatMap(({ word, values }) => [word, ...values]),
	]);
	expect(words.filter((word) => !/^[\w-]+$/.test(word))).toEqual([]);
});
