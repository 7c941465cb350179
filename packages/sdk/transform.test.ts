import { describe, expect, test } from "bun:test";
import { imageUrl, type TransformOptions } from "./transform.ts";

const ADDRESS = "http://cdn.test/team/img_1.png";

function query(options: TransformOptions): string {
	return decodeURIComponent(imageUrl(ADDRESS, options).slice(ADDRESS.length));
}

test("every parameter of the table, in the table's order whatever the order of the options [sdk.transform-all]", () => {
	const options: Required<TransformOptions> = {
		info: "json",
		dl: "Été.jpg",
		radius: "max",
		overlay_opacity: 0.9,
		overlay_w: 0.5,
		overlay_at: "top",
		overlay: { id: "img_3" },
		tile_opacity: 0.25,
		tile: { id: "img_2" },
		strength: 0.5,
		fx: "darken-bg",
		background: "rgba(0, 0, 0, 0.5)",
		hdr: "off",
		segment: "foreground",
		metadata: "none",
		crop: { x: 1, y: 2, w: 30, h: 40 },
		frame: 0,
		trim: "border",
		flip: "hv",
		rotate: 90,
		sharp: 1.5,
		blur: 3,
		saturation: 0,
		gamma: 0.1 + 0.2,
		contrast: 2,
		brightness: 1,
		lossless: true,
		q: "medium-high",
		focus: { x: 0.1 + 0.2, y: 1 },
		zoom: 0.25,
		gravity: "face",
		fit: "cover",
		dpr: 1.25,
		h: 200,
		w: 300,
		format: "webp",
		size: "s",
	};
	const expected =
		"?size=s&format=webp&w=300&h=200&dpr=1.25&fit=cover&gravity=face&zoom=0.25&focus=0.3,1&q=medium-high&lossless=true&brightness=1&contrast=2&gamma=0.3" +
		"&saturation=0&blur=3&sharp=1.5&rotate=90&flip=hv&trim=border&crop=1,2,30,40&frame=0&metadata=none&hdr=off&segment=foreground" +
		"&background=rgba(0, 0, 0, 0.5)&fx=darken-bg&strength=0.5&tile=img_2&tile_opacity=0.25" +
		"&overlay=img_3&overlay_at=top&overlay_w=0.5&overlay_opacity=0.9&radius=max&info=json&dl=Été.jpg";
	expect(query(options)).toBe(expected);
	expect(query(Object.fromEntries(Object.entries(options).reverse()))).toBe(expected);
});

describe("colours", () => {
	test("the # of a hexadecimal colour does not end the address [sdk.transform-hash]", () => {
		expect(imageUrl(ADDRESS, { background: "#ff0080" })).toBe(`${ADDRESS}?background=%23ff0080`);
	});

	test("parts become rgba() [sdk.transform-parts]", () => {
		expect(query({ background: { r: 255, g: 0, b: 1 } })).toBe("?background=rgba(255,0,1,1)");
		expect(query({ background: { r: 255, g: 0, b: 1, alpha: 0.25 } })).toBe("?background=rgba(255,0,1,0.25)");
	});
});

test("no options, and undefined ones, leave the address alone [sdk.transform-none]", () => {
	expect(imageUrl({ url: ADDRESS })).toBe(ADDRESS);
	expect(imageUrl({ url: ADDRESS }, { w: undefined })).toBe(ADDRESS);
});

test("an address that is transformed already gets each parameter once [sdk.transform-again]", () => {
	expect(imageUrl(`${ADDRESS}?size=s&v=2#top`, { size: "l", q: 60 })).toBe(`${ADDRESS}?v=2&size=l&q=60`);
	expect(imageUrl(imageUrl(ADDRESS, { w: 10 }), { h: 20 })).toBe(`${ADDRESS}?w=10&h=20`);
});

test("values that the service would silently ignore are refused by name [sdk.transform-range]", () => {
	const wrong: TransformOptions[] = [
		{ w: 0 },
		{ w: 4097 },
		{ h: 1.5 },
		{ zoom: 1.1 },
		{ q: 101 },
		{ gamma: -1 },
		{ blur: 0.5 },
		{ sharp: Number.NaN },
		{ strength: 251 },
		{ background: { r: 256, g: 0, b: 0 } },
		{ background: "" },
		{ tile: "" },
		{ dpr: 3.01 },
		{ focus: { x: 0, y: 1.1 } },
		{ crop: { x: 0, y: -1, w: 1, h: 1 } },
		{ crop: { x: 0, y: 0, w: 1.5, h: 1 } },
		{ radius: 0 },
		{ dl: "a/b" },
		{ dl: "" },
	];
	for (const options of wrong) {
		const [name = ""] = Object.keys(options);
		expect(() => imageUrl(ADDRESS, options)).toThrow(RangeError);
		expect(() => imageUrl(ADDRESS, options)).toThrow(new RegExp(`^${name} `));
	}
});
