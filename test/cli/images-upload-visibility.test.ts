import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import type { Image } from "@svc/sdk/shapes";
import { plain } from "../support/pictures.ts";
import { openProgram, type Program } from "../support/program.ts";
import { type StartedService, startService } from "../support/service.ts";

let service: StartedService;
let program: Program;
beforeAll(async () => {
	service = await startService({ SVC_VARIANT: "transition" });
	program = await openProgram(service);
});
afterAll(async () => {
	await program.close();
	await service.stop();
});

test("where images have a visibility, an upload says which; without, it is the storage's own", async () => {
	const seen: unknown[] = [];
	for (const flags of [["--public"], ["--private"], []]) {
		const [image] = await program.json<(Image & { public: boolean })[]>("images", "upload", await file(), ...flags);
		seen.push(image?.public);
	}
	expect(seen).toEqual([true, false, false]);
});

test("both at once are refused before anything is sent, and a changed visibility is another image", async () => {
	const path = await file();
	expect((await program.svc("images", "upload", path, "--public", "--private")).exit).toBe(2);
	const ids: unknown[] = [];
	for (const flags of [["--public"], ["--public"], ["--private"]]) {
		const [image] = await program.json<Image[]>("images", "upload", path, ...flags);
		ids.push(image?.id);
	}
	expect([ids[0] === ids[1], ids[1] === ids[2]]).toEqual([true, false]);
});

let count = 0;

async function file(): Promise<string> {
	const path = `${service.dataDir}/picture-${count++}.png`;
	await writeFile(path, await plain(8 + count, 6));
	return path;
}
