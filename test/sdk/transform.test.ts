import { describe, expect, test } from "bun:test";
import { PARAMETER_LIST } from "@svc/images/transform/parameters";
import { canonicalString, parseTransform } from "@svc/images/transform/transform";
import { type Kind, parseValue, textOf, wordsOf } from "@svc/images/transform/values";
import { imageUrl } from "@svc/sdk/transform";
import fc from "fast-check";
import { IMAGE_ID } from "../support/transform-texts.ts";

/* The SDK has no grammar of its own, but it serializes: what it writes has to be what the service reads. */

const ADDRESS = "http://cdn.test/team/img_1.png";
/** More than a double can tell apart near 0. */
const ALL_DECIMALS = 20;

function paramsOf(options: object): URLSearchParams {
	return new URL(imageUrl(ADDRESS, options)).searchParams;
}

/** Everything that the SDK may be given for a parameter, its bounds often. */
function values(kind: Kind): fc.Arbitrary<unknown> {
	switch (kind.kind) {
		case "choice":
			return fc.constantFrom(...kind.values);
		case "whole":
			return fc.oneof(fc.integer(kind), fc.constantFrom(kind.min, kind.max, ...wordsOf(kind)));
		case "decimal":
			return fc.oneof(
				fc.double({ min: kind.min, max: kind.max, noNaN: true }),
				fc.constantFrom(kind.min, kind.max),
				// Where two ways of rounding part.
				fc.integer({ min: kind.min * 20_000, max: kind.max * 20_000 }).map((steps) => steps / 20_000),
			);
		case "colour": {
			const channel = fc.integer({ min: 0, max: 255 });
			const alpha = fc.double({ min: 0, max: 1, noNaN: true });
			const parts = fc.record({ r: channel, g: channel, b: channel, alpha });
			return fc.oneof(fc.constantFrom("teal", "#ff008080", "rgba(1, 2, 3, 0.5)"), parts);
		}
		case "image":
			return fc.constantFrom(IMAGE_ID, { id: IMAGE_ID });
		case "point": {
			const share = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 1, 0.00005));
			return fc.oneof(fc.constantFrom(...wordsOf(kind)), fc.record({ x: share, y: share }));
		}
		case "name":
			return fc.constantFrom("a", "Ünïcode 写真.jpeg", '50% "off"', "x".repeat(100));
		case "piece": {
			const [from, length] = [fc.nat(10_000), fc.integer({ min: 1, max: 10_000 })];
			return fc.record({ x: from, y: from, w: length, h: length });
		}
	}
}

/** What an address without the SDK would say, with all that a number has. */
function exactText(value: unknown): string {
	if (typeof value === "number") return value.toFixed(ALL_DECIMALS).replace(/\.0+$/, "");
	if (typeof value !== "object" || value === null) return String(value);
	if ("id" in value) return String(value.id);
	if ("x" in value) return Object.values(value).map(exactText).join(",");
	return `rgba(${Object.values(value).map(exactText).join(",")})`;
}

describe("the SDK and the service", () => {
	test.each(PARAMETER_LIST)(
		"$name: what the SDK writes is what the service reads, rounded alike",
		({ name, takes }) => {
			fc.assert(
				fc.property(values(takes), (value) => {
					const sent = paramsOf({ [name]: value }).get(name) ?? "";
					expect(parseValue(takes, sent)).toEqual(parseValue(takes, exactText(value)));
					const read = parseValue(takes, sent) ?? "refused";
					// A word for a number and a colour keep the caller's spelling; all else is canonical already.
					if (typeof value === "number") expect(sent).toBe(textOf(read));
				}),
				{ numRuns: 300 },
			);
		},
	);

	test("any options give the same canonical form as the same values without the SDK", () => {
		const options = fc.record(Object.fromEntries(PARAMETER_LIST.map(({ name, takes }) => [name, values(takes)])), {
			requiredKeys: [],
		});
		fc.assert(
			fc.property(options, (asked) => {
				const exact = new URLSearchParams(Object.entries(asked).map(([name, value]) => [name, exactText(value)]));
				expect(canonicalString(parseTransform(paramsOf(asked)))).toBe(canonicalString(parseTransform(exact)));
			}),
			{ numRuns: 1_000 },
		);
	});

	test.each(PARAMETER_LIST)("$name: the SDK refuses what the service would ignore", ({ name, takes }) => {
		const isFlag = takes.kind === "choice" && takes.values.some((value) => value === true);
		const wrong: unknown[] = ["bogus ", Number.NaN, null, !isFlag, []];
		if ("min" in takes) wrong.push(takes.min - 1, takes.max + 1, takes.min - 1e-9, takes.max + 1e-9);
		if (takes.kind === "whole") wrong.push(takes.min + 0.5);
		// Any text may be a colour or an id: the service alone knows.
		for (const value of wrong.filter(
			(one) => typeof one !== "string" || !["colour", "image", "name"].includes(takes.kind),
		)) {
			expect(() => imageUrl(ADDRESS, { [name]: value })).toThrow(new RegExp(`^${name} must be `));
		}
	});
});
