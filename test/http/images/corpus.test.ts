import { describe, expect, test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import sharp from "sharp";
import { corpus, corpusNote, withoutCorpus } from "../../support/corpus.ts";
import { errorOf, upload, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";

/** Width, height and stored format of what must be accepted; dimensions are those after orientation. */
const ACCEPTED: Record<string, readonly [number, number, string]> = {
	"jpeg_gps_copyright_iptc_xmp.jpg": [900, 506, "jpg"],
	"jpeg_12mp_camera.jpg": [4_032, 3_024, "jpg"],
	"jpeg_o6_landscape.jpg": [1_800, 1_200, "jpg"],
	"jpeg_o8_portrait.jpg": [1_200, 1_800, "jpg"],
	"alpha.png": [2_048, 1_536, "png"],
	"alpha.webp": [300, 300, "webp"],
	"anim_42.gif": [245, 245, "gif"],
	"anim_42.webp": [245, 245, "webp"],
	"photo.avif": [1_204, 800, "avif"],
	"iphone_grid_p3.heic": [3_024, 4_032, "jpg"],
	"alpha.heic": [512, 512, "png"],
	"png16.png": [900, 600, "png"],
	"png_p3.png": [8, 8, "png"],
	"jpeg_cmyk_noprofile.jpg": [500, 333, "jpg"],
	"jpeg_progressive.jpg": [650, 470, "jpg"],
	"jpeg_o6_iptc_xmp.jpg": [1_536, 2_048, "jpg"],
	"portrait_astronaut.png": [512, 512, "png"],
	"portrait_four_faces.jpg": [1_920, 1_537, "jpg"],
	"portrait_child.jpg": [596, 900, "jpg"],
	"crowd_painted_faces.jpg": [900, 600, "jpg"],
	"face_small_sunglasses.jpg": [1_920, 1_080, "jpg"],
	"noface_statues.jpg": [1_204, 800, "jpg"],
	"seg_coffee.png": [600, 400, "png"],
	"seg_redpanda_clutter.jpg": [1_621, 1_080, "jpg"],
	"polyglot_zip.jpg": [320, 240, "jpg"],
};

const REFUSED = [
	"av1_in_heif.heif",
	"truncated60.heic",
	"truncated.jpg",
	"corrupted_camera.jpg",
	"bomb_16384.png",
	"bomb_12000.avif",
	"bomb_5000frames.gif",
	"bomb_2000x2000x2000.gif",
	"polyglot_js.gif",
	"svg_named.png",
	"extref.svg",
	"laughs.svg",
	"logo.svg",
	"photo.bmp",
	"bad_reallybig.bmp",
	"multi.ico",
];

const service = serviceFor();

describe(`real pictures${corpusNote}`, () => {
	test.skipIf(withoutCorpus).each(Object.entries(ACCEPTED))(
		"%s is accepted, and its addresses decode [create.multipart.file-types, image.status.sync-ready]",
		async (name, [width, height, format]) => {
			const response = await upload(service, await corpus(name), name);
			expect(response.status).toBe(201);
			const image = (await response.json()) as Image;
			expect(image).toMatchObject({ format, status: "ready", filename: name });
			expect([image.width, image.height]).toEqual([width, height]);
			for (const [query, across, down] of [
				["", image.width, image.height],
				["?size=s", ...Object.values(image.sizes.small ?? {}).slice(1)],
				["?w=64&format=webp", Math.min(64, image.width), undefined],
			] as const) {
				const served = await sharp(await (await service.open(image.url + query)).arrayBuffer())
					.autoOrient()
					.raw()
					.toBuffer({ resolveWithObject: true });
				expect(served.info.width).toBe(Number(across));
				if (down !== undefined) expect(served.info.height).toBe(Number(down));
			}
		},
		60_000,
	);

	test.skipIf(withoutCorpus).each(REFUSED)(
		"%s is refused under file, and leaves nothing [create.multipart.decode-before-store, create.file-error.details-file]",
		async (name) => {
			const held = async () => ((await (await service.api("/v1/usage")).json()) as { totals: object }).totals;
			const before = await held();
			expect(await errorOf(await upload(service, await corpus(name), name))).toMatchObject({
				status: 422,
				code: "validation_error",
				fields: ["file"],
			});
			expect(await held()).toEqual(before);
		},
		60_000,
	);

	test.skipIf(withoutCorpus)(
		"an animated AVIF is accepted, moves at its address, and is a still in renditions",
		async () => {
			const file = await corpus("sequence.avif");
			const image = await uploaded(service, file, "a.avif");
			expect([image.format, image.width, image.height]).toEqual(["avif", 800, 450]);
			const bare = Buffer.from(await (await service.open(image.url)).arrayBuffer());
			expect([bare.toString("latin1", 4, 12), bare.length]).toEqual(["ftypavis", file.length]);
			const still = await (await service.open(`${image.url}?w=64&format=webp`)).arrayBuffer();
			expect(await sharp(still).metadata()).toMatchObject({ format: "webp", width: 64, height: 36 });
		},
	);

	test.skipIf(withoutCorpus)("HEVC under a .heif name is accepted [create.multipart.heif-name-hevc]", async () => {
		expect((await upload(service, await corpus("alpha.heic"), "picture.heif")).status).toBe(201);
	});
});
