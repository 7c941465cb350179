import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXIT, Interrupted } from "@svc/base/processes/exit";
import { FAKE_IMAGE, fakeService, refusal, type Sent } from "@svc/test/support/fake-service";
import { fakeWorld } from "@svc/test/support/fake-world";
import { run } from "../../kit/run.ts";

let cwd = "";

beforeAll(async () => {
	cwd = await mkdtemp(join(tmpdir(), "svc-images-"));
	await Promise.all(["a.png", "b.png", "c.png", "bad.png"].map((name) => writeFile(join(cwd, name), name)));
});

afterAll(async () => {
	await rm(cwd, { recursive: true });
});

type Options = Omit<NonNullable<Parameters<typeof fakeWorld>[0]>, "fetch" | "cwd">;

async function svc(argv: readonly string[], reply?: (sent: Sent) => Response | undefined, options: Options = {}) {
	const service = fakeService(reply);
	const world = fakeWorld({ ...options, fetch: service.fetch, cwd });
	const exit = await run(argv, world);
	return { exit, out: world.outText(), err: world.errText(), sent: service.sent };
}

function nameOf(sent: Sent): string | undefined {
	const file = sent.body instanceof FormData ? sent.body.get("file") : undefined;
	return file instanceof File ? file.name : undefined;
}

function keyOf(sent: Sent | undefined): string {
	return sent?.headers.get("idempotency-key") ?? "";
}

test("an upload that is interrupted says what is stored, and how to go on [upload.interrupted]", async () => {
	const interrupt = new AbortController();
	const stopAtLast = (sent: Sent) => {
		if (nameOf(sent) === "c.png") interrupt.abort(new Interrupted());
		return undefined;
	};
	const options = { signal: interrupt.signal };
	const told = await svc(["images", "upload", "a.png", "b.png", "c.png", "--json"], stopAtLast, options);
	expect(told.exit).toBe(EXIT.interrupted);
	expect(JSON.parse(told.err)).toMatchObject({
		error: {
			message: expect.stringMatching(/^Interrupted\. [0-3] of 3 files are stored, and perhaps those on their way\.$/),
			next: "Go on within a day with the same command: what is stored is not uploaded twice.",
		},
	});
});

const refuseBad = (sent: Sent) => (nameOf(sent) === "bad.png" ? refusal(422, "validation_error") : undefined);

describe("upload", () => {
	test("the same file with the same options has the same key, whatever the order of labels; any change makes another [upload.key]", async () => {
		const key = async (...argv: string[]) => keyOf((await svc(["images", "upload", ...argv])).sent[0]);
		const first = await key("a.png", "--label", "x=1", "--label", "y=2");
		expect(first).toMatch(/^svc-cli-[0-9a-f]{40}$/);
		expect(await key("a.png", "--label", "y=2", "--label", "x=1")).toBe(first);
		const others = await Promise.all([
			key("a.png"),
			key("b.png", "--label", "x=1", "--label", "y=2"),
			key("a.png", "--label", "x=1", "--label", "y=2", "--caption", "c"),
			key("a.png", "--label", "x=1", "--label", "y=2", "--filename", "z.png"),
			key("a.png", "--label", "x=1", "--label", "y=2", "--user", "usr_1"),
		]);
		expect(new Set([first, ...others]).size).toBe(6);
	});

	test("a picture that was deleted meanwhile is uploaded anew, under a key that is deterministic too [upload.again]", async () => {
		const gone = new Set<string>();
		const reply = (sent: Sent) => (gone.has(keyOf(sent)) ? refusal(409, "idempotency_recovery_conflict") : undefined);
		const first = await svc(["images", "upload", "a.png"], reply);
		gone.add(keyOf(first.sent[0]));
		const second = await svc(["images", "upload", "a.png"], reply);
		const third = await svc(["images", "upload", "a.png"], reply);
		expect([second.exit, second.sent.length]).toEqual([EXIT.ok, 2]);
		expect(third.sent.map(keyOf)).toEqual(second.sent.map(keyOf));
	});

	test("a repeated upload says that it was there before [upload.replayed]", async () => {
		const reply = () => Response.json(FAKE_IMAGE, { headers: { "idempotent-replayed": "true" } });
		expect((await svc(["images", "upload", "a.png"], reply)).err).toBe("a.png: was uploaded before, as img_1\n");
	});

	test("one bad file does not stop the others: exit 3, data in order, one report [upload.partly]", async () => {
		const { exit, out, err, sent } = await svc(
			["images", "upload", "a.png", "bad.png", "missing.png", "c.png"],
			refuseBad,
		);
		expect([exit, sent.length]).toEqual([EXIT.partly, 3]);
		expect(out.trimEnd().split("\n")).toHaveLength(2);
		expect(err).toContain("error: bad.png: It was validation_error.\n");
		expect(err).toContain("  request: req_9\n");
		expect(err).toContain("error: missing.png: There is no such file.\n");
		expect(err).toContain("Run the same command again");
	});

	test("when everything fails alike, the exit is that failure's own [upload.none]", async () => {
		expect((await svc(["images", "upload", "bad.png"], refuseBad)).exit).toBe(EXIT.failed);
		const denied = () => refusal(403, "forbidden");
		const { exit, sent, err } = await svc(
			["images", "upload", "a.png", "b.png", "c.png", "bad.png", "a.png", "b.png"],
			denied,
		);
		expect(exit).toBe(EXIT.auth);
		expect(sent.length).toBeLessThan(6);
		expect(err).toContain("more were not tried.");
		expect(err.match(/next:/g)).toHaveLength(1);
	});

	test("each failure is one line of JSON that names its file [upload.errors-json]", async () => {
		const { out, err } = await svc(["images", "upload", "a.png", "bad.png", "--json", "-q"], refuseBad);
		expect(JSON.parse(out)).toHaveLength(1);
		expect(JSON.parse(err).error).toMatchObject({ code: "validation_error", item: "bad.png", request_id: "req_9" });
	});

	test("a person sees progress and a rate, a pipe does not [upload.progress]", async () => {
		const watched = await svc(["images", "upload", "a.png", "b.png"], undefined, { isTerminal: true });
		expect(watched.err).toContain("2/2 · 10 B of 10 B");
		expect((await svc(["images", "upload", "a.png", "b.png"])).err).toBe("");
	});

	test("nothing is sent, and the keys are those that would be [upload.dry-run]", async () => {
		const dry = await svc(["images", "upload", "a.png", "--dry-run", "-o", "jsonl"]);
		const wet = await svc(["images", "upload", "a.png"]);
		expect(dry.sent).toHaveLength(0);
		expect(JSON.parse(dry.out)).toEqual({ file: "a.png", bytes: 5, idempotency_key: keyOf(wet.sent[0]) });
	});

	test("a file that is not there, a broken pair and one name for two files are refused before anything is sent [upload.usage]", async () => {
		expect((await svc(["images", "upload", "nothing.png"])).exit).toBe(EXIT.failed);
		expect((await svc(["images", "upload", "a.png", "--label", "x"])).exit).toBe(EXIT.usage);
		expect((await svc(["images", "upload", "a.png", "--label", "x=1", "--label", "x=2"])).exit).toBe(EXIT.usage);
		expect((await svc(["images", "upload", "a.png", "b.png", "--filename", "z.png"])).exit).toBe(EXIT.usage);
	});
});

describe("delete", () => {
	test("asks on a terminal and only a yes deletes [delete.ask]", async () => {
		const answered = (answer: string, ...more: string[]) =>
			svc(["images", "delete", "img_1", ...more], undefined, { isTerminal: true, answer });
		expect((await answered("")).sent).toHaveLength(0);
		expect((await answered("n")).exit).toBe(EXIT.failed);
		const yes = await answered("y");
		expect([yes.exit, yes.sent[0]?.method, yes.sent[0]?.path]).toEqual([EXIT.ok, "DELETE", "/v1/images/img_1"]);
		expect(yes.err).toContain("Delete image img_1? [y/N]");
		expect((await answered("n", "--permanent")).err).toContain("Delete image img_1 for good? [y/N]");
	});

	test("where nobody can be asked, the flag is named and nothing is sent [delete.no-ask]", async () => {
		const pipe = await svc(["images", "delete", "img_1"]);
		const silent = await svc(["images", "delete", "img_1", "--no-input"], undefined, { isTerminal: true });
		for (const { exit, sent, err } of [pipe, silent]) {
			expect([exit, sent.length]).toEqual([EXIT.usage, 0]);
			expect(err).toContain("Add --yes.");
		}
	});

	test("what is gone already is reported, the rest deleted; duplicates are sent once [delete.partly]", async () => {
		const reply = (sent: Sent) => (sent.path.endsWith("img_2") ? refusal(404, "not_found") : undefined);
		const { exit, out, err } = await svc(["images", "delete", "img_1", "img_2", "img_1", "--yes"], reply);
		expect([exit, out]).toEqual([EXIT.partly, "img_1\ttrue\n"]);
		expect(err).toContain("error: img_2: It was not_found.");
		expect((await svc(["images", "delete", "img_2", "--yes"], reply)).exit).toBe(EXIT.missing);
	});
});

describe("list", () => {
	const endless = ({ path }: Sent) => {
		const { searchParams } = new URL(path, "http://x");
		const data = Array.from({ length: Number(searchParams.get("limit")) }, (_, index) => ({
			...FAKE_IMAGE,
			id: `${index}`,
		}));
		return Response.json({ object: "list", data, pagination: { has_more: true, next_cursor: "next", next_url: null } });
	};

	test("a limit above a page is several pages, and what is left is told [list.limit]", async () => {
		const { out, err, sent } = await svc(["images", "list", "--limit", "130"], endless);
		expect(out.trimEnd().split("\n")).toHaveLength(130);
		expect(sent.map(({ path }) => path)).toEqual(["/v1/images?limit=100", "/v1/images?limit=30&cursor=next"]);
		expect(err).toBe("There are more: --all, or --cursor next\n");
	});

	test("wrong limits and filters are refused before anything is sent [list.usage]", async () => {
		for (const argv of [
			["--limit", "0"],
			["--limit", "x"],
			["--limit", "5", "--all"],
			["--label", "x"],
			["--label", "="],
		]) {
			const { exit, sent } = await svc(["images", "list", ...argv]);
			expect([argv, exit, sent.length]).toEqual([argv, EXIT.usage, 0]);
		}
	});

	test("a pipe gets the promised columns [list.tsv]", async () => {
		const { out } = await svc(["images", "list"]);
		expect(out.split("\n")[0]).toBe(
			"img_1\tcat.png\tpng\t3x2\t70\t2026-01-01T00:00:00.000Z\thttp://cdn.test/t/img_1.png\talbum=pets,a.b=dotted",
		);
	});
});

describe("api", () => {
	test("the body comes from the line, a file or standard input; an empty input is an error [api.body]", async () => {
		await writeFile(join(cwd, "body.json"), '{"caption":"file"}');
		const patch = (source: string, input?: string) =>
			svc(["api", "PATCH", "/v1/images/img_1", "--data", source], undefined, input === undefined ? {} : { input });
		const sources: [string, string | undefined][] = [
			['{"caption":"line"}', undefined],
			["@body.json", undefined],
			["@-", '{"caption":"stdin"}'],
		];
		const bodies = await Promise.all(
			sources.map(async ([source, input]) => (await patch(source, input)).sent[0]?.body),
		);
		expect(bodies).toEqual(['{"caption":"line"}', '{"caption":"file"}', '{"caption":"stdin"}']);
		expect((await patch("@-", "")).exit).toBe(EXIT.usage);
		expect((await patch("nope")).exit).toBe(EXIT.usage);
		expect((await patch("@missing")).exit).toBe(EXIT.failed);
	});

	test("the key goes to its own address only [api.address]", async () => {
		const { exit, sent } = await svc(["api", "GET", "https://evil.test/v1/key"]);
		expect([exit, sent.length]).toEqual([EXIT.usage, 0]);
		expect((await svc(["api", "FETCH", "/v1/key"])).exit).toBe(EXIT.usage);
	});

	test("207 exits 3 [api.partly]", async () => {
		const reply = () => Response.json({ object: "batch_result", data: [], errors: [{}] }, { status: 207 });
		expect((await svc(["api", "DELETE", "/v1/images/batch", "--data", '{"ids":["x"]}'], reply)).exit).toBe(EXIT.partly);
	});

	test("JSON Lines takes a list apart, a field is printed alone [api.items]", async () => {
		expect((await svc(["api", "GET", "/v1/images", "-o", "jsonl", "--field", "id"])).out).toBe('"img_1"\n"img_2"\n');
		expect((await svc(["api", "get", "/v1/key", "--field", "app.name"])).out).toBe("My first App\n");
	});
});

describe("url and download", () => {
	const address = FAKE_IMAGE.url;

	test("the address has what was asked for, in the order of the reference; what the service would ignore is refused [images.url]", async () => {
		const { exit, out } = await svc(["images", "url", "img_1", "q=high", "w=400", "focus=0.25,0.5", "lossless=true"]);
		expect([exit, out.trim()]).toEqual([EXIT.ok, `${address}?w=400&focus=0.25%2C0.5&q=high&lossless=true`]);
		for (const wrong of ["w=0", "w=wide", "width=400", "crop=1,2,3", "w="]) {
			const refused = await svc(["images", "url", "img_1", wrong]);
			expect([wrong, refused.exit, refused.sent]).toEqual([wrong, EXIT.usage, []]);
			expect(refused.err).toContain(wrong);
		}
		const given = await svc(["images", "url", `${address}?w=9`, "h=20", "--json"]);
		expect([JSON.parse(given.out), given.sent]).toEqual([{ url: `${address}?w=9&h=20` }, []]);
	});

	test("the file is named as its address ends, and one that is there stays without --force [images.download]", async () => {
		const { pathname } = new URL(address);
		const reply = ({ path }: Sent) => (path.startsWith(`${pathname}?`) ? new Response(path) : undefined);
		const first = await svc(["images", "download", "img_1", "w=40", "format=webp", "--json"], reply);
		const file = "img_1.webp";
		expect(JSON.parse(first.out)).toEqual({ file, bytes: `${pathname}?format=webp&w=40`.length });
		expect(await readFile(join(cwd, file), "utf8")).toBe(`${pathname}?format=webp&w=40`);
		const again = await svc(["images", "download", "img_1", "w=50", "format=webp"], reply);
		expect([again.exit, again.err]).toEqual([EXIT.failed, expect.stringContaining("--force")]);
		expect((await svc(["images", "download", "img_1", "w=50", "format=webp", "--force"], reply)).exit).toBe(EXIT.ok);
		expect(await readFile(join(cwd, file), "utf8")).toContain("w=50");
	});

	test.skipIf(process.platform !== "linux")(
		"a disk that fills up leaves no part of a picture [images.download-full]",
		async () => {
			const reply = ({ path }: Sent) =>
				path.startsWith(new URL(address).pathname) ? new Response("bytes") : undefined;
			const full = await svc(["images", "download", "img_1", "--to", "/dev/full", "--force"], reply);
			expect([full.exit, full.err]).toEqual([EXIT.failed, expect.stringContaining("Make room, or write elsewhere")]);
			const nowhere = await svc(["images", "download", "img_1", "--to", "none/here.png"], reply);
			expect([nowhere.exit, nowhere.err]).toEqual([EXIT.failed, expect.stringContaining("ENOENT")]);
			expect((await readdir(cwd)).filter((name) => name.endsWith(".part"))).toEqual([]);
		},
	);
});
