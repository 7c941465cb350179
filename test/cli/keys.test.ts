import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ended } from "../support/program.ts";
import { startTeamProgram, type TeamProgram } from "../support/team-program.ts";

let program: TeamProgram;

beforeAll(async () => {
	program = await startTeamProgram();
});

afterAll(() => program.stop());

interface Made {
	readonly id: string;
	readonly secret: string;
}

const svc = (...argv: string[]) => program.svc(...argv);

async function make(name: string): Promise<Made> {
	const { exit, out, err } = await svc("keys", "create", name, "--json");
	expect([exit, err]).toEqual([0, ""]);
	return JSON.parse(out);
}

/** What the service answers to a call with this secret. */
async function statusOf(secret: string): Promise<number> {
	const headers = { Authorization: `Bearer ${secret}` };
	return (await fetch(`${program.service.baseUrl}/v1/key`, { headers })).status;
}

interface Shown extends Made {
	readonly name: string;
	readonly revoked_at: string | null;
	readonly replaced_by: string | null;
}

async function shown(id: string): Promise<Shown> {
	return JSON.parse((await svc("keys", "get", id, "--json")).out);
}

/** All keys of a name, newest first. */
async function named(name: string): Promise<readonly Shown[]> {
	const { out } = await svc("keys", "list", "--all", "--json");
	return JSON.parse(out).filter((key: Shown) => key.name === name);
}

/** Until the running program has made that file. */
async function seen(name: string): Promise<void> {
	while (!existsSync(join(program.cwd, name))) await Bun.sleep(20);
}

const inFile = (name: string) => readFile(join(program.cwd, name), "utf8");

describe("svc keys create", () => {
	test("prints a secret that works, this once; the list and the key itself never hold it [cli.keys.create]", async () => {
		const { exit, out, err } = await svc("keys", "create", "first", "--reach", "bucket", "--permissions", "read");
		const [id = "", ...fields] = out.trimEnd().split("\n")[0]?.split("\t") ?? [];
		const secret = fields.at(-1) ?? "";
		expect([exit, err, await statusOf(secret)]).toEqual([0, "", 200]);
		const listed = await svc("keys", "list", "--all", "--json");
		const got = await svc("keys", "get", id, "--json");
		expect(JSON.parse(got.out)).toMatchObject({ name: "first", reach: "bucket", permissions: ["read"] });
		expect(listed.out + got.out).not.toContain(secret);
	});

	test("--secret-file is new, for its owner only, and holds exactly the secret [cli.keys.create-file]", async () => {
		const { exit, out, err } = await svc("keys", "create", "filed", "--secret-file", "filed.key");
		const secret = await inFile("filed.key");
		expect([exit, await statusOf(secret), secret.trim() === secret]).toEqual([0, 200, true]);
		expect((await stat(join(program.cwd, "filed.key"))).mode & 0o777).toBe(0o600);
		expect(out + err).not.toContain(secret);
	});

	test("a file that is there already is kept, and no key is made [cli.keys.create-file-exists]", async () => {
		await writeFile(join(program.cwd, "there"), "mine");
		const { exit, out, err } = await svc("keys", "create", "never", "--secret-file", "there");
		expect([exit, out]).toEqual([6, ""]);
		expect(err).toContain("there exists already");
		expect([await inFile("there"), await named("never")]).toEqual(["mine", []]);
	});

	test("a refusal of the service leaves no file behind [cli.keys.create-refused]", async () => {
		const { exit } = await svc("keys", "create", "late", "--expires-at", "2001-01-01", "--secret-file", "late.key");
		expect([exit, existsSync(join(program.cwd, "late.key"))]).toEqual([1, false]);
	});

	test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
		"%s while the command runs: exit 130, and the new key is revoked [cli.keys.create-interrupted]",
		async (signal) => {
			const running = program.start(
				"keys",
				"create",
				signal,
				"--exec",
				`cat > ${signal}.new; touch ${signal}.made; exec sleep 30`,
			);
			await seen(`${signal}.made`);
			running.kill(signal);
			const { exit, out, err } = await ended(running);
			expect([exit, out, err]).toEqual([130, "", expect.stringMatching(/^key_\w+ was revoked\.\n/)]);
			expect(await statusOf(await inFile(`${signal}.new`))).toBe(401);
		},
	);

	test("options that would lose the secret are refused before there is a key [cli.keys.create-lost]", async () => {
		for (const flags of [["-q"], ["--field", "id"], ["--exec", "cat", "--secret-file", "x"], ["--exec", " "]]) {
			expect([flags, (await svc("keys", "create", "lost", ...flags)).exit]).toEqual([flags, 2]);
		}
		expect(await named("lost")).toEqual([]);
	});
});

describe("svc keys rotate", () => {
	test("hands the secret over on standard input, checks it, and revokes the old key [cli.keys.rotate]", async () => {
		const old = await make("served");
		const rotated = await svc("keys", "rotate", old.id, "--exec", "cat > got", "--revoke-old", "--yes", "--verbose");
		const secret = await inFile("got");
		const id = (await shown(old.id)).replaced_by;
		expect(rotated.exit).toBe(0);
		expect(rotated.out.split("	")[0]?.endsWith(String(id))).toBe(true);
		expect(rotated.err).toContain(`Creating ${id}, a successor of ${old.id} (App-wide, read+write)\n`);
		expect(rotated.err).toContain("Gave the secret to: cat (exit 0)\n");
		expect(rotated.err).toContain(`Checked ${id}: ok\n`);
		expect(rotated.err).toMatch(new RegExp(`Revoked ${old.id}, (never used|last used \\d+ \\w+ ago)\n`));
		expect(rotated.out + rotated.err).not.toContain(secret);
		expect([await statusOf(secret), await statusOf(old.secret)]).toEqual([200, 401]);
	});

	test("without --revoke-old both work, and it says how the old one goes [cli.keys.rotate-overlap]", async () => {
		const old = await make("overlap");
		const { exit, out, err } = await svc("keys", "rotate", old.id, "--field", "secret");
		expect([exit, await statusOf(out.trim()), await statusOf(old.secret)]).toEqual([0, 200, 200]);
		expect(err).toContain(`svc keys delete ${old.id}`);
		expect(err).not.toContain(out.trim());
	});

	test("exit 1: the new key is revoked, the old one works, and what the command said is told [cli.keys.rotate-child-fails]", async () => {
		const old = await make("refused");
		const command = "cat > refused; echo out of order; exit 3";
		const { exit, out, err } = await svc("keys", "rotate", old.id, "--exec", command, "--revoke-old", "--yes");
		const secret = await inFile("refused");
		expect([exit, out]).toEqual([1, ""]);
		expect(err).toContain("out of order\n");
		expect(err).toMatch(/error: cat ended with exit 3\. key_\w+ was revoked\. key_\w+ works on\.\n/);
		expect([await statusOf(secret), await statusOf(old.secret)]).toEqual([401, 200]);
		expect(err).not.toContain(secret);
		// The way is free for the next try.
		expect((await svc("keys", "rotate", old.id, "--field", "secret")).exit).toBe(0);
	});

	test("a command that prints the secret does not make this program print it [cli.keys.rotate-masked]", async () => {
		const old = await make("chatty");
		const { exit, out, err } = await svc("keys", "rotate", old.id, "--exec", "tee chatty; cat chatty >&2; exit 1");
		const secret = await inFile("chatty");
		expect([exit, secret.startsWith("svc_sk_"), err.split("[secret]").length]).toEqual([1, true, 3]);
		expect(out + err).not.toContain(secret);
	});

	test("exit 1: a new key that does not work is revoked, its file taken away, the old one kept [cli.keys.rotate-check-fails]", async () => {
		const old = await make("checked");
		await svc("apps", "pause", program.appId);
		// The key in the profile cannot say which App is meant while that is paused.
		const flags = ["--app", program.appId, "--secret-file", "checked.key", "--revoke-old", "--yes"];
		const { exit, err } = await svc("keys", "rotate", old.id, ...flags);
		await svc("apps", "resume", program.appId);
		const [made] = await named("checked");
		expect([exit, made?.revoked_at === null, existsSync(join(program.cwd, "checked.key"))]).toEqual([1, false, false]);
		expect(err).toContain(`error: ${made?.id} does not work: `);
		expect(await statusOf(old.secret)).toBe(200);
	});

	test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
		"%s while the command runs: exit 130, the new key is revoked, the old one kept [cli.keys.rotate-interrupted]",
		async (signal) => {
			const old = await make("stopped");
			const command = `cat > ${signal}.twin; touch ${signal}.begun; exec sleep 30`;
			const running = program.start("keys", "rotate", old.id, "--exec", command, "--revoke-old", "--yes");
			await seen(`${signal}.begun`);
			running.kill(signal);
			const { exit, out, err } = await ended(running);
			expect([exit, out]).toEqual([130, ""]);
			expect(err).toContain(`was revoked. ${old.id} works on.`);
			expect([await statusOf(await inFile(`${signal}.twin`)), await statusOf(old.secret)]).toEqual([401, 200]);
		},
	);

	test("--revoke-old where nobody can be asked fails before there is a key, and names the flag [cli.keys.rotate-silent]", async () => {
		const old = await make("silent");
		const { exit, err } = await svc("keys", "rotate", old.id, "--exec", "cat", "--revoke-old");
		expect([exit, (await shown(old.id)).replaced_by]).toEqual([2, null]);
		expect(err).toContain("--yes");
	});

	test("shows the calls, runs nothing and makes no file [cli.keys.rotate-dry-run]", async () => {
		const old = await make("planned");
		const flags = ["--secret-file", "planned.key", "--revoke-old", "--dry-run", "--json"];
		const { exit, out } = await svc("keys", "rotate", old.id, ...flags);
		const path = `/v1/apps/${program.appId}/keys/${old.id}`;
		expect([exit, JSON.parse(out)]).toEqual([
			0,
			[
				{ method: "POST", path: `${path}/rotate`, body: {} },
				{ method: "DELETE", path },
			],
		]);
		expect([existsSync(join(program.cwd, "planned.key")), (await shown(old.id)).replaced_by]).toEqual([false, null]);
	});
});

describe("svc keys delete", () => {
	test("revokes each, exit 3 when one is unknown, and asks for --yes on a pipe [cli.keys.revoke]", async () => {
		const [one, other] = [await make("gone"), await make("gone")];
		expect([(await svc("keys", "revoke", one.id)).exit, await statusOf(one.secret)]).toEqual([2, 200]);
		const { exit, out, err } = await svc("keys", "revoke", one.id, "key_none", other.id, "--yes");
		expect([exit, out]).toEqual([3, `${one.id}\ttrue\n${other.id}\ttrue\n`]);
		expect(err).toContain("error: key_none: ");
		expect(err).toContain("svc keys list");
		expect([await statusOf(one.secret), await statusOf(other.secret)]).toEqual([401, 401]);
	});

	test("an unknown key is exit 5 and names the list [cli.keys.missing]", async () => {
		const { exit, err } = await svc("keys", "get", "key_none");
		expect([exit, err.includes("svc keys list")]).toEqual([5, true]);
	});
});
