import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFile, rm, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import type { Image } from "@svc/sdk/shapes";
import { type Origin, startOrigin } from "../support/origin.ts";
import { plain } from "../support/pictures.ts";
import { ended, openProgram, type Program, startProgram } from "../support/program.ts";
import { send, uploaded } from "../support/requests.ts";
import { type StartedService, startService } from "../support/service.ts";

/* A collection comes by a manifest, through imports: the service fetches it itself. */

let origin: Origin;
let service: StartedService;
let program: Program;
let broken = true;
/** Answers of addresses that wait until the test lets them go. */
let held: ServerResponse[] = [];
let isHolding = false;
let file: Buffer<ArrayBuffer>;

beforeAll(async () => {
	file = await plain(8, 6);
	origin = await startOrigin(({ url = "" }, response) => {
		if (isHolding && url.startsWith("/hold")) return void held.push(response);
		const status = statusOf(url);
		response.writeHead(status, { "Content-Type": "image/png" }).end(status === 200 ? file : "");
	});
	service = await startService({ SVC_IMPORT_ALLOW: origin.host });
	program = await openProgram(service);
});

afterAll(async () => {
	await program.close();
	await service.stop();
	origin.stop();
});

function statusOf(url: string): number {
	if (url.startsWith("/secret")) return url.includes("X-Amz-Signature=letmein") ? 200 : 403;
	return url.startsWith("/gone") || (url.startsWith("/later") && broken) ? 404 : 200;
}

function letGo(): void {
	isHolding = false;
	for (const response of held) response.writeHead(200, { "Content-Type": "image/png" }).end(file);
	held = [];
}

interface Came {
	readonly line: number;
	readonly address: string;
	readonly id: string;
	readonly url: string;
	readonly external_id: string;
	readonly state: string;
}

const write = (name: string, lines: readonly object[]) =>
	writeFile(join(program.cwd, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));

async function linesOf(name: string): Promise<readonly Record<string, unknown>[]> {
	const text = await readFile(join(program.cwd, name), "utf8").catch(() => "");
	return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Record<string, unknown>]));
}

async function images(query = ""): Promise<readonly Image[]> {
	const answer = await send(service, "GET", `/v1/images?limit=100${query}`);
	return ((await answer.json()) as { readonly data: readonly Image[] }).data;
}

/** Those that came from below a path. */
async function from(path: string): Promise<readonly Image[]> {
	return (await images()).filter(({ metadata }) => metadata.source_url?.startsWith(origin.url(path)));
}

describe("a manifest", () => {
	test("comes through imports, with all that it says; what does not come is listed with the reason, and comes the next time", async () => {
		const lines = [
			{ address: origin.url("/a/1.png"), date: "2009-05-01T10:00:00Z", caption: "A", labels: { album: "x" } },
			{ address: origin.url("/a/2.png"), metadata: { author: "Ann" }, external_id: "picture-2" },
			{ address: origin.url("/gone/3.png") },
			{ address: origin.url("/later/4.png") },
			{ address: origin.url("/a/5.png"), labels: { "No Label": "x" } },
		];
		await write("a.jsonl", lines);
		const first = await program.svc("migrate", "a.jsonl", "--label", "moved=yes", "--json");
		expect(first.exit).toBe(3);
		const came = JSON.parse(first.out) as Came[];
		expect(came.map(({ line, external_id: id, state }) => ({ line, id, state }))).toEqual([
			{ line: 1, id: origin.url("/a/1.png"), state: "came" },
			{ line: 2, id: "picture-2", state: "came" },
		]);
		const [one, two] = came.map(({ id, url, address }) => ({ id, url, address }));
		expect((await from("/a")).map(({ id, url }) => ({ id, url })).toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
			[one, two]
				.map((each) => ({ id: String(each?.id), url: String(each?.url) }))
				.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
		);
		const image = (await (await send(service, "GET", `/v1/images/${one?.id}`)).json()) as Image;
		expect(image).toMatchObject({
			...{ caption: "A", labels: { album: "x", moved: "yes" }, published_at: "2009-05-01T10:00:00.000Z" },
			metadata: { source_url: origin.url("/a/1.png") },
		});
		expect(await linesOf("a.jsonl.missing.jsonl")).toMatchObject([
			{ line: 5, state: "failed", why: expect.stringContaining("No Label") },
			{ line: 3, state: "failed", code: "fetch_failed", next: expect.any(String) },
			{ line: 4, state: "failed", code: "fetch_failed" },
		]);
		for (const line of [3, 4, 5]) expect(first.err).toContain(`line ${line}, `);
		broken = false;
		const second = await program.svc("migrate", "a.jsonl", "--label", "moved=yes", "--json");
		expect((JSON.parse(second.out) as Came[]).map(({ line }) => line)).toEqual([4]);
		expect((await linesOf("a.jsonl.missing.jsonl")).map(({ line }) => line)).toEqual([5, 3]);
		expect((await linesOf("a.jsonl.came.jsonl")).map(({ line }) => line)).toEqual([1, 2, 4]);
	});

	test("that is there already is found by its ids when the list of what came is lost, long after any key is forgotten", async () => {
		const lines = [1, 2, 3].map((number) => ({ address: origin.url(`/b/${number}.png`) }));
		await write("b.jsonl", lines);
		const first = await program.json<Came[]>("migrate", "b.jsonl");
		await rm(join(program.cwd, "b.jsonl.came.jsonl"));
		service.clock.advance(3 * 86_400_000);
		const again = await program.json<Came[]>("migrate", "b.jsonl");
		expect(again).toEqual(first.map((one) => ({ ...one, state: "there" })));
		expect((await from("/b")).length).toBe(3);
	});

	test("does not take a stranger's image with the same external id for its own", async () => {
		const { id } = await uploaded(service, file, "cat.png", { external_id: "shared" });
		await write("c.jsonl", [{ address: origin.url("/c/1.png"), external_id: "shared" }]);
		const { exit, err } = await program.svc("migrate", "c.jsonl", "--json");
		expect(exit).toBe(1);
		expect(err).toContain(id);
		expect((await linesOf("c.jsonl.missing.jsonl")).map(({ external_id: taken }) => taken)).toEqual(["shared"]);
	});

	test("brings the same address twice where it is listed twice, and cuts nothing off a list whose last line is cut off", async () => {
		const address = origin.url("/d/1.png");
		await write("d.jsonl", [
			{ address, caption: "one" },
			{ address, caption: "two" },
		]);
		await program.json("migrate", "d.jsonl", "--limit", "1");
		const path = join(program.cwd, "d.jsonl.came.jsonl");
		await writeFile(path, `${await readFile(path, "utf8")}{"line":7,"addr`);
		expect((await program.json<Came[]>("migrate", "d.jsonl")).map(({ line }) => line)).toEqual([2]);
		expect(await program.json<Came[]>("migrate", "d.jsonl")).toEqual([]);
		expect((await from("/d")).map(({ caption }) => caption).toSorted()).toEqual(["one", "two"]);
	});

	test("with a signed address comes through the command, so that nobody reads the signature afterwards", async () => {
		const address = `${origin.url("/secret/1.png")}?size=large&X-Amz-Signature=letmein&X-Amz-Expires=60`;
		await write("e.jsonl", [{ address, caption: "signed" }]);
		const [planned] = await program.json<{ by: string }[]>("migrate", "e.jsonl", "--dry-run", "-q");
		expect(planned?.by).toBe("command");
		const { exit, out, err } = await program.svc("migrate", "e.jsonl", "--json", "--verbose");
		expect(exit).toBe(0);
		const [image] = await images(`&external_id=${encodeURIComponent(origin.url("/secret/1.png?size=large"))}`);
		expect(image).toMatchObject({
			caption: "signed",
			metadata: { source_url: origin.url("/secret/1.png?size=large") },
		});
		const lists = await readFile(join(program.cwd, "e.jsonl.came.jsonl"), "utf8");
		expect(out + lists + JSON.stringify(image)).not.toContain("letmein");
		expect(err).not.toContain("letmein");
	});

	test("comes once when the command is killed in the middle and run again, and when its imports wait for room", async () => {
		const lines = Array.from({ length: 60 }, (_, place) => ({ address: origin.url(`/hold/${place}.png`) }));
		await write("k.jsonl", lines);
		isHolding = true;
		const profile = join(program.cwd, "profiles.json");
		const killed = startProgram(["migrate", "k.jsonl", "--json"], {
			cwd: program.cwd,
			env: { SVC_PROFILE_FILE: profile },
		});
		while (held.length === 0) await Bun.sleep(20);
		killed.kill("SIGKILL");
		await killed.exited;
		// Others fill the App's places for imports meanwhile.
		const others = Array.from({ length: 4 }, (_, place) =>
			send(service, "POST", "/v1/imports", { items: [{ url: origin.url(`/hold/other-${place}.png`) }] }),
		);
		expect((await Promise.all(others)).map(({ status }) => status)).toEqual([202, 202, 202, 202]);
		const running = program.json<Came[]>("migrate", "k.jsonl");
		await write("l.jsonl", [{ address: origin.url("/l/1.png") }]);
		const waiting = program.json<Came[]>("migrate", "l.jsonl");
		await Bun.sleep(500);
		letGo();
		expect((await running).map(({ line }) => line)).toEqual(lines.map((_, place) => place + 1));
		expect((await waiting).length).toBe(1);
		const there = (await from("/hold")).filter(({ metadata }) => !metadata.source_url?.includes("other"));
		expect(new Set(there.map(({ external_id: id }) => id)).size).toBe(60);
		expect(there.length).toBe(60);
	}, 120_000);

	test("is not begun where the list of what came would be written over", async () => {
		await write("f.jsonl", [{ address: origin.url("/f/1.png") }]);
		await program.json("migrate", "f.jsonl");
		const { exit, err } = await program.svc("migrate", "f.jsonl", "--report", "f.jsonl.came.jsonl");
		expect(exit).toBe(2);
		expect(err).toContain("--came");
		expect((await linesOf("f.jsonl.came.jsonl")).length).toBe(1);
	});
});

describe("an import", () => {
	test("that somebody cancels is listed, and what it did not make comes the next time", async () => {
		const lines = Array.from({ length: 12 }, (_, place) => ({ address: origin.url(`/hold/cancelled/${place}.png`) }));
		await write("m.jsonl", lines);
		isHolding = true;
		const running = program.svc("migrate", "m.jsonl", "--json");
		while (held.length === 0) await Bun.sleep(20);
		const list = (await (await send(service, "GET", "/v1/imports?limit=1")).json()) as {
			readonly data: readonly { id: string }[];
		};
		await send(service, "POST", `/v1/imports/${list.data[0]?.id}/cancel`);
		letGo();
		const first = await running;
		const missing = await linesOf("m.jsonl.missing.jsonl");
		const came = JSON.parse(first.out) as Came[];
		expect([first.exit, came.length + missing.length]).toEqual([3, 12]);
		expect(missing.every(({ why }) => String(why).includes("was cancelled"))).toBe(true);
		// Also where its list of what came is lost, so that it asks for the very same import.
		await rm(join(program.cwd, "m.jsonl.came.jsonl"));
		expect((await program.json<Came[]>("migrate", "m.jsonl")).length).toBe(12);
		expect((await from("/hold/cancelled")).length).toBe(12);
	}, 60_000);

	test("goes on when the command is interrupted, and the next one finds what it made", async () => {
		const lines = Array.from({ length: 6 }, (_, place) => ({ address: origin.url(`/hold/interrupted/${place}.png`) }));
		await write("n.jsonl", lines);
		isHolding = true;
		const profile = join(program.cwd, "profiles.json");
		const env = { SVC_PROFILE_FILE: profile };
		const interrupted = startProgram(["migrate", "n.jsonl"], { cwd: program.cwd, env });
		while (held.length === 0) await Bun.sleep(20);
		interrupted.kill("SIGINT");
		const { exit, err } = await ended(interrupted);
		expect([exit, err]).toEqual([130, expect.stringContaining("goes on")]);
		letGo();
		// What is said of a picture may have changed meanwhile: it is another call, and the same pictures.
		await write(
			"n.jsonl",
			lines.map((line) => ({ ...line, external_id: line.address })),
		);
		expect((await program.json<Came[]>("migrate", "n.jsonl")).length).toBe(6);
		expect((await from("/hold/interrupted")).length).toBe(6);
	}, 60_000);

	test("has all but what the service refuses, which is listed", async () => {
		const lines = [
			{ address: origin.url("/o/1.png") },
			{ address: "ftp://pics.example.com/2.png" },
			{ address: origin.url("/o/3.png"), ttl: "1s" },
			{ address: origin.url("/o/4.png"), external_id: " x" },
		];
		await write("o.jsonl", lines);
		const { exit, out } = await program.svc("migrate", "o.jsonl", "--json");
		expect([exit, (JSON.parse(out) as Came[]).map(({ line }) => line)]).toEqual([3, [1]]);
		const missing = await linesOf("o.jsonl.missing.jsonl");
		expect(missing.toSorted((one, other) => Number(one.line) - Number(other.line))).toMatchObject([
			{ line: 2, code: "validation_error", why: expect.stringContaining("url ") },
			{ line: 3, code: "validation_error", why: expect.stringContaining("ttl ") },
			{ line: 4, why: expect.stringContaining("external_id") },
		]);
	});
});
