import { describe, expect, test } from "bun:test";
import { Failure } from "@svc/base/failure";
import { isCutOff } from "@svc/base/http/cut-off";
import type { BlobStore } from "@svc/base/ports";
import { readForm } from "./form.ts";

const CHUNK_BYTES = 65_536;
const FILE_MAX_BYTES = 100;
const FRAME_MAX_BYTES = 65_536;
/** A processor takes so much of a body in a second, whatever is in it; what begins anew costs something by itself. */
const SECONDS_PER_MEGABYTE = 0.02;
const SECONDS_AT_LEAST = 0.1;

const PART = (name: string, value = "x") => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const FILE = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n';

const stage: BlobStore["stage"] = async (chunks, maxBytes) => {
	let bytes = 0;
	for await (const chunk of chunks) {
		bytes += chunk.length;
		if (bytes > maxBytes) throw new Failure("validation_error", { file: ["is too large"] });
	}
	return { path: "", bytes, sha256: new Uint8Array(32), discard: async () => undefined };
};

interface Sent {
	readonly start?: string;
	/** Repeated up to `bytes`. */
	readonly text: string;
	readonly bytes: number;
	readonly chunkBytes?: number;
	readonly boundary?: string;
}

/** What becomes of a form, how much of it was asked for, and what it cost. */
async function read({ start = "", text, bytes, chunkBytes = CHUNK_BYTES, boundary = "b" }: Sent) {
	const body = Buffer.concat([Buffer.from(start), Buffer.alloc(bytes, text)]);
	let asked = 0;
	const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
		if (asked >= body.length) return controller.close();
		controller.enqueue(body.subarray(asked, asked + chunkBytes));
		asked += chunkBytes;
	};
	const request = new Request("http://localhost/v1/images", {
		method: "POST",
		headers: { "Content-Type": `multipart/form-data; boundary=${boundary}` },
		body: new ReadableStream({ pull }, { highWaterMark: 0 }),
	});
	const before = process.cpuUsage();
	const bounds = { fileMaxBytes: FILE_MAX_BYTES, frameMaxBytes: FRAME_MAX_BYTES, client: "192.0.2.1" };
	const outcome = await readForm(request, stage, bounds).catch((cause: unknown) => cause);
	const { user, system } = process.cpuUsage(before);
	if (outcome instanceof Error && !(outcome instanceof Failure)) throw outcome;
	const failure = outcome instanceof Failure ? outcome : undefined;
	return { failure, isCut: isCutOff(request), asked, seconds: (user + system) / 1e6 };
}

const LARGE = 17_000_000;
const HOSTILE: Readonly<Record<string, Sent>> = {
	"boundary lines": { text: "--b\r\n", bytes: LARGE },
	"boundary lines in the file": { start: FILE, text: "\r\n--b", bytes: LARGE },
	"10,000 tiny parts": { text: PART("a"), bytes: 10_000 * PART("a").length },
	"a file without end": { start: FILE, text: "x", bytes: LARGE },
	"a head of a part without end": { start: "--b\r\n", text: "X-A: b\r\n", bytes: LARGE },
	"a name without end": { start: '--b\r\nContent-Disposition: form-data; name="', text: "a", bytes: LARGE },
	"what is before the first part": { text: "\r\n-", bytes: LARGE },
	"what is behind the last part": { start: `${FILE}x\r\n--b--\r\n`, text: "\r\n--", bytes: LARGE },
	"delimiters behind the last part": { start: `${FILE}x\r\n--b--\r\n`, text: "--b\r\n", bytes: LARGE },
	"boundary lines in pieces of a megabyte": { text: "--b\r\n", bytes: LARGE, chunkBytes: 1_000_000 },
	"a field without end": {
		start: '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n',
		text: "\r\n",
		bytes: LARGE,
	},
	"lines that begin like delimiters": { start: FILE, text: "\r\n--bb", bytes: LARGE },
	"white space behind a boundary": { start: FILE, text: "\r\n--b          ", bytes: LARGE },
	"a boundary with white space without end": { start: "--b", text: " ", bytes: LARGE },
	"parameters of a head": { start: "--b\r\nContent-Disposition: form-data", text: ';a="\\"', bytes: LARGE },
	"lines that nearly are delimiters": {
		start: FILE,
		text: `\r\n--${"a".repeat(69)}`,
		bytes: LARGE,
		boundary: "a".repeat(70),
	},
};

describe("a form that is nothing but work", () => {
	test.each(Object.entries(HOSTILE))(
		"%s: read to its first fault, then dropped, no more than may be sent",
		async (_, sent) => {
			const { failure, isCut, asked, seconds } = await read(sent);
			expect(["bad_request", "validation_error"]).toContain(failure?.code ?? "");
			// As much is dropped as would have been read, and a piece of each.
			expect(asked).toBeLessThanOrEqual(2 * (FILE_MAX_BYTES + FRAME_MAX_BYTES) + 3 * (sent.chunkBytes ?? CHUNK_BYTES));
			expect(isCut).toBe(asked < LARGE);
			expect(seconds).toBeLessThan(Math.max(SECONDS_AT_LEAST, (asked / 1e6) * SECONDS_PER_MEGABYTE));
		},
	);

	test.each(["", '""', "a".repeat(71), '"a\\"b"', "é"])("a boundary %p is none: nothing is read", async (boundary) => {
		const { failure, asked } = await read({ text: "--\r\n", bytes: LARGE, boundary });
		expect(failure?.code).toBe("bad_request");
		expect(asked).toBeLessThanOrEqual(CHUNK_BYTES);
	});
});

describe("a form that is refused", () => {
	test("keeps its connection where the whole of it may be dropped, and the client sees why", async () => {
		const { failure, isCut } = await read({ start: FILE + "x".repeat(FRAME_MAX_BYTES), text: "\r\n--b--", bytes: 7 });
		expect([failure?.details, isCut]).toEqual([{ file: ["is too large"] }, false]);
	});

	test.each([1, 7, CHUNK_BYTES])("has more than 16 parts, however it is cut into pieces of %i", async (chunkBytes) => {
		const parts = (count: number) => Array.from({ length: count }, (_, place) => PART(`p${place}`)).join("");
		const form = (count: number) => read({ start: parts(count), text: "--b--\r\n", bytes: 7, chunkBytes });
		expect((await form(16)).failure).toBeUndefined();
		expect((await form(17)).failure?.details).toEqual({ body: ["must have at most 16 parts"] });
	});
});
