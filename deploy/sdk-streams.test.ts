import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isSkipped, RUNTIMES } from "@svc/test/support/runtimes";
import { type ScratchProject, scratchProject } from "@svc/test/support/scratch-project";

/**
 * Each line of output is one promise. `gate` gives its second part only once the service has told that the first has arrived: a runtime
 * that gathers a body before it sends any of it would wait for ever.
 */
const PROGRAM = `
import { createReadStream, openAsBlob } from "node:fs";
import { createClient, ApiError } from "@svc/sdk";
const [, , baseUrl] = process.argv;
const { images } = createClient({ baseUrl, apiKey: "svc_sk_test_x" });
const say = (name, value) => console.log(JSON.stringify([name, value]));
const failure = (promise) => promise.then(() => "none", (error) => error);
const bytes = (count) => new Uint8Array(count).fill(7);

async function* gate(name) {
	yield bytes(100_000);
	await fetch(baseUrl + "/arrived/" + name);
	yield bytes(50_000);
}
say("comes as it is read", (await images.upload(gate("iterable"), { filename: "iterable" })).bytes);
say("web stream too", (await images.upload(ReadableStream.from(gate("web")), { filename: "web" })).bytes);

const seen = [];
const file = () => createReadStream("file.bin");
const stored = await images.upload(file(), { filename: 'a "b".png', caption: "one\\ntwo", onProgress: (progress) => seen.push(progress), totalBytes: 300_000 });
say("a stream of Node", [stored.bytes, stored.filename, stored.caption]);
const grows = seen.every(({ sentBytes }, at) => at === 0 || sentBytes > seen[at - 1].sentBytes);
say("progress", [seen[0], seen.at(-1), grows]);

const told = [];
await images.upload(await openAsBlob("file.bin"), { onProgress: ({ sentBytes, totalBytes }) => told.push(sentBytes / totalBytes) });
say("progress of a file that is there", [told[0], told.at(-1)]);

let opened = 0;
const again = await images.upload(() => { opened++; return file(); }, { filename: "busy" });
say("opened anew for each try", [again.bytes, opened]);

const once = file();
const refused = await failure(images.upload(once, { filename: "busy", idempotencyKey: "mine" }));
say("sent once", [refused instanceof ApiError && refused.status, (await failure(images.upload(once))).name]);
say("its key goes on", (await images.upload(file(), { filename: "busy", idempotencyKey: "mine" })).bytes);

const stop = new AbortController();
let closed = false;
const stuck = new ReadableStream({
	pull: (controller) => opened++ < 3 ? controller.enqueue(bytes(9)) : (stop.abort(new Error("enough")), new Promise(() => {})),
	cancel: () => { closed = true; },
});
say("aborted", [(await failure(images.upload(stuck, { filename: "stuck", signal: stop.signal }))).message, closed]);

async function* broken() { yield bytes(10); throw new RangeError("the disk is gone"); }
const gone = await failure(images.upload(() => broken(), { filename: "broken" }));
say("fails with its source", [gone.name, gone.message]);
process.exit();
`;

/** What has arrived of a file, by its name, and who waits for it. */
const arrivals = new Map<string, PromiseWithResolvers<void>>();
const busyOnce = new Set<string>();

let project: ScratchProject;
let server: Bun.Server<undefined>;

function arrival(name: string): PromiseWithResolvers<void> {
	const known = arrivals.get(name) ?? Promise.withResolvers<void>();
	arrivals.set(name, known);
	return known;
}

/** Reads a form as it comes: the name of the file is in the first bytes. */
async function receive(request: Request): Promise<Response> {
	const parts: Uint8Array<ArrayBuffer>[] = [];
	for await (const part of request.body ?? []) {
		parts.push(new Uint8Array(part));
		const [, name] = /filename="([a-z]+)"/.exec(await new Blob(parts).text()) ?? [];
		if (name !== undefined) arrival(name).resolve();
	}
	const form = await new Response(new Blob(parts), { headers: request.headers }).formData();
	const file = form.get("file");
	if (!(file instanceof File)) return Response.json({}, { status: 400 });
	const key = request.headers.get("idempotency-key") ?? "";
	if (file.name === "busy" && !busyOnce.has(key)) {
		busyOnce.add(key);
		const error = { type: "api_error", code: "create_outcome_ambiguous", message: "Once more." };
		return Response.json({ error }, { status: 503 });
	}
	return Response.json({ id: "img_1", bytes: file.size, filename: file.name, caption: form.get("caption") });
}

beforeAll(async () => {
	project = await scratchProject();
	await writeFile(join(project.folder, "file.bin"), new Uint8Array(300_000));
	await writeFile(join(project.folder, "streams.mjs"), PROGRAM);
	server = Bun.serve({
		port: 0,
		idleTimeout: 0,
		async fetch(request) {
			const [, first, name = ""] = new URL(request.url).pathname.split("/");
			if (first !== "arrived") return await receive(request);
			await arrival(name).promise;
			return new Response();
		},
	});
});

afterAll(async () => {
	await server.stop(true);
	await project[Symbol.asyncDispose]();
});

describe("an upload from a stream", () => {
	for (const runtime of RUNTIMES) {
		test.skipIf(isSkipped(runtime))(`keeps its promises on ${runtime.name}${runtime.note} [sdk.runtimes]`, async () => {
			arrivals.clear();
			busyOnce.clear();
			const lines = await project.run([...runtime.command(), "streams.mjs", `http://127.0.0.1:${server.port}`]);
			expect(
				Object.fromEntries(
					lines
						.trim()
						.split("\n")
						.map((line) => JSON.parse(line)),
				),
			).toEqual({
				"comes as it is read": 150_000,
				"web stream too": 150_000,
				"a stream of Node": [300_000, "a %22b%22.png", "one\r\ntwo"],
				progress: [{ sentBytes: 0, totalBytes: 300_000 }, { sentBytes: 300_000, totalBytes: 300_000 }, true],
				"progress of a file that is there": [0, 1],
				"opened anew for each try": [300_000, 2],
				"sent once": [503, "TypeError"],
				"its key goes on": 300_000,
				aborted: ["enough", true],
				"fails with its source": ["RangeError", "the disk is gone"],
			});
		});
	}
});
