import { expect, test } from "bun:test";
import { fakeWorld } from "@svc/test/support/fake-world";
import { run } from "../run.ts";

test("in a checkout what is said to do next, and help, are written as they work there [cli.typed]", async () => {
	const world = fakeWorld({ command: "SVC_DATA_DIR=/srv/svc ./svc", env: {}, cwd: "/nowhere/typed" });
	await run(["whoami"], world);
	expect(world.errText()).toContain(
		"Sign in (SVC_DATA_DIR=/srv/svc ./svc login), choose a profile (SVC_DATA_DIR=/srv/svc ./svc profile list)",
	);
	await run(["keys", "--help"], world);
	expect(world.outText()).toContain("Usage: SVC_DATA_DIR=/srv/svc ./svc keys <command>");
	await run(["keys", "create", "--help"], world);
	expect(world.outText()).not.toMatch(/(?<!\.\/)svc keys/);
});

test("elsewhere they are written as svc [cli.typed]", async () => {
	const world = fakeWorld({ env: {}, cwd: "/nowhere/typed" });
	await run(["whoami"], world);
	expect(world.errText()).toContain("Sign in (svc login)");
});
