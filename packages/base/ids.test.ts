import { expect, test } from "bun:test";
import { isId, newId, randomBase62, toBase62 } from "./ids.ts";

test("ids carry their noun and are recognised by it alone", () => {
	const id = newId("img");
	expect(isId("img", id)).toBe(true);
	expect(isId("usr", id)).toBe(false);
	for (const wrong of ["", "img_", `${id}x`, id.slice(0, -1), "img_../../etc/passwd/xxxxxx", `${id}\n`]) {
		expect(isId("img", wrong)).toBe(false);
	}
});

test("random digits are spread evenly", () => {
	const counts = new Map<string, number>();
	for (const digit of randomBase62(62_000)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
	expect(counts.size).toBe(62);
	// 1,000 expected; ten standard deviations either way.
	for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(320);
});

test("toBase62 pads to its width", () => {
	expect(toBase62(0, 6)).toBe("000000");
	expect(toBase62(61, 2)).toBe("0z");
	expect(toBase62(0xffffffff, 6)).toBe("4gfFC3");
});
