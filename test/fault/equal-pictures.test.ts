import { describe, expect, test } from "bun:test";
import { hash } from "node:crypto";
import type { OutputFormat } from "@svc/base/enumerations";
import { Renditions } from "@svc/cdn/renditions/rendition";
import type { Image } from "@svc/images/images";
import type { RenderAids } from "@svc/images/ports";
import { MENDS } from "@svc/images/transform/mends";
import { PARAMETER_LIST, type ParameterName } from "@svc/images/transform/parameters";
import { canonicalFor, canonicalString, parseTransform } from "@svc/images/transform/transform";
import { sharpRenderer } from "@svc/imaging/render/render";
import { sharp } from "@svc/imaging/sharp-settings";
import { bytesOf, masterOf, painted, RED } from "../support/rendering.ts";
import { Dice } from "./seed.ts";

/*
 * Equal pictures have one validator, and others have others: forms over every parameter, each rendered as its address says, are compared by
 * their bytes and by their validators. What only the pixels decide is left out by pictures of noise, with a face, a subject and a border.
 */

const ID = `img_${"0".repeat(22)}`;

/** Values that meet others, at the edges of what the pictures have and beyond. */
const VALUES: Readonly<Record<ParameterName, readonly string[]>> = {
	size: ["s", "m", "social"],
	format: ["jpg", "png", "webp", "gif"],
	w: ["50", "100", "150", "200", "201", "400", "4096"],
	h: ["50", "75", "90", "100", "160", "300", "4096"],
	dpr: ["1", "2", "1.5"],
	fit: ["scale-down", "contain", "cover", "crop", "pad", "squeeze"],
	gravity: ["auto", "face", "left", "right", "top", "bottom"],
	zoom: ["0", "0.5"],
	focus: ["center", "0.5,0.5", "0,0", "0,0.5", "0.51,0.5", "1,1"],
	q: ["1", "85", "low", "100"],
	lossless: ["true"],
	brightness: ["1", "0.2", "1.5", "9.999", "10"],
	contrast: ["1", "1.5", "10"],
	gamma: ["0", "1", "2"],
	saturation: ["0", "1", "2"],
	blur: ["0", "2", "8", "250"],
	sharp: ["0", "2", "10"],
	rotate: ["90", "180", "270"],
	flip: ["h", "v", "hv"],
	trim: ["border"],
	crop: ["0,0,200,100", "0,0,4096,4096", "10,10,50,40", "10,10,4000,4000", "150,50,60,60"],
	frame: ["0", "1", "499"],
	metadata: ["copyright", "none", "keep"],
	hdr: ["off"],
	segment: ["foreground"],
	background: ["white", "teal", "#008080", "rgba(0,128,128,0.5)", "#7fbfbf", "transparent"],
	fx: ["blur-bg", "color-pop", "darken-bg", "blur-faces"],
	strength: ["0", "0.5", "1", "60", "250"],
	tile: [ID],
	tile_opacity: ["0", "0.5", "1"],
	overlay: [ID],
	overlay_at: ["bottom-right", "top", "center", "left"],
	overlay_w: ["0.01", "0.25", "0.26", "1"],
	overlay_opacity: ["0", "0.5", "1"],
	radius: ["10", "49", "50", "51", "1500", "2048", "max"],
	info: [],
	dl: [],
};

/** What a value of one parameter is tried beside, so that it has an effect. */
const BESIDE = [
	"",
	"w=150&",
	"w=120&h=120&fit=cover&",
	"w=120&h=120&fit=pad&",
	`overlay=${ID}&`,
	"format=jpg&radius=9&",
];
const MIXED = 80;
/** Makes a picture of one colour, on which hardly anything else can be seen. */
const FLAT = ["brightness=0", "contrast=0", "brightness=0&saturation=2", "contrast=0&saturation=0"];

const PICTURES = [
	["a wide JPEG", "jpg", 200, 100, 1, [0, 1]],
	["a square PNG with transparency", "png", 100, 100, 1, [1, 2]],
	["a high WebP with transparency", "webp", 90, 160, 1, [3, 4]],
	["an animation with transparency", "gif", 60, 40, 3, [0, 5]],
] as const;
/** What is found in pictures, and not in an animation. */
const OF_STILLS: ReadonlySet<string> = new Set(["segment", "fx", "strength"]);

/** Fixed forms: chance would find others on another day. */
function forms(turn: number, beside: readonly number[], moves: boolean): readonly string[] {
	const all = PARAMETER_LIST.map(({ name }) => name).filter((name) => VALUES[name].length > 0);
	const names = moves ? all.filter((name) => !OF_STILLS.has(name)) : all;
	const pair = (name: ParameterName, value = "") => `${name}=${encodeURIComponent(value)}`;
	const each = names.flatMap((name) =>
		VALUES[name].flatMap((value) => beside.map((index) => `${BESIDE[index]}${pair(name, value)}`)),
	);
	const dice = new Dice(35, turn);
	const mixed = Array.from({ length: MIXED }, () => {
		const chosen = new Set(Array.from({ length: 4 }, () => names[dice.below(names.length)] ?? "w"));
		return [...chosen].map((name) => pair(name, VALUES[name][dice.below(VALUES[name].length)])).join("&");
	});
	// A GIF has no half transparency.
	const isSeen = (query: string) => !isDear(query) && !(moves && query.includes("rgba"));
	return [...new Set([...each, ...mixed, ...FLAT])].filter(isSeen);
}

/** Thousands of pixels say nothing that hundreds do not. */
function isDear(query: string): boolean {
	return /size=social/.test(query)
		? !query.startsWith("size=social")
		: /4096/.test(query) && /fit=(?!s|cr)/.test(query);
}

/** Noise, in which every change of a pixel shows. */
async function pictureOf(format: OutputFormat, width: number, height: number, frames: number) {
	const dice = new Dice(7);
	const channels = format === "jpg" ? 3 : 4;
	const pixels = Uint8Array.from({ length: width * height * frames * channels }, () => dice.below(256));
	const raw = { width, height: height * frames, channels, ...(frames > 1 && { pageHeight: height }) } as const;
	const image = sharp(pixels, { raw }).toFormat(format === "jpg" ? "jpeg" : format);
	return await bytesOf(format === "gif" ? image : image.withExif({ IFD0: { Artist: "Ada", Make: "Camera" } }));
}

const face = { left: 0.1, top: 0.15, width: 0.2, height: 0.25 };
const aids: RenderAids = {
	...{ faces: [face], every_face: [face], focus: { x: 0.3, y: 0.4 } },
	content: { left: 0.05, top: 0.1, width: 0.8, height: 0.8 },
	subject: { width: 4, height: 4, alpha: Uint8Array.from({ length: 16 }, (_, at) => (at % 4 < 2 ? 255 : 0)) },
};

const ALL_SEEN = { upTo: MENDS.length, has: [] };

describe("two forms of a picture have one validator exactly where they are the same bytes", () => {
	test.each(PICTURES)("of %s", async (_, format, width, height, frames, beside) => {
		const master = masterOf(await pictureOf(format, width, height, frames), format);
		const layer = masterOf(await painted(30, 60, () => [...RED, 128]), "png");
		const image = { blobKey: "0".repeat(32), format, width, height } as Image;
		const over = { blobKey: "1".repeat(32), format: "png", width: 30, height: 60 } as Image;
		const renditions = new Renditions("a model");
		const renderer = sharpRenderer();
		const byBytes = new Map<string, Set<string>>();
		const byValidator = new Map<string, Set<string>>();
		const asked = new Map<string, string[]>();
		const note = (map: Map<string, Set<string>>, key: string, value: string) =>
			map.set(key, (map.get(key) ?? new Set()).add(value));
		for (const query of forms(width, beside, frames > 1)) {
			const address = { extension: format, query, frames };
			const found = await renditions.find({ image, mends: ALL_SEEN }, address, async () => ({
				image: over,
				mends: ALL_SEEN,
			}));
			const params = new URLSearchParams(query);
			// None of these pictures has a gain map that could be left out.
			params.delete("hdr");
			const said = canonicalFor(parseTransform(params), format, { width, height, frames });
			if (!found?.spec.transform) {
				expect([query, canonicalString(said)]).toEqual([query, ""]);
				continue;
			}
			const layers = { ...(said.tile && { tile: layer }), ...(said.overlay && { overlay: layer }) };
			const { bytes } = await renderer.render(master, said, { ...aids, ...layers }, new AbortController().signal);
			const digest = hash("sha256", bytes);
			note(byBytes, digest, found.etag);
			note(byValidator, found.etag, digest);
			asked.set(digest, [...(asked.get(digest) ?? []), `${query} → ${found.spec.text}`]);
		}
		const torn = [...byBytes].filter(([, validators]) => validators.size > 1).map(([digest]) => asked.get(digest));
		const mixed = [...byValidator]
			.filter(([, digests]) => digests.size > 1)
			.map(([, digests]) => [...digests].map((digest) => asked.get(digest)));
		expect({ torn, mixed }).toEqual({ torn: [], mixed: [] });
		expect(asked.size).toBeGreaterThan(100);
	});
});
