import { expect, test } from "bun:test";
import { changeOf } from "./hrana.ts";
import { remoteWriter } from "./remote-writer.ts";
import { Progress } from "./server-streams.ts";

const CHANGE = changeOf([{ sql: "UPDATE guard SET ok = 1", args: [] }]);

test("a server that leaves a change without an answer is asked for one more, and then for none until it answers", async () => {
	const held: (() => void)[] = [];
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch() {
			await new Promise<void>((resolve) => held.push(resolve));
			return new Response("", { status: 503 });
		},
	});
	const writer = remoteWriter({
		url: `http://127.0.0.1:${server.port}`,
		token: undefined,
		progress: new Progress(),
		timeoutMs: 20,
	});
	const lost = { name: "DatabaseError", written: "unknown" };
	await expect(writer.change(CHANGE)).rejects.toMatchObject(lost);
	await expect(writer.change(CHANGE)).rejects.toMatchObject(lost);
	// Neither was cut off: both may stand in the server's line of writers.
	while (held.length < 2) await Bun.sleep(5);
	await expect(writer.change(CHANGE)).rejects.toMatchObject({ code: "SQLITE_BUSY", written: "no", passing: true });
	expect(held).toHaveLength(2);
	for (const release of held) release();
	while (held.length === 2) {
		await writer.change(CHANGE).catch(() => undefined);
		await Bun.sleep(5);
	}
	expect(writer.stalledMs()).toBe(0);
	for (const release of held) release();
	await writer.close();
	await server.stop(true);
});
