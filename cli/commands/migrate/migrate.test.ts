import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FAKE_IMAGE, fakeService, refusal, type Sent } from "@svc/test/support/fake-service";
import { fakeWorld } from "@svc/test/support/fake-world";
import { run } from "../../kit/run.ts";

/* How a collection is cut into imports, and how a service is met that is full, away or refuses. */

let cwd = "";

beforeAll(async () => {
	cwd = await mkdtemp(join(tmpdir(), "svc-migrate-"));
});

afterAll(() => rm(cwd, { recursive: true }));

interface Item {
	readonly url: string;
	readonly external_id: string;
}

interface Import {
	readonly key: string | null;
	readonly items: readonly Item[];
	readonly bytes: number;
}

let imports: Import[] = [];

beforeEach(async () => {
	imports = [];
	for (const kind of ["came", "missing"]) await rm(join(cwd, `c.jsonl.${kind}.jsonl`), { force: true });
});

/** Imports that are done at once; a key is known for ever. */
function made({ method, path, headers, body }: Sent): Response | undefined {
	const url = new URL(path, "http://svc.test");
	if (method === "POST" && url.pathname === "/v1/imports") {
		const { items } = JSON.parse(String(body)) as { readonly items: readonly Item[] };
		const key = headers.get("idempotency-key");
		const known = imports.findIndex((one) => one.key === key);
		if (known < 0) imports.push({ key, items, bytes: String(body).length });
		const replayed = { "idempotent-replayed": "true" };
		return Response.json(job(known < 0 ? imports.length - 1 : known), { headers: known < 0 ? {} : replayed });
	}
	const [, number, isItems] = /^\/v1\/imports\/job_(\d+)(\/items)?$/.exec(url.pathname) ?? [];
	if (number === undefined) return imagesAt(url);
	return Response.json(
		isItems ? itemsOf(Number(number), Number(url.searchParams.get("cursor") ?? 0)) : job(Number(number)),
	);
}

function job(number: number): object {
	return {
		id: `job_${number}`,
		object: "job",
		kind: "import",
		state: "done",
		done: 1,
		total: 1,
		failure: null,
		result: null,
	};
}

function itemsOf(number: number, from: number): object {
	const items = imports[number]?.items ?? [];
	const data = items.slice(from, from + 100).map(({ url }, place) => {
		return {
			object: "import_item",
			index: from + place,
			url,
			state: "created",
			image_id: `img_${number}x${from + place}`,
			error: null,
		};
	});
	const next = from + 100 < items.length ? String(from + 100) : null;
	return { object: "list", data, pagination: { next_cursor: next } };
}

function imagesAt(url: URL): Response | undefined {
	const ids = url.searchParams.get("ids");
	if (url.pathname !== "/v1/images" || ids === null) return undefined;
	const data = ids.split(",").map((id) => ({ ...FAKE_IMAGE, id, url: `https://cdn.test/${id}` }));
	return Response.json({ object: "list", data, pagination: { next_cursor: null } });
}

async function migrate(
	lines: readonly object[],
	reply: (sent: Sent) => Response | undefined = made,
	...argv: string[]
) {
	await writeFile(join(cwd, "c.jsonl"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
	const world = fakeWorld({ fetch: fakeService(reply).fetch, cwd });
	const exit = await run(["migrate", "c.jsonl", "--json", ...argv], world);
	return {
		exit,
		came: JSON.parse(world.outText() || "[]") as readonly { line: number; url: string }[],
		err: world.errText(),
	};
}

const many = (count: number) =>
	Array.from({ length: count }, (_, place) => ({ address: `https://a.example/${place}.png` }));
const sizes = () => imports.map(({ items }) => items.length);

test("a collection comes in imports of a thousand, each picture once, with its new address", async () => {
	const { exit, came } = await migrate(many(2_345));
	expect([exit, sizes(), came.length]).toEqual([0, [1_000, 1_000, 345], 2_345]);
	expect(came.map(({ line }) => line)).toEqual(many(2_345).map((_, place) => place + 1));
	expect(came[1_234]?.url).toBe("https://cdn.test/img_1x234");
	expect(new Set(imports.flatMap(({ items }) => items.map(({ external_id: id }) => id))).size).toBe(2_345);
	expect((await migrate(many(2_345))).came).toEqual([]);
	expect(imports.length).toBe(3);
});

test("imports are no larger than the service takes", async () => {
	const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, place) => [`key ${place}`, "ü".repeat(1_000)]));
	const { exit } = await migrate(many(200).map((line) => ({ ...line, metadata })));
	expect(exit).toBe(0);
	expect(imports.length).toBeGreaterThan(2);
	expect(Math.max(...imports.map(({ bytes }) => bytes))).toBeLessThan(8_000_000);
});

test("what is left after a run that was cut off is asked for as it was before, so that nothing is asked for twice", async () => {
	await migrate(many(2_345));
	const before = imports.map(({ key }) => key);
	const path = join(cwd, "c.jsonl.came.jsonl");
	const lines = (await readFile(path, "utf8")).split("\n");
	const again = async (from: number, to: number) => {
		await writeFile(path, `${lines.slice(from, to).join("\n")}\n`);
		const { came } = await migrate(many(2_345));
		return {
			came: came.length,
			added: imports.slice(3).map(({ items }) => items.length),
			kept: imports.slice(0, 3).map(({ key }) => key),
		};
	};
	expect(await again(1_000, 2_000)).toEqual({ came: 1_345, added: [], kept: before });
	// Of the first one some had failed.
	expect(await again(0, 400)).toEqual({ came: 1_945, added: [600], kept: before });
});

test("another service, App or user has nothing of what came to this one", async () => {
	await migrate(many(2));
	const world = fakeWorld({
		fetch: fakeService(made).fetch,
		cwd,
		env: { SVC_API_KEY: "svc_sk_test_secret", SVC_BASE_URL: "http://other.test" },
	});
	expect(await run(["migrate", "c.jsonl", "--json"], world)).toBe(0);
	expect((JSON.parse(world.outText()) as unknown[]).length).toBe(2);
	expect((await migrate(many(2), made, "--user", "usr_1")).came.length).toBe(2);
	expect((await migrate(many(2))).came).toEqual([]);
});

test("a service that is full, away for a moment or limits its callers is waited for", async () => {
	const answers = [
		refusal(422, "validation_error", {
			details: { items: ["must wait: this App has 5 imports that are not finished"] },
		}),
		refusal(503, "app_context_unavailable"),
		refusal(429, "rate_limited", { action: { type: "wait", retry_after: 1 } }),
	];
	const { exit, came } = await migrate(
		many(3),
		(sent) => (sent.method === "POST" ? answers.shift() : undefined) ?? made(sent),
	);
	expect([exit, came.length, answers.length]).toEqual([0, 3, 0]);
});

test("what the service refuses is taken out, and the rest comes", async () => {
	const isBad = ({ url }: Item) => /\/[37]\.png$/.test(url);
	const reply = (sent: Sent) => {
		if (sent.method !== "POST") return made(sent);
		const { items } = JSON.parse(String(sent.body)) as { readonly items: readonly Item[] };
		const bad = items.flatMap((item, place) =>
			isBad(item) ? [[`items[${place}].url`, ["is not public"]] as const] : [],
		);
		// An answer names so many at the most.
		return bad.length === 0
			? made(sent)
			: refusal(422, "validation_error", { details: Object.fromEntries(bad.slice(0, 1)) });
	};
	const { exit, came, err } = await migrate(many(10), reply);
	expect([exit, came.map(({ line }) => line)]).toEqual([3, [1, 2, 3, 5, 6, 7, 9, 10]]);
	expect(err).toContain("is not public");
	const missing = (await readFile(join(cwd, "c.jsonl.missing.jsonl"), "utf8")).trim().split("\n");
	expect(missing.map((line) => (JSON.parse(line) as { line: number }).line)).toEqual([4, 8]);
});

test("a key that is refused ends it at once, and a run in which all came leaves no list of what is missing", async () => {
	const reply = (sent: Sent) => (sent.method === "POST" ? refusal(403, "forbidden") : made(sent));
	const { exit, came } = await migrate(many(3_500), reply);
	expect([exit, came]).toEqual([4, []]);
	expect((await migrate(many(2))).exit).toBe(0);
	expect(await readFile(join(cwd, "c.jsonl.missing.jsonl"), "utf8").catch(() => "none")).toBe("none");
});

test("what would come is shown without a service, and nothing is written", async () => {
	await writeFile(join(cwd, "c.jsonl"), '{"address":"https://a.example/1.png"}\n');
	const world = fakeWorld({ cwd, env: {} });
	expect(await run(["migrate", "c.jsonl", "--json", "--dry-run", "-q"], world)).toBe(0);
	expect(JSON.parse(world.outText())).toMatchObject([
		{ line: 1, external_id: "https://a.example/1.png", by: "service" },
	]);
	expect(await readFile(join(cwd, "c.jsonl.missing.jsonl"), "utf8").catch(() => "none")).toBe("none");
});
