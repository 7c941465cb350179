import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { appNameFault, findForbiddenWord, foldName, nameFault } from "./app-names.ts";

const SERVICE = "Svc";
const isRefused = (name: string, service = SERVICE) => appNameFault(name, service) !== undefined;

describe("the service's own name [naming.app]", () => {
	const REFUSED = {
		"as a word": ["Svc", "svc", "SVC", "Svc Photos", "My svc", "Svc's pictures", "My-Svc!", "Svc2", "the_svc_app"],
		"as part of a CamelCase word": ["SvcPhotos", "MySvc", "SVCPhotos", "picSVC"],
		"as single letters": ["S.v.c", "S V C", "s_v_c", "S  -  V  -  C", "My S.V.C. pictures", "s!v!c"],
		"with signs inside": ["S-vc", "Sv.c"],
		"in look-alikes": [
			"Ѕvc",
			"ѕѵс",
			"5VC",
			"$vc",
			"S\\/C",
			"ＳＶＣ",
			"Švc",
			"Ⓢⓥⓒ",
			"🅂🅅🄲",
			"🆂🆅🅲",
			"🇸🇻🇨",
			"𝐒𝐯𝐜",
			"ᏚᏙᏟ",
			"ꓢꓦꓚ",
		],
		"with what cannot be seen": ["S\u200bvc", "S\u00advc", "\u2060Svc", "Sv\ufe0fc"],
	};
	for (const [how, names] of Object.entries(REFUSED)) {
		test(`is refused ${how}`, () => {
			expect(names.filter((name) => !isRefused(name))).toEqual([]);
		});
	}

	test("is refused inside of a word, in look-alikes of other scripts and digits too", () => {
		const refused = ["photosvc", "svcs", "Disvcover", "Asvc", "photo5vc", "photoѕvс", "MySvcApp", "ΡhotoSVС2"];
		expect(refused.filter((name) => !isRefused(name))).toEqual([]);
		expect(["mypixelbox", "Pixelboxes"].filter((name) => !isRefused(name, "Pixel Box"))).toEqual([]);
		expect(isRefused("Lily", "Lil")).toBe(true);
	});

	test("of one or two letters is refused as a word alone", () => {
		expect(["Vc", "V.C."].filter((name) => !isRefused(name, "VC"))).toEqual([]);
		expect(["Pvcs", "Advocate"].filter((name) => isRefused(name, "VC"))).toEqual([]);
	});

	test("is none where its letters are in several words, or only like those of an innocent word", () => {
		const allowed = ["Photos", "Pics VC", "PICS VC", "Pics V C", "S V (2)", "Sv C", "S2V C", "Service", "Pics-VC"];
		expect(allowed.filter((name) => isRefused(name))).toEqual([]);
	});

	test("may be any, of several words or of other letters too", () => {
		const refused = [
			["Pixel  Box pro", "Pixel Box"],
			["PixelBox", "Pixel Box"],
			["p.i.x.e.l b.o.x", "Pixel Box"],
			["Mein СВЦ", "свц"],
			["The ΡΙΧΕL", "Pixel"],
			["vvide", "Wide"],
			["C++ now", "C++"],
		] as const;
		expect(refused.filter(([name, service]) => !isRefused(name, service))).toEqual([]);
		const allowed = [
			["The pixel and the box", "Pixel Box"],
			["Hi11", "Lil"],
			["Skills", "Lil"],
			["Anything at all", "***"],
		] as const;
		expect(allowed.filter(([name, service]) => isRefused(name, service))).toEqual([]);
	});

	const letters = fc.stringMatching(/^[a-z]{2,8}$/);
	const separators = fc.stringMatching(/^[ ._\-~]{1,3}$/);

	test("is refused wherever it stands, however it is cased and spaced", () => {
		fc.assert(
			fc.property(letters, fc.array(letters), fc.array(letters), separators, (service, before, after, separator) => {
				const name = (own: string) => [...before, own, ...after].join(" ");
				expect(findForbiddenWord(name(service.toUpperCase()), [service])).toBe(service);
				expect(findForbiddenWord(name([...service].join(separator)), [service])).toBe(service);
			}),
		);
	});

	test("is not found in prose where its letters are only part of other words", () => {
		fc.assert(
			fc.property(letters, letters, letters, (service, before, after) => {
				fc.pre(findForbiddenWord(`${before}x`, [service]) === undefined);
				expect(findForbiddenWord(`${before}x${service}x${after}`, [service])).toBeUndefined();
			}),
		);
	});

	test("is looked for in any text, however long, without failing", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (text, service) => {
				findForbiddenWord(text, [service]);
			}),
		);
		for (const text of ["!|1l".repeat(5_000), "l ".repeat(10_000), "s.".repeat(10_000), "s".repeat(20_000)]) {
			expect(findForbiddenWord(text, ["liliana", "svcx"])).toBeUndefined();
		}
	});
});

test("the first of several forbidden words is named as it was given", () => {
	expect(findForbiddenWord("The VERIFIED plan", ["Svc", "official", "verified"])).toBe("verified");
	expect(findForbiddenWord("0fficial", ["Svc", "official", "verified"])).toBe("official");
	expect(findForbiddenWord("officially", ["Svc", "official", "verified"])).toBeUndefined();
});

test("a name has 1 to 100 characters that can be seen, and none that control or turn it", () => {
	for (const name of ["", "  ", "\u200b", "x".repeat(101), "a\0b", "a\nb", "a\u202eb", "\ud800"]) {
		expect(nameFault(name, 100)).toBeString();
	}
	for (const name of ["x", "x".repeat(100), "🦊".repeat(100), "👩‍👩‍👧", "Ж", "日本"])
		expect(nameFault(name, 100)).toBeUndefined();
});

test("look-alikes fold to one name, and folding again changes nothing", () => {
	expect(foldName(" РHΟТОS  Ａpp ")).toBe(foldName("photos app"));
	fc.assert(fc.property(fc.string({ unit: "grapheme" }), (name) => foldName(foldName(name)) === foldName(name)));
});
