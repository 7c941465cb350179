import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Image } from "@svc/sdk/shapes";
import { type Origin, startOrigin } from "../support/origin.ts";
import { plain } from "../support/pictures.ts";
import {
	type Asked,
	cloudflare,
	cloudinary,
	type Place,
	SECRET,
	startPlace,
	supabase,
	uploadcare,
} from "../support/places.ts";
import { openProgram, type Program } from "../support/program.ts";
import { send } from "../support/requests.ts";
import { type StartedService, startService } from "../support/service.ts";

/* Collections come from other services, as their public documentation says that they answer. */

let service: StartedService;
/** Shows pictures to everybody. */
let origin: Origin;
let file: Buffer<ArrayBuffer>;

beforeAll(async () => {
	file = await plain(8, 6);
	origin = await startOrigin((_, response) => response.writeHead(200, { "Content-Type": "image/png" }).end(file));
});

afterAll(() => origin.stop());

type Answers = Parameters<typeof startPlace>[0];

interface Case {
	readonly title: string;
	answers(): Answers;
	argv(place: Place): readonly string[];
	env(place: Place, secret?: string): Readonly<Record<string, string>>;
	/** Of a page of its list. */
	readonly list: RegExp;
	readonly images: readonly object[];
	/** What is no picture. */
	readonly passedOver: number;
}

const url = (path: string) => expect.stringContaining(path);

const CASES: readonly Case[] = [
	{
		title: "Cloudinary",
		answers: () => cloudinary(file, origin.url("")),
		argv: ({ origin: at }) => ["cloudinary", "--endpoint", at],
		env: (_, secret = SECRET) => ({ CLOUDINARY_URL: `cloudinary://12345:${encodeURIComponent(secret)}@demo` }),
		list: /resources\/image\/upload/,
		passedOver: 1,
		images: [
			{
				external_id: "animals/cat",
				caption: "A cat that sleeps",
				published_at: "2019-10-13T15:05:39.000Z",
				labels: { folder: "animals", "tag.wild-cat": "Wild Cat", "tag.ete": "été", "tag.a810bf84": "猫" },
				metadata: {
					alt: "A cat that sleeps",
					photographer: "Ann",
					sku: "17",
					sizes: '["s","m"]',
					source_url: url("/animals/cat.png"),
				},
			},
			{ external_id: "dog", labels: {}, metadata: { source_url: url("/dog.png") } },
			{
				external_id: "hidden",
				filename: "hidden.png",
				metadata: { source_url: url("/image/private/v1570979139/hidden.png") },
			},
		],
	},
	{
		title: "Cloudflare Images",
		answers: () => cloudflare(file),
		argv: ({ origin: at }) => ["cloudflare-images", "--endpoint", at],
		env: (_, secret = SECRET) => ({ CLOUDFLARE_API_TOKEN: secret, CLOUDFLARE_ACCOUNT_ID: "abc123" }),
		list: /images\/v2/,
		passedOver: 0,
		images: [
			{
				external_id: "107b9558-dd06-4bbd-5fef-9c2c16bb7900",
				metadata: {
					creator: "ann@example.com",
					source_url: "cloudflare-images://107b9558-dd06-4bbd-5fef-9c2c16bb7900",
				},
			},
			{
				external_id: "cats/1",
				filename: "cat.png",
				published_at: "2014-01-02T02:20:00.123Z",
				metadata: { key: "value", stars: "5", creator: "ann@example.com", source_url: "cloudflare-images://cats/1" },
			},
		],
	},
	{
		title: "Supabase Storage, from a bucket that nobody sees",
		answers: () => supabase(file, false),
		argv: () => ["supabase:avatars"],
		env: ({ origin: at }, secret = SECRET) => ({ SUPABASE_URL: at, SUPABASE_SERVICE_ROLE_KEY: secret }),
		list: /object\/list/,
		passedOver: 1,
		images: [
			{
				external_id: "2021/summer, in the sun/ü.png",
				filename: "ü.png",
				published_at: "2021-04-06T16:30:35.394Z",
				labels: {},
			},
			{ external_id: "a b.png", metadata: { source_url: "supabase://avatars/a b.png" } },
		],
	},
	{
		title: "Uploadcare",
		answers: () => uploadcare(origin.url("")),
		argv: ({ origin: at }) => ["uploadcare", "--endpoint", at],
		env: (_, secret = SECRET) => ({ UPLOADCARE_PUBLIC_KEY: "demopublickey", UPLOADCARE_SECRET_KEY: secret }),
		list: /files\//,
		passedOver: 1,
		images: [
			{ external_id: "21975c81-7f57-4c7a-aef9-acfe28779f78", filename: "pear.png" },
			{
				external_id: "3c269810-c17b-4e2c-92b6-25622464d866",
				filename: "papaya.png",
				published_at: "2018-11-26T12:49:09.945Z",
				metadata: {
					subsystem: "uploader",
					pet: "cat",
					original_filename: "papaya.png",
					source_url: url("/papaya.png"),
				},
			},
		],
	},
];

for (const one of CASES) {
	describe(one.title, () => {
		let place: Place;
		let program: Program;

		beforeAll(async () => {
			service = await startService({ SVC_IMPORT_ALLOW: origin.host });
			place = await startPlace(one.answers());
			program = await openProgram(service, { env: one.env(place) });
		});

		afterAll(async () => {
			await program.close();
			await place[Symbol.asyncDispose]();
			await service.stop();
		});

		beforeEach(async () => {
			for (const name of await lists(program)) await rm(join(program.cwd, name));
		});

		test("comes whole, page by page, with what was said of it, and no key is anywhere", async () => {
			const { exit, out, err } = await program.svc("migrate", ...one.argv(place), "--json");
			expect([exit, err]).toEqual([0, ""]);
			expect(JSON.parse(out)).toHaveLength(one.images.length);
			expect(await images()).toMatchObject([...one.images]);
			const missing = (await read(program, ".missing.jsonl")).map(({ state }) => state);
			expect(missing.filter((state) => state === "no_picture")).toHaveLength(one.passedOver);
			const text =
				out +
				err +
				JSON.stringify(
					await Promise.all((await lists(program)).map((name) => readFile(join(program.cwd, name), "utf8"))),
				);
			expect(text).not.toContain(SECRET);
			const again = await program.json<unknown[]>("migrate", ...one.argv(place));
			expect(again).toEqual([]);
		});

		test("waits where it is asked to, and finds what is there when its own list is lost", async () => {
			place.next(one.list, { status: 429, headers: { "Retry-After": "1" }, body: { error: "too many requests" } });
			// Longer than the service remembers a key.
			service.clock.advance(3 * 86_400_000);
			const again = await program.json<{ state: string }[]>("migrate", ...one.argv(place));
			expect(again.map(({ state }) => state)).toEqual(one.images.map(() => "there"));
			expect((await images()).length).toBe(one.images.length);
		});

		test("names the variables of a key that is missing or wrong, and never the key", async () => {
			const variables = Object.keys(one.env(place));
			const wrong = await openProgram(service, { env: one.env(place, `${SECRET}x`) });
			const none = await openProgram(service);
			for (const other of [wrong, none]) {
				const { exit, err } = await other.svc("migrate", ...one.argv(place));
				expect(exit).toBe(4);
				expect(variables.filter((name) => !err.includes(name))).toEqual([]);
				expect(err).not.toContain(SECRET);
				await other.close();
			}
		});

		test("ends with an error where it is answered with what is no list", async () => {
			for (const body of [
				"<html>Sign in</html>",
				"{",
				"[]",
				{ resources: 1, results: 1, result: { images: 1 } },
				"null",
			]) {
				if (one.list.source.includes("object") && body === "[]") continue;
				place.next(one.list, { body });
				const { exit, err } = await program.svc("migrate", ...one.argv(place));
				expect([exit, err]).toEqual([1, expect.stringContaining("no list of pictures")]);
			}
		});
	});
}

async function images(): Promise<readonly Image[]> {
	const answer = await send(service, "GET", "/v1/images?limit=100");
	const { data } = (await answer.json()) as { readonly data: readonly Image[] };
	return data.toSorted((one, other) => (String(one.external_id) < String(other.external_id) ? -1 : 1));
}

async function lists({ cwd }: Program): Promise<readonly string[]> {
	return (await readdir(cwd)).filter((name) => name.endsWith(".jsonl"));
}

async function read(program: Program, ending: string): Promise<readonly Record<string, unknown>[]> {
	const [name] = (await lists(program)).filter((one) => one.endsWith(ending));
	if (name === undefined) return [];
	const text = await readFile(join(program.cwd, name), "utf8");
	return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Record<string, unknown>]));
}

/** A place and its program, for a test of its own. */
async function open(answers: (asked: Asked) => ReturnType<Answers>, env: Readonly<Record<string, string>> = {}) {
	service = await startService({ SVC_IMPORT_ALLOW: origin.host });
	const place = await startPlace(answers);
	const program = await openProgram(service, { env: { ...env, SUPABASE_URL: place.origin } });
	return {
		place,
		program,
		async [Symbol.asyncDispose]() {
			await program.close();
			await place[Symbol.asyncDispose]();
			await service.stop();
		},
	};
}

const UPLOADCARE = { UPLOADCARE_PUBLIC_KEY: "demopublickey", UPLOADCARE_SECRET_KEY: SECRET };

test("a list that leads elsewhere gets no key there, and one that goes round ends", async () => {
	await using elsewhere = await startPlace(() => ({ body: {} }));
	await using opened = await open(() => ({ body: { next: `${elsewhere.origin}/files/`, results: [] } }), UPLOADCARE);
	const { program, place } = opened;
	const argv = ["migrate", "uploadcare", "--endpoint", place.origin];
	expect((await program.svc(...argv)).exit).toBe(1);
	expect(elsewhere.asked).toEqual([]);
	place.next(/files/, { body: { next: `${place.origin}/files/?limit=1000&ordering=datetime_uploaded`, results: [] } });
	expect((await program.svc(...argv)).exit).toBe(1);
	place.next(/files/, { status: 302, headers: { Location: `${elsewhere.origin}/files/` }, body: "" });
	expect((await program.svc(...argv)).exit).toBe(1);
	expect(elsewhere.asked).toEqual([]);
});

test("entries without what they should have are listed, and keep no other from coming", async () => {
	const good = {
		uuid: "1",
		original_filename: "a.png",
		original_file_url: origin.url("/a.png"),
		metadata: "x",
		tags: 7,
	};
	const bad = [
		null,
		7,
		{},
		{ uuid: "2", original_file_url: "javascript:alert(1)" },
		{ uuid: "3", original_file_url: null },
	];
	await using opened = await open(() => ({ body: { next: null, results: [...bad, good] } }), UPLOADCARE);
	const { program, place } = opened;
	const { exit, out } = await program.svc("migrate", "uploadcare", "--endpoint", place.origin, "--json");
	expect([exit, (JSON.parse(out) as unknown[]).length]).toEqual([3, 1]);
	expect((await read(program, ".missing.jsonl")).map(({ line }) => line)).toEqual([1, 2, 3, 4, 5]);
});

test("a public bucket of Supabase is fetched by the service, by the command where the service cannot reach it, and only its folder where one is named", async () => {
	await using opened = await open(supabase(file, true), { SUPABASE_SECRET_KEY: SECRET });
	const { program, place } = opened;
	const planned = await program.json<{ by: string; address: string }[]>(
		"migrate",
		"supabase:avatars",
		"--dry-run",
		"-q",
	);
	expect(planned.map(({ by, address }) => ({ by, address }))).toEqual([
		{
			by: "service",
			address: `${place.origin}/storage/v1/object/public/avatars/2021/summer%2C%20in%20the%20sun/%C3%BC.png`,
		},
		{ by: "service", address: `${place.origin}/storage/v1/object/public/avatars/a%20b.png` },
	]);
	// The service fetches nothing from this machine.
	expect((await program.svc("migrate", "supabase:avatars")).exit).not.toBe(0);
	const came = await program.json<{ external_id: string }[]>("migrate", "supabase:avatars/2021/", "--download");
	expect(came.map(({ external_id: id }) => id)).toEqual(["2021/summer, in the sun/ü.png"]);
});

test("what there is no room for is said, and does not keep the picture from coming", async () => {
	const metadata = { long: "x".repeat(2_000), fine: "y", ["k".repeat(80)]: "z" };
	const tags = Array.from({ length: 30 }, (_, place) => `tag ${place}`);
	const one = {
		uuid: "x".repeat(300),
		original_filename: "a.png",
		original_file_url: origin.url("/a.png"),
		metadata,
		tags,
	};
	await using opened = await open(() => ({ body: { next: null, results: [one] } }), UPLOADCARE);
	const { program, place } = opened;
	const [came] = await program.json<{ external_id: string }[]>("migrate", "uploadcare", "--endpoint", place.origin);
	expect(came?.external_id).toMatch(/^sha256:[0-9a-f]{64}$/);
	const [image] = await images();
	expect([Object.keys(image?.labels ?? {}).length, image?.metadata.fine]).toEqual([20, "y"]);
	const [missing] = await read(program, ".missing.jsonl");
	expect(missing).toMatchObject({ line: 1, state: "in_part" });
	expect(missing?.left_out).toHaveLength(12);
});

test("the secret of Cloudinary is not taken from a command line, and flags that a place does not have are refused", async () => {
	await using opened = await open(() => ({ body: {} }));
	const { program } = opened;
	for (const argv of [
		[`cloudinary://1:${SECRET}@demo`],
		["uploadcare", "--public-url", "https://a.example"],
		["collection.csv", "--endpoint", "https://a.example"],
		["supabase:"],
	]) {
		const { exit, err } = await program.svc("migrate", ...argv);
		expect(exit).toBe(2);
		expect(err).not.toContain(SECRET);
	}
});
