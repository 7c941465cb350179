import { afterAll, beforeAll, expect, test } from "bun:test";
import { addPerson } from "../support/people.ts";
import { ended, jsonOf } from "../support/program.ts";
import { startTeamProgram, type TeamProgram } from "../support/team-program.ts";

let program: TeamProgram;

beforeAll(async () => {
	program = await startTeamProgram();
});

afterAll(() => program.stop());

const svc = (...argv: readonly string[]) => program.svc(...argv);

const json = (...argv: readonly string[]) => jsonOf(svc(...argv, "--json"));

interface Entry {
	readonly id: string;
	readonly event: string;
	readonly target: string;
}

test("newest first, filtered by event and time; a date that is none is exit 2 [cli.audit.list]", async () => {
	const key = await json("keys", "create", "audited");
	await svc("keys", "revoke", key.id, "--yes");
	const [revoked, made]: Entry[] = await json("audit", "list", "--since", "1m");
	expect([revoked, made]).toMatchObject([
		{ event: "key.revoked", target: key.id },
		{ event: "key.created", target: key.id },
	]);
	const only: Entry[] = await json("audit", "list", "--event", "key.revoked");
	expect(new Set(only.map(({ event }) => event))).toEqual(new Set(["key.revoked"]));
	expect(await json("audit", "list", "--since", "2100-01-01")).toEqual([]);
	expect((await svc("audit", "list", "--since", "yesterday")).exit).toBe(2);
});

test("shows each entry once as it is written, and ends by Ctrl-C with exit 130 [cli.audit.tail]", async () => {
	const running = program.start("audit", "tail", "-o", "jsonl");
	const reader = running.stdout.pipeThrough(new TextDecoderStream()).getReader();
	let text = "";
	async function readUntil(wanted: string): Promise<void> {
		while (!text.includes(wanted)) {
			const { value, done } = await reader.read();
			if (done) throw new Error(`ended without ${wanted}: ${text}`);
			text += value;
		}
	}
	const before = await json("audit", "list");
	await readUntil(before[0].id);
	const first = await json("keys", "create", "one");
	await readUntil(first.id);
	const second = await json("keys", "create", "two");
	await readUntil(second.id);
	running.kill("SIGINT");
	expect([await running.exited, await new Response(running.stderr).text()]).toEqual([
		130,
		expect.stringContaining("Interrupted"),
	]);
	const entries: Entry[] = text
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line));
	expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
	expect(entries.slice(-2).map(({ target }) => target)).toEqual([first.id, second.id]);
});

test("ends after --limit entries; JSON without an end is refused [cli.audit.tail-limit]", async () => {
	const key = await json("keys", "create", "three");
	const running = program.start(
		"audit",
		"tail",
		"--event",
		"key.revoked",
		"--since",
		new Date().toISOString(),
		"--limit",
		"1",
	);
	await svc("keys", "revoke", key.id, "--yes");
	const { exit, out, err } = await ended(running);
	expect([exit, err, out.split("\t")[2]]).toEqual([0, "", key.id]);
	const endless = await svc("audit", "tail", "--json");
	expect([endless.exit, JSON.parse(endless.err).error.next]).toEqual([2, "Use -o jsonl, or --limit <n>."]);
});

test("who may not read it is exit 4 or 5 [cli.audit.forbidden]", async () => {
	const stranger = await addPerson(program.service.database);
	expect((await program.svcAs(stranger, "audit", "list")).exit).toBe(5);
});
