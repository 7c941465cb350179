import { expect, test } from "bun:test";
import { maskOf } from "./handover.ts";

const SECRET = "aabaac";

function masked(pieces: readonly string[]): string {
	const mask = maskOf(SECRET);
	return pieces.map((piece) => mask.feed(piece)).join("") + mask.rest();
}

test("a secret is taken out wherever the text is cut, and all else stays [mask.cut]", () => {
	const text = `one ${SECRET}${SECRET} two aabaa three aab${SECRET}`;
	const wanted = "one [secret][secret] two aabaa three aab[secret]";
	for (let first = 0; first <= text.length; first++) {
		for (let second = first; second <= text.length; second++) {
			expect(masked([text.slice(0, first), text.slice(first, second), text.slice(second)])).toBe(wanted);
		}
	}
	expect(masked([...text])).toBe(wanted);
});

test("what cannot begin the secret is shown at once [mask.prompt]", () => {
	const mask = maskOf(SECRET);
	expect([mask.feed("Password? "), mask.feed("aab"), mask.feed("x"), mask.rest()]).toEqual([
		"Password? ",
		"",
		"aabx",
		"",
	]);
});
