import { describe, expect, test } from "bun:test";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type ZipEntry, zip } from "./zip.ts";

/* Read back by other implementations than our own. */

const AT = Date.UTC(2026, 10, 3, 14, 5, 8);

async function fileOf(entries: Iterable<ZipEntry>) {
	const folder = await mkdtemp(join(tmpdir(), "svc-zip-"));
	const path = join(folder, "export.zip");
	async function* all() {
		yield* entries;
	}
	await pipeline(Readable.from(zip(all())), createWriteStream(path));
	return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

const READ = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z:
    assert z.testzip() is None
    infos = z.infolist()
    last = infos[-1]
    print(json.dumps({"count": len(infos), "time": list(last.date_time), "names": [i.filename for i in infos][:5],
        "last": last.filename, "content": z.read(last).decode(), "bytes": sum(i.file_size for i in infos)}))
`;

async function readByPython(path: string) {
	const python = Bun.spawn(["python3", "-c", READ, path], { stderr: "inherit" });
	const text = await new Response(python.stdout).text();
	expect(await python.exited).toBe(0);
	return JSON.parse(text);
}

const text = (words: string) => new TextEncoder().encode(words);

async function* parts(...words: readonly string[]) {
	for (const word of words) yield text(word);
}

describe.skipIf(Bun.which("python3") === null)("a ZIP file that python reads", () => {
	test("holds whole entries and those that were made while they were written", async () => {
		await using file = await fileOf([
			{ name: "app_1/img_1.png", changedMs: AT, content: text("one") },
			{ name: "app_1/Grüße.txt", changedMs: AT, content: new Uint8Array() },
			{ name: "images.json", changedMs: AT, content: parts("[", "]") },
		]);
		expect(await readByPython(file.path)).toEqual({
			count: 3,
			time: [2026, 11, 3, 14, 5, 8],
			names: ["app_1/img_1.png", "app_1/Grüße.txt", "images.json"],
			last: "images.json",
			content: "[]",
			bytes: 5,
		});
	});

	test("holds more entries than sixteen bits count", async () => {
		const count = 70_000;
		function* many(): Generator<ZipEntry> {
			for (let index = 0; index < count; index++) {
				yield { name: `app_1/${index}.txt`, changedMs: AT, content: text(`${index}`) };
			}
		}
		await using file = await fileOf(many());
		expect(await readByPython(file.path)).toMatchObject({ count, last: "app_1/69999.txt", content: "69999" });
	});

	test("is empty where there is nothing, and dates before 1980 are its first day", async () => {
		await using file = await fileOf([{ name: "a", changedMs: 0, content: text("x") }]);
		expect(await readByPython(file.path)).toMatchObject({ time: [1980, 1, 1, 0, 0, 0] });
		await using none = await fileOf([]);
		expect(Bun.file(none.path).size).toBe(22);
	});
});

test.skipIf(Bun.which("unzip") === null)("unzip finds no fault in it", async () => {
	await using file = await fileOf([
		{ name: "app_1/img_1.png", changedMs: AT, content: text("one") },
		{ name: "images.json", changedMs: AT, content: parts("[", "]") },
	]);
	const unzip = Bun.spawn(["unzip", "-t", file.path]);
	expect(await new Response(unzip.stdout).text()).toContain("No errors detected");
	expect(await unzip.exited).toBe(0);
});

test("more than four gigabytes are named by the directory at the end in as many digits", async () => {
	const block = new Uint8Array(64 * 1_048_576);
	async function* large() {
		for (let index = 0; index < 65; index++) yield block;
	}
	async function* entries(): AsyncGenerator<ZipEntry> {
		yield { name: "large", changedMs: AT, content: large() };
		yield { name: "after", changedMs: AT, content: text("x") };
	}
	let [bytes, last] = [0, new Uint8Array()];
	for await (const part of zip(entries())) {
		bytes += part.length;
		last = part.slice();
	}
	const end = new DataView(last.buffer);
	expect(last.length).toBe(56 + 20 + 22);
	expect(end.getUint32(0, true)).toBe(0x06064b50);
	expect(end.getBigUint64(32, true)).toBe(2n);
	const [size, offset] = [end.getBigUint64(40, true), end.getBigUint64(48, true)];
	expect(size + offset + 98n).toBe(BigInt(bytes));
	expect(size).toBe(BigInt(46 + 5 + 20 + (46 + 5 + 12)));
});
