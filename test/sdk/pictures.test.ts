import { describe, expect, test } from "bun:test";
import { picture, pictureHtml, srcSet } from "@svc/sdk/picture";
import { understood } from "../support/understood.ts";

const url = "http://cdn.test/team/img_1.jpg";
const photo = { url, width: 3000, height: 2000, format: "jpg" };

/** The addresses of a srcset, with their descriptors. */
function partsOf(srcset: string): readonly (readonly [string, string])[] {
	return srcset.split(", ").map((part) => {
		const [address = "", descriptor = ""] = part.split(" ");
		return [address, descriptor];
	});
}

describe("what the service chooses", () => {
	test("with auto there is one address a width, and no source whose type nobody knows", () => {
		const { sources, img } = picture(photo, { alt: "", fallback: "auto", widths: [320] });
		expect(sources).toEqual([]);
		expect(img.src).toContain("format=auto");
		expect(srcSet(url, { format: "auto", widths: [320] })).toBe(`${url}?format=auto&w=320 320w`);
		expect(picture(photo, { alt: "", fallback: "auto", formats: ["avif"] }).sources).toHaveLength(1);
	});

	test("of a piece no width is offered that it does not have, and its proportions are those of the room", () => {
		const crop = { x: 100, y: 0, w: 400, h: 100 };
		const { img } = picture({ url, width: 400, height: 300, format: "jpg" }, { alt: "", crop, widths: [200, 800] });
		expect([img.width, img.height]).toEqual([300, 100]);
		expect(img.srcset).toEndWith(" 300w");
		const outside = picture({ url, width: 400, height: 300 }, { alt: "", crop: { ...crop, x: 400 } });
		expect(outside.img.width).toBe(400);
	});
});

describe("srcSet", () => {
	test("offers the same picture in several widths, narrowest first", () => {
		expect(srcSet(photo, { widths: [640, 320], format: "webp" })).toBe(
			`${url}?format=webp&w=320 320w, ${url}?format=webp&w=640 640w`,
		);
	});

	test("offers no width that the picture does not have, but its own", () => {
		const descriptors = (image: Parameters<typeof srcSet>[0], options?: Parameters<typeof srcSet>[1]) =>
			partsOf(srcSet(image, options)).map(([, descriptor]) => descriptor);
		expect(descriptors({ url, width: 500, height: 900 })).toEqual(["320w", "500w"]);
		expect(descriptors({ url, width: 200, height: 100 })).toEqual(["200w"]);
		expect(descriptors({ url, width: 500, height: 900 }, { rotate: 90 })).toEqual(["320w", "640w", "900w"]);
		expect(descriptors({ url, width: 9000, height: 9000 }, { widths: [9000] })).toEqual(["4096w"]);
		expect(descriptors(url, { widths: [640] })).toEqual(["640w"]);
	});

	test("cuts to a ratio, and never asks for more than there is", () => {
		expect(srcSet({ url, width: 1000, height: 500 }, { ratio: 1, widths: [300, 800] })).toBe(
			`${url}?w=300&h=300&fit=cover 300w, ${url}?w=500&h=500&fit=cover 500w`,
		);
		expect(srcSet(photo, { ratio: 2, widths: [100], fit: "crop", gravity: "face" })).toContain(
			"w=100&h=50&fit=crop&gravity=face",
		);
	});

	test("refuses what the service would ignore", () => {
		expect(() => srcSet(url, { widths: [5000] })).toThrow(RangeError);
	});
});

describe("picture", () => {
	test("has AVIF, WebP and JPEG, the room that it takes, and waits until it is seen", () => {
		const { sources, img, background } = picture(photo, { alt: "A lake", sizes: "50vw", widths: [320, 640] });
		expect(sources.map(({ type }) => type)).toEqual(["image/avif", "image/webp"]);
		expect(sources[0]).toEqual({
			type: "image/avif",
			srcset: `${url}?format=avif&w=320 320w, ${url}?format=avif&w=640 640w`,
			sizes: "50vw",
		});
		expect(img).toEqual({
			src: `${url}?format=jpg&w=640`,
			srcset: `${url}?format=jpg&w=320 320w, ${url}?format=jpg&w=640 640w`,
			sizes: "50vw",
			width: 3000,
			height: 2000,
			alt: "A lake",
			loading: "lazy",
			decoding: "async",
			fetchpriority: undefined,
		});
		expect(background).toBeUndefined();
	});

	test("what is seen first is loaded first", () => {
		const { img } = picture(photo, { alt: "", priority: true });
		expect([img.loading, img.fetchpriority]).toEqual(["eager", "high"]);
	});

	test("what may move goes on moving, and what may be transparent stays so", () => {
		const formats = (format: string) => {
			const { sources, img } = picture({ ...photo, format }, { alt: "" });
			return [...sources.map(({ type }) => type), new URL(img.src).searchParams.get("format")];
		};
		expect(formats("gif")).toEqual(["image/webp", "gif"]);
		expect(formats("png")).toEqual(["image/avif", "image/webp", "png"]);
		expect(formats("webp")).toEqual(["image/webp", "jpg"]);
		expect(formats("heic")).toEqual(["image/avif", "image/webp", "jpg"]);
	});

	test("takes the room of what it is cut to, or turned", () => {
		const room = (options: object) => {
			const { width, height } = picture(photo, { alt: "", ...options }).img;
			return [width, height];
		};
		expect(room({ ratio: 1 })).toEqual([2000, 2000]);
		expect(room({ rotate: 90 })).toEqual([2000, 3000]);
		expect(picture(url, { alt: "" }).img.width).toBeUndefined();
	});

	test("shows a colour, or the picture itself a few pixels wide, until it is loaded", () => {
		const background = (placeholder: string) => picture(photo, { alt: "", placeholder }).background;
		expect(background("#aabbcc")).toBe("#aabbcc");
		expect(background("rgb(1 2 3 / 50%)")).toBe("rgb(1 2 3 / 50%)");
		expect(background("blur")).toBe(`center / cover no-repeat url("${url}?format=webp&w=24")`);
		expect(() => background("red; position: fixed")).toThrow(RangeError);
	});

	test("as HTML nothing leaves its attribute", () => {
		const html = pictureHtml(
			{ ...photo, url: 'http://cdn.test/"<b>.jpg' },
			{ alt: '"><script>', placeholder: "blur", widths: [320] },
		);
		expect(html).toStartWith('<picture><source type="image/avif" srcset="');
		expect(html).toContain(' alt="&quot;>&lt;script>" loading="lazy"');
		expect(html.match(/</g)).toHaveLength(5);
	});

	test("every address of it is one that the service reads whole", () => {
		const {
			sources,
			img,
			background = "",
		} = picture(photo, { alt: "", ratio: 1.7, q: 60, gravity: "face", placeholder: "blur" });
		const sets = [...sources, img].flatMap(({ srcset }) => partsOf(srcset).map(([address]) => address));
		const blurred = /"(.+)"/.exec(background)?.[1] ?? "";
		for (const address of [...sets, img.src, blurred]) expect(understood(address)).toBe(true);
		expect(sets.length).toBeGreaterThan(15);
	});
});
