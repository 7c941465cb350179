import { describe, expect, test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import sharp from "sharp";
import { noise, plain } from "../../support/pictures.ts";
import { uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";

const service = serviceFor();

async function bytesOf(image: Image, query = ""): Promise<Buffer<ArrayBuffer>> {
	const response = await service.open(image.url + query);
	if (response.status !== 200) throw new Error(`${response.status} for ${query}`);
	return Buffer.from(await response.arrayBuffer());
}

describe("metadata", () => {
	const exif = {
		IFD0: { Copyright: "Jo Doe", Artist: "Jo", Model: "DeviceX" },
		IFD3: { GPSLatitudeRef: "N", GPSLatitude: "51/1 30/1 0/1" },
	};

	test("copyright stays by default, GPS and device go; none and keep do what they say [cdn.metadata.default-copyright, cdn.metadata.copyright-strips, cdn.metadata.copyright-keeps, cdn.metadata.none, cdn.metadata.keep]", async () => {
		const file = (await sharp(await plain(60, 40, "jpeg"))
			.withExif(exif)
			.jpeg()
			.toBuffer()) as Buffer<ArrayBuffer>;
		expect(file.includes("DeviceX")).toBe(true);
		const image = await uploaded(service, file, "a.jpg");
		for (const base of ["?", "?w=30&", "?format=webp&", "?format=png&"]) {
			const byDefault = await bytesOf(image, base);
			expect([byDefault.includes("Jo Doe"), byDefault.includes("DeviceX")]).toEqual([true, false]);
			expect(byDefault.equals(await bytesOf(image, `${base}metadata=copyright`))).toBe(true);
			const { exif: left } = await sharp(byDefault).metadata();
			expect(left?.includes(Buffer.from([0x88, 0x25])) || left?.includes(Buffer.from([0x25, 0x88]))).toBe(false);
			const none = await bytesOf(image, `${base}metadata=none`);
			expect([none.includes("Jo Doe"), none.includes("DeviceX")]).toEqual([false, false]);
			const all = await bytesOf(image, `${base}metadata=keep`);
			expect([all.includes("Jo Doe"), all.includes("DeviceX")]).toEqual([true, true]);
		}
	});

	test("without parameters the pixels are the master's own", async () => {
		const file = await noise(200, 100);
		const image = await uploaded(service, file, "a.jpg");
		const pixels = (bytes: Uint8Array) => sharp(bytes).raw().toBuffer();
		expect((await pixels(await bytesOf(image))).equals(await pixels(file))).toBe(true);
	});
});
