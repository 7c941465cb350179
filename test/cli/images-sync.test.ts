import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Image } from "@svc/sdk/shapes";
import { corners } from "../support/pictures.ts";
import { ended, openProgram, type Program, startProgram } from "../support/program.ts";
import { type StartedService, startService } from "../support/service.ts";

let service: StartedService;
let program: Program;
let folder = "";
let pictures = 0;

beforeAll(async () => {
	service = await startService();
	program = await openProgram(service);
});

beforeEach(async () => {
	folder = join(program.cwd, `pictures-${pictures}`);
	await mkdir(join(folder, "below"), { recursive: true });
	await save("one.png");
	await save("below/two.png");
	await writeFile(join(folder, "notes.txt"), "no picture");
});

afterAll(async () => {
	await program.close();
	await service.stop();
});

/** A picture that no other one is like. */
async function save(name: string): Promise<void> {
	pictures++;
	await writeFile(join(folder, name), await corners(20 + pictures, 20));
}

interface Line {
	readonly action: string;
	readonly file: string | null;
	readonly id: string | null;
}

const sync = (...flags: readonly string[]) => program.json<Line[]>("images", "sync", folder, ...flags);
const labelled = async (label: string) =>
	(await program.json<Image[]>("images", "list", "--label", label)).map(({ id }) => id);

test("what is there already, by its bytes, stays: a second run does nothing, a new file comes alone [cli.sync]", async () => {
	expect(await sync("--dry-run")).toEqual([
		{ action: "upload", file: join(folder, "below/two.png"), id: null },
		{ action: "upload", file: join(folder, "one.png"), id: null },
	]);
	const first = await sync("--label", "run=first");
	expect((await labelled("run=first")).sort()).toEqual(first.map(({ id }) => id ?? "").sort());
	expect(await sync("--label", "run=second")).toEqual([]);
	await Bun.write(join(folder, "copy.png"), Bun.file(join(folder, "one.png")));
	await save("three.png");
	expect((await sync("--label", "run=second")).map(({ file }) => file)).toEqual([join(folder, "three.png")]);
	expect(await labelled("run=first")).toHaveLength(2);
});

test("only --delete deletes, only what has the label, and only after a yes [cli.sync-delete]", async () => {
	const label = ["--label", "run=deleted"];
	await sync(...label);
	await rm(join(folder, "one.png"));
	expect(await sync(...label)).toEqual([]);
	expect(await labelled("run=deleted")).toHaveLength(2);
	const unasked = await program.svc("images", "sync", folder, ...label, "--delete");
	expect([unasked.exit, unasked.err]).toEqual([2, expect.stringContaining("Add --yes")]);
	expect((await program.svc("images", "sync", folder, "--delete", "--yes")).exit).toBe(2);
	const plan = await sync(...label, "--delete", "--dry-run");
	expect(plan).toEqual([{ action: "delete", file: null, id: expect.stringMatching(/^img_/) }]);
	expect(await labelled("run=deleted")).toHaveLength(2);
	expect(await sync(...label, "--delete", "--yes")).toEqual(plan);
	expect(await labelled("run=deleted")).toHaveLength(1);
});

test("a file that cannot be read keeps --delete from taking its image for gone [cli.sync-unread]", async () => {
	const label = ["--label", "run=unread"];
	await sync(...label);
	await rm(join(folder, "one.png"));
	await mkdir(join(folder, "one.png"));
	const refused = await program.svc("images", "sync", folder, ...label, "--delete", "--yes");
	expect([refused.exit, refused.out]).toEqual([1, ""]);
	expect(await labelled("run=unread")).toHaveLength(2);
	await save("three.png");
	const partly = await program.svc("images", "sync", folder, ...label);
	expect([partly.exit, partly.out]).toEqual([3, expect.stringContaining("three.png")]);
	expect(partly.err).toContain("one.png: This is not a file.");
});

test("a run that is interrupted is finished by the next one, and nothing is doubled [cli.sync-interrupted]", async () => {
	for (let count = 0; count < 12; count++) await save(`more-${count}.png`);
	const env = { SVC_API_KEY: service.apiKey, SVC_BASE_URL: service.baseUrl };
	const label = ["--label", "run=interrupted"];
	const child = startProgram(["images", "sync", folder, ...label], { cwd: program.cwd, env });
	for (let have = 0; have === 0; ) {
		await Bun.sleep(20);
		have = (await labelled("run=interrupted")).length;
	}
	child.kill("SIGINT");
	const { exit, err } = await ended(child);
	expect([0, 130]).toContain(exit);
	if (exit === 130) expect(err).toMatch(/^error: Interrupted\. .*\n {2}next: Go on with the same command/m);
	await program.svc("images", "sync", folder, ...label);
	expect(await labelled("run=interrupted")).toHaveLength(14);
});

test("- uploads what is piped in, whatever its bytes [cli.upload-stdin]", async () => {
	const env = { SVC_API_KEY: service.apiKey, SVC_BASE_URL: service.baseUrl };
	const upload = async (bytes: Uint8Array, ...flags: readonly string[]) => {
		const child = startProgram(["images", "upload", "-", ...flags, "--json"], { cwd: program.cwd, env });
		child.stdin.write(bytes);
		return await ended(child);
	};
	const bytes = await Bun.file(join(folder, "one.png")).bytes();
	const [named] = JSON.parse((await upload(bytes, "--filename", "piped.png")).out);
	expect(named).toMatchObject({ filename: "piped.png", width: 20 + pictures - 1 });
	expect((await upload(new Uint8Array())).exit).toBe(1);
	expect((await program.svc("images", "upload", "-", "-")).exit).toBe(2);
});
