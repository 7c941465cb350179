import { expect, test } from "bun:test";
import { EXIT } from "@svc/base/processes/exit";
import { fakeService } from "@svc/test/support/fake-service";
import { fakeWorld } from "@svc/test/support/fake-world";
import { run } from "../run.ts";

async function svc(...argv: readonly string[]) {
	const { fetch, sent } = fakeService();
	const world = fakeWorld({ fetch });
	const exit = await run(argv, world);
	return { exit, out: world.outText(), err: world.errText(), sent: sent.length };
}

test("--jq prints what jq makes of the JSON, texts as they are and all else on lines of JSON [cli.jq]", async () => {
	expect(await svc("images", "list", "--jq", ".[].id")).toMatchObject({ exit: EXIT.ok, out: "img_1\nimg_2\n" });
	const parts = '.[] | {id, size: "\\(.width)x\\(.height)"}';
	expect((await svc("images", "list", "--jq", parts)).out).toStartWith('{"id":"img_1","size":"3x2"}\n');
	expect((await svc("images", "get", "img_1", "--jq", ".labels | to_entries | sort_by(.value)[0].key")).out).toBe(
		"a.b\n",
	);
	expect((await svc("api", "GET", "/v1/images", "--jq", ".data | length")).out).toBe("2\n");
	expect((await svc("images", "list", "--jq", "empty")).out).toBe("");
});

test("a filter that jq does not understand is refused before anything is sent [cli.jq-syntax]", async () => {
	for (const filter of [".[", "nope(1)", ""]) {
		const { exit, out, err, sent } = await svc("images", "delete", "img_1", "--yes", "--jq", filter);
		expect([filter, exit, out, sent]).toEqual([filter, EXIT.usage, "", 0]);
		expect(err).toContain("--jq takes a filter of jq.");
	}
});

test("a filter that does not fit what came is a failure, and other formats exclude it [cli.jq-failure]", async () => {
	const failed = await svc("images", "list", "--jq", ".foo");
	expect([failed.exit, failed.err]).toEqual([EXIT.failed, expect.stringContaining("Cannot index array")]);
	for (const flags of [
		["-o", "tsv"],
		["--field", "id"],
	])
		expect((await svc("images", "list", "--jq", ".", ...flags)).exit).toBe(EXIT.usage);
});
