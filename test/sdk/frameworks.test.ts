import { describe, expect, test } from "bun:test";
import astro from "@svc/sdk/astro";
import nextLoader, { createLoader } from "@svc/sdk/next";
import nuxt from "@svc/sdk/nuxt";
import { type Operations, type Options, transform } from "@svc/sdk/unpic";
import { transformBaseImageProps, transformBaseSourceProps } from "@unpic/core/base";
import fc from "fast-check";
import type { TransformerFunction } from "unpic";
import { understood } from "../support/understood.ts";

const url = "http://cdn.test/team/img_1.jpg";

/** What components compute: lengths of any kind, words of other services, and what is in nobody's table. */
const asked = fc.record(
	{
		width: fc.oneof(fc.integer({ min: 1, max: 20_000 }), fc.double({ min: 0.1, max: 9_000, noNaN: true })),
		height: fc.oneof(fc.integer({ min: -5, max: 20_000 }), fc.constantFrom("100%", "300", Number.NaN)),
		quality: fc.oneof(
			fc.integer({ min: -10, max: 400 }),
			fc.constantFrom("low", "mid", "high", "max", "best", null, "80"),
		),
		format: fc.constantFrom("webp", "avif", "jpeg", "jpg", "png", "gif", "svg", "auto"),
		fit: fc.constantFrom("cover", "contain", "fill", "inside", "outside", "none", "scale-down", "crop", "stretch"),
		gravity: fc.constantFrom("face", "left", "nowhere"),
		blur: fc.constantFrom(5, -1, "5"),
		loading: fc.constant("lazy"),
	},
	{ requiredKeys: ["width"] },
);

/** Whether the service takes the value; it is sent with what gives it an effect. */
function isValid(name: string, value: string): boolean {
	const beside: Readonly<Record<string, string>> = { fit: "&w=9&h=9", gravity: "&w=9&h=9&fit=cover" };
	return understood(`${url}?${name}=${encodeURIComponent(value)}${beside[name] ?? ""}`);
}

/* Typed as values of unknown origin: what a template writes is checked by nobody. */
const ways: Readonly<Record<string, (options: never) => string>> = {
	"next/image": ({ width, quality }: { width: number; quality: number }) => nextLoader({ src: url, width, quality }),
	unpic: (operations) => transform(url, operations),
	Astro: (options: object) => astro.getURL({ src: url, ...options }, { service: { config: {} } }),
	Nuxt: (modifiers) => nuxt().getImage(url, { modifiers }).url,
};

describe("adapters of frameworks", () => {
	test.each(Object.entries(ways))(
		"%s: whatever is asked for, the address is one that the service reads",
		(_name, way) => {
			fc.assert(
				fc.property(asked, (options) => {
					const address = way(options as never);
					const { searchParams } = new URL(address);
					expect([address, [...searchParams].filter(([name, value]) => !isValid(name, value))]).toEqual([address, []]);
					expect(Number(searchParams.get("w") ?? 1)).toBeWithin(1, 4097);
				}),
			);
		},
	);

	test.each(Object.entries(ways))("%s: the order of what is asked for does not matter", (_name, way) => {
		const [one, two] = [
			{ width: 300, quality: 70 },
			{ quality: 70, width: 300 },
		];
		expect(way(one as never)).toBe(way(two as never));
	});
});

describe("the loader for next/image", () => {
	test("gives each width its address; a file of the site itself keeps its own", () => {
		expect(nextLoader({ src: url, width: 828, quality: 75 })).toBe(`${url}?format=webp&w=828&q=75`);
		expect(nextLoader({ src: url, width: 828 })).toBe(`${url}?format=webp&w=828`);
		expect(nextLoader({ src: "/_next/static/media/logo.png", width: 64 })).toBe("/_next/static/media/logo.png?w=64");
		expect(nextLoader({ src: "data:image/png;base64,AA", width: 64 })).toBe("data:image/png;base64,AA");
	});

	test("takes settings of one's own", () => {
		const own = createLoader({ format: "avif", q: 50, cdnUrl: "http://cdn.test/" });
		expect(own({ src: url, width: 640, quality: 75 })).toBe(`${url}?format=avif&w=640&q=50`);
		expect(own({ src: "https://elsewhere.test/a.png", width: 640 })).toBe("https://elsewhere.test/a.png?w=640");
	});
});

describe("the transformer for unpic", () => {
	test("is what unpic's own type says, and its components make srcset and src of it", () => {
		const transformer = transform satisfies TransformerFunction<Operations, Options>;
		const made = transformBaseImageProps({ src: url, transformer, layout: "constrained", width: 800, height: 600 });
		expect(made.src).toBe(`${url}?format=webp&w=800&h=600&fit=cover`);
		const addresses = String(made.srcset)
			.split(/,\n/)
			.map((part) => part.trim().split(" "));
		expect(addresses.length).toBeGreaterThan(3);
		for (const [address = "", width = ""] of addresses) {
			expect([understood(address), width]).toEqual([true, `${new URL(address).searchParams.get("w")}w`]);
		}
	});

	test("makes the sources of a picture in each format", () => {
		const made = transformBaseSourceProps({
			src: url,
			transformer: transform,
			type: "image/avif",
			layout: "fullWidth",
		});
		expect([made.type, String(made.srcset).includes("?format=avif&w=640 640w")]).toEqual(["image/avif", true]);
	});

	test("takes our own parameters beside width and height", () => {
		expect(transform(new URL(url), { width: 300, height: 300, gravity: "face", zoom: 0.5 })).toBe(
			`${url}?format=webp&w=300&h=300&fit=cover&gravity=face&zoom=0.5`,
		);
		expect(transform("/logo.svg", { width: 300 })).toBe("/logo.svg");
	});
});

describe("the image service for Astro", () => {
	const config = { service: { config: { cdnUrl: "http://cdn.test" } } };
	const given = { src: url, alt: "A lake", width: 400, height: 300, class: "wide" };

	test("gives an address, a srcset and the attributes that are left", () => {
		const options = astro.validateOptions({ ...given, widths: [800, 400], position: "center top", quality: "mid" });
		expect(astro.getURL(options, config)).toBe(`${url}?format=webp&w=400&h=300&fit=cover&gravity=top&q=medium-high`);
		const set = astro
			.getSrcSet(options)
			.map((one) => [astro.getURL(one.transform, config), one.descriptor, one.attributes]);
		expect(set).toEqual([
			[`${url}?format=webp&w=400&h=300&fit=cover&gravity=top&q=medium-high`, "400w", { type: "image/webp" }],
			[`${url}?format=webp&w=800&h=600&fit=cover&gravity=top&q=medium-high`, "800w", { type: "image/webp" }],
		]);
		expect(astro.getHTMLAttributes(options)).toEqual({
			...{ alt: "A lake", class: "wide", width: 400, height: 300 },
			...{ loading: "lazy", decoding: "async" },
		});
	});

	test("knows densities", () => {
		const set = astro.getSrcSet(astro.validateOptions({ ...given, densities: ["2x", 1.5] }));
		expect(set.map(({ transform: { width, height }, descriptor }) => [width, height, descriptor])).toEqual([
			[600, 450, "1.5x"],
			[800, 600, "2x"],
		]);
	});

	test("leaves pictures of the site itself, and of other places, as they are", () => {
		const src = { src: "/_astro/lake.hash.png", width: 800, height: 600, format: "png" };
		expect(astro.getURL({ src, width: 400 }, config)).toBe("/_astro/lake.hash.png");
		expect(astro.getHTMLAttributes({ src, width: 400 })).toMatchObject({ width: 400, height: 300 });
		expect(astro.getURL({ src: "https://elsewhere.test/a.png", width: 400 }, config)).toBe(
			"https://elsewhere.test/a.png",
		);
	});
});

describe("the provider for Nuxt", () => {
	test("gives an address, below the images' own where it begins with a slash", () => {
		const options = {
			baseURL: "http://cdn.test/",
			modifiers: { width: 300, height: 200, fit: "inside", gravity: "face" as const },
		};
		expect(nuxt().getImage("/team/img_1.jpg", options)).toEqual({ url: `${url}?format=webp&w=300&h=200&gravity=face` });
		expect(nuxt().getImage(url, { modifiers: { format: "jpeg" } }).url).toBe(`${url}?format=jpg`);
	});
});
