import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brightnessModel } from "@svc/test/support/onnx-model";
import { FinderFailure } from "./child.ts";
import { openSubjectFinder } from "./subject.ts";

const installed = (() => {
	try {
		return createRequire(import.meta.url).resolve("onnxruntime-node") !== "";
	} catch {
		return false;
	}
})();

let dir = "";

beforeAll(async () => {
	dir = await mkdtemp(join(tmpdir(), "svc-onnx-"));
});

afterAll(() => rm(dir, { recursive: true }));

async function model(bytes: Uint8Array): Promise<string> {
	const path = join(dir, `${crypto.randomUUID()}.onnx`);
	await writeFile(path, bytes);
	return path;
}

function refusal(open: () => unknown): FinderFailure {
	try {
		open();
	} catch (error) {
		if (error instanceof FinderFailure) return error;
	}
	throw new Error("was not refused");
}

test("a model that is not there is named at the start", () => {
	const { trouble, message } = refusal(() => openSubjectFinder({ modelPath: join(dir, "missing.onnx") }));
	expect(trouble).toBe("unavailable");
	expect(message).toContain(join(dir, "missing.onnx"));
});

test.skipIf(installed)("without onnxruntime-node the start says what to install", async () => {
	const modelPath = await model(brightnessModel());
	const { trouble, message } = refusal(() => openSubjectFinder({ modelPath }));
	expect(trouble).toBe("unavailable");
	expect(message).toContain("bun add onnxruntime-node");
});

describe.skipIf(!installed)("a model of one's own (needs onnxruntime-node)", () => {
	/** White in the left half, black in the right. */
	const halves = { data: new Uint8Array(64 * 32 * 3), width: 64, height: 32 };
	halves.data.forEach((_, index) => {
		halves.data[index] = Math.floor(index / 3) % 64 < 32 ? 255 : 0;
	});

	test("decides what the subject is", async () => {
		const finder = openSubjectFinder({ modelPath: await model(brightnessModel()) });
		expect(finder.model).not.toBe(openSubjectFinder().model);
		const mask = await finder.find(halves);
		finder.close();
		const row = mask?.alpha.subarray(16 * 64, 17 * 64);
		expect(row?.slice(0, 24).every((value) => value > 220)).toBe(true);
		expect(row?.slice(40).every((value) => value < 50)).toBe(true);
	});

	test("is refused with the first picture when it does not take pictures", async () => {
		const refusals = { "[1, 3, height, width]": brightnessModel(4), "Protobuf parsing failed": Uint8Array.of(1, 2, 3) };
		for (const [message, bytes] of Object.entries(refusals)) {
			const finder = openSubjectFinder({ modelPath: await model(bytes) });
			await expect(finder.find(halves)).rejects.toMatchObject({
				trouble: "failed",
				message: expect.stringContaining(message),
			});
			finder.close();
		}
	});
});
