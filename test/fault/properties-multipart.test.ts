import { describe, expect, test } from "bun:test";
import { type MultipartBody, readForm } from "@svc/api/kit/body/form";
import { Failure } from "@svc/base/failure";
import type { BlobStore } from "@svc/base/ports";
import fc from "fast-check";
import { bodyOf, chunked, damaged } from "./damage.ts";
import { type Upload, uploads } from "./multipart.ts";
import { Dice, runs } from "./seed.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const FILE_MAX_BYTES = 10_000;
/** For a body that is never read to its end. */
const ANSWER_MS = 60_000;

/** Keeps staged files in memory, and knows how many nobody has ended yet. */
function memoryStage() {
	const held = new Map<string, Bytes>();
	let count = 0;
	const stage: BlobStore["stage"] = async (chunks, maxBytes) => {
		const path = `${count++}`;
		held.set(path, new Uint8Array());
		try {
			for await (const chunk of chunks) {
				const bytes = new Uint8Array([...(held.get(path) ?? []), ...chunk]);
				if (bytes.length > maxBytes) throw new Failure("validation_error", { file: ["is too large"] });
				held.set(path, bytes);
			}
		} catch (cause) {
			held.delete(path);
			throw cause;
		}
		const bytes = held.get(path)?.length ?? 0;
		return { path, bytes, sha256: new Uint8Array(32), discard: async () => void held.delete(path) };
	};
	return { stage, held };
}

/** What a body is read as; whatever becomes of it, in time and with nothing left staged. */
async function read(chunks: readonly Bytes[], contentType: string, broken = false) {
	const { stage, held } = memoryStage();
	const request = new Request("http://localhost/v1/images", {
		method: "POST",
		body: bodyOf(chunks, broken),
		headers: { "Content-Type": contentType },
	});
	const late = Bun.sleep(ANSWER_MS).then(() => Promise.reject(new Error("the body is never read to its end")));
	const outcome = await Promise.race([
		readForm(request, stage, { fileMaxBytes: FILE_MAX_BYTES, client: "192.0.2.1" }).catch((cause: unknown) => cause),
		late,
	]);
	if (!(outcome instanceof Failure)) return summary(outcome as MultipartBody, held);
	expect(held.size).toBe(0);
	return outcome;
}

function summary({ fields, file }: MultipartBody, held: ReadonlyMap<string, Bytes>) {
	return {
		fields: Object.entries(fields),
		filename: file?.hints.filename,
		type: file?.hints.contentType,
		bytes: file && [...(held.get(file.staged.path) ?? [])],
		staged: held.size,
	};
}

function expected({ fields, file }: Upload) {
	return {
		fields: fields.map(({ name, value }): [string, string] => [name, value]),
		filename: file.filename,
		type: file.type ?? "text/plain",
		bytes: [...file.bytes],
		staged: 1,
	};
}

const dice = fc.noShrink(fc.nat()).map((from) => new Dice(from));

describe("well-formed bodies", () => {
	test("say the same however they are chunked [endpoints.multipart]", async () => {
		const property = fc.asyncProperty(uploads, dice, async (upload, die) => {
			const meant = expected(upload);
			for (const most of [1, 7, upload.body.length + 1]) {
				expect(await read(chunked(upload.body, die, most), upload.contentType)).toEqual(meant);
			}
		});
		await fc.assert(property, runs(400));
	});
});

describe("damaged bodies", () => {
	/** What a caller is told of a form that cannot be read. */
	function expectRefusal(outcome: unknown): void {
		if (!(outcome instanceof Failure)) return;
		expect(["bad_request", "validation_error"]).toContain(outcome.code);
	}

	test("are read or refused as the caller's fault, and nothing stays staged [create.rejected-stores-nothing]", async () => {
		const property = fc.asyncProperty(uploads, dice, async (upload, die) => {
			const body = damaged(upload.body, die);
			const chunks = chunked(body, die, die.pick([1, 16, body.length + 1]));
			expectRefusal(await read(chunks, upload.contentType, die.chance(0.2)));
		});
		await fc.assert(property, runs(1_000));
	});

	test("are refused wherever they are cut off, for any kind of part [create.rejected-stores-nothing]", async () => {
		const parts = [
			'name="file"; filename="a"',
			'name="avatar"; filename="a"',
			'name="caption"',
			'name="file"; filename="b"',
		];
		const whole = `${parts.map((part) => `--b\r\nContent-Disposition: form-data; ${part}\r\n\r\nvalue\r\n`).join("")}--b--`;
		const bytes = new TextEncoder().encode(whole);
		for (let end = 0; end < bytes.length; end++) {
			const outcome = await read(chunked(bytes.slice(0, end), new Dice(end), 40), "multipart/form-data; boundary=b");
			// The second part is a fault of its own, which ends the reading.
			const code = whole.slice(0, end).includes(`${parts[1]}\r\n\r\n`) ? "validation_error" : "bad_request";
			expect([end, outcome]).toEqual([end, expect.objectContaining({ code })]);
		}
	});

	test("any Content-Type of a form is read or refused [errors.code.bad_request]", async () => {
		const types = fc.string({ unit: fc.constantFrom(..."boundary=\";*'%x/ ,\\é"), maxLength: 40 });
		const property = fc.asyncProperty(types, uploads, async (parameters, upload) => {
			expectRefusal(await read([upload.body], `multipart/form-data;${parameters}`));
		});
		await fc.assert(property, runs(500));
	});
});
