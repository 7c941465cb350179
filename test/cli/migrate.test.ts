import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LegacyImage } from "@svc/sdk/types";
import { type Origin, startOrigin } from "../support/origin.ts";
import { plain } from "../support/pictures.ts";
import { openProgram, type Program } from "../support/program.ts";
import { send } from "../support/requests.ts";
import { type StartedService, startService } from "../support/service.ts";

/* A collection of another service comes by a manifest, into the interface that has a visibility. */

let origin: Origin;
let service: StartedService;
let program: Program;
let broken = true;

beforeAll(async () => {
	const file = await plain(8, 6);
	origin = await startOrigin((request, response) => {
		const isGone = request.url?.startsWith("/gone") || (request.url?.startsWith("/later") && broken);
		response.writeHead(isGone ? 404 : 200, { "Content-Type": "image/png" }).end(isGone ? "" : file);
	});
	service = await startService({ SVC_IMPORT_ALLOW: origin.host, SVC_VARIANT: "transition" });
	program = await openProgram(service);
});

afterAll(async () => {
	await program.close();
	await service.stop();
	origin.stop();
});

interface Came {
	readonly line: number;
	readonly id: string;
}

const write = (name: string, text: string) => writeFile(join(program.cwd, name), text);

async function images(): Promise<readonly LegacyImage[]> {
	const answer = await send(service, "GET", "/v1/images?limit=100");
	return ((await answer.json()) as { readonly data: readonly LegacyImage[] }).data;
}

test("brings addresses with their dates, labels and visibility; names what does not come; goes on where it was, for good", async () => {
	const lines = [
		{
			address: origin.url("/a.png"),
			date: "2009-05-01T10:00:00Z",
			caption: "A",
			visibility: "public",
			labels: { album: "x" },
		},
		{ address: origin.url("/b.png"), visibility: "private", metadata: { author: "Ann" } },
		{ address: origin.url("/gone.png") },
		{ address: origin.url("/later.png") },
	];
	await write("collection.jsonl", `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
	const planned = await program.json<{ line: number }[]>("migrate", "collection.jsonl", "--dry-run", "-q");
	expect([planned.map(({ line }) => line), (await images()).length]).toEqual([[1, 2, 3, 4], 0]);
	const first = await program.svc("migrate", "collection.jsonl", "--json");
	expect(first.exit).toBe(3);
	expect((JSON.parse(first.out) as Came[]).map(({ line }) => line)).toEqual([1, 2]);
	expect(first.err).toContain("line 3");
	expect(first.err).toContain("line 4");
	expect(
		(await images()).map(({ caption, public: shown, labels, metadata }) => ({ caption, shown, labels, metadata })),
	).toEqual([
		{ caption: "", shown: false, labels: {}, metadata: { author: "Ann", source_url: origin.url("/b.png") } },
		{ caption: "A", shown: true, labels: { album: "x" }, metadata: { source_url: origin.url("/a.png") } },
	]);
	expect((await images())[1]?.published_at).toBe("2009-05-01T10:00:00.000Z");
	broken = false;
	// Longer than the service remembers a key.
	service.clock.advance(3 * 86_400_000);
	const second = await program.svc("migrate", "collection.jsonl", "--json");
	expect((JSON.parse(second.out) as Came[]).map(({ line }) => line)).toEqual([4]);
	// Without its report it is the service that knows, for a day.
	await rm(join(program.cwd, "collection.jsonl.came.jsonl"));
	await write("collection.jsonl", `${JSON.stringify(lines[3])}\n`);
	const [again] = await program.json<Came[]>("migrate", "collection.jsonl");
	const [before] = JSON.parse(second.out) as Came[];
	expect(again?.id).toBe(String(before?.id));
	expect((await images()).length).toBe(3);
});

test("reads CSV with quotes, and columns for labels", async () => {
	const header = "address,date,caption,visibility,label.album,label.place,metadata.author";
	const rows = [
		`${origin.url("/c.png")},2001-01-01,"Two, ""three""\nlines",public,y,,Bo`,
		`${origin.url("/d.png")},,,,,Rome,`,
	];
	await write("collection.csv", `${header}\r\n${rows.join("\r\n")}\r\n`);
	const came = await program.json<Came[]>("migrate", "collection.csv");
	expect(came.map(({ line }) => line)).toEqual([2, 4]);
	const one = (await (await send(service, "GET", `/v1/images/${came[0]?.id}`)).json()) as LegacyImage;
	expect(one).toMatchObject({
		caption: 'Two, "three"\nlines',
		public: true,
		labels: { album: "y" },
		metadata: { author: "Bo" },
		published_at: "2001-01-01T00:00:00.000Z",
	});
	expect((await readFile(join(program.cwd, "collection.csv.came.jsonl"), "utf8")).split("\n").length).toBe(3);
});

test("sends nothing when a line cannot be understood, and names each", async () => {
	const wrong = [
		"{",
		"[]",
		'{"date":"x"}',
		'{"address":"x"}',
		'{"address":"https://a.example/a.png","visibility":"hidden"}',
	];
	const more = [
		'{"address":"https://a.example/a.png","tags":["x"]}',
		'{"address":"https://a.example/a.png","labels":{"a":1}}',
	];
	await write("wrong.jsonl", [`{"address":"${origin.url("/e.png")}"}`, ...wrong, ...more].join("\n"));
	const before = (await images()).length;
	const { exit, err } = await program.svc("migrate", "wrong.jsonl");
	expect(exit).toBe(2);
	for (let line = 2; line <= 8; line++) expect(err).toContain(`line ${line} `);
	expect((await images()).length).toBe(before);
});
