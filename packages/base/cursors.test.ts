import { expect, test } from "bun:test";
import { sealedCursors } from "./cursors.ts";

const position = { publishedMs: 1_700_000_000_123, pk: 42 };

test("a cursor opens where it was sealed, and nowhere else", async () => {
	const cursors = await sealedCursors(new Uint8Array(32).fill(1));
	const cursor = await cursors.seal(position, "images a");
	expect(await cursors.open(cursor, "images a")).toEqual({ ...position });
	expect(cursors.open(cursor, "images b")).rejects.toThrow();
	const others = await sealedCursors(new Uint8Array(32).fill(2));
	expect(others.open(cursor, "images a")).rejects.toThrow();
});

test("dates before 1970 survive", async () => {
	const cursors = await sealedCursors(new Uint8Array(32));
	const old = { publishedMs: -62_000_000_000_000, pk: 1 };
	expect(await cursors.open(await cursors.seal(old, ""), "")).toEqual(old);
});

test("no single changed letter, and no garbage, opens", async () => {
	const cursors = await sealedCursors(new Uint8Array(32).fill(1));
	const cursor = await cursors.seal(position, "s");
	for (let place = 0; place < cursor.length - 1; place++) {
		const changed = cursor.slice(0, place) + (cursor[place] === "A" ? "B" : "A") + cursor.slice(place + 1);
		expect(cursors.open(changed, "s")).rejects.toThrow();
	}
	for (const garbage of ["", "x", "%", "a".repeat(43), "a".repeat(500), "💥"]) {
		expect(cursors.open(garbage, "s")).rejects.toThrow();
	}
});

test("a cursor tells nothing of the place that it is", async () => {
	const cursors = await sealedCursors(new Uint8Array(32).fill(1));
	const sealed = await Promise.all(Array.from({ length: 20 }, () => cursors.seal(position, "s")));
	expect(new Set(sealed).size).toBe(20);
	const bytes = sealed.map((cursor) => Buffer.from(cursor, "base64url"));
	// The place is 16 bytes; no byte of any cursor stays the same, as one that showed through would.
	const still = [...(bytes[0]?.keys() ?? [])].filter((at) => bytes.every((one) => one[at] === bytes[0]?.[at]));
	expect(still).toEqual([]);
});
