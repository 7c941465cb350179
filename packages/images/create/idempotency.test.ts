import { describe, expect, test } from "bun:test";
import type { Image, NewImage } from "../images.ts";
import type { CreateFields, CreateSource } from "./create-request.ts";
import { decide, idempotencyKey, type KeptCreate, type KeyedImage, leaseAt } from "./idempotency.ts";

const NOW = Date.UTC(2026, 10, 21, 12);
const SAME = new Uint8Array(32);
const OTHER = new Uint8Array(32).fill(1);
const image = { id: "img_1" } as NewImage & Image;
const row = { fingerprint: SAME, imageId: "img_1", nonce: "n", leaseMs: NOW + 1, isAbandoned: false };
const keyedImage: KeyedImage = { image, fingerprint: SAME };

describe("decide", () => {
	const cases: readonly [string, KeptCreate | undefined, KeyedImage | undefined, object][] = [
		["nothing is known: claim", undefined, undefined, { act: "claim" }],
		["no row, but an image: rebuilt", undefined, keyedImage, { act: "answer", image, replayed: false }],
		["claimed, lease alive", { ...row, state: "claimed" }, undefined, refuse("idempotency_key_in_progress")],
		["stored, lease alive", { ...row, state: "stored", image }, undefined, refuse("idempotency_key_in_progress")],
		["done", { ...row, state: "done", image, exists: true }, undefined, { act: "answer", image, replayed: true }],
		[
			"done and gone",
			{ ...row, state: "done", image, exists: false },
			undefined,
			refuse("idempotency_recovery_conflict"),
		],
	];
	for (const [title, kept, carried, verdict] of cases) {
		test(title, () => {
			expect<unknown>(decide({ kept, keyedImage: carried }, SAME, NOW)).toEqual(verdict);
			if (kept ?? carried) {
				expect<unknown>(decide({ kept, keyedImage: carried }, OTHER, NOW)).toEqual(refuse("idempotency_key_conflict"));
			}
		});
	}

	test("a lease is dead from the millisecond at which it ends, and a dead claim is taken over", () => {
		for (const kept of [
			{ ...row, state: "claimed" },
			{ ...row, state: "stored", image },
		] as const) {
			expect(decide({ kept, keyedImage: undefined }, SAME, NOW + 1)).toEqual({ act: "take_over", from: kept });
		}
	});

	test("the claim of a dead process is taken over before its lease ends", () => {
		const kept = { ...row, state: "claimed", isAbandoned: true } as const;
		expect(decide({ kept, keyedImage: undefined }, SAME, NOW)).toEqual({ act: "take_over", from: kept });
	});

	test("a lease lives for a minute, and its claim is known for two more", () => {
		expect(leaseAt(NOW)).toEqual({ untilMs: NOW + 60_000, forgottenMs: NOW + 180_000 });
	});
});

function refuse(code: string) {
	return { act: "refuse", code };
}

describe("idempotencyKey", () => {
	const file = (seed: number, filename: string | undefined = "a.png"): CreateSource => ({
		kind: "upload",
		staged: {
			path: `/${Math.random()}`,
			bytes: 1,
			sha256: new Uint8Array(32).fill(seed),
			discard: async () => undefined,
		},
		hints: { filename, contentType: undefined },
	});
	const fingerprint = async (source: CreateSource, fields: CreateFields = {}) =>
		(await idempotencyKey("k", source, fields)).fingerprint.toHex();

	test("the order of keys in a map, and where the file was staged, make no difference", async () => {
		const [one, other] = [
			{ a: "1", b: "2" },
			{ b: "2", a: "1" },
		];
		expect(await fingerprint(file(1), { metadata: one, labels: one })).toBe(
			await fingerprint(file(1), { metadata: other, labels: other }),
		);
	});

	test("every field, the file, its name and the address make one", async () => {
		const prints = await Promise.all([
			fingerprint(file(1)),
			fingerprint(file(2)),
			fingerprint(file(1, "b.png")),
			fingerprint(file(1), { caption: "c" }),
			fingerprint(file(1), { ttl: 300 }),
			fingerprint(file(1), { published_at: 300 }),
			fingerprint(file(1), { metadata: { a: "1" } }),
			fingerprint(file(1), { labels: { a: "1" } }),
			fingerprint(file(1), { metadata: { a: "1", b: "2" } }),
			fingerprint(file(1), { metadata: { a: '1"],["b', b: "2" } }),
			fingerprint(file(1), { public: true }),
			fingerprint({ kind: "import", url: "https://example.com/a.png" }),
			fingerprint({ kind: "import", url: "https://example.com/b.png" }),
		]);
		expect(new Set(prints).size).toBe(prints.length);
	});

	test("only hashes are kept", async () => {
		const { hash } = await idempotencyKey("k", file(1), {});
		expect(hash.toHex()).toBe("8254c329a92850f6d539dd376f4816ee2764517da5e0235514af433164480d7a");
	});
});
