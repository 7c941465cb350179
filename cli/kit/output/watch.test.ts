import { expect, test } from "bun:test";
import { EXIT } from "@svc/base/processes/exit";
import { fakeService } from "@svc/test/support/fake-service";
import { fakeWorld } from "@svc/test/support/fake-world";
import { run } from "../run.ts";

test("--watch draws the list, keeps it while the service is away, and ends with Ctrl-C [cli.watch]", async () => {
	const interrupt = new AbortController();
	const service = fakeService();
	const lists = () => service.sent.length;
	const fetch: typeof service.fetch = async (url, init) => {
		if (lists() === 1) {
			// Seen by the program as a connection that broke; then Ctrl-C.
			setTimeout(() => interrupt.abort(new Error("Interrupted.")), 200);
			return Promise.reject(new TypeError("no connection"));
		}
		return await service.fetch(url, init);
	};
	const world = fakeWorld({ fetch, isTerminal: true, signal: interrupt.signal });
	expect(await run(["images", "list", "--watch", "--timeout", "3s"], world)).toBe(EXIT.interrupted);
	const [before, first = ""] = world.outText().split("\u001b[H\u001b[J");
	expect(before).toBe("");
	expect(first).toMatch(/^\d\d:\d\d:\d\d · every 2 s, Ctrl-C ends it\n.*FILENAME.*\n.*img_1/);
});

test("--watch is refused where nothing can be drawn anew, before anything is asked [cli.watch-pipe]", async () => {
	for (const [flags, isTerminal] of [
		[[], false],
		[["--json"], true],
		[["-q"], true],
		[["--field", "id"], true],
	] as const) {
		const { fetch, sent } = fakeService();
		const world = fakeWorld({ fetch, isTerminal });
		expect([flags, await run(["images", "list", "--watch", ...flags], world)]).toEqual([flags, EXIT.usage]);
		expect([world.outText(), sent.length]).toEqual(["", 0]);
	}
});
