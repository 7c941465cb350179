import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ModerationItem } from "@svc/sdk/shapes";
import { setImageStatus } from "../support/apps.ts";
import { corners, noise } from "../support/pictures.ts";
import { openProgram, type Program } from "../support/program.ts";
import { uploaded } from "../support/requests.ts";
import { type StartedService, startService } from "../support/service.ts";

let service: StartedService;
let program: Program;

beforeAll(async () => {
	service = await startService();
	program = await openProgram(service);
});

afterAll(async () => {
	await program.close();
	await service.stop();
});

type Format = Parameters<typeof corners>[2];
const create = async (format: Format = "png") =>
	(await uploaded(service, await corners(40, 40, format), `a.${format}`)).id;
const ESCAPE = "\u001b";

test("asks for exactly the cells and draws them: corners in their colours, two pixels to a cell [cli.images.preview]", async () => {
	const id = await create("jpeg");
	const { exit, out, err } = await program.svc(...["images", "preview", id, "--width", "4", "--colours", "256"]);
	expect([exit, err]).toEqual([0, ""]);
	// Red and green above blue and white: what is next to an edge depends on how the picture was made smaller.
	const lines = out.trimEnd().split("\n");
	expect(lines).toHaveLength(2);
	expect(lines[0]).toStartWith(`${ESCAPE}[38;5;`);
	expect(lines.every((line) => line.endsWith(`${ESCAPE}[0m`))).toBe(true);
	expect(out.split("▀")).toHaveLength(1 + 8);
});

test("exact colours from a PNG, and plain characters on a pipe [cli.images.preview]", async () => {
	const id = await create();
	const { out } = await program.svc("images", "preview", id, "--colours", "truecolor");
	const lines = out.trimEnd().split("\n");
	expect(lines).toHaveLength(20);
	expect(lines[0]).toBe(
		`${ESCAPE}[38;2;255;0;0;48;2;255;0;0m${"▀".repeat(20)}${ESCAPE}[38;2;0;255;0;48;2;0;255;0m${"▀".repeat(20)}${ESCAPE}[0m`,
	);
	const plain = await program.svc("images", "preview", id);
	expect(plain.out).not.toContain(ESCAPE);
	expect(plain.out.split("\n")[19]).toMatch(/^@{20}([^@])\1{19}$/);
	expect(JSON.parse((await program.svc("images", "preview", id, "--json")).out)).toMatchObject({ id, object: "image" });
});

test("what is flagged is unrecognisable until --reveal [cli.images.preview-flagged]", async () => {
	const { id } = await uploaded(service, await noise(40, 40, "png"));
	await program.svc("moderation", "nsfw", "on", id);
	const argv = ["images", "preview", id, "--colours", "truecolor"];
	const [covered, revealed] = [await program.svc(...argv), await program.svc(...argv, "--reveal")];
	expect([covered.exit, covered.err]).toEqual([0, expect.stringContaining("--reveal")]);
	expect(revealed.err).toBe("");
	const colours = ({ out }: { readonly out: string }) => new Set(out.match(/2(;\d+){3}/g)).size;
	expect([colours(covered) <= 36, colours(revealed) > 100]).toEqual([true, true]);
});

test("what is not served cannot be drawn from its address; usage is checked first [cli.images.preview-refused]", async () => {
	const id = await create();
	await setImageStatus(service.database, id, "blocked", "spam");
	const blocked = await program.svc("images", "preview", id);
	expect([blocked.exit, blocked.err]).toEqual([4, expect.stringContaining(`svc moderation preview ${id}`)]);
	expect((await program.svc("images", "preview", id, "--width", "0")).exit).toBe(2);
	expect((await program.svc("images", "preview", id, "--colours", "all")).exit).toBe(2);
	expect((await program.svc("images", "preview", "img_none")).exit).toBe(5);
});

test("draws a blocked picture, covered; saves any picture to a new private file [cli.moderation.preview]", async () => {
	const id = await create();
	await program.svc("moderation", "block", id, "--reason", "spam");
	const argv = ["moderation", "preview", id, "--colours", "truecolor"];
	const covered = await program.svc(...argv);
	expect([covered.exit, covered.err]).toEqual([0, expect.stringContaining("--reveal")]);
	expect((await program.svc(...argv, "--reveal")).out).toContain(
		`${ESCAPE}[38;2;255;0;0;48;2;255;0;0m${"▀".repeat(20)}`,
	);
	const photo = await create("jpeg");
	expect(await program.svc("moderation", "preview", photo)).toMatchObject({ exit: 0, err: "" });
	await program.svc("moderation", "block", photo, "--reason", "spam");
	expect((await program.svc("moderation", "preview", photo, "--colours", "truecolor")).out).toContain("▀");
	const save = () => program.svc("moderation", "preview", photo, "--out", "kept.jpg");
	expect(await save()).toMatchObject({ exit: 0, out: "" });
	const path = join(program.cwd, "kept.jpg");
	expect([(await stat(path)).mode & 0o777, await readFile(path)]).toEqual([0o600, await corners(40, 40, "jpeg")]);
	expect((await save()).exit).toBe(6);
	const item = await program.json<ModerationItem>("moderation", "preview", photo);
	expect(item).toMatchObject({ id: photo, object: "moderation_item" });
});
