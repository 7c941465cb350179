import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Archive, openArchive, type Part, packArchive } from "./archive.ts";
import { unpack } from "./unpack.ts";

const FILES = { "a/one.txt": "one", "a/b/two.txt": "two, and somewhat longer", "empty.txt": "" };

let folder: string;
let archive: Archive;
let told: string[];
beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), "svc-unpack-"));
	told = [];
	const entries = Object.entries(FILES).map(([path, text]) => ({ path, content: Buffer.from(text) }));
	const parts: Part[] = entries.map(({ path, content }) => {
		const sha256 = createHash("sha256").update(content).digest("hex");
		return { path, bytes: content.length, sha256, mode: 0o644 };
	});
	const file = join(folder, "service.parts");
	const contents = entries.map(({ content }) => content);
	await writeFile(file, await packArchive([...parts, { path: "a/link", link: "b" }], contents));
	const opened = await openArchive(file);
	if (!opened) throw new Error("it is there");
	archive = opened;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const into = (...folders: string[]) =>
	unpack(archive, {
		folders: folders.map((name) => join(folder, name)),
		tell: async (line) => {
			told.push(line);
		},
	});

describe("what an executable carries", () => {
	test("is unpacked once, whole, with its links, and is not told of again", async () => {
		const made = await into("cache");
		for (const [path, text] of Object.entries(FILES)) expect(await readFile(join(made, path), "utf8")).toBe(text);
		expect(await readFile(join(made, "a", "link", "two.txt"), "utf8")).toBe(FILES["a/b/two.txt"]);
		expect(await into("cache")).toBe(made);
		expect(told).toHaveLength(1);
	});

	test("is unpacked anew when a file was changed, cut or removed, or a link leads elsewhere", async () => {
		const made = await into("cache");
		const spoil = [
			() => writeFile(join(made, "a/one.txt"), "on3"),
			() => writeFile(join(made, "a/b/two.txt"), "two"),
			() => rm(join(made, "empty.txt")),
			() => rm(join(made, "a/link")),
		];
		for (const [index, deed] of spoil.entries()) {
			await deed();
			expect(await into("cache")).toBe(made);
			expect([index, told.length]).toEqual([index, index + 2]);
			expect(await readFile(join(made, "a/one.txt"), "utf8")).toBe("one");
		}
		expect(await readdir(join(folder, "cache"))).toHaveLength(1);
	});

	test("is the same for many who unpack it at once", async () => {
		const all = await Promise.all(Array.from({ length: 8 }, () => into("cache")));
		expect(new Set(all).size).toBe(1);
		expect(await readdir(join(folder, "cache"))).toHaveLength(1);
		expect(await into("cache")).toBe(all[0] ?? "");
	});

	test("goes to the next folder where one cannot be written", async () => {
		await writeFile(join(folder, "file"), "");
		expect(await into("file/below", "data")).toStartWith(join(folder, "data"));
		expect(into("file/below")).rejects.toThrow("cannot be unpacked anywhere");
	});

	test("is not unpacked where other users may write", async () => {
		await mkdir(join(folder, "shared"));
		await chmod(join(folder, "shared"), 0o777);
		expect(into("shared")).rejects.toThrow("which other users may write");
	});

	test("is nothing where there is no archive", async () => {
		expect(await openArchive(join(folder, "none"))).toBeUndefined();
	});
});
