import { describe, expect, test } from "bun:test";
import { EXIT } from "@svc/base/processes/exit";
import { fakeService, refusal, type Sent } from "@svc/test/support/fake-service";
import { fakeWorld } from "@svc/test/support/fake-world";
import type { Process } from "../../kit/process.ts";
import { run } from "../../kit/run.ts";
import { lastUse } from "./columns.ts";

interface Options extends Omit<NonNullable<Parameters<typeof fakeWorld>[0]>, "fetch" | "cwd"> {
	readonly ask?: Process["ask"];
}

const SECRET = "svc_sk_test_made";
const ROTATE = [
	"keys",
	"rotate",
	"key_1",
	"--app",
	"app_1",
	"--exec",
	"TOKEN=hush vault kv put app/svc key=-",
	"--revoke-old",
];

const KEY = {
	...{ id: "key_1", object: "key", name: "First", reach: "app", permissions: ["read"], prefix: "svc_sk_test_" },
	...{ last4: "wxyz", last_used_at: null, expires_at: null, revoked_at: null, revoke_reason: null },
	...{ replaced_by: null, created_by: "acc_1", created_at: "2026-01-01T00:00:00.000Z" },
};

/** The old key is key_1, the one that a rotation makes key_2. */
function answer({ method, path, headers }: Sent): Response | undefined {
	if (method === "POST") return Response.json({ ...KEY, id: "key_2", secret: SECRET });
	if (path !== "/v1/key") return undefined;
	const isNew = headers.get("authorization") === `Bearer ${SECRET}`;
	return Response.json({ ...KEY, id: isNew ? "key_2" : "key_1" });
}

async function svc(argv: readonly string[], { ask, ...options }: Options = {}, reply = answer) {
	const service = fakeService(reply);
	const world = fakeWorld({ ...options, fetch: service.fetch });
	const exit = await run(argv, ask === undefined ? world : { ...world, ask });
	const calls = service.sent.map(({ method, path }) => `${method} ${path}`);
	return { exit, out: world.outText(), err: world.errText(), calls };
}

const KEYS = "/v1/apps/app_1/keys";

describe("rotate", () => {
	test("make, hand over, check, and only then revoke; the secret is on the command's input and nowhere else [keys.rotate.order]", async () => {
		const inputs: string[] = [];
		const runShell = async ({ input }: { input: string }) => {
			inputs.push(input);
			return { exit: 0, tookInput: true };
		};
		const { exit, out, err, calls } = await svc([...ROTATE, "--yes", "--verbose"], { runShell });
		expect([exit, inputs]).toEqual([EXIT.ok, [SECRET]]);
		expect(calls).toEqual([
			`GET ${KEYS}/key_1`,
			`POST ${KEYS}/key_1/rotate`,
			"GET /v1/key",
			`GET ${KEYS}/key_1`,
			`DELETE ${KEYS}/key_1`,
		]);
		expect(out + err).not.toContain(SECRET);
		expect(err).toContain("Gave the secret to: vault (exit 0)\n");
		expect(err).not.toContain("hush");
	});

	test("a person is told when the old key was used last; no leaves both [keys.rotate.ask]", async () => {
		const yes = await svc(ROTATE, { isTerminal: true, answer: "y" });
		expect(yes.err).toContain("Revoke key_1, last used 0 s ago? [y/N] ");
		expect(yes.calls.at(-1)).toBe(`DELETE ${KEYS}/key_1`);
		const no = await svc(ROTATE, { isTerminal: true, answer: "" });
		expect([no.exit, no.calls.some((call) => call.startsWith("DELETE"))]).toEqual([EXIT.ok, false]);
		expect(no.err).toContain("key_1 works on. Revoke it with: svc keys delete key_1");
	});

	test("a command that never read its input has no secret: the new key is revoked [keys.rotate.unread]", async () => {
		const { exit, err, calls } = await svc([...ROTATE, "--yes"], {
			runShell: async () => ({ exit: 0, tookInput: false }),
		});
		expect([exit, calls.at(-1)]).toEqual([EXIT.failed, `DELETE ${KEYS}/key_2`]);
		expect(err).toContain("vault did not read the secret");
	});

	test("a secret that belongs to another key does not pass the check [keys.rotate.other]", async () => {
		const reply = (sent: Sent) => (sent.path === "/v1/key" ? Response.json({ ...KEY, id: "key_3" }) : answer(sent));
		const { exit, calls } = await svc([...ROTATE, "--yes"], {}, reply);
		expect([exit, calls.at(-1)]).toEqual([EXIT.failed, `DELETE ${KEYS}/key_2`]);
	});

	test("a new key that cannot be revoked is named, with what to do [keys.rotate.stuck]", async () => {
		const reply = (sent: Sent) => (sent.method === "DELETE" ? refusal(409, "state_conflict") : answer(sent));
		const runShell = async () => ({ exit: 1, tookInput: true });
		const { exit, err } = await svc([...ROTATE, "--yes"], { runShell }, reply);
		expect(exit).toBe(EXIT.failed);
		expect(err).toContain(
			"error: key_2 could not be revoked: It was state_conflict.\n  next: svc keys delete key_2 --app app_1\n",
		);
		expect(err).toContain("key_2 is still there.");
	});

	test("a lost answer names the key whose secret nobody has [keys.rotate.lost]", async () => {
		let made = false;
		const reply = (sent: Sent) => {
			if (sent.method === "POST") {
				made = true;
				throw new TypeError("the connection was closed");
			}
			return sent.path.endsWith("/key_1")
				? Response.json({ ...KEY, replaced_by: made ? "key_2" : null })
				: answer(sent);
		};
		const { exit, err } = await svc([...ROTATE, "--yes"], {}, reply);
		expect([exit, err]).toEqual([
			EXIT.failed,
			expect.stringContaining("there is key_2 now, and nobody has its secret"),
		]);
		expect(err).toContain("next: svc keys delete key_2");
	});

	test("Ctrl-C at the question leaves both keys and says so [keys.rotate.asked-stop]", async () => {
		const stop = new AbortController();
		const ask = async () => {
			stop.abort(new Error("Ctrl-C"));
			throw stop.signal.reason;
		};
		const { exit, err, calls } = await svc(ROTATE, { isTerminal: true, signal: stop.signal, ask });
		expect([exit, calls.some((call) => call.startsWith("DELETE"))]).toEqual([EXIT.interrupted, false]);
		expect(err).toContain("key_1 works on.");
	});
});

test("one key is named with its last use, several are counted, and no changes nothing [keys.revoke.ask]", async () => {
	const one = await svc(["keys", "revoke", "key_1", "--app", "app_1"], { isTerminal: true, answer: "n" });
	expect([one.exit, one.calls]).toEqual([EXIT.failed, [`GET ${KEYS}/key_1`]]);
	expect(one.err).toContain('Revoke key_1 ("First"), last used 0 s ago, for good? [y/N] ');
	const two = await svc(["keys", "revoke", "key_1", "key_2", "--app", "app_1"], { isTerminal: true });
	expect(two.err).toContain("Revoke 2 keys for good?");
});

test("is told in the largest unit that fits [keys.last-use]", () => {
	const ago = (seconds: number) => lastUse({ last_used_at: new Date(0).toISOString() }, new Date(seconds * 1000));
	expect([ago(3), ago(59), ago(60), ago(7200), ago(86_400 * 12), ago(-5)]).toEqual([
		"last used 3 s ago",
		"last used 59 s ago",
		"last used 1 min ago",
		"last used 2 h ago",
		"last used 12 d ago",
		"last used 0 s ago",
	]);
	expect(lastUse({ last_used_at: null }, new Date())).toBe("never used");
});
