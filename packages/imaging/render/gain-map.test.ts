import { describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ALL_MENDS, MENDS } from "@svc/images/transform/mends";
import { parseTransform } from "@svc/images/transform/transform";
import { bytesOf, masterOf, rendered } from "@svc/test/support/rendering";
import { gainMap, imagesOf, NUMBERS, QUARTERS, segment, ultraHdr } from "@svc/test/support/ultra-hdr";
import { viewOf } from "../bytes.ts";
import { pieces } from "../jpeg/pieces.ts";
import { sharp } from "../sharp-settings.ts";
import { sharpRenderer } from "./render.ts";
import { renderPrice } from "./render-price.ts";

const BRIGHT = { mends: { upTo: MENDS.length, has: ["gain map"] } } as const;
const WORDS = ["hdrgm", "hdr-gain-map", "GainMap", "21496", "MPF\0", "photos/1.0/container"];
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");
const made = async (file: Uint8Array<ArrayBuffer>, query: string) =>
	(await rendered(file, query, "jpg", { ...BRIGHT, focus: { x: 0.5, y: 0.5 }, every_face: [] })).bytes;

async function pixelsIn(bytes: Uint8Array) {
	const { data, info } = await sharp(bytes, { failOn: "error", ignoreIcc: true })
		.raw()
		.toBuffer({ resolveWithObject: true });
	const at = (x: number, y: number) => {
		const place = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels;
		return [...data.subarray(place, place + info.channels)];
	};
	// Whatever it has is decoded into three.
	const { channels } = await sharp(bytes).metadata();
	return { ...info, channels, data, at };
}

/** Which quarter a place of the picture shows, and what its map says there; nothing near where two quarters meet. */
async function places(file: Uint8Array) {
	const [picture = file, map = file] = imagesOf(file);
	const [seen, light] = [await pixelsIn(picture), await pixelsIn(map)];
	const found: { value: number; said: number }[] = [];
	for (let y = 0.05; y < 1; y += 0.1) {
		for (let x = 0.05; x < 1; x += 0.1) {
			const around = [
				[x - 0.04, y],
				[x + 0.04, y],
				[x, y - 0.04],
				[x, y + 0.04],
			].map(([left = 0, top = 0]) => quarterOf(seen.at(left, top)));
			const quarter = quarterOf(seen.at(x, y));
			if (around.every((one) => one === quarter)) found.push({ value: quarter.value, said: light.at(x, y)[0] ?? -1 });
		}
	}
	return { seen, light, found };
}

function quarterOf(colour: readonly number[]) {
	const distance = (other: readonly number[]) =>
		Math.max(...other.map((value, channel) => Math.abs(value - (colour[channel] ?? 0))));
	return QUARTERS.find((quarter) => distance(quarter.colour) < 20) ?? { value: -1 };
}

describe("the gain map of a photo goes along with a JPEG rendition", () => {
	test.each([
		["w=200", 50],
		["size=s", 100],
		["w=160&h=160&fit=cover&gravity=left", 40],
		["w=160&h=160&fit=cover", 40],
		["crop=101,51,203,119", 51],
		["crop=37,20,311,201&w=150", 38],
		["w=150&rotate=90", 38],
		["w=150&rotate=270&flip=h", 38],
		["flip=v&h=120", 50],
		["rotate=180&crop=0,0,300,200", 75],
		["w=100&h=200&fit=squeeze", 25],
		["size=social", 300],
		["w=300&format=jpg&q=50&metadata=keep", 75],
	])("cut, resized and turned like it: %s", async (query, width) => {
		for (const orientation of [1, 6, 7]) {
			const file = await ultraHdr({ orientation });
			const { found, light } = await places(await made(file, query));
			expect(found.length).toBeGreaterThan(20);
			expect(found.filter(({ value, said }) => Math.abs(value - said) > 12)).toEqual([]);
			if (orientation === 1) expect([light.width, light.channels]).toEqual([width, 1]);
		}
	});

	test("of the same size as the picture, and of three channels", async () => {
		const channels = [(value: number) => value, (value: number) => 255 - value, () => 100];
		const file = await ultraHdr({ factor: 1, channels });
		const { found, light } = await places(await made(file, "w=200&h=100&fit=crop"));
		expect(found.filter(({ value, said }) => Math.abs(value - said) > 12)).toEqual([]);
		expect([light.width, light.height, light.channels]).toEqual([200, 100, 3]);
		expect(light.at(0.1, 0.1)[1]).toBeGreaterThan(240);
	});

	test("to the pixel of the rendition, and not only to that of the map", async () => {
		const file = await ultraHdr({ factor: 8 });
		for (let left = 80; left < 96; left++) {
			const [, map = file] = imagesOf(await made(file, `crop=${left},0,200,60`));
			const { data } = await sharp(map).extractChannel(0).raw().toBuffer({ resolveWithObject: true });
			const mean = data.reduce((sum, value) => sum + value, 0) / data.length;
			// Where one quarter ends and the next begins.
			expect(Math.abs((1 - mean / 85) * 200 - (200 - left))).toBeLessThan(1);
		}
	});

	test("as numbers, whatever colours its own profile speaks of", async () => {
		const coloured = await sharp({ create: { width: 8, height: 8, channels: 3, background: "red" } })
			.withIccProfile("p3")
			.jpeg()
			.toBuffer();
		const profile = [...pieces(coloured)].filter(({ payload }) => text(payload).startsWith("ICC_PROFILE"));
		const channels = [(value: number) => value, (value: number) => 255 - value, () => 100];
		const file = await ultraHdr({ channels, segments: profile.map(({ bytes }) => bytes) });
		const [[, map = file], [, plain = file]] = [
			imagesOf(await made(file, "w=200")),
			imagesOf(await made(await ultraHdr({ channels }), "w=200")),
		];
		expect(text(map)).toContain("ICC_PROFILE");
		expect((await pixelsIn(map)).data.equals((await pixelsIn(plain)).data)).toBe(true);
	});

	test("of a picture that is made of a smaller copy, read once in its original", async () => {
		const file = await ultraHdr({ width: 2_000, height: 1_200 });
		const path = join(await mkdtemp(join(tmpdir(), "svc-copy-")), "copy.jpg");
		await sharp(file).resize(1_000).jpeg({ quality: 95 }).toFile(path);
		const compared: string[] = [];
		const renderer = sharpRenderer({ ownPixels: async () => void compared.push("master") });
		const whole = masterOf(file, "jpg");
		const blob = { ...whole.blob, sha256: "of the photo" };
		const master = { ...whole, blob, shrunkMasters: [{ factor: 2, path: async () => path }] };
		const form = parseTransform(new URLSearchParams("w=200"));
		const { bytes } = await renderer.render(master, form, BRIGHT, new AbortController().signal);
		const { found, light } = await places(bytes);
		expect(found.filter(({ value, said }) => Math.abs(value - said) > 12)).toEqual([]);
		expect([light.width, compared]).toEqual([50, ["master"]]);
		// Of the map nothing is kept but the map.
		const again = await renderer.render(master, form, BRIGHT, new AbortController().signal);
		expect(Buffer.compare(again.bytes, bytes)).toBe(0);
		await renderer.render(master, form, {}, new AbortController().signal);
		expect(compared).toHaveLength(1);
		await rm(join(path, ".."), { recursive: true });
	});
});

test("who knows nothing of gain maps gets the same picture: its tables and scans are byte for byte those without one", async () => {
	const file = await ultraHdr();
	const coded = (bytes: Uint8Array) =>
		[...pieces(bytes)].filter(({ marker }) => marker < 0xe0 || marker > 0xef).map(({ bytes }) => text(bytes));
	for (const query of ["w=200", "w=120&h=120&fit=cover&metadata=keep"]) {
		const bright = await made(file, query);
		const plain = await made(file, `${query}&hdr=off`);
		expect(coded(bright)).toEqual(coded(plain));
		expect((await pixelsIn(bright)).data.equals((await pixelsIn(plain)).data)).toBe(true);
		expect(Buffer.compare(plain, (await rendered(file, query, "jpg")).bytes)).toBe(0);
	}
});

describe("the numbers of a map", () => {
	test("are said as ISO 21496-1 and as XMP, and announced in both, whichever the original had", async () => {
		const file = await made(await ultraHdr(), "w=200");
		const [picture = file, map = file] = imagesOf(file);
		expect(picture.length + map.length).toBe(file.length);
		expect(text(picture)).toContain('hdrgm:Version="1.0"');
		expect(text(picture)).toContain(`Item:Semantic="GainMap" Item:Length="${map.length}"`);
		expect(text(picture)).toContain("urn:iso:std:iso:ts:21496:-1\0\0\0\0\0");
		expect(text(picture)).toContain("Rights of Ann");
		expect(text(picture)).not.toContain("GPS");
		for (const said of ['GainMapMin="-0.500000"', 'GainMapMax="2.500000"', 'Gamma="1.250000"'])
			expect(text(map)).toContain(`hdrgm:${said}`);
		const at = Buffer.from(map).indexOf("21496:-1\0") + 9;
		const view = viewOf(map.subarray(at, at + 61));
		const fractions = Array.from(
			{ length: 7 },
			(_, place) => view.getInt32(5 + 8 * place) / view.getUint32(9 + 8 * place),
		);
		expect([view.getUint32(0), view.getUint8(4), fractions]).toEqual([
			0,
			0x40,
			[0, 3, -0.5, 2.5, 1.25, 1 / 64, 1 / 64],
		]);
	});

	test("as sharp's own writer says them are read, of one channel and of three", async () => {
		const [width, height] = [200, 120];
		const light = Float32Array.from({ length: width * height * 3 }, (_, at) => ((at / 3) % width) / 60);
		const raw = { width, height, channels: 3, depth: "float" } as const;
		// Of floats and gain maps the types of sharp do not know yet.
		const image = sharp(light, { raw: raw as { width: number; height: number; channels: 3 } });
		const hdr = image.pipelineColourspace("scrgb") as typeof image & { withGainMap(): typeof image };
		const file = await made(new Uint8Array(await hdr.withGainMap().jpeg().toBuffer()), "w=100");
		const [, map = file] = imagesOf(file);
		expect(text(map)).toMatch(/hdrgm:GainMapMax="5.6\d+" hdrgm:Gamma="1.000000" hdrgm:OffsetSDR="0.000000"/);
		const iso = Buffer.alloc(5 + 4 * 18);
		iso[4] = 0x88;
		for (const [place, number] of [
			1000,
			0,
			3000,
			...[1, 2, 3].flatMap((most) => [-500, most * 1000, 1000, 15, 15]),
		].entries())
			iso.writeInt32BE(number, 5 + 4 * place);
		const segments = [segment(0xe2, Buffer.from("urn:iso:std:iso:ts:21496:-1\0"), iso)];
		const three = await made(await ultraHdr({ says: "", segments }), "w=200");
		const seq = (of: readonly string[]) => `<rdf:Seq>${of.map((one) => `<rdf:li>${one}</rdf:li>`).join("")}</rdf:Seq>`;
		expect(text(three)).toContain(`<hdrgm:GainMapMax>${seq(["1.000000", "2.000000", "3.000000"])}</hdrgm:GainMapMax>`);
	});

	test("of Apple's are brought along as they are, found by the index", async () => {
		const says =
			'HDRGainMap:HDRGainMapVersion="65536" HDRGainMap:HDRGainMapHeadroom="2.5" apdi:AuxiliaryImageType="urn:com:apple:photo:2020:aux:hdrgainmap"';
		const file = await made(await ultraHdr({ says, factor: 2 }), "w=200");
		const [picture = file, map = file] = imagesOf(file);
		expect(text(map)).toContain('HDRGainMap:HDRGainMapHeadroom="2.5"');
		expect(text(map)).toContain("urn:com:apple:photo:2020:aux:hdrgainmap");
		expect(text(picture)).not.toContain("hdrgm");
	});

	test("are read in what is made by another reader of such photos", async () => {
		const dir = await mkdtemp(join(tmpdir(), "svc-gain-map-"));
		await writeFile(join(dir, "a.jpg"), await made(await ultraHdr(), "w=200&rotate=90"));
		// In a process of its own: this one has its loader closed.
		const program = `
			const { default: sharp } = await import(${JSON.stringify(import.meta.resolve("sharp"))});
			const image = sharp(${JSON.stringify(join(dir, "a.jpg"))});
			const { width, gainMap } = await image.metadata();
			const map = await sharp(gainMap.image).metadata();
			const again = await sharp(await image.keepGainMap().resize(100).jpeg().toBuffer()).metadata();
			console.log(JSON.stringify([width, map.width, map.height, again.gainMap?.image.length > 100]));
		`;
		const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" });
		expect(JSON.parse(await new Response(child.stdout).text())).toEqual([200, 50, 83, true]);
		await rm(dir, { recursive: true });
	});
});

test.each([
	"w=200&hdr=off",
	"w=200&metadata=none",
	"w=200&trim=border",
	"w=200&brightness=1.2",
	"w=200&contrast=1.2",
	"w=200&gamma=1.2",
	"w=200&saturation=0.5",
	"w=200&blur=4",
	"w=200&sharp=2",
	"w=200&fx=blur-faces",
	"w=200&radius=10",
	"w=200&h=200&fit=pad",
	"w=200&h=200&fit=contain",
	...["png", "webp", "avif", "gif"].map((format) => `w=200&format=${format}&metadata=keep`),
])("neither map nor announcement: %s", async (query) => {
	const words = text(await made(await ultraHdr(), query));
	expect(WORDS.filter((word) => words.includes(word))).toEqual([]);
});

test("neither map nor announcement beside a subject, an overlay or a tile", async () => {
	const file = await ultraHdr();
	const mark = masterOf(
		await bytesOf(sharp({ create: { width: 20, height: 20, channels: 3, background: "red" } }).png()),
		"png",
	);
	const subject = { width: 4, height: 2, alpha: Uint8Array.of(0, 255, 255, 0, 0, 255, 255, 0) };
	const id = `img_${"0".repeat(22)}`;
	for (const query of ["segment=foreground", "fx=color-pop", `overlay=${id}`, `tile=${id}`]) {
		const layers = {
			...(query.startsWith("overlay") && { overlay: mark }),
			...(query.startsWith("tile") && { tile: mark }),
		};
		const { bytes } = await rendered(file, `w=200&format=jpg&${query}`, "jpg", { ...BRIGHT, subject, ...layers });
		expect([query, WORDS.filter((word) => text(bytes).includes(word))]).toEqual([query, []]);
	}
});

describe("a map that is broken leaves the picture as it is", () => {
	const numbers = (says: string) => ultraHdr({ says: `hdrgm:Version="1.0" ${says}` });
	const cases: readonly (readonly [string, () => Promise<Uint8Array<ArrayBuffer>>])[] = [
		["cut short", async () => ultraHdr({ map: (await gainMap()).slice(0, -300) })],
		[
			"of noise",
			async () => ultraHdr({ map: Buffer.concat([(await gainMap()).subarray(0, 700), Buffer.alloc(60, 0x5a)]) }),
		],
		[
			"with more pixels than the picture",
			async () => ultraHdr({ map: await gainMap({ width: 4_000, height: 2_400 }) }),
		],
		["without a greatest value", () => numbers('hdrgm:HDRCapacityMax="3"')],
		["whose values fall", () => numbers('hdrgm:GainMapMin="3" hdrgm:GainMapMax="2"')],
		["without a gamma", () => numbers('hdrgm:GainMapMax="2" hdrgm:Gamma="0"')],
		["brighter than the sun", () => numbers('hdrgm:GainMapMax="1e9"')],
		["that never counts", () => numbers('hdrgm:GainMapMax="2" hdrgm:HDRCapacityMin="2" hdrgm:HDRCapacityMax="2"')],
		["of a picture that is bright itself", () => numbers('hdrgm:GainMapMax="2" hdrgm:BaseRenditionIsHDR="True"')],
		["that is another picture", () => ultraHdr({ says: "" })],
	];
	test.each(cases)("%s", async (_, make) => {
		const file = await make();
		expect(Buffer.compare(await made(file, "w=200"), await made(file, "w=200&hdr=off"))).toBe(0);
	});

	test("whatever bits of it are turned, and wherever it ends", async () => {
		const file = await ultraHdr();
		const plain = await pixelsIn(await made(file, "w=40&hdr=off"));
		const start = Buffer.from(file).lastIndexOf(Buffer.of(0xff, 0xd8, 0xff));
		for (let at = start; at < file.length; at += 23) {
			const turned = Uint8Array.from(file);
			turned[at] = (turned[at] ?? 0) ^ (1 << (at % 8));
			const [picture = turned] = imagesOf(await made(turned, "w=40"));
			expect((await pixelsIn(picture)).data.equals(plain.data)).toBe(true);
			await made(file.slice(0, at), "w=40");
		}
	});
});

test("a photo of which nothing is known costs no more than before, and a map has its price", () => {
	const master = { format: "jpg", width: 4_000, height: 3_000 } as const;
	const price = (query: string, mends: { readonly mends?: typeof ALL_MENDS }) =>
		renderPrice(master, parseTransform(new URLSearchParams(query)), mends, []);
	const none = { mends: { upTo: MENDS.length, has: [] } };
	expect(price("w=200", none)).toEqual(price("w=200", {}));
	expect(price("w=200", { mends: ALL_MENDS }).cpuMs).toBeGreaterThan(price("w=200", none).cpuMs);
	for (const query of ["w=200&hdr=off", "w=200&format=webp", "w=200&blur=9"])
		expect(price(query, { mends: ALL_MENDS })).toEqual(price(query, none));
	expect(NUMBERS).toContain("GainMapMax");
});
