import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Image } from "@svc/sdk/shapes";
import { lockImage } from "../support/apps.ts";
import { plain } from "../support/pictures.ts";
import { openProgram, type Program } from "../support/program.ts";
import { uploaded } from "../support/requests.ts";
import { type StartedService, startService } from "../support/service.ts";

let service: StartedService;
let program: Program;
let file: Buffer<ArrayBuffer>;

beforeAll(async () => {
	service = await startService();
	program = await openProgram(service);
	file = await plain(8, 6);
});

afterAll(async () => {
	await program.close();
	await service.stop();
});

const create = async (fields = {}) => (await uploaded(service, file, "a.png", fields)).id;
const edited = (...argv: string[]) => program.json<Image[]>("images", "edit", ...argv);

test("sets and clears what was given, and nothing else [cli.images.edit]", async () => {
	const id = await create({
		caption: "First",
		labels: '{"album":"pets","state":"open"}',
		metadata: '{"author":"Ann"}',
	});
	const [changed] = await edited(
		...[
			id,
			"--caption",
			"Second, with words",
			"--label",
			"state=done",
			"--label",
			"album=",
			"--metadata",
			"place=Rome",
		],
		...["--ttl", "2h", "--published-at", "2026-01-02T03:04:05Z"],
	);
	expect(changed).toMatchObject({
		caption: "Second, with words",
		labels: { state: "done" },
		metadata: { author: "Ann", place: "Rome" },
		published_at: "2026-01-02T03:04:05.000Z",
	});
	expect(changed?.expires_at).toBeString();
	const [cleared] = await edited(id, "--caption=", "--ttl", "never", "--metadata", "author=");
	expect(cleared).toMatchObject({
		caption: "",
		expires_at: null,
		metadata: { place: "Rome" },
		labels: { state: "done" },
	});
});

test("changes nothing where a label is another one: exit 6, with what to look at [cli.images.edit-if]", async () => {
	const id = await create({ labels: '{"state":"done"}' });
	const { exit, out, err } = await program.svc(
		...["images", "edit", id, "--caption", "Late", "--if-label", "state=open"],
	);
	expect([exit, out]).toEqual([6, ""]);
	expect(err).toContain(`svc images get ${id} --field labels`);
	expect((await program.svc("images", "get", id, "--field", "caption")).out).toBe("\n");
});

test("more images than one call takes; those that cannot be changed are told, exit 3 [cli.images.edit-many]", async () => {
	const ids = await Promise.all(Array.from({ length: 101 }, () => create()));
	await lockImage(service.database, ids[4] ?? "");
	const { exit, out, err } = await program.svc("images", "edit", ...ids, "img_none", "--label", "suite=many", "-q");
	expect(exit).toBe(3);
	expect(out.trimEnd().split("\n").sort()).toEqual(ids.filter((_, index) => index !== 4).sort());
	expect(err).toContain(`error: ${ids[4]}: `);
	expect(err).toContain("code: media_locked (207)");
	expect(err).toContain("error: img_none: ");
	expect(err).toMatch(/request: \S+/);
});

test("one image, refused: its own exit code and no output; a bad value names its field [cli.images.edit-refused]", async () => {
	expect(await program.svc("images", "edit", "img_none", "--caption", "x")).toMatchObject({ exit: 5, out: "" });
	const id = await create();
	const bad = await program.svc("images", "edit", id, "--published-at", "2026-02-30");
	expect([bad.exit, bad.err]).toEqual([2, expect.stringContaining("--published-at takes a date")]);
	const early = await edited(id, "--published-at", "-86400");
	expect(early[0]?.published_at).toBe("1969-12-31T00:00:00.000Z");
	expect((await program.svc("images", "edit", id)).exit).toBe(2);
	expect((await program.svc("images", "edit", id, "--public", "--private")).exit).toBe(2);
	expect((await program.svc("images", "edit", id, "--public")).err).toContain("public: ");
});

test("--dry-run shows the requests that would be made, and makes none [cli.images.edit-dry]", async () => {
	const id = await create();
	const argv = ["images", "edit", id, "--label", "a=", "--if-label", "b=1", "--ttl", "never", "--dry-run"];
	const plan = await program.json(...argv);
	const body = { ttl: null, labels: { a: null }, if_labels: { b: "1" } };
	expect(plan).toEqual([{ method: "PATCH", path: `/v1/images/${id}`, body }]);
	const many = await program.json<{ path: string; body: { ids: string[] } }[]>(
		...argv,
		...Array(120)
			.fill(0)
			.map((_, n) => `img_${n}`),
	);
	expect(many.map(({ path, body: { ids } }) => [path, ids.length])).toEqual([
		["/v1/images/batch", 100],
		["/v1/images/batch", 21],
	]);
});

test("prints the address, and opens it where there is a screen [cli.images.open]", async () => {
	const id = await create();
	const printed = await program.svc("images", "open", id, "--print");
	expect(printed).toEqual({ exit: 0, out: expect.stringMatching(/^http:\/\/localhost:.*\n$/), err: "" });
	const without = await program.svc("images", "open", id);
	expect([without.exit, without.out, without.err]).toEqual([0, printed.out, expect.stringContaining("no browser")]);
	const opener = join(program.cwd, "xdg-open");
	const opened = join(program.cwd, "opened");
	await writeFile(opener, `#!/bin/sh\necho "$1" > '${opened}.part' && mv '${opened}.part' '${opened}'\n`);
	await chmod(opener, 0o700);
	const screen = { DISPLAY: ":0", PATH: `${program.cwd}:${process.env.PATH}` };
	const desk = await openProgram(service, { env: screen });
	expect(await desk.svc("images", "open", id)).toEqual({ exit: 0, out: printed.out, err: "" });
	for (let tries = 0; tries < 100 && !(await Bun.file(opened).exists()); tries++) await Bun.sleep(20);
	expect(await readFile(opened, "utf8")).toBe(printed.out);
	await desk.close();
	expect((await program.svc("images", "open", "img_none")).exit).toBe(5);
});

test("--public and --private where the interface has them [cli.images.edit-visibility]", async () => {
	const transition = await startService({ SVC_VARIANT: "transition" });
	const there = await openProgram(transition);
	const { id } = await uploaded(transition, file);
	const [seen] = await there.json<Image[]>("images", "edit", id, "--public");
	expect(seen?.public).toBe(true);
	const [hidden] = await there.json<Image[]>("images", "edit", id, "--private");
	expect(hidden?.public).toBe(false);
	await there.close();
	await transition.stop();
});
