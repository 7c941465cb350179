import { describe, expect, test } from "bun:test";
import { fakeService, refusal } from "@svc/test/support/fake-service";
import { fakeWorld } from "@svc/test/support/fake-world";
import { run } from "../run.ts";

async function said(argv: readonly string[], code = "not_found", status = 404): Promise<string> {
	const service = fakeService(({ method }) => (method === "GET" ? undefined : refusal(status, code)));
	const world = fakeWorld({ fetch: service.fetch });
	await run(argv, world);
	return world.errText();
}

describe("what a message says to do next can be pasted", () => {
	test("it names the App and the profile that the line named [hints.named]", async () => {
		expect(await said(["keys", "revoke", "key_1", "--yes", "--app", "app_7"])).toContain(
			"next: See which keys there are: svc keys list --app app_7\n",
		);
		expect(await said(["keys", "rotate", "key_1", "--app", "app_7", "--json"], "forbidden", 403)).toContain(
			"svc keys create <name> --app app_7",
		);
	});

	test("where a key of the environment is refused and nobody is signed in there, it says so [hints.key]", async () => {
		const refused = fakeService(() => refusal(403, "forbidden"));
		const world = fakeWorld({ fetch: refused.fetch, env: { SVC_API_KEY: "svc_sk_test_secret" } });
		await run(["apps", "list"], world);
		expect(world.errText()).toContain(
			"next: SVC_API_KEY is an App's key, and with the current profile nobody is signed in",
		);
		const other = fakeWorld({ fetch: refused.fetch, env: { SVC_API_KEY: "svc_pat_secret" } });
		await run(["apps", "list"], other);
		expect(other.errText()).toContain("next: See who you are");
	});

	test("the id is that of the line, where it is one of that kind and there is one alone [hints.ids]", async () => {
		const about = async (...ids: string[]) =>
			await said(["moderation", "lock", ...ids, "--yes"], "state_conflict", 409);
		expect(await about("img_1")).toContain("svc moderation get img_1\n");
		expect(await about("img_1", "img_2")).toContain("svc moderation get <id>\n");
		expect(await about("other_1")).toContain("svc moderation get <id>\n");
	});

	test("commands that are about no App, and help, stay as they are; nothing that a shell would take apart is filled in [hints.plain]", async () => {
		expect(await said(["keys", "nope", "--app", "app_7"])).toContain("svc keys --help\n");
		expect(await said(["keys", "revoke", "key_1", "--yes", "--app", "a;reboot"])).toContain("svc keys list\n");
		const world = fakeWorld({ env: {}, cwd: "/nowhere/hints" });
		await run(["images", "list", "--app", "app_7"], world);
		expect(world.errText()).toContain("Sign in (svc login)");
		const other = fakeWorld({ env: {}, cwd: "/nowhere/hints" });
		await run(["images", "list", "--profile", "work"], other);
		expect(other.errText()).toContain("Sign in (svc login --profile work), choose a profile (svc profile list)");
	});
});
