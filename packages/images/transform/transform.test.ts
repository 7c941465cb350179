import { describe, expect, test } from "bun:test";
import { OUTPUT_FORMATS } from "@svc/base/enumerations";
import { textsOf } from "@svc/test/support/transform-texts";
import fc from "fast-check";
import { parseColour } from "./colours/css-colours.ts";
import { PARAMETER_LIST } from "./parameters.ts";
import { canonicalFor, canonicalString, isEmpty, outputFormat, parseTransform, type Transform } from "./transform.ts";
import { parseValue, textOf } from "./values.ts";

function parse(query: string): Transform {
	return parseTransform(new URLSearchParams(query));
}

/** Any text, halves of characters included. */
const anyText = fc.array(fc.nat(0xffff), { maxLength: 300 }).map((units) => String.fromCharCode(...units));
const pair = fc
	.constantFrom(...PARAMETER_LIST)
	.chain(({ name, takes }) =>
		fc.tuple(fc.constant<string>(name), fc.oneof(fc.constantFrom(...textsOf(takes)), fc.string())),
	);
const pairs = fc.array(pair, { maxLength: 12 });
const masters = fc.constantFrom(...OUTPUT_FORMATS, "svg" as const, "bmp" as const, "ico" as const);

const RANGED = PARAMETER_LIST.flatMap(({ name, takes }) =>
	takes.kind === "whole" || (takes.kind === "decimal" && !takes.clamps) ? [{ name, takes }] : [],
);

describe("any address", () => {
	test("its canonical form parses back to the same transform and is its own canonical form", () => {
		fc.assert(
			fc.property(pairs, (sent) => {
				const transform = parseTransform(new URLSearchParams(sent));
				const text = canonicalString(transform);
				expect(parse(text)).toEqual(transform);
				expect(canonicalString(parse(text))).toBe(text);
			}),
			{ numRuns: 2_000 },
		);
	});

	test("means the same in every order, repeated parameters included [cdn.order-irrelevant]", () => {
		const shuffled = pairs.chain((sent) =>
			fc.tuple(fc.constant(sent), fc.shuffledSubarray(sent, { minLength: sent.length })),
		);
		fc.assert(
			fc.property(shuffled, ([sent, other]) => {
				const [first, second] = [sent, other].map((list) => canonicalString(parseTransform(new URLSearchParams(list))));
				expect(second).toBe(first ?? "");
			}),
		);
	});

	test("never throws, whatever is sent", () => {
		const name = fc.constantFrom(...PARAMETER_LIST.map((parameter) => parameter.name));
		fc.assert(
			fc.property(anyText, (query) => void parse(query)),
			{ numRuns: 500 },
		);
		fc.assert(
			fc.property(name, anyText, (one, value) => void parseTransform(new URLSearchParams([[one, value]]))),
			{
				numRuns: 500,
			},
		);
	});

	test("what a format leaves of it is still canonical, and asks for the same format", () => {
		fc.assert(
			fc.property(pairs, masters, (sent, master) => {
				const transform = parseTransform(new URLSearchParams(sent));
				const left = canonicalFor(transform, master);
				expect(canonicalFor(left, master)).toEqual(left);
				expect(parse(canonicalString(left))).toEqual(left);
				expect(outputFormat(left, master)).toBe(outputFormat(transform, master));
			}),
			{ numRuns: 2_000 },
		);
	});
});

describe("the table", () => {
	test.each(PARAMETER_LIST)("$name: its example is canonical and asks for it", ({ name, example, apart }) => {
		if (apart) return expect(canonicalString(parse(example))).toBe("");
		expect(canonicalString(parse(example))).toBe(example);
		expect(Object.keys(parse(example))).toContain(name);
	});

	test.each(PARAMETER_LIST)("$name: a value has one spelling, which means the same", ({ takes }) => {
		const values = textsOf(takes).map((text) => parseValue(takes, text));
		expect(values).toContain(undefined);
		for (const value of values.filter((one) => one !== undefined)) {
			expect(parseValue(takes, textOf(value))).toEqual(value);
		}
	});

	test.each(RANGED)("$name: its bounds are the last values that count", ({ takes }) => {
		const step = takes.kind === "whole" ? 1 : 0.0001;
		for (const bound of [takes.min, takes.max]) expect(parseValue(takes, String(bound))).toBe(bound);
		expect(parseValue(takes, String(takes.min - step))).toBeUndefined();
		expect(parseValue(takes, String(takes.max + step))).toBeUndefined();
	});

	test.each(PARAMETER_LIST.filter(({ usual }) => usual !== undefined))(
		"$name: its default is left out",
		(parameter) => {
			const { name, example, usual } = parameter;
			const params = new URLSearchParams(example);
			params.set(name, String(usual));
			expect(Object.keys(parseTransform(params))).not.toContain(name);
		},
	);
});

describe("values", () => {
	test("invalid ones are as if they were not there [cdn.invalid-ignored]", () => {
		const invalid = [
			...[
				"w=0",
				"w=4097",
				"w=1.5",
				"w=-1",
				"w=1e2",
				"w=0x10",
				"w= 5",
				"w=",
				"h=4097",
				"size=xl",
				"size=S",
				"fit=bogus",
			],
			...["gravity=x", "zoom=2", "zoom=-1", "q=0", "q=101", "q=best", "brightness=11", "contrast=-1", "gamma=11"],
			...["gamma=Infinity", "gamma=NaN", "saturation=1.", "blur=251", "blur=1.5", "sharp=11", "sharp=1e0", "rotate=45"],
			...["rotate=360", "flip=x", "trim=foo", "metadata=all", "segment=background", "background=zz", "fx=foo"],
			...["format=tiff", "format=JPG", "tile=nope", "tile=../x", "constructor=1", "__proto__=1", "unknown=1"],
			`w=${"0".repeat(80)}1`,
		];
		for (const query of invalid) expect([query, parse(query)]).toEqual([query, {}]);
	});

	test("w and h are 1 to 4096 [cdn.wh.range]", () => {
		expect(parse("w=1&h=4096")).toEqual({ w: 1, h: 4096 });
	});

	test("defaults are dropped", () => {
		const query =
			"fit=scale-down&gravity=auto&zoom=0&brightness=1&contrast=1.0&gamma=1&saturation=1&blur=0&sharp=0&metadata=copyright";
		expect(parse(query)).toEqual({});
		expect(parse("w=10&h=10&fit=scale-down&gravity=left")).toEqual({ w: 10, h: 10 });
	});

	test("gamma 0 and 1 ask for nothing [cdn.gamma.no-op]", () => {
		expect([parse("gamma=0"), parse("gamma=1"), parse("gamma=2")]).toEqual([{}, {}, { gamma: 2 }]);
	});

	test("named levels are numbers [cdn.q.named]", () => {
		expect(["high", "medium-high", "medium-low", "low"].map((q) => parse(`q=${q}`).q)).toEqual([90, 75, 60, 45]);
		expect(canonicalString(parse("q=high"))).toBe("q=90");
	});

	test("decimals are rounded to thousandths, after the range has been checked", () => {
		expect(parse("gamma=2.12345&saturation=.5")).toEqual({ gamma: 2.123, saturation: 0.5 });
		expect(parse("gamma=10.0001")).toEqual({});
	});

	test("a parameter sent twice counts when its valid values agree", () => {
		expect(parse("w=100&w=100&w=x")).toEqual({ w: 100 });
		expect(parse("w=100&w=200&h=50")).toEqual({ h: 50 });
		expect(parse("background=red&background=%23f00")).toEqual({ background: { r: 255, g: 0, b: 0, alpha: 1 } });
	});
});

describe("what has no effect beside something else", () => {
	test("size leaves no manual sizing [cdn.size.skips-manual]", () => {
		expect(parse("size=s&w=50&h=50&fit=cover&gravity=left&zoom=1")).toEqual({ size: "s" });
		expect(parse("size=social&w=50&h=50&fit=pad&gravity=top")).toEqual({ size: "social", gravity: "top" });
	});

	test("fit needs both axes; with one it only says whether to enlarge", () => {
		expect(parse("fit=cover")).toEqual({});
		expect(parse("w=50&fit=crop")).toEqual({ w: 50 });
		expect(parse("w=50&fit=squeeze")).toEqual(parse("w=50&fit=contain"));
	});

	test("gravity needs a cut, zoom a face", () => {
		expect(parse("w=5&h=5&fit=pad&gravity=left")).toEqual({ w: 5, h: 5, fit: "pad" });
		expect(parse("w=5&h=5&fit=cover&gravity=left&zoom=1")).toEqual({ w: 5, h: 5, fit: "cover", gravity: "left" });
		expect(parse("w=5&h=5&fit=cover&gravity=face&zoom=.5")).toMatchObject({ gravity: "face", zoom: 0.5 });
	});

	test("equal turns are spelled equally", () => {
		expect(parse("flip=hv")).toEqual({ rotate: 180 });
		expect(parse("flip=hv&rotate=180")).toEqual({});
		expect(parse("flip=h&rotate=180")).toEqual({ flip: "v" });
		expect(parse("flip=v&rotate=90")).toEqual({ flip: "h", rotate: 270 });
	});

	test("strength counts only with fx [cdn.strength.only-with-fx]", () => {
		expect(parse("strength=100")).toEqual({});
		expect(parse("fx=foo&strength=100")).toEqual({});
	});

	test("strength clamps to the range of its effect [cdn.strength.clamp]", () => {
		expect(parse("fx=blur-bg&strength=999")).toEqual({ fx: "blur-bg", strength: 250 });
		expect(parse("fx=darken-bg&strength=0")).toEqual({ fx: "darken-bg", strength: 0.05 });
		expect(parse("fx=blur-bg&strength=-5")).toEqual(parse("fx=blur-bg&strength=0"));
		expect(parse("fx=darken-bg&strength=9")).toEqual(parse("fx=darken-bg&strength=1"));
	});

	test("the usual strength is left out [cdn.strength.blur-bg, cdn.strength.darken-bg, cdn.strength.color-pop]", () => {
		expect(parse("fx=blur-bg&strength=60")).toEqual({ fx: "blur-bg" });
		expect(parse("fx=darken-bg&strength=0.5")).toEqual({ fx: "darken-bg" });
		expect(parse("fx=color-pop&strength=10")).toEqual({ fx: "color-pop" });
	});

	test("segmenting leaves no background for an effect", () => {
		expect(parse("segment=foreground&fx=blur-bg&strength=9")).toEqual({ segment: "foreground" });
	});
});

describe("colours", () => {
	const red = { r: 255, g: 0, b: 0, alpha: 1 };

	test("every syntax is understood [cdn.background.named, cdn.background.hex, cdn.background.rgb, cdn.background.rgba]", () => {
		for (const text of [
			"red",
			"RED",
			"#f00",
			"#ff0000",
			"#F00F",
			"#ff0000ff",
			"rgb(255,0,0)",
			"rgb(255 0 0)",
			"rgb(100%, 0%, 0%)",
		]) {
			expect([text, parseColour(text)]).toEqual([text, red]);
		}
		for (const text of ["rgba(255,0,0,0.5)", "rgba(255, 0, 0, 50%)", "rgb(255 0 0 / .5)", "rgba(255 0 0/50%)"]) {
			expect([text, parseColour(text)]).toEqual([text, { ...red, alpha: 0.5 }]);
		}
		expect(parseColour("rebeccapurple")).toEqual({ r: 102, g: 51, b: 153, alpha: 1 });
		expect(parseColour("#0000ff80")).toEqual({ r: 0, g: 0, b: 255, alpha: 0.502 });
		expect(parse("background=%23f00")).toEqual({ background: red });
	});

	test("anything else is none", () => {
		const refused = [
			"ff0000",
			"#ff",
			"#ggg",
			"rgb(1,2)",
			"rgb(1,2,3,4,5)",
			"rgb(1,2,,3)",
			"rgb(256,0,0)",
			"rgb(1 2,3)",
			"rgb(1 2 3 4)",
		];
		for (const text of [
			...refused,
			"rgb(-1,0,0)",
			"rgb(1e1,0,0)",
			"rgba(0,0,0,2)",
			"rgb(1/2/3)",
			"toString",
			"hsl(0,0%,0%)",
			"rgb(",
		]) {
			expect([text, parseColour(text)]).toEqual([text, undefined]);
		}
	});

	test("a ground that is fully transparent is none", () => {
		expect([parse("background=transparent"), parse("background=rgba(9,9,9,0)"), parse("background=%23fff0")]).toEqual([
			{},
			{},
			{},
		]);
	});
});

describe("beside the master's format", () => {
	const left = (query: string, master: Parameters<typeof canonicalFor>[1]) =>
		canonicalString(canonicalFor(parse(query), master));

	test("quality means nothing to PNG and GIF [cdn.q.lossy-only]", () => {
		expect(left("q=50", "png")).toBe("");
		expect(left("q=50&format=gif", "png")).toBe("format=gif");
		expect(left("q=50&format=webp", "png")).toBe("format=webp&q=50");
	});

	test("the usual quality is dropped where the picture is encoded anyway", () => {
		expect(left("w=10&q=80", "jpg")).toBe("w=10");
		expect(left("format=avif&q=67", "jpg")).toBe("format=avif");
		expect(left("q=80", "jpg")).toBe("q=80");
	});

	test("the master's own format asks for nothing", () => {
		expect(isEmpty(canonicalFor(parse("format=jpg"), "jpg"))).toBe(true);
		expect(left("format=jpg&w=10", "jpg")).toBe("w=10");
		expect(left("format=png", "svg")).toBe("format=png");
		expect(left("format=jpg&size=social", "png")).toBe("size=social");
		expect(left("format=png&size=social", "png")).toBe("format=png&size=social");
	});

	test("a ground that cannot be seen is dropped", () => {
		expect(left("background=red&w=10", "jpg")).toBe("w=10");
		expect(left("background=red&w=10&h=10&fit=pad", "jpg")).toContain("background");
		expect(left("background=white&format=jpg", "png")).toBe("format=jpg");
		expect(left("background=white&format=webp", "png")).toContain("background");
	});

	test("a card is a JPEG, and what browsers cannot show becomes PNG", () => {
		expect(outputFormat({ size: "social" }, "png")).toBe("jpg");
		expect(outputFormat({ w: 1 }, "bmp")).toBe("png");
		expect(outputFormat({ w: 1 }, "gif")).toBe("gif");
	});
});
