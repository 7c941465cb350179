import { expect, test } from "bun:test";
import { accentSheet } from "./accent.ts";
import { initialsOf } from "./shown-app.ts";

/* Its own reckoning, by the formulas of WCAG 2.2. */

function luminance(digits: string): number {
	const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((place) => {
		const value = Number.parseInt(digits.slice(place, place + 2), 16) / 255;
		return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
	const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
	return (lighter + 0.05) / (darker + 0.05);
}

/** The hue in degrees as HSL has it; undefined for a grey. */
function hueOf(digits: string): number | undefined {
	const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((place) => Number.parseInt(digits.slice(place, place + 2), 16));
	const [most, span] = [Math.max(red, green, blue), Math.max(red, green, blue) - Math.min(red, green, blue)];
	if (span < 40) return undefined;
	const sixth =
		most === red ? (green - blue) / span : most === green ? 2 + (blue - red) / span : 4 + (red - green) / span;
	return ((sixth + 6) % 6) * 60;
}

function schemesOf(digits: string): readonly Readonly<Record<string, string>>[] {
	const sheet = accentSheet(digits);
	expect(sheet).toMatch(/^:root\{[^{}]*\}@media screen and \(prefers-color-scheme:dark\)\{:root\{[^{}]*\}\}\n$/);
	return [...sheet.matchAll(/:root\{([^}]*)\}/g)].map(([, inside = ""]) =>
		Object.fromEntries(inside.split(";").map((one) => one.slice(2).split(":#") as [string, string])),
	);
}

const GROUNDS = [
	["f6f5f1", "ffffff"],
	["141614", "1c1f1c"],
];
const STEPS = ["00", "33", "66", "99", "cc", "ff"];
const COLOURS = STEPS.flatMap((red) => STEPS.flatMap((green) => STEPS.map((blue) => red + green + blue)));

test("of any colour a text can be read in it and on it, in light and in dark, also under the pointer", () => {
	for (const colour of COLOURS) {
		const schemes = schemesOf(colour);
		expect(schemes).toHaveLength(2);
		for (const [
			at,
			{ accent = "", "accent-strong": strong = "", "on-accent": on = "", tint = "" },
		] of schemes.entries()) {
			const least = Math.min(...[...(GROUNDS[at] ?? []), on, tint].map((ground) => contrast(accent, ground)));
			const pressed = Math.min(contrast(strong, on), contrast(strong, GROUNDS[at]?.[1] ?? ""));
			expect([colour, at, least >= 4.5, pressed >= 4.5, strong !== accent]).toEqual([colour, at, true, true, true]);
		}
	}
});

test("a colour that can be read is shown as it is, and one that cannot be is not: it is one of the same hue", () => {
	expect(schemesOf("12664f")[0]?.accent).toBe("12664f");
	expect(schemesOf("7fd3b4")[1]?.accent).toBe("7fd3b4");
	for (const colour of COLOURS) {
		for (const [at, { accent = "" }] of schemesOf(colour).entries()) {
			const readable = (GROUNDS[at] ?? []).every((ground) => contrast(colour, ground) >= 4.5);
			if (!readable) expect([colour, at, accent]).not.toEqual([colour, at, colour]);
			const [before, after] = [hueOf(colour), hueOf(accent)];
			if (before === undefined || after === undefined) continue;
			const turned = Math.abs(((after - before + 540) % 360) - 180);
			// Hues of OKLCH and of HSL part a little where blue becomes lighter.
			expect([colour, at, turned < 32]).toEqual([colour, at, true]);
		}
	}
});

test("initials are the beginnings of two words, whatever the script", () => {
	expect(
		["Sunday Hikers", "shop", "a b c", "مكتبة الصور", "👩‍👩‍👧 Family", "日曜ハイカー", ""].map(initialsOf),
	).toEqual(["SH", "S", "AB", "ما", "👩‍👩‍👧F", "日", ""]);
});
