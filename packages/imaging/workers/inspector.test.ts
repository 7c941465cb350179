import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure } from "@svc/base/failure";
import type { LogFacts, Staged } from "@svc/base/ports";
import type { FileRules } from "@svc/images/ports";
import { noise } from "@svc/test/support/pictures";
import { UNKNOWN_WORDS } from "../inspect/judge.ts";
import { WorkerError, WorkerLost } from "./failures.ts";
import { FairLine } from "./fair-line.ts";
import { workerInspector } from "./inspector.ts";
import { openPool, type Pool, TIME_LIMITS, type Workers } from "./pool/pool.ts";

/* Whose fault it is that a picture cannot be looked at has to cross from the process that looks to the service that answers. */

const corpus = process.env.SVC_TEST_CORPUS;
const HINTS = { filename: undefined, contentType: undefined };
const RULES: FileRules = { maxBytes: 20_000_000, formats: new Set(["jpg", "png", "gif", "webp", "avif", "heic"]) };
const MEMORY = 640 * 1_024 ** 2;

let dir = "";
let files = 0;
const notes: LogFacts[] = [];

beforeAll(async () => {
	dir = await mkdtemp(join(tmpdir(), "svc-inspector-"));
});
afterAll(() => rm(dir, { recursive: true }));

async function staged(bytes: Uint8Array): Promise<Staged> {
	const path = join(dir, `upload${files++}`);
	await writeFile(path, bytes);
	return { path, bytes: bytes.length, sha256: new Uint8Array(32), discard: () => rm(path, { force: true }) };
}

/** A failure's code and what it says of the file, or the words of an error that is none. */
async function outcome(workers: Workers, file: Staged): Promise<string> {
	return await workerInspector(workers, MEMORY)
		.inspect(file, HINTS, RULES)
		.then(
			({ format }) => format,
			(error: unknown) => (error instanceof Failure ? `${error.code}: ${error.details?.file}` : String(error)),
		);
}

describe("in real workers", () => {
	let pool: Pool;
	beforeAll(() => {
		const after = (milliseconds: number, work: () => void) => {
			const timer = setTimeout(work, milliseconds);
			return () => clearTimeout(timer);
		};
		const clock = { now: () => performance.now() };
		const line = new FairLine({ places: 2, bytes: MEMORY, waiting: 16, clock, after });
		pool = openPool({ workers: 2, line, limits: { ...TIME_LIMITS, memoryBytes: MEMORY } });
		const meters = { count: () => undefined, gauge: () => undefined };
		pool.attach({ meters, log: { warn: (_, facts = {}) => void notes.push(facts) } });
	});
	afterAll(() => pool.close());

	test("a whole picture is accepted, a damaged one is the file's fault, one that is gone is not", async () => {
		const picture = await noise(300, 200, "png");
		expect(await outcome(pool, await staged(picture))).toBe("png");
		expect(await outcome(pool, await staged(picture.subarray(0, -500)))).toBe(
			"validation_error: looks like PNG but is damaged, incomplete or not really of this format",
		);
		const gone = await staged(picture);
		await rm(gone.path);
		expect(await outcome(pool, gone)).toContain("ENOENT");
		const error = await workerInspector(pool, MEMORY)
			.inspect(gone, HINTS, RULES)
			.catch((reason: unknown) => reason);
		const price = { bytes: expect.any(Number), cpuMs: expect.any(Number) };
		expect(error).toMatchObject({ code: "ENOENT", worker: expect.any(Number), price });
		expect(notes).toEqual([]);
	});

	test.skipIf(corpus === undefined)(
		"words that are not known refuse a file when two processes hear them, and are in the log (needs SVC_TEST_CORPUS)",
		async () => {
			const picture = await readFile(join(corpus ?? "", "portrait_astronaut.png"));
			picture[22] = 66;
			expect(await outcome(pool, await staged(picture))).toStartWith("validation_error: looks like PNG but is damaged");
			const note = { event: "decoder.unknown", kind: "PNG", words: "Unknown error" };
			expect(notes).toEqual([note, note]);
		},
	);

	test.skipIf(corpus === undefined)("a HEIC is judged in the same way (needs SVC_TEST_CORPUS)", async () => {
		const whole = await readFile(join(corpus ?? "", "alpha.heic"));
		expect(await outcome(pool, await staged(whole))).toBe("png");
		expect(await outcome(pool, await staged(whole.subarray(0, -300)))).toStartWith("validation_error: looks like HEIC");
	});
});

describe("what a worker was lost by, or said,", () => {
	const failing = (...errors: Error[]): Workers => ({ do: () => Promise.reject(errors.shift()) });
	const said = (words: string) =>
		new WorkerError({ name: UNKNOWN_WORDS, message: "PNG", cause: { name: "Error", message: words } });
	const file = async () => staged(await noise(8, 8, "png"));

	test.each(["crash", "memory", "stuck", "wall"] as const)("is not the file's fault: %s", async (reason) => {
		expect(await outcome(failing(new WorkerLost(reason, 2)), await file())).toStartWith("WorkerLost");
	});

	test("is the file's fault: more processor time than there is for one", async () => {
		const verdict = await outcome(failing(new WorkerLost("cpu", 1)), await file());
		expect(verdict).toBe("validation_error: takes more than 20 seconds of processor time to decode");
	});

	test("is tried again where it is not known, and counts only when it is the same", async () => {
		expect(await outcome(failing(said("odd"), said("odd")), await file())).toStartWith(
			"validation_error: looks like PNG",
		);
		expect(await outcome(failing(said("odd"), said("even")), await file())).toBe("UnknownWords: PNG");
		const full = new WorkerError({ name: "Error", message: "EMFILE: too many open files", code: "EMFILE" });
		expect(await outcome(failing(said("odd"), full), await file())).toContain("EMFILE");
		expect(await outcome(failing(full), await file())).toContain("EMFILE");
	});

	test("leaves nothing of a lost worker behind", async () => {
		const upload = await file();
		await writeFile(`${upload.path}.0`, "half");
		await outcome(failing(new WorkerLost("crash", 2)), upload);
		expect((await readdir(dir)).filter((name) => upload.path.endsWith(name.replace(".0", "")))).toHaveLength(1);
	});
});
