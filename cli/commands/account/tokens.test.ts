import { describe, expect, test } from "bun:test";
import { EXIT } from "@svc/base/processes/exit";
import { fakeService, refusal, type Sent } from "@svc/test/support/fake-service";
import { fakeWorld } from "@svc/test/support/fake-world";
import { run } from "../../kit/run.ts";

type Options = Omit<NonNullable<Parameters<typeof fakeWorld>[0]>, "fetch">;

async function svc(argv: readonly string[], options: Options = {}, reply?: (sent: Sent) => Response | undefined) {
	const service = fakeService(reply);
	const world = fakeWorld({ ...options, fetch: service.fetch });
	const exit = await run(["tokens", ...argv], world);
	return { exit, out: world.outText(), err: world.errText(), sent: service.sent };
}

const CREATE = ["create", "ci", "--scope", "images:read,images:write", "--scope", "images:read"];

describe("svc tokens", () => {
	test("scopes may be given together or one by one; --app binds the token [tokens.body]", async () => {
		const { sent } = await svc([...CREATE, "--app", "app_7"]);
		expect(JSON.parse(String(sent[0]?.body))).toEqual({
			name: "ci",
			scopes: ["images:read", "images:write"],
			app: "app_7",
			expires_in: "90d",
		});
	});

	test("a scope that there is not, or none, is refused before anything is sent [tokens.scopes]", async () => {
		for (const argv of [
			["create", "ci"],
			["create", "ci", "--scope", "images"],
			["create", "ci", "--scope", ""],
		]) {
			const { exit, sent } = await svc(argv);
			expect([exit, sent.length]).toEqual([EXIT.usage, 0]);
		}
	});

	test("a secret that nobody would see makes no token, one that was not taken is revoked again [tokens.lost]", async () => {
		expect((await svc([...CREATE, "-q"])).sent).toHaveLength(0);
		const runShell = async () => ({ exit: 1, tookInput: true });
		const { exit, out, err, sent } = await svc([...CREATE, "--exec", "vault put"], { runShell });
		expect([exit, out, sent.map(({ method }) => method)]).toEqual([EXIT.failed, "", ["POST", "DELETE"]]);
		expect(err).toContain("tok_1 was revoked again.");
		expect(err).not.toContain("svc_pat_shown_once");
	});

	test("one that was not taken and cannot be revoked is named, with what to do [tokens.stuck]", async () => {
		const reply = ({ method }: Sent) => (method === "DELETE" ? refusal(403, "forbidden") : undefined);
		const runShell = async () => ({ exit: 1, tookInput: true });
		const { exit, out, err } = await svc([...CREATE, "--exec", "vault put"], { runShell }, reply);
		expect([exit, out]).toEqual([EXIT.failed, ""]);
		expect(err).toContain("tok_1 is still there.\n  next: svc tokens delete tok_1\n");
		expect(err).not.toContain("revoked again");
	});

	test("who may not is told how to confirm that it is them [tokens.fresh]", async () => {
		const { exit, err } = await svc(CREATE, {}, () => refusal(403, "forbidden"));
		expect([exit, err]).toEqual([EXIT.auth, expect.stringContaining("svc login --step-up")]);
	});

	test("asks first, and each id is sent once [tokens.revoke]", async () => {
		expect((await svc(["revoke", "tok_1"])).exit).toBe(EXIT.usage);
		const { exit, sent } = await svc(["revoke", "tok_1", "tok_2", "tok_1"], { isTerminal: true, answer: "y" });
		expect([exit, sent.map(({ path }) => path)]).toEqual([EXIT.ok, ["/v1/tokens/tok_1", "/v1/tokens/tok_2"]]);
		expect((await svc(["revoke", "..", "--yes"])).exit).toBe(EXIT.usage);
	});
});

describe("a call that needs a fresh session", () => {
	const env = { SVC_API_KEY: "svc_ses_secret", SVC_BASE_URL: "https://svc.test" };

	/** Refuses tokens until the code was confirmed. */
	function stale() {
		let fresh = false;
		return ({ path }: Sent) => {
			if (path.endsWith("/verify")) fresh = true;
			if (fresh || !path.endsWith("/v1/tokens")) return undefined;
			const details = { session: ["must be fresh: POST /v1/sessions/step-up"] };
			const error = { type: "permission_error", code: "forbidden", message: "Confirm that it is you first.", details };
			return Response.json({ error }, { status: 403 });
		};
	}

	test("asks for the code on a terminal and goes on [tokens.step-up]", async () => {
		const { exit, sent } = await svc(CREATE, { env, isTerminal: true, answer: "123456" }, stale());
		expect(exit).toBe(EXIT.ok);
		expect(sent.map(({ path }) => path.replace(/lgn_\w+/, "log"))).toEqual([
			"/v1/tokens",
			"/v1/sessions/step-up",
			"/v1/sessions/login/log/verify",
			"/v1/tokens",
		]);
	});

	test("exits 4 and names svc login where nobody can be asked [tokens.step-up-silent]", async () => {
		const { exit, err, sent } = await svc(CREATE, { env }, stale());
		expect([exit, sent.length]).toEqual([EXIT.auth, 1]);
		expect(err).toContain("svc login");
	});
});
