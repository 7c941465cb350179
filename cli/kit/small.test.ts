import { describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXIT } from "@svc/base/processes/exit";
import { fakeService, refusal } from "@svc/test/support/fake-service";
import { fakeWorld } from "@svc/test/support/fake-world";
import { run } from "./run.ts";

async function svc(...argv: readonly string[]) {
	const service = fakeService();
	const world = fakeWorld({ fetch: service.fetch });
	const exit = await run(argv, world);
	return { exit, out: world.outText(), err: world.errText(), sent: service.sent };
}

describe("what people type", () => {
	test("help is a word too, before or behind, and a group alone explains itself [cli.help-word]", async () => {
		const images = await svc("images", "--help");
		for (const argv of [["help", "images"], ["images", "help"], ["images"]])
			expect(await svc(...argv)).toEqual({ ...images, exit: EXIT.ok });
		expect(await svc("help", "images", "upload")).toEqual(await svc("images", "upload", "--help"));
		expect(await svc("help")).toEqual(await svc("--help"));
		expect((await svc("help", "nope")).exit).toBe(EXIT.usage);
	});

	test("letters may stand together, where the last alone takes a value [cli.letters]", async () => {
		expect(JSON.parse((await svc("images", "get", "img_1", "-qo", "json")).out)).toMatchObject({ object: "image" });
		for (const word of ["-oq", "-qq", "-qx"])
			expect((await svc("images", "get", "img_1", word, "json")).exit).toBe(EXIT.usage);
	});

	test("two letters that changed places are one mistake [cli.swapped]", async () => {
		expect((await svc("images", "gte")).err).toContain("Did you mean get?");
		expect((await svc("images", "lits")).err).toContain("Did you mean list?");
		expect((await svc("images", "tge")).err).not.toContain("Did you mean");
	});

	test("what is missing in front is named, with what it can be, and no id is put into the complaint [cli.missing-first]", async () => {
		const { err } = await svc("moderation", "nsfw", "img_1");
		expect(err).toContain('svc moderation nsfw needs <state> first: on or off; not "img_1".');
		expect((await svc("moderation", "nsfw", "on")).err).toContain("svc moderation nsfw needs <id>.");
		expect((await svc("keys", "rotate", "--app", "app_1")).err).toContain("svc keys rotate needs <id>.");
	});

	test("a key may expire so long from now [keys.expires-in]", async () => {
		const { sent } = await svc("keys", "create", "ci", "--app", "app_1", "--expires-at", "90d", "--field", "secret");
		expect(JSON.parse(String(sent[0]?.body)).expires_at).toBe("2026-04-01T00:00:00.000Z");
	});
});

describe("what programs see", () => {
	test("a time or date that is none is a mistake in the line, before anything is sent [cli.times]", async () => {
		const wrong = [
			["tickets", "create", "--expires-in", "25h"],
			["tickets", "create", "--expires-in", "soon"],
			["tickets", "create", "--published-at", "yesterday"],
			["images", "edit", "img_1", "--published-at", "1.1.2026"],
			["images", "import", "https://example.com/a.png", "--published-at", "20260101"],
			["tokens", "create", "ci", "--scope", "apps:read", "--expires-in", "366d"],
			["webhooks", "rotate", "whe_1", "--app", "app_1", "--old-expires-in", "8d"],
		];
		for (const argv of wrong) {
			const { exit, err, sent } = await svc(...argv);
			expect([argv, exit, sent]).toEqual([argv, EXIT.usage, []]);
			expect(err).toMatch(/^error: --(old-)?(expires-in|published-at) takes .*; not "/);
		}
		for (const date of ["2026-01-02", "2026-01-02T03:04+0100", "2026-01-02T03:04:05.123Z", "1767323045"])
			expect((await svc("images", "edit", "img_1", "--published-at", date)).exit).toBe(EXIT.ok);
		for (const time of ["60", "1m", "24h"])
			expect((await svc("tickets", "create", "--expires-in", time)).exit).toBe(EXIT.ok);
	});

	test("where nothing has happened yet people read so, and programs get each day [usage.nothing-yet]", async () => {
		const day = (date: string, uploads: number) => ({
			...{ date, user_id: null, uploads, requests: 0, image_requests: 0, bytes_served: 0, renditions: 0 },
		});
		const shown = async (uploads: number, isTerminal: boolean) => {
			const data = [day("2026-11-01", 0), day("2026-11-02", uploads)];
			const pagination = { has_more: false, next_cursor: null };
			const { fetch } = fakeService(() => Response.json({ object: "list", data, pagination }));
			const world = fakeWorld({ fetch, isTerminal });
			expect(await run(["usage", "daily"], world)).toBe(EXIT.ok);
			return [world.outText().split("\n").length - 1, world.errText()];
		};
		expect(await shown(0, true)).toEqual([0, "Nothing was uploaded or served.\n"]);
		expect(await shown(1, true)).toEqual([3, ""]);
		expect(await shown(0, false)).toEqual([2, ""]);
	});

	test("- stands for the ids of standard input, and one without any is an error [cli.ids-from-input]", async () => {
		const deleted = async (input: string, ...words: readonly string[]) => {
			const service = fakeService();
			const world = fakeWorld({ fetch: service.fetch, input });
			const exit = await run(["keys", "revoke", ...words, "--app", "app_1", "--yes"], world);
			const gone = service.sent.filter(({ method }) => method === "DELETE").map(({ path }) => path.split("/").at(-1));
			return { exit, gone, err: world.errText() };
		};
		expect(await deleted("key_2\nkey_3\n", "key_1", "-")).toMatchObject({
			...{ exit: EXIT.ok, gone: ["key_1", "key_2", "key_3"] },
		});
		for (const input of ["", "\n", "key_1\n../me\n"])
			expect(await deleted(input, "-")).toMatchObject({ exit: EXIT.usage, gone: [] });
	});

	test("a folder is all pictures in it and below, and nothing hidden or else [upload.folder]", async () => {
		const cwd = await mkdtemp(join(tmpdir(), "svc-folder-"));
		await mkdir(join(cwd, "trip/day 1"), { recursive: true });
		await mkdir(join(cwd, "trip/.thumbs"));
		await mkdir(join(cwd, "none"));
		for (const name of ["b.JPG", "day 1/a.png", "notes.txt", ".thumbs/a.png", ".hidden.png"])
			await writeFile(join(cwd, "trip", name), name);
		const world = fakeWorld({ cwd, fetch: fakeService().fetch });
		expect(await run(["images", "upload", "trip", "--dry-run", "--json"], world)).toBe(EXIT.ok);
		const planned = JSON.parse(world.outText()) as { readonly file: string }[];
		expect(planned.map(({ file }) => file)).toEqual(["trip/b.JPG", "trip/day 1/a.png"]);
		for (const argv of [["none"], ["trip", "--filename", "x.png"]])
			expect(await run(["images", "upload", ...argv], fakeWorld({ cwd, fetch: fakeService().fetch }))).not.toBe(
				EXIT.ok,
			);
		await rm(cwd, { recursive: true });
	});

	test("--page has the cursor of what follows beside the data, for JSON alone [lists.page]", async () => {
		const service = fakeService(() =>
			Response.json({ object: "list", data: [{ id: "img_1" }], pagination: { has_more: true, next_cursor: "next" } }),
		);
		const world = fakeWorld({ fetch: service.fetch });
		expect(await run(["images", "list", "--limit", "1", "--page", "--json"], world)).toBe(EXIT.ok);
		expect(JSON.parse(world.outText())).toEqual({
			object: "list",
			data: [{ id: "img_1" }],
			pagination: { has_more: true, next_cursor: "next" },
		});
		expect(world.errText()).toBe("");
		expect((await svc("images", "list", "--page")).exit).toBe(EXIT.usage);
		expect(JSON.parse((await svc("images", "list", "--page", "--json")).out).pagination.next_cursor).toBeNull();
	});
});

describe("what is not the program's fault", () => {
	test("a full disk is told as one, and is no bug [report.disk]", async () => {
		const world = fakeWorld({ fetch: fakeService().fetch });
		const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
		const out = { ...world.out, write: () => Promise.reject(full) };
		expect(await run(["images", "list"], { ...world, out })).toBe(EXIT.failed);
		expect(world.errText()).toContain("error: The disk is full: not all could be written. (ENOSPC)\n  next: Make room");
	});

	test("a service that answers to another name says to check the address [report.host]", async () => {
		const world = fakeWorld({ fetch: fakeService(() => refusal(421, "bad_request")).fetch });
		await run(["images", "list"], world);
		expect(world.errText()).toContain("next: Check the address: SVC_BASE_URL");
	});

	test("a path that is not there says to check the path [api.path]", async () => {
		const world = fakeWorld({ fetch: fakeService(() => refusal(404, "not_found")).fetch });
		await run(["api", "GET", "/v1/nope"], world);
		expect(world.errText()).toContain("next: Check the path and the ids in it");
	});
});

describe("svc logout", () => {
	async function loggedOut(others: Readonly<Record<string, object>>) {
		const cwd = await mkdtemp(join(tmpdir(), "svc-logout-"));
		const file = join(cwd, "profiles.json");
		const local = { base_url: "http://svc.test", token: "svc_ses_1" };
		await writeFile(file, JSON.stringify({ profiles: { local, ...others }, current: "local" }), { mode: 0o600 });
		const world = fakeWorld({ fetch: fakeService().fetch, env: { SVC_PROFILE_FILE: file }, cwd });
		const exit = await run(["logout"], world);
		const { current } = JSON.parse(await readFile(file, "utf8"));
		await rm(cwd, { recursive: true });
		return { exit, current, err: world.errText() };
	}
	const WORK = { base_url: "http://svc.test", token: "svc_ses_2" };

	test("the one that is left at the same service becomes the current one [logout.next]", async () => {
		expect(await loggedOut({ work: WORK })).toMatchObject({ exit: EXIT.ok, current: "work" });
		expect((await loggedOut({ work: WORK })).err).toContain('The current profile is "work" now.');
	});

	test("several, or one of another service, are only named: nothing is sent elsewhere by surprise [logout.next]", async () => {
		const elsewhere = await loggedOut({ far: { ...WORK, base_url: "http://other.test" } });
		expect([elsewhere.current, elsewhere.err]).toEqual(["local", expect.stringContaining("Choose another (far)")]);
		expect((await loggedOut({ work: WORK, home: WORK })).current).toBe("local");
		expect(await loggedOut({ empty: { base_url: "http://svc.test" } })).toMatchObject({ current: "local" });
	});
});
