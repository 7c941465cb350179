import { expect, test } from "bun:test";
import type { Mask } from "@svc/images/transform/analysis";
import { MENDS } from "@svc/images/transform/mends";
import { PARAMETER_LIST } from "@svc/images/transform/parameters";
import { bytesOf, drawn, masterOf, rendered } from "@svc/test/support/rendering";
import { ultraHdr } from "@svc/test/support/ultra-hdr";
import { sharp } from "../sharp-settings.ts";

/** 600×400 with a border, soft colours inside and an author in its EXIF, so that every parameter has something to change. */
const picture = await bytesOf(
	drawn(600, 400, (x, y) => (x < 40 || y < 40 ? [200, 200, 200] : [x & 255, (x + y) & 255, (3 * y) & 255]))
		.withExif({ IFD0: { Artist: "Ada" } })
		.jpeg({ quality: 95 }),
);
const subject: Mask = {
	width: 30,
	height: 20,
	alpha: Uint8Array.from({ length: 600 }, (_, at) => (at % 30 < 15 ? 255 : 0)),
};
const aids = {
	faces: [{ left: 0.7, top: 0.4, width: 0.1, height: 0.15 }],
	focus: { x: 0.5, y: 0.5 },
	content: { left: 0.1, top: 0.1, width: 0.9, height: 0.9 },
	subject,
};
const mark = masterOf(await bytesOf(drawn(20, 20, () => [255, 0, 0]).png()), "png");

const { data, info } = await drawn(20, 40, (_, y) => (y < 20 ? [255, 0, 0] : [0, 0, 255]))
	.raw()
	.toBuffer({ resolveWithObject: true });
const raw = { width: 20, height: 40, channels: info.channels, pageHeight: 20 };
const animation = await bytesOf(sharp(data, { raw }).gif({ delay: [90, 90] }));

async function made(name: string, query: string): Promise<Uint8Array> {
	const layers = {
		...(query.includes("tile=") && { tile: mark }),
		...(query.includes("overlay=") && { overlay: mark }),
	};
	if (name === "hdr") {
		const mends = { upTo: MENDS.length, has: ["gain map"] } as const;
		return (await rendered(await ultraHdr(), query, "jpg", { mends })).bytes;
	}
	if (name === "frame") return (await rendered(animation, query, "gif")).bytes;
	const { bytes } = await rendered(picture, query, "jpg", { ...aids, ...layers });
	return bytes;
}

test.each(PARAMETER_LIST.filter(({ apart }) => !apart))(
	"$name: its example in the table gives another picture than without it",
	async (parameter) => {
		const { name } = parameter;
		const without = new URLSearchParams(parameter.example);
		without.delete(parameter.name);
		// Not toEqual: what it prints about two pictures that are equal is as long as they are.
		expect(Buffer.compare(await made(name, parameter.example), await made(name, without.toString()))).not.toBe(0);
	},
);
