import { beforeEach, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import type { StoredBlob } from "@svc/base/ports";
import type { MasterRecord } from "./master-damage.ts";
import { DamagedMaster, Masters } from "./masters.ts";

/* What a disk does without telling: bytes that change while inode, size and times stay as they were. */

const KEY = "img_1/n";
const BYTES = new TextEncoder().encode("the bytes that were stored");
const digestOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const RECORD: MasterRecord = {
	pk: 1,
	imageId: "img_1",
	appId: "app_1",
	blobKey: KEY,
	bytes: BYTES.length,
	sha256: digestOf(BYTES),
	...{ format: "jpg", width: 1, height: 1, createdMs: 0, isConverted: false },
	known: null,
};

let bytes: Uint8Array<ArrayBuffer>;
let stamp: string;
let path: string | undefined;
let reads: number;
let failing: string | undefined;
/** Whether the file goes as soon as it was read, and whether it has gone. */
let goes: boolean;
let gone: boolean;
let saved: string[];
let logged: unknown[];
let masters: Masters;
beforeEach(() => {
	[bytes, stamp, path, reads, failing] = [BYTES.slice(), "1", "/a", 0, undefined];
	[saved, logged] = [[], []];
	[goes, gone] = [false, false];
	const unused = () => Promise.reject(new Error("not part of this world"));
	const note = (_: string, facts: unknown) => logged.push(facts);
	masters = new Masters({
		blobs: { local: true, find: async () => (gone ? undefined : blob()) },
		store: {
			find: async () => ({ ...RECORD, known: saved.length > 0 ? "digest" : null }),
			saveDamage: async (_, { kind }) => {
				saved.push(kind);
				return true;
			},
			forgetDamage: async () => {
				saved = [];
			},
			countDamage: async () => ({ size: 0, digest: saved.length, missing: 0 }),
			list: unused,
			lastPk: unused,
		},
		clock: { now: () => 0 },
		log: { debug: note, info: note, warn: note, error: note },
		meters: { gauge: () => undefined },
	});
});

function blob(): StoredBlob {
	const digest = async () => {
		reads += 1;
		gone = goes;
		if (failing) throw Object.assign(new Error("read failed"), { code: failing });
		return { bytes: bytes.length, sha256: digestOf(bytes) };
	};
	const read = async () => bytes;
	return {
		bytes: bytes.length,
		stamp,
		checksum: undefined,
		path,
		digest,
		read,
		stream: () => new Blob([bytes]).stream(),
	};
}

const flipped = () => bytes.map((byte, place) => (place === 5 ? byte ^ 1 : byte));

test("an original is read through once for each version of its file, however often it is sent", async () => {
	for (let time = 0; time < 5; time++) await masters.find(KEY);
	expect(reads).toBe(1);
	stamp = "2";
	await masters.find(KEY);
	expect(reads).toBe(2);
});

test("what reads it for a rendition has the digest to compare with; bytes that rot silently stop the original as well", async () => {
	await masters.find(KEY);
	bytes = flipped();
	expect(await masters.find(KEY)).toBeDefined();
	const whole = await masters.findWhole(KEY);
	expect(whole?.sha256).toBe(digestOf(BYTES));
	await expect(whole?.judge?.()).rejects.toBeInstanceOf(DamagedMaster);
	const before = reads;
	for (let time = 0; time < 5; time++) await expect(masters.find(KEY)).rejects.toBeInstanceOf(DamagedMaster);
	// Nobody can have a damaged file read again and again.
	expect([reads, saved.length, logged.length]).toEqual([before, 1, 1]);
});

test("bytes that lie elsewhere are compared as they are read for a rendition", async () => {
	path = undefined;
	const whole = await masters.findWhole(KEY);
	expect(await whole?.read()).toEqual(BYTES);
	bytes = flipped();
	await expect(whole?.read()).rejects.toBeInstanceOf(DamagedMaster);
	const streamed = new Response(whole?.stream()).arrayBuffer();
	await expect(streamed).rejects.toBeInstanceOf(DamagedMaster);
	expect(saved).toEqual(["digest", "digest"]);
});

test("a bad sector is damage; a process without descriptors left says nothing about the bytes", async () => {
	failing = "EMFILE";
	await expect(masters.find(KEY)).rejects.toThrow("read failed");
	expect(saved).toEqual([]);
	failing = "EIO";
	await expect(masters.find(KEY)).rejects.toBeInstanceOf(DamagedMaster);
	expect(saved).toEqual(["digest"]);
});

test("a file that a disk could not read once is no damage", async () => {
	const whole = await masters.findWhole(KEY);
	await whole?.judge?.();
	expect(saved).toEqual([]);
	expect(await masters.find(KEY)).toBeDefined();
});

test("requests that come together read it together", async () => {
	await Promise.all(Array.from({ length: 50 }, () => masters.find(KEY)));
	expect(reads).toBe(1);
});

test("a file that goes while it is looked at is missing, and not of a deleted image [damage.goes]", async () => {
	goes = true;
	await expect(masters.find(KEY)).rejects.toThrow(new DamagedMaster("missing"));
	expect(saved).toEqual(["missing"]);
});
