import { describe, expect, test } from "bun:test";
import { canonicalFor, canonicalString, parseTransform, type Transform } from "./transform.ts";

const ID = `img_${"0".repeat(22)}`;

function parse(query: string): Transform {
	return parseTransform(new URLSearchParams(query));
}

function text(query: string): string {
	return decodeURIComponent(canonicalString(parse(query)));
}

describe("dpr", () => {
	test("is multiplied into what it multiplies, so that equal pictures have one address", () => {
		expect(text("w=300&dpr=2")).toBe("w=600");
		expect(text("w=300&h=101&dpr=1.5&blur=3&radius=9")).toBe("blur=5&h=152&radius=14&w=450");
		expect(text("dpr=2&blur=10")).toBe("blur=20");
		expect(text("dpr=2&radius=max&w=10")).toBe("radius=max&w=20");
	});

	test("of a size gives the next one where it fits, and one spelling where it does not", () => {
		expect(text("size=s&dpr=2")).toBe("size=m");
		expect(text("size=m&dpr=1.69")).toBe("dpr=1.69&size=m");
		expect(text("size=s&dpr=3")).toBe(text("size=m&dpr=1.5"));
		expect(text("size=s&dpr=2&blur=10&radius=4")).toBe("blur=20&radius=8&size=m");
		expect(text("size=s&dpr=1.5&blur=10")).toBe("blur=10&dpr=1.5&size=s");
	});

	test("stays within the bounds of all that it multiplies, together", () => {
		expect(text("w=3000&h=100&dpr=2")).toBe("h=137&w=4096");
		expect(text("w=300&blur=200&dpr=2")).toBe("blur=250&w=375");
		expect(text("w=4096&h=4096&dpr=3")).toBe("h=4096&w=4096");
		expect(text("radius=2000&dpr=3&w=10")).toBe("radius=2048&w=30");
	});

	test("without anything to multiply, or of a card, it asks for nothing", () => {
		for (const query of ["dpr=2", "dpr=2&blur=0", "dpr=2&radius=max", "dpr=2&size=social", "dpr=1&w=5"]) {
			expect([query, text(query)]).toEqual([query, text(query.replace(/dpr=\d&?/, ""))]);
		}
		for (const wrong of ["0.99", "3.01", "2x", "-2", "1e0"]) expect(text(`w=5&dpr=${wrong}`)).toBe("w=5");
	});
});

describe("focus", () => {
	test("takes the place of gravity and zoom, where something is cut", () => {
		expect(text("w=9&h=9&fit=cover&gravity=face&zoom=1&focus=0.25,.5")).toBe("fit=cover&focus=0.25,0.5&h=9&w=9");
		expect(text("size=social&focus=center")).toBe("focus=0.5,0.5&size=social");
		for (const query of ["w=9", "w=9&h=9", "w=9&h=9&fit=pad", "size=s", "w=9&h=9&fit=squeeze"]) {
			expect(text(`${query}&focus=top-left`)).toBe(text(query));
		}
	});

	test("is two shares with up to four decimals, or a word", () => {
		const focusOf = (value: string) => parse(`size=social&focus=${value}`).focus;
		expect(focusOf("0.12345,1")).toEqual({ x: 0.1235, y: 1 });
		expect(["center", "top-left", "top-right", "bottom-left", "bottom-right"].map(focusOf)).toEqual([
			{ x: 0.5, y: 0.5 },
			{ x: 0, y: 0 },
			{ x: 1, y: 0 },
			{ x: 0, y: 1 },
			{ x: 1, y: 1 },
		]);
		for (const wrong of ["0.5", "0.5,1.1", "-0.1,0", "1,2,3", ",", "top", "constructor", "0.5, 0.5", "NaN,0"]) {
			expect([wrong, focusOf(wrong)]).toEqual([wrong, undefined]);
		}
	});
});

describe("crop", () => {
	const left = (query: string) =>
		decodeURIComponent(canonicalString(canonicalFor(parse(query), "png", { width: 400, height: 200 })));

	test("is clipped to the picture; outside of it, or all of it, it asks for nothing", () => {
		expect(left("crop=10,20,30,40")).toBe("crop=10,20,30,40");
		expect(left("crop=390,190,999999999,5")).toBe("crop=390,190,10,5");
		for (const none of ["400,0,1,1", "0,200,1,1", "0,0,400,200", "0,0,5000,5000"])
			expect(left(`crop=${none}`)).toBe("");
		for (const wrong of ["0,0,0,1", "-1,0,5,5", "1,2,3", "1,2,3,4,5", "1.5,0,1,1", "0,0,9999999999,1", "a,b,c,d"]) {
			expect(text(`crop=${wrong}`)).toBe("");
		}
	});

	test("leaves no border to trim, unless it is no piece of the picture", () => {
		expect(left("crop=10,20,30,40&trim=border")).toBe("crop=10,20,30,40");
		expect(left("crop=900,20,30,40&trim=border")).toBe("trim=border");
	});
});

describe("fx=blur-faces", () => {
	test("has no strength, takes away what is embedded, and stands beside a subject", () => {
		expect(text("fx=blur-faces&strength=1")).toBe("fx=blur-faces");
		expect(text("fx=blur-faces&metadata=keep")).toBe("fx=blur-faces");
		expect(text("fx=blur-faces&segment=foreground")).toBe("fx=blur-faces&segment=foreground");
		expect(text("fx=color-pop&segment=foreground")).toBe("segment=foreground");
	});
});

describe("frame", () => {
	const left = (query: string, master: "gif" | "webp" | "png", frames?: number) =>
		canonicalString(canonicalFor(parse(query), master, { width: 400, height: 200, frames }));

	test("past the end is the last one; a still has none", () => {
		expect(left("frame=2", "gif", 3)).toBe("frame=2");
		expect(left("frame=499&w=9", "webp", 3)).toBe("frame=2&w=9");
		expect(left("frame=2", "webp", 1)).toBe("");
		expect(left("frame=2&format=jpg", "png")).toBe("format=jpg");
		for (const wrong of ["500", "-1", "1.5", "first", ""]) expect(text(`frame=${wrong}`)).toBe("");
	});

	test("the first one is what a format without animations shows anyway", () => {
		expect(left("frame=0&format=png", "gif", 3)).toBe("format=png");
		expect(left("frame=0&size=social", "gif", 3)).toBe("size=social");
		expect(left("frame=0&format=webp", "gif", 3)).toBe("format=webp&frame=0");
	});
});

describe("layers", () => {
	test("what is said of a layer means nothing without it", () => {
		expect(text("overlay_at=top&overlay_w=0.5&overlay_opacity=0.2&tile_opacity=0.2")).toBe("");
		expect(text(`overlay=${ID}&overlay_at=bottom-right&overlay_w=0.25&overlay_opacity=1`)).toBe(`overlay=${ID}`);
		expect(text(`tile=${ID}&tile_opacity=1.0`)).toBe(`tile=${ID}`);
	});

	test("one that cannot be seen is as if it were not there", () => {
		expect(text(`overlay=${ID}&overlay_opacity=0&overlay_at=top`)).toBe("");
		expect(text(`tile=${ID}&tile_opacity=0.004`)).toBe("");
	});

	test("bounds are the last values that count", () => {
		expect(text(`overlay=${ID}&overlay_w=0.01`)).toBe(`overlay=${ID}&overlay_w=0.01`);
		for (const wrong of ["overlay_w=0", "overlay_w=1.01", "overlay_at=middle", "overlay_opacity=-1"]) {
			expect(text(`overlay=${ID}&${wrong}`)).toBe(`overlay=${ID}`);
		}
	});
});

describe("how it is encoded", () => {
	const left = (query: string, master: "jpg" | "png" | "webp") => canonicalString(canonicalFor(parse(query), master));

	test("lossless counts for WebP alone, and leaves no quality there", () => {
		expect(left("format=webp&lossless=true&q=40", "png")).toBe("format=webp&lossless=true");
		expect(left("lossless=true", "webp")).toBe("lossless=true");
		expect(left("lossless=true&q=40", "jpg")).toBe("q=40");
		for (const format of ["jpg", "png", "avif", "gif"]) {
			expect(left(`format=${format}&lossless=true&w=5`, "webp")).toBe(`format=${format}&w=5`);
		}
		expect([text("lossless=1"), text("lossless=false"), text("lossless=")]).toEqual(["", "", ""]);
	});

	test("q=auto counts where there is a quality", () => {
		expect(left("q=auto", "jpg")).toBe("q=auto");
		expect(left("q=auto&w=5&format=avif", "png")).toBe("format=avif&q=auto&w=5");
		expect(left("q=auto&w=5", "png")).toBe("w=5");
	});

	test("a background shows in the corners of a JPEG, and nowhere else of one", () => {
		expect(left("radius=9&background=red", "jpg")).toBe("background=%23ff0000&radius=9");
		expect(left("radius=9&background=white", "jpg")).toBe("radius=9");
		expect(left("radius=9&background=red&format=png", "jpg")).toBe("format=png&radius=9");
		expect([text("radius=0"), text("radius=2049"), text("radius=MAX"), text("radius=1.5")]).toEqual(["", "", "", ""]);
	});
});
