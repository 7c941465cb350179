import { expect, test } from "bun:test";
import { filenameOf, safeFilename } from "./filename.ts";

const nameOf = (url: string) => safeFilename(filenameOf(url), "fallback");

test.each([
	["https://img.example.com/a/cat.png", "cat.png"],
	["https://img.example.com/cat.png?size=s#top", "cat.png"],
	["https://img.example.com/my%20cat.png", "my cat.png"],
	["https://img.example.com/k%C3%A4tzchen.png", "kätzchen.png"],
	["https://img.example.com/%ff.png", "%ff.png"],
	["https://img.example.com/..%2F..%2Fetc%2Fpasswd", "passwd"],
	["https://img.example.com/a%5Cb%00c%0Ad.png", "bcd.png"],
	["https://img.example.com/a%E2%80%AEgnp.exe", "agnp.exe"],
	["https://img.example.com/%20cat%20", "cat"],
	["https://img.example.com/", "fallback"],
	["https://img.example.com", "fallback"],
	["https://img.example.com/%2e%2e", "fallback"],
	["https://img.example.com/%2F", "fallback"],
	["not an address", "fallback"],
])("%s is named %s", (url, name) => {
	expect(nameOf(url)).toBe(name);
});

test("a long name keeps its ending, its 255 characters, and splits none", () => {
	expect(safeFilename(`${"a".repeat(300)}.jpeg`, "f")).toBe(`${"a".repeat(250)}.jpeg`);
	expect([...safeFilename("😀".repeat(300), "f")]).toHaveLength(255);
	expect(safeFilename("a\ud800b", "f").isWellFormed()).toBe(true);
});
