import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Image } from "@svc/sdk/shapes";
import { type Origin, startOrigin } from "../support/origin.ts";
import { plain } from "../support/pictures.ts";
import { openProgram, type Program, startProgram } from "../support/program.ts";
import { send } from "../support/requests.ts";
import { type FakeS3, fakeS3 } from "../support/s3.ts";
import { s3ServerNote, startS3Server, withoutS3Server } from "../support/s3-server.ts";
import { type StartedService, startService } from "../support/service.ts";

/* A collection comes from a bucket. */

let service: StartedService;
let origin: Origin;
let bucket: FakeS3;
let program: Program;
let file: Buffer<ArrayBuffer>;

type Place = FakeS3["bucket"];

const envOf = ({ endpoint, region, accessKeyId, secretAccessKey }: Place) => ({
	AWS_ENDPOINT_URL_S3: endpoint,
	AWS_REGION: region,
	AWS_ACCESS_KEY_ID: accessKeyId,
	AWS_SECRET_ACCESS_KEY: secretAccessKey,
});

beforeAll(async () => {
	file = await plain(8, 6);
	origin = await startOrigin((_, response) => response.writeHead(200, { "Content-Type": "image/png" }).end(file));
});

afterAll(() => origin.stop());

beforeEach(async () => {
	service = await startService({ SVC_IMPORT_ALLOW: origin.host });
	bucket = await fakeS3({ pageObjects: 3 });
	program = await openProgram(service, { env: envOf(bucket.bucket) });
});

afterEach(async () => {
	await program.close();
	await service.stop();
	await bucket.close();
});

const NAMES = ["2019/a b+c(1)!*'.png", "2019/ünï/ñ & <b>.png", "%41%.png", "a//b.png", "plain", "z=1?x#y.png"];
const WRITTEN_MS = Date.UTC(2019, 4, 1, 10);

function fill(names: readonly string[]): void {
	for (const name of names) {
		bucket.objects.set(name, { body: file, writtenMs: WRITTEN_MS, headers: { "x-amz-meta-author": "Ann" } });
	}
}

interface Came {
	readonly line: number;
	readonly id: string;
	readonly external_id: string;
	readonly state: string;
}

async function images(of: StartedService = service): Promise<readonly Image[]> {
	const answer = await send(of, "GET", "/v1/images?limit=100");
	return ((await answer.json()) as { readonly data: readonly Image[] }).data;
}

async function missing(name: string): Promise<readonly Record<string, unknown>[]> {
	const text = await readFile(join(program.cwd, name), "utf8").catch(() => "");
	return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Record<string, unknown>]));
}

/** Objects that were asked for, and not lists of them. */
const askedFor = () => bucket.seen.filter(({ path }) => !path.includes("list-type"));

test("comes from a bucket with names, folders, dates and metadata, whatever the names are; what is no picture is listed", async () => {
	fill([...NAMES, "2019/", "notes.pdf", "folder/film.mp4"]);
	bucket.objects.set("empty.png", { body: Buffer.alloc(0), headers: {} });
	bucket.objects.set("text.png", { body: Buffer.from("this is no picture"), headers: {} });
	const { exit, out, err } = await program.svc("migrate", "s3://pictures", "--json");
	expect(exit).toBe(3);
	const came = JSON.parse(out) as Came[];
	expect(came.map(({ external_id: id }) => id).toSorted()).toEqual(NAMES.toSorted());
	const one = (await images()).find(({ external_id: id }) => id === NAMES[1]);
	expect(one).toMatchObject({
		published_at: "2019-05-01T10:00:00.000Z",
		labels: { folder: "2019/ünï" },
		metadata: { author: "Ann", source_url: `s3://pictures/${NAMES[1]}` },
		filename: "ñ & <b>.png",
	});
	expect((await missing("s3-pictures.missing.jsonl")).map(({ address, state }) => [address, state]).toSorted()).toEqual(
		[
			["s3://pictures/empty.png", "no_picture"],
			["s3://pictures/folder/film.mp4", "no_picture"],
			["s3://pictures/notes.pdf", "no_picture"],
			["s3://pictures/text.png", "failed"],
		],
	);
	const written = await Promise.all(
		(await readdir(program.cwd))
			.filter((name) => name.endsWith(".jsonl"))
			.map((name) => readFile(join(program.cwd, name), "utf8")),
	);
	const said = out + err + written.join();
	for (const secret of [bucket.bucket.secretAccessKey, bucket.bucket.accessKeyId, "Signature"])
		expect(said).not.toContain(secret);
	const before = askedFor().length;
	const again = await program.svc("migrate", "s3://pictures", "--json");
	expect(JSON.parse(again.out)).toEqual([]);
	// What came is not fetched again.
	expect(askedFor().length - before).toBe(1);
});

test("takes a folder, a number of pictures at a time, and goes on behind them", async () => {
	fill(["a/1.png", "a/2.png", "a/3.png", "b/4.png"]);
	const first = await program.json<Came[]>("migrate", "s3://pictures/a/", "--limit", "2");
	expect(first.map(({ external_id: id }) => id)).toEqual(["a/1.png", "a/2.png"]);
	const second = await program.json<Came[]>("migrate", "s3://pictures/a/", "--limit", "2", "--label", "album=x");
	// With other labels they are other pictures to the list, but the service knows them.
	expect(second.map(({ state }) => state)).toEqual(["there", "there"]);
	const third = await program.json<Came[]>("migrate", "s3://pictures/a/");
	expect(third.map(({ external_id: id }) => id)).toEqual(["a/3.png"]);
	expect((await images()).length).toBe(3);
});

test("lets the service fetch what a bucket shows to everybody", async () => {
	fill(["a/1 2.png", "a/3.png"]);
	const came = await program.json<Came[]>("migrate", "s3://pictures", "--public-url", origin.url("/files/"));
	expect(came.map(({ external_id: id }) => id)).toEqual(["a/1 2.png", "a/3.png"]);
	expect((await images()).map(({ metadata }) => metadata.source_url).toSorted()).toEqual(
		["/files/a/1%202.png", "/files/a/3.png"].map((path) => origin.url(path)),
	);
	expect(askedFor()).toEqual([]);
});

test("asks again where the bucket is busy or breaks off, and follows no redirect with its key", async () => {
	fill(["1.png", "2.png", "3.png", "4.png"]);
	bucket.fail("GET", { kind: "refuse", status: 503, code: "SlowDown" }, 1, /list-type/);
	bucket.fail("GET", { kind: "break-answer" }, 1, /2\.png/);
	bucket.fail("GET", { kind: "redirect", location: origin.url("/elsewhere.png") }, 1, /3\.png/);
	bucket.fail("GET", { kind: "refuse", status: 403, code: "InvalidObjectState" }, 1, /4\.png/);
	const before = origin.asked.length;
	const { exit, out } = await program.svc("migrate", "s3://pictures", "--json");
	expect(exit).toBe(3);
	expect((JSON.parse(out) as Came[]).map(({ external_id: id }) => id)).toEqual(["1.png", "2.png"]);
	expect(origin.asked.length).toBe(before);
	expect(await missing("s3-pictures.missing.jsonl")).toMatchObject([
		{ address: "s3://pictures/3.png" },
		{ address: "s3://pictures/4.png", why: expect.stringContaining("InvalidObjectState") },
	]);
	expect((await program.json<Came[]>("migrate", "s3://pictures")).length).toBe(2);
});

test("says what is wrong with keys, names and answers, without the keys", async () => {
	const run = async (env: Readonly<Record<string, string>>, ...argv: string[]) => {
		const other = await openProgram(service, { env });
		const { exit, err } = await other.svc("migrate", ...argv);
		await other.close();
		expect(err).not.toContain(bucket.bucket.secretAccessKey);
		return { exit, err };
	};
	const env = envOf(bucket.bucket);
	fill(["1.png"]);
	const { AWS_SECRET_ACCESS_KEY: _, ...incomplete } = env;
	expect(await run(incomplete, "s3://pictures")).toMatchObject({
		exit: 4,
		err: expect.stringContaining("AWS_SECRET_ACCESS_KEY"),
	});
	expect(await run({ ...env, AWS_ACCESS_KEY_ID: "AKWRONG" }, "s3://pictures")).toMatchObject({
		exit: 4,
		err: expect.stringContaining("InvalidAccessKeyId"),
	});
	expect(await run(env, "s3://other")).toMatchObject({ exit: 5, err: expect.stringContaining("NoSuchBucket") });
	expect((await run(env, "s3://")).exit).toBe(2);
	expect((await run(env, "s3://pictures", "--limit", "none")).exit).toBe(2);
	// A page of somebody else's.
	expect(await run({ ...env, AWS_ENDPOINT_URL_S3: origin.url("") }, "s3://pictures")).toMatchObject({
		exit: 1,
		err: expect.stringContaining("no list"),
	});
});

test("is listed where it is another picture than the one that has come under its name", async () => {
	fill(["1.png", "2.png"]);
	await program.json("migrate", "s3://pictures");
	bucket.objects.set("1.png", { body: await plain(9, 9), writtenMs: WRITTEN_MS + 1_000, headers: {} });
	const changed = await program.svc("migrate", "s3://pictures", "--json");
	expect([changed.exit, changed.out.trim()]).toEqual([1, "[]"]);
	// Another bucket of the same name, and another list of what came.
	const other = await openProgram(service, { env: envOf(bucket.bucket) });
	const { exit, out } = await other.svc("migrate", "s3://pictures", "--json");
	await other.close();
	expect([exit, (JSON.parse(out) as Came[]).map(({ external_id: id }) => id)]).toEqual([3, ["2.png"]]);
	expect(await missing("s3-pictures.missing.jsonl")).toMatchObject([
		{ external_id: "1.png", why: expect.stringContaining("another file") },
	]);
	expect((await images()).length).toBe(2);
});

test("comes once when the command is killed in the middle and run again", async () => {
	fill(Array.from({ length: 24 }, (_, place) => `${String(place).padStart(2, "0")}.png`));
	bucket.fail("GET", { kind: "silence" }, 1, /13\.png/);
	const profile = join(program.cwd, "profiles.json");
	const env = { SVC_PROFILE_FILE: profile, ...envOf(bucket.bucket) };
	const killed = startProgram(["migrate", "s3://pictures", "--json"], { cwd: program.cwd, env });
	while (!bucket.seen.some(({ path }) => path.includes("13.png"))) await Bun.sleep(10);
	killed.kill("SIGKILL");
	await killed.exited;
	// As if it had been killed before it wrote down the last ones.
	const path = join(program.cwd, "s3-pictures.came.jsonl");
	const lines = (await readFile(path, "utf8").catch(() => "")).split("\n").slice(0, 5);
	await rm(path, { force: true });
	await writeFile(path, lines.join("\n"));
	await program.json("migrate", "s3://pictures");
	const there = await images();
	expect(there.length).toBe(24);
	expect(new Set(there.map(({ external_id: id }) => id)).size).toBe(24);
});

test.skipIf(withoutS3Server)(`comes from a real S3 server${s3ServerNote}`, async () => {
	await using server = await startS3Server();
	const names = ["2019/a b+c(1)!.png", "2019/ünï/ñ.png", "%41.png", "plain"];
	const { bucket: name, ...access } = server.bucket;
	const client = new Bun.S3Client({ ...access, bucket: name });
	for (const key of names) await client.write(key, file);
	const other = await openProgram(service, { env: envOf(server.bucket) });
	try {
		const came = await other.json<Came[]>("migrate", "s3://pictures");
		expect(came.map(({ external_id: id }) => id).toSorted()).toEqual(names.toSorted());
		expect(await other.json<Came[]>("migrate", "s3://pictures")).toEqual([]);
		const [one] = (await images()).filter(({ external_id: id }) => id === "plain");
		expect(one?.metadata).toEqual({ source_url: "s3://pictures/plain" });
	} finally {
		await other.close();
	}
});
