import { expect, test } from "bun:test";
import { fakeWorld } from "@svc/test/support/fake-world";
import { run } from "../run.ts";
import { wrapped } from "./wrap.ts";

test("a line that is too long ends between words, and goes on below its last column [out.wrap]", () => {
	expect(wrapped("  next: Check the address, and try again in a moment.", 30)).toBe(
		"  next: Check the address, and\n        try again in a moment.",
	);
	expect(wrapped("  --after <id>   Go on behind this event, not before", 40)).toBe(
		"  --after <id>   Go on behind this\n                 event, not before",
	);
	expect(wrapped("short\nas it is", 8)).toBe("short\nas it is");
});

test("a command stays on one line, and a word that is longer than the terminal is left whole [out.wrap-commands]", () => {
	expect(wrapped("Choose a profile (svc profile list), or set another one.", 30)).toBe(
		"Choose a profile\n(svc profile list), or set\nanother one.",
	);
	expect(wrapped("There are more: --all, or --cursor abcdef", 30)).toBe("There are more: --all, or\n--cursor abcdef");
	const scopes = "apps:read,apps:write,audit:read,audit:write,events:read";
	expect(wrapped(`scopes  ${scopes}`, 40).split("\n")).toEqual([
		"scopes  apps:read,apps:write,audit:read,",
		"        audit:write,events:read",
	]);
	expect(wrapped("  next: Name a folder that svc server backup made and that is whole.", 40)).toBe(
		"  next: Name a folder that\n        svc server backup made and that\n        is whole.",
	);
	expect(wrapped(`see ${"x".repeat(50)} there`, 20)).toBe(`see\n${"x".repeat(50)}\nthere`);
});

test("errors fit the terminal; a file gets them in one line each [out.wrap-errors]", async () => {
	for (const isTerminal of [true, false]) {
		const world = fakeWorld({ isTerminal, columns: 40 });
		expect(await run(["images", "list", "--limit", "a number that is none"], world)).toBe(2);
		const lines = world.errText().trimEnd().split("\n");
		expect(lines.every((line) => line.length <= 40)).toBe(isTerminal);
		expect(lines.map((line) => line.trim()).join(" ")).toBe(
			'error: --limit takes a whole number from 1; not "a number that is none".',
		);
	}
});
