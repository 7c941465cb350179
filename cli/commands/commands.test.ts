import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXIT } from "@svc/base/processes/exit";
import { everyCommand, shellWords } from "@svc/test/support/command-lines";
import { writeFakeApp } from "@svc/test/support/fake-app";
import { writeFakeBackup } from "@svc/test/support/fake-backup";
import { PLACE_KEYS, withPlaces } from "@svc/test/support/fake-places";
import { fakeService, type Sent } from "@svc/test/support/fake-service";
import { fakeWorld } from "@svc/test/support/fake-world";
import { everyEntry, isGroup } from "../kit/command.ts";
import { run } from "../kit/run.ts";
import { COMMANDS } from "./commands.ts";

function words(example: string): string[] {
	return shellWords(example).slice(1);
}

/** The line without a flag and its value. */
function without(flag: string, argv: readonly string[]): string[] {
	return argv.filter((word, index) => word !== flag && argv[index - 1] !== flag && word !== "--json");
}

let cwd = "";

beforeAll(async () => {
	cwd = await mkdtemp(join(tmpdir(), "svc-tree-"));
	await Promise.all(["cat.jpg", "dog.jpg"].map((name) => writeFile(join(cwd, name), name)));
	await writeFile(
		join(cwd, "collection.jsonl"),
		'{"address":"https://pics.example.com/cat.jpg","date":"2009-05-01"}\n',
	);
	await writeFile(join(cwd, "collection.csv"), "address,label.album\nhttps://pics.example.com/cat.jpg,pets\n");
	await writeFakeBackup(join(cwd, "backups/20260101-000000-a1b2c3d4"));
	await mkdir(join(cwd, "live/images"), { recursive: true });
	await writeFakeApp(join(cwd, "pictures.zip"));
});

afterAll(async () => {
	await rm(cwd, { recursive: true });
});

const PROFILES = {
	current: "local",
	profiles: {
		local: { base_url: "https://svc.test", token: "svc_ses_svc_sk_test_secret" },
		work: { base_url: "https://svc.test", api_key: "svc_sk_test_secret" },
	},
};

/** A secret that no output may hold, for the commands that read one. */
const SIGNING_SECRET = `svc_sig_${"0".repeat(38)}`;

/** On a machine with the same two profiles each time, and six digits wherever something is typed or read that is no secret. */
async function svc(argv: readonly string[], isTerminal = false) {
	const folder = join(cwd, "home/.config/svc");
	await mkdir(folder, { recursive: true });
	await writeFile(join(folder, "profiles.json"), JSON.stringify(PROFILES), { mode: 0o600 });
	await rm(join(cwd, "data"), { recursive: true, force: true });
	const env = { ...PLACE_KEYS, SVC_API_KEY: "svc_sk_test_secret", SVC_BASE_URL: "https://svc.test" };
	const input = argv.includes("--secret-stdin") ? SIGNING_SECRET : "123456\n";
	const service = fakeService();
	const world = fakeWorld({ fetch: withPlaces(service.fetch), cwd, env, isTerminal, answer: "123456", input });
	return { exit: await run(argv, world), out: world.outText(), err: world.errText(), sent: service.sent };
}

/** They say what they would do with files or pictures, not with calls; one looks by a POST, one hands events on to a program here. */
const PLANS_OF_THEIR_OWN = new Set([
	...["svc images upload", "svc images sync", "svc migrate"],
	...["svc server trash collect", "svc listen", "svc apps export", "svc apps import"],
]);

interface Change {
	readonly method: string;
	readonly path: string;
	readonly body?: unknown;
}

function changesIn(sent: readonly Sent[]): readonly Change[] {
	return sent
		.filter(({ method }) => method !== "GET" && method !== "HEAD")
		.map(({ method, path, body }) => ({ method, path, ...(body != null && { body: readable(body) }) }));
}

function readable(body: unknown): unknown {
	if (typeof body === "string") return JSON.parse(body);
	const parts = body instanceof FormData ? [...body] : [];
	return Object.fromEntries(parts.map(([name, value]) => [name, value instanceof Blob ? value.name : value]));
}

/** Some commands show what they are about, not calls: a profile, a file. */
function plannedIn(shown: unknown): readonly Change[] {
	const calls = Array.isArray(shown) ? shown.filter((row) => typeof row.method === "string") : [];
	return calls.map((call) => ({ ...call, path: decodeURIComponent(call.path) }));
}

/** What was sent, with what a plan cannot know, in braces, as the plan has it. */
function seenAs(plan: unknown, sent: unknown): unknown {
	if (typeof plan === "string" && typeof sent === "string") {
		const pattern = plan.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
		return new RegExp(`^${pattern.join("[^/]+")}$`).test(sent) ? plan : sent;
	}
	if (typeof plan !== "object" || typeof sent !== "object" || plan === null || sent === null) return sent;
	if (Array.isArray(sent)) return sent.map((one, place) => seenAs((plan as readonly unknown[])[place], one));
	const known = plan as Readonly<Record<string, unknown>>;
	return Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, seenAs(known[name], value)]));
}

for (const { path, command } of await everyCommand()) {
	const name = ["svc", ...path].join(" ");

	describe(name, () => {
		test("has help with its full path, its summary and an example of its own [tree.help]", async () => {
			const { exit, out } = await svc([...path, "--help"]);
			expect(exit).toBe(EXIT.ok);
			expect(out).toStartWith(`${name}: ${command.summary}\n`);
			expect(out).toContain(`Usage: ${name} `);
			expect(command.examples.every((example) => example === name || example.startsWith(`${name} `))).toBe(true);
			expect(Object.keys(command.args).filter((arg) => !out.includes(arg))).toEqual([]);
		});

		test("each example runs, on a pipe, on a terminal and as --json [tree.examples]", async () => {
			for (const example of command.examples) {
				const argv = words(example);
				expect([example, (await svc(argv)).exit]).toEqual([example, EXIT.ok]);
				expect([example, (await svc(argv, true)).exit]).toEqual([example, EXIT.ok]);
				const plain = without("-o", argv);
				// A plan has fields of its own, so --dry-run goes without the example's --field.
				for (const line of [
					[...plain, "--json"],
					[...without("--field", plain).filter((word) => word !== "--dry-run"), "--json", "--dry-run", "-q"],
				]) {
					const { exit, out, err } = await svc(line);
					expect([example, exit, err]).toEqual([example, EXIT.ok, ""]);
					expect(() => JSON.parse(out)).not.toThrow();
				}
			}
		});

		test("what --dry-run shows is what is sent, and it sends nothing [tree.plan]", async () => {
			if (PLANS_OF_THEIR_OWN.has(name)) return;
			for (const example of command.examples) {
				const plain = without("-o", without("--field", words(example)));
				const line = plain.filter((word) => word !== "--dry-run" && word !== "--page");
				const dry = await svc([...line, "--json", "--dry-run", "-q"]);
				expect([example, changesIn(dry.sent)]).toEqual([example, []]);
				const plan = plannedIn(JSON.parse(dry.out));
				const sent = changesIn((await svc([...line, "--json"])).sent);
				const seen = sent.map((call, place) => seenAs(plan[place], call)) as readonly Change[];
				expect([example, plan]).toEqual([example, seen]);
			}
		});

		test("no output holds the key, verbose included [tree.secret]", async () => {
			for (const example of command.examples) {
				const { out, err } = await svc([...words(example), "--verbose"], true);
				expect(out + err).not.toContain("svc_sk_test_secret");
			}
		});
	});
}

for (const { path, entry } of await everyEntry(COMMANDS)) {
	if (!isGroup(entry)) continue;
	test(`svc ${path.join(" ")} has help that names its commands, and an example that works [tree.groups]`, async () => {
		const { exit, out } = await svc([...path, "--help"]);
		expect(exit).toBe(EXIT.ok);
		for (const name of Object.keys(await entry.commands())) expect(out).toMatch(new RegExp(`^  ${name} `, "m"));
		const [, example = ""] = /Example:\n(.*)/.exec(out) ?? [];
		expect((await svc(words(example.trim()))).out).toContain("Usage: svc ");
	});
}
