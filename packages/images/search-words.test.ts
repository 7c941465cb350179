import { expect, test } from "bun:test";
import { keptWords, searchedWords, wordsOf } from "./search-words.ts";

test.each([
	["IMG_1234 Beach.JPG", ["img", "1234", "beach", "jpg"]],
	["STRASSE straße Straße", ["strasse"]],
	["Café CAFÉ Ångström", ["cafe", "angstrom"]],
	["ΟΔΟΣ οδός", ["οδοσ"]],
	["東京タワーA1", ["東", "京", "タ", "ワ", "ー", "a1"]],
	["हिन्दी", ["हिन्दी"]],
	['"]}\\ --', []],
	["a".repeat(60), ["a".repeat(40)]],
	["𝒳𐐀".repeat(30), ["x𐐨".repeat(20)]],
])("the words of %p in any case and without accents", (text, words) => {
	expect(wordsOf(text)).toEqual(words);
	expect(wordsOf(text.toUpperCase())).toEqual(words);
});

test("what is kept of an image begins with its revision and has at most 100 words, those of the name first", () => {
	const image = { filename: "a.png", labels: { album: "Sea" }, revision: 7 };
	const caption = Array.from({ length: 200 }, (_, place) => `w${place}`).join(" ");
	const [revision, ...words] = JSON.parse(keptWords({ ...image, caption })) as [number, ...string[]];
	expect([revision, words.length, words.slice(0, 5)]).toEqual([7, 100, ["a", "album", "sea", "w0", "w1"]]);
});

test("the ending of a file name that says a format is no word of it, and a search may have it, or begin it", () => {
	const kept = (filename: string) =>
		JSON.parse(keptWords({ filename, labels: {}, caption: "", revision: 1 })).slice(1) as string[];
	expect([kept("IMG_1.JPG"), kept("a.b.png"), kept("png"), kept(".png"), kept("moth.v2")]).toEqual([
		["img", "1"],
		["a", "b"],
		["png"],
		["png"],
		["moth", "v2"],
	]);
	for (const text of ["moth.png", "Moth.PN", "moth.", "moth"]) expect(searchedWords(text)).toEqual(["moth"]);
	expect(searchedWords("moth.png fern.jpeg v1.2")).toEqual(["moth", "fern", "v1", "2"]);
	expect([searchedWords(".png"), searchedWords("png")]).toEqual([["png"], ["png"]]);
});
