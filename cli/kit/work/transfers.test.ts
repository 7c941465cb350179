import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXIT } from "@svc/base/processes/exit";
import { FAKE_IMAGE, fakeService } from "@svc/test/support/fake-service";
import { fakeWorld } from "@svc/test/support/fake-world";
import { run } from "../run.ts";

const FILE_BYTES = 12_000_000;

let cwd = "";

beforeAll(async () => {
	cwd = await mkdtemp(join(tmpdir(), "svc-transfers-"));
	await writeFile(join(cwd, "one.png"), new Uint8Array(FILE_BYTES));
});

afterAll(() => rm(cwd, { recursive: true }));

interface Stop {
	/** How much the service has read when it stops reading for a while. */
	readonly atBytes: number;
	readonly forSeconds: number;
}

/** Uploads to a service that stops reading now and then, by a clock of the test's own; and what the terminal showed at each stop. */
async function uploadWith(stops: readonly Stop[]) {
	let nowMs = 0;
	const shown: string[] = [];
	const lastState = () => world.errText().split("\r\u001b[K").at(-1) ?? "";
	const service = fakeService();
	const world = fakeWorld({ cwd, isTerminal: true, now: () => nowMs, fetch: answer });

	async function answer(url: string, init: RequestInit): Promise<Response> {
		if (!(init.body instanceof ReadableStream)) return service.fetch(url, init);
		let taken = 0;
		for await (const piece of init.body as ReadableStream<Uint8Array>) {
			taken += piece.byteLength;
			const stop = stops[shown.length];
			if (stop === undefined || taken < stop.atBytes) continue;
			nowMs += stop.forSeconds * 1000;
			// However long the machine takes: the line is drawn again.
			const before = lastState();
			while (lastState() === before) await Bun.sleep(5);
			shown.push(lastState());
		}
		return Response.json(FAKE_IMAGE, { status: 201 });
	}

	return { exit: await run(["images", "upload", "one.png"], world), shown };
}

test("each quarter of a file shows what is gone, at what rate, and how long the rest takes [transfers.quarters]", async () => {
	const stops = [1, 2, 3].map((quarters) => ({ atBytes: (quarters * FILE_BYTES) / 4, forSeconds: 1 }));
	expect(await uploadWith(stops)).toEqual({
		exit: EXIT.ok,
		shown: [
			"2.9 MB of 12.0 MB · 24% · 2.9 MB/s · 4 s left",
			"5.9 MB of 12.0 MB · 49% · 3.0 MB/s · 3 s left",
			"8.9 MB of 12.0 MB · 74% · 3.0 MB/s · 2 s left",
		],
	});
});

test("a slow line is seen to move after 128 KiB, and what is left of it is told in hours and minutes [transfers.slow]", async () => {
	const { exit, shown } = await uploadWith([{ atBytes: 200_000, forSeconds: 60 }]);
	expect([exit, shown]).toEqual([
		EXIT.ok,
		[expect.stringMatching(/^1\d\d kB of 12\.0 MB · 1% · 2\.\d kB\/s · 1 h \d+ min left$/)],
	]);
});
