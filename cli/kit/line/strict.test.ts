import { describe, expect, test } from "bun:test";
import { EXIT } from "@svc/base/processes/exit";
import { FAKE_IMAGE, fakeService } from "@svc/test/support/fake-service";
import { fakeWorld } from "@svc/test/support/fake-world";
import { COMMANDS } from "../../commands/commands.ts";
import { IMAGE_COMMANDS } from "../../commands/images/images.ts";
import { everyEntry, isGroup } from "../command.ts";
import { run } from "../run.ts";

async function svc(...argv: string[]) {
	const service = fakeService();
	const world = fakeWorld({ fetch: service.fetch });
	const exit = await run(argv, world);
	return { exit, out: world.outText(), err: world.errText(), sent: service.sent };
}

describe("commands", () => {
	test("a name of the prototype chain is no command [cli.own]", async () => {
		for (const word of ["toString", "constructor", "__proto__", "hasOwnProperty"]) {
			const { exit, err } = await svc(word);
			expect(exit).toBe(EXIT.usage);
			expect(err).toContain(`svc has no command "${word}".`);
		}
	});

	test("the near word is named, and a far one is not [cli.did-you-mean]", async () => {
		expect((await svc("images", "lst")).err).toContain("Did you mean list?");
		expect((await svc("imges")).err).toContain("Did you mean images?");
		expect((await svc("images", "list", "--lable", "a=b")).err).toContain("Did you mean --label?");
		expect((await svc("elephant")).err).not.toContain("Did you mean");
		for (const [words, meant] of [
			[["images", "ls"], "list"],
			[["images", "show"], "get"],
			[["images", "rm"], "delete"],
			[["images", "remove"], "delete"],
			[["members", "del"], "delete"],
			[["plans", "add"], "create"],
			[["dev"], "serve"],
			[["init"], "login"],
		] as const) {
			expect([words, (await svc(...words)).err]).toEqual([words, expect.stringContaining(`Did you mean ${meant}?`)]);
		}
	});

	test("an empty word is a wrong line, except where it means none [cli.empty-word]", async () => {
		for (const line of [
			["keys", "create", ""],
			["apps", "create", " "],
			["tokens", "create", ""],
		]) {
			const { exit, err, sent } = await svc(...line);
			expect([exit, sent]).toEqual([EXIT.usage, []]);
			expect(err).toContain(`svc ${line[0]} create needs <name>; it is empty.`);
		}
		expect((await svc("config", "set", "app", "")).err).not.toContain("is empty");
	});

	test("a time to live that no image may have is a wrong line [cli.ttl]", async () => {
		for (const line of [
			["images", "upload", "a.png"],
			["images", "edit", "img_1"],
			["tickets", "create"],
		]) {
			for (const ttl of ["1m", "91d", "soon", "-"]) {
				const { exit, err, sent } = await svc(...line, `--ttl=${ttl}`);
				expect([exit, sent]).toEqual([EXIT.usage, []]);
				expect(err).toContain(`--ttl takes a time from 5m to 90d, such as 24h, or never; not "${ttl}".`);
			}
		}
	});

	test("a group alone explains itself and names its commands [cli.group]", async () => {
		const { exit, out, err } = await svc("images");
		expect([exit, err]).toEqual([EXIT.ok, ""]);
		expect(out).toMatch(/^Usage: svc images <command> \[flags\]$/m);
		expect(out).toMatch(/^ {2}upload +Upload image files$/m);
		const program = await svc("images", "--json");
		expect([program.exit, program.out]).toEqual([EXIT.usage, ""]);
		const [, named = ""] = /svc images needs a command: (.*)\./.exec(program.err) ?? [];
		expect(named.split(", ")).toEqual(Object.keys(IMAGE_COMMANDS));
	});

	test("what a command was called before goes on, and help has no word of it [cli.old-words]", async () => {
		for (const [name, entry] of Object.entries(await COMMANDS.commands())) {
			const { old = {} } = isGroup(entry) ? entry : {};
			for (const [before, now] of Object.entries(old)) {
				expect((await svc(name, before, "--help")).out).toContain(`Usage: svc ${name} ${now} `);
				expect((await svc(name, "--help")).out).not.toMatch(new RegExp(`^ {2}${before} `, "m"));
			}
		}
		expect((await svc("keys", "revoke", "key_1", "--yes")).sent.at(-1)?.method).toBe("DELETE");
	});

	test("svc --help has every command once, below the title of its part [cli.parts]", async () => {
		const { out } = await svc("--help");
		for (const title of Object.keys(COMMANDS.parts ?? {})) expect(out).toContain(`\n${title}:\n`);
		for (const name of Object.keys(await COMMANDS.commands()))
			expect([name, out.match(new RegExp(`^ {2}${name} `, "gm"))?.length]).toEqual([name, 1]);
	});

	test("a group may mean its list, with its flags and nothing else; its help is the group's [cli.group-alone]", async () => {
		const list = await svc("operator", "apps", "list", "--state", "active");
		expect(await svc("operator", "apps", "--state", "active")).toEqual(list);
		expect(list.exit).toBe(EXIT.ok);
		expect((await svc("operator", "apps", "--nope")).err).toContain("svc operator apps list has no flag --nope.");
		expect((await svc("operator", "apps", "lsit")).err).toContain("Did you mean list?");
		for (const argv of [
			["operator", "apps", "--help"],
			["help", "operator", "apps"],
		])
			expect((await svc(...argv)).out).toContain("Usage: svc operator apps <command> [flags]");
	});

	test("a command that is loaded without its group is the one that the group has [cli.direct]", async () => {
		const groups = (await everyEntry(COMMANDS)).flatMap(({ entry }) => (isGroup(entry) ? [entry] : []));
		const direct = groups.flatMap(({ direct = {}, commands }) =>
			Object.entries(direct).map(([word, load]) => ({ word, load, commands })),
		);
		expect(direct.length).toBeGreaterThan(0);
		for (const { word, load, commands } of direct) expect(await load()).toBe((await commands())[word] as never);
	});

	test("svc alone explains itself [cli.bare]", async () => {
		expect(await svc()).toEqual(await svc("--help"));
	});
});

describe("flags", () => {
	test("an unknown flag is refused and never swallows the word after it [cli.unknown]", async () => {
		for (const argv of [
			["images", "delete", "--force", "img_1", "--yes"],
			["images", "get", "-x", "img_1"],
			["images", "get", "img_1", "-json"],
			["--force", "images", "get", "img_1"],
		]) {
			const { exit, sent, err } = await svc(...argv);
			expect([exit, sent.length, err]).toEqual([EXIT.usage, 0, expect.stringContaining("has no flag")]);
		}
	});

	test("global flags may stand anywhere [cli.hoist]", async () => {
		const { out } = await svc("images", "get", "img_1", "--field", "id");
		expect(out).toBe("img_1\n");
		for (const argv of [
			["--field", "id", "images", "get", "img_1"],
			["images", "--field=id", "get", "img_1"],
			["images", "get", "--field", "id", "img_1"],
		]) {
			expect((await svc(...argv)).out).toBe(out);
		}
	});

	test("a flag without its value is refused; one that begins with a dash is attached [cli.value]", async () => {
		for (const argv of [
			["images", "list", "--limit"],
			["images", "list", "--limit", "--all"],
			["images", "get", "img_1", "--field"],
		]) {
			expect((await svc(...argv)).exit).toBe(EXIT.usage);
		}
		const { sent } = await svc("images", "import", "https://pics.test/a.png", "--caption=--json");
		expect(JSON.parse(String(sent[0]?.body))).toEqual({ url: "https://pics.test/a.png", caption: "--json" });
	});

	test("a boolean flag takes no value [cli.boolean]", async () => {
		expect((await svc("images", "delete", "img_1", "--yes=false")).err).toContain("--yes takes no value");
	});

	test("a flag is given once, unless it is repeatable [cli.twice]", async () => {
		expect((await svc("images", "list", "--limit", "1", "--limit", "2")).exit).toBe(EXIT.usage);
		expect((await svc("--user", "a", "whoami", "--user", "b")).exit).toBe(EXIT.usage);
		const { sent } = await svc("images", "list", "--label", "a=1", "--label", "!b");
		expect(sent[0]?.path).toBe("/v1/images?label[a]=1&label[!b]&limit=50");
	});

	test("missing and extra words are refused [cli.words]", async () => {
		expect((await svc("images", "get")).err).toContain("svc images get needs <id>.");
		expect((await svc("images", "delete", "--yes")).err).toContain("needs <id>.");
		expect((await svc("images", "get", "img_1", "img_2")).err).toContain('does not know what to do with "img_2"');
		expect((await svc("whoami", "img_2")).exit).toBe(EXIT.usage);
	});

	test("a flag that has to be there and is not is a wrong line, and --no-wait is a flag of its own [cli.needed]", async () => {
		const { exit, err, sent } = await svc("plans", "grant", "usr_1", "gold", "--reason", "Thanks", "--app", "app_1");
		expect([exit, sent, err]).toEqual([
			EXIT.usage,
			[],
			expect.stringContaining("svc plans grant needs --until <date>."),
		]);
		const recover = await svc("webhooks", "recover", "whe_1", "--since", "24h", "--app", "app_1", "--no-wait");
		expect(recover.sent.map(({ method }) => method)).toEqual(["POST"]);
	});

	test("what follows -- is a word, whatever it looks like [cli.literal]", async () => {
		const { sent } = await svc("images", "get", "--json", "--", "--yes");
		expect(sent[0]?.path).toBe("/v1/images/--yes");
	});

	test("the user travels in its header; what can be no id, a blank one too, is refused [cli.user]", async () => {
		expect((await svc("whoami", "--user", "usr_1")).sent[0]?.headers.get("x-svc-user")).toBe("usr_1");
		for (const user of ["--user=", "--user=ü\n"]) {
			const { exit, sent } = await svc("whoami", user);
			expect([user, exit, sent]).toEqual([user, EXIT.usage, []]);
		}
	});

	test("formats and timeouts that do not exist are refused [cli.formats]", async () => {
		for (const argv of [
			["-o", "yaml"],
			["--json", "-o", "tsv"],
			["--timeout", "soon"],
			["--timeout", "0s"],
			["--timeout", "999999m"],
		]) {
			expect((await svc("whoami", ...argv)).exit).toBe(EXIT.usage);
		}
		expect((await svc("images", "get", "img_1", "-o=json")).out).toBe(`${JSON.stringify(FAKE_IMAGE, null, 2)}\n`);
	});
});

test("an error about the line is JSON when that was asked for, wherever [cli.usage-json]", async () => {
	for (const argv of [
		["--json", "images", "lst"],
		["images", "get", "--json", "--nope"],
		["nope", "-o", "json"],
	]) {
		const { err, out } = await svc(...argv);
		expect(JSON.parse(err).error).toMatchObject({ code: "usage", exit: EXIT.usage });
		expect(out).toBe("");
	}
});
