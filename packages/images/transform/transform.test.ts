import { describe, expect, test } from "bun:test";
import { OUTPUT_FORMATS } from "@svc/base/enumerations";
import fc from "fast-check";
import { parseColour } from "./css-colours.ts";
import { canonicalFor, canonicalString, isEmpty, outputFormat, parseTransform, type Transform } from "./transform.ts";

const ID = "img_0123456789ABCDEFGHIJkl";

function parse(query: string): Transform {
	return parseTransform(new URLSearchParams(query));
}

const VALUES: Record<string, string[]> = {
	size: ["s", "m", "l", "social", "xl"],
	format: [...OUTPUT_FORMATS, "tiff"],
	w: ["1", "200", "4096", "4097", "1.5"],
	h: ["1", "300", "4096", "0"],
	fit: ["scale-down", "contain", "cover", "crop", "pad", "squeeze", "bogus"],
	gravity: ["auto", "face", "left", "right", "top", "bottom", "x"],
	zoom: ["0", "0.5", "1", "1.1"],
	q: ["1", "85", "60", "high", "low", "101"],
	brightness: ["0", "1", "2.5", "0.0001", "11"],
	contrast: ["1", "10", "-0", "-1"],
	gamma: ["0", "1", "0.5", "2.123456"],
	saturation: ["0", "1.0", "3"],
	blur: ["0", "10", "250", "251"],
	sharp: ["0", "5", "1e1"],
	rotate: ["90", "180", "270", "45"],
	flip: ["h", "v", "hv", "x"],
	trim: ["border", "foo"],
	metadata: ["copyright", "none", "keep"],
	segment: ["foreground", "back"],
	background: ["red", "white", "transparent", "#0f08", "rgba(1,2,3,0.25)", "rgb(300,0,0)", "zz"],
	fx: ["blur-bg", "color-pop", "darken-bg", "foo"],
	strength: ["0", "0.05", "0.5", "1", "60", "999", "-4"],
	tile: [ID, "nope"],
};

const pair = fc
	.constantFrom(...Object.keys(VALUES))
	.chain((name) => fc.tuple(fc.constant(name), fc.oneof(fc.constantFrom(...(VALUES[name] ?? [])), fc.string())));
const pairs = fc.array(pair, { maxLength: 12 });
const masters = fc.constantFrom(...OUTPUT_FORMATS, "svg" as const, "bmp" as const, "ico" as const);

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

	test("[cdn.order-irrelevant] means the same in every order, repeated parameters included", () => {
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
		fc.assert(fc.property(fc.string({ maxLength: 300, unit: "binary" }), (query) => void parse(query)));
		fc.assert(
			fc.property(fc.constantFrom(...Object.keys(VALUES)), fc.string({ unit: "binary" }), (name, value) => {
				parseTransform(new URLSearchParams([[name, value]]));
			}),
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

describe("values", () => {
	test("[cdn.invalid-ignored] invalid ones are as if they were not there", () => {
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

	test("[cdn.wh.range] w and h are 1 to 4096", () => {
		expect(parse("w=1&h=4096")).toEqual({ w: 1, h: 4096 });
	});

	test("defaults are dropped", () => {
		const query =
			"fit=scale-down&gravity=auto&zoom=0&brightness=1&contrast=1.0&gamma=1&saturation=1&blur=0&sharp=0&metadata=copyright";
		expect(parse(query)).toEqual({});
		expect(parse("w=10&h=10&fit=scale-down&gravity=left")).toEqual({ w: 10, h: 10 });
	});

	test("[cdn.gamma.no-op] gamma 0 and 1 ask for nothing", () => {
		expect([parse("gamma=0"), parse("gamma=1"), parse("gamma=2")]).toEqual([{}, {}, { gamma: 2 }]);
	});

	test("[cdn.q.named] named levels are numbers", () => {
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
	test("[cdn.size.skips-manual] size leaves no manual sizing", () => {
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

	test("[cdn.strength.only-with-fx] strength counts only with fx", () => {
		expect(parse("strength=100")).toEqual({});
		expect(parse("fx=foo&strength=100")).toEqual({});
	});

	test("[cdn.strength.clamp] strength clamps to the range of its effect", () => {
		expect(parse("fx=blur-bg&strength=999")).toEqual({ fx: "blur-bg", strength: 250 });
		expect(parse("fx=darken-bg&strength=0")).toEqual({ fx: "darken-bg", strength: 0.05 });
		expect(parse("fx=blur-bg&strength=-5")).toEqual(parse("fx=blur-bg&strength=0"));
		expect(parse("fx=darken-bg&strength=9")).toEqual(parse("fx=darken-bg&strength=1"));
	});

	test("[cdn.strength.blur-bg] [cdn.strength.darken-bg] [cdn.strength.color-pop] the usual strength is left out", () => {
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

	test("[cdn.background.named] [cdn.background.hex] [cdn.background.rgb] [cdn.background.rgba] every syntax is understood", () => {
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

	test("[cdn.q.lossy-only] quality means nothing to PNG and GIF", () => {
		expect(left("q=50", "png")).toBe("");
		expect(left("q=50&format=gif", "png")).toBe("format=gif");
		expect(left("q=50&format=webp", "png")).toBe("format=webp&q=50");
	});

	test("the usual quality is dropped where the picture is encoded anyway", () => {
		expect(left("w=10&q=85", "jpg")).toBe("w=10");
		expect(left("format=avif&q=60", "jpg")).toBe("format=avif");
		expect(left("q=85", "jpg")).toBe("q=85");
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
