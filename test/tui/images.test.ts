import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@svc/sdk/client";
import { plain } from "../support/pictures.ts";
import { uploaded } from "../support/requests.ts";
import { type Moderated, startModerated } from "./moderated.ts";

/* An App's images in the dashboard. */

const ESCAPE = "\u001b";
const SAVE = "\u0013";
const TAB = "\t";

let world: Moderated;
let folder: string;

beforeAll(async () => {
	world = await startModerated([]);
	folder = await mkdtemp(join(tmpdir(), "svc-saved-"));
});

afterAll(async () => {
	await world[Symbol.asyncDispose]();
	await rm(folder, { recursive: true });
});

const client = () => createClient({ baseUrl: world.service.baseUrl, apiKey: world.service.apiKey });
const screen = { args: ["--screen", "images"] };

async function stored(name: string, labels: Readonly<Record<string, string>> = {}) {
	const { id } = await uploaded(world.service, await plain(40, 30), name);
	return await client().images.update(id, { labels });
}

test("images are found by label at the service, and by words in what came [tui.images.find]", async () => {
	await stored("cat.png", { album: "pets" });
	await stored("dog.png", { album: "pets" });
	await stored("cake.png", { album: "food" });
	await using program = world.start(screen);
	await program.until("cake.png");
	program.type("/album=pets ca\r");
	const found = await program.until(/▸ .*cat\.png/);
	expect(found.join("\n")).not.toContain("cake.png");
	expect(found.join("\n")).not.toContain("dog.png");
	expect(found.join("\n")).toContain("search: album=pets  filter: ca");
	program.type(ESCAPE);
	await program.until("dog.png");
	program.type(ESCAPE);
	await program.until("cake.png");
});

test("x deletes, for one and for what is marked; z brings it back [C] [tui.images.delete]", async () => {
	const { id } = await stored("gone.png");
	await using program = world.start(screen);
	await program.until(/▸ +○ ready +gone\.png/);
	program.type("x");
	await program.until("1 image deleted; z brings back");
	await expect(client().images.get(id)).rejects.toThrow();
	program.type("z");
	await program.until("1 image brought back.");
	expect((await client().images.get(id)).filename).toBe("gone.png");
	await program.until(/○ ready +gone\.png/);
	program.type("g  x");
	await program.until("2 images deleted");
	program.type("z");
	await program.until("2 images brought back.");
});

test("e changes caption and labels; what the service refuses stands beside its field [tui.images.edit]", async () => {
	const { id } = await stored("edit.png", { album: "old", keep: "1" });
	await using program = world.start(screen);
	await program.until(/▸ +○ ready +edit\.png/);
	program.type("e");
	await program.until("Image edit.png");
	program.type(`A cat${TAB}${"\u007f".repeat(30)}never${SAVE}`);
	await program.until(/✗ must/);
	program.type(`${"\u007f".repeat(5)}2026-01-02T03:04:05Z${TAB}${TAB}${"\u007f".repeat(40)}album=new${SAVE}`);
	await program.until("edit.png: changed.");
	expect(await client().images.get(id)).toMatchObject({
		caption: "A cat",
		labels: { album: "new" },
		published_at: "2026-01-02T03:04:05.000Z",
	});
});

test("c copies the address, transformed; what the service would ignore is said [tui.images.copy]", async () => {
	const { url } = await stored("copy.png");
	await using program = world.start(screen);
	await program.until(/▸ +○ ready +copy\.png/);
	program.type("cw=0\r");
	await program.until("The service would ignore w=0");
	program.type(`${"\u007f".repeat(3)}w=20 format=webp\r`);
	await program.until("Copied");
	const copied = Buffer.from(program.written().split("]52;c;")[1]?.split("\u0007")[0] ?? "", "base64").toString();
	expect(copied.startsWith(`${url}?`)).toBe(true);
	expect(new URL(copied).searchParams.get("w")).toBe("20");
	expect((await fetch(copied)).headers.get("content-type")).toBe("image/webp");
});

test("d saves the picture where the program was started, and never over a file [tui.images.save]", async () => {
	await stored("save.png");
	await using program = world.start({ ...screen, cwd: folder });
	await program.until(/▸ +○ ready +save\.png/);
	program.type("d");
	await program.until("Saved save.png.");
	expect(await readdir(folder)).toEqual(["save.png"]);
	program.type("d");
	await program.until("save.png is there already");
});

test("read-only: no key deletes or edits [tui.images.read-only]", async () => {
	const { id } = await stored("kept.png");
	await using program = world.start({ args: [...screen.args, "--read-only"] });
	await program.until(/▸ +○ ready +kept\.png/);
	program.type("xe?");
	const keys = await program.until("All keys");
	expect(keys.join("\n")).not.toMatch(/Delete|Caption/);
	expect((await client().images.get(id)).id).toBe(id);
});
