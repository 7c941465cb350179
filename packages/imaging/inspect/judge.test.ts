import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure } from "@svc/base/failure";
import type { LogFacts } from "@svc/base/ports";
import { decodedOrRefused, UNKNOWN_WORDS } from "./judge.ts";

const lines: LogFacts[] = [];
let dir = "";

beforeAll(async () => {
	dir = await mkdtemp(join(tmpdir(), "svc-judge-"));
	await writeFile(join(dir, "file"), "its bytes");
});
afterAll(() => rm(dir, { recursive: true }));

/** The outcome of a decoder that says one thing of the path, and another of the bytes. */
async function judgement(ofPath: unknown, ofBytes?: unknown): Promise<unknown> {
	lines.length = 0;
	const log = { warn: (_: string, facts: LogFacts = {}) => void lines.push(facts) };
	return await decodedOrRefused({ path: join(dir, "file"), kind: "PNG", log }, async (input) => {
		const fault = typeof input === "string" ? ofPath : ofBytes;
		if (fault !== undefined) throw fault;
		return `decoded ${typeof input === "string" ? "the path" : new TextDecoder().decode(input)}`;
	}).catch((error: unknown) => error);
}

const LISTED = new Error("vipspng: libpng read error");
const refusal = expect.objectContaining({
	code: "validation_error",
	details: { file: ["looks like PNG but is damaged, incomplete or not really of this format"] },
});

test("a decoder that fails with a path and not with the bytes was wrong about the file", async () => {
	expect(await judgement(LISTED)).toBe("decoded its bytes");
	expect(await judgement(new Error("Input file contains unsupported image format"))).toBe("decoded its bytes");
});

test("known words about the bytes refuse the file", async () => {
	expect(await judgement(LISTED, LISTED)).toEqual(refusal);
	expect(lines).toEqual([]);
});

test("the machine's words are thrown as they are, whenever they are said", async () => {
	const full = new Error("EMFILE: too many open files");
	expect(await judgement(full, LISTED)).toBe(full);
	expect(await judgement(LISTED, full)).toBe(full);
});

test("unknown words refuse nothing here: they are logged, and go on with what was said", async () => {
	const odd = new Error("the dog ate it");
	expect(await judgement(odd, odd)).toMatchObject({ name: UNKNOWN_WORDS, message: "PNG", cause: odd });
	expect(lines).toEqual([{ event: "decoder.unknown", kind: "PNG", words: "the dog ate it" }]);
});

test("a failure that is none of a decoder's stays what it is", async () => {
	const failure = new Failure("quota_exceeded");
	expect(await judgement(failure, LISTED)).toBe(failure);
});

test("a file that cannot be read at all is not refused", async () => {
	const gone = decodedOrRefused({ path: join(dir, "gone"), kind: "PNG", log: { warn: () => undefined } }, async () => {
		throw LISTED;
	});
	expect(await gone.catch((error: unknown) => error)).toMatchObject({ code: "ENOENT" });
	expect(await readFile(join(dir, "file"), "utf8")).toBe("its bytes");
});
