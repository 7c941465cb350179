import type { ImageFormat } from "@svc/base/enumerations";
import { type FoundMends, MENDS, type MendName, mendsOf } from "@svc/images/transform/mends";
import type { Metadata } from "sharp";
import { withBytesOf } from "../colours/bytes-at.ts";
import { foreignColours } from "../colours/foreign-colours.ts";
import { bytesOf, saidColours } from "../colours/said-colours.ts";
import { decodable } from "../decodable.ts";
import { unlessBroken } from "../heif/boxes.ts";
import { findDescription } from "../heif/primary.ts";
import { findGainMap } from "../metadata/gain-map.ts";
import { gifXmp } from "../metadata/strip-gif.ts";
import { copyrightXmp } from "../metadata/xmp.ts";
import { sharp } from "../sharp-settings.ts";

/** What a PNG says about its colours comes first. */
const PNG_HEAD_BYTES = 65_536;

/** A master that is looked at. */
interface Seen {
	readonly input: string | Uint8Array;
	readonly header: Metadata;
	/** What a decoder is given for it. */
	readonly decodable: string | Uint8Array;
}

/** Whether a mend concerns a master, of a format that it is about. Nothing is decoded. */
type Look = (seen: Seen) => boolean | Promise<boolean>;

const LOOKS: Readonly<Record<MendName, Look>> = {
	"colours by numbers": async ({ input, header }) => (await saidColours(input, header)).numbers !== undefined,
	premultiplied: async ({ input, header }) => (await saidColours(input, header)).isPremultiplied === true,
	uncovered: (seen) => seen.decodable !== seen.input,
	"turned animation": ({ header: { pages = 1, orientation = 1 } }) => pages > 1 && orientation > 1,
	async rights({ input }) {
		const xmp = gifXmp(await bytesOf(input));
		return xmp !== undefined && copyrightXmp(xmp) !== undefined;
	},
	XMP: async ({ input }) => gifXmp(await bytesOf(input)) !== undefined,
	"foreign profile": async ({ input, header }) => {
		if (header.format === "png") return await hasForeignNumbers(input);
		const description = await withBytesOf(input, findDescription).catch(unlessBroken);
		return description !== undefined && foreignColours(description.bytes).length > 0;
	},
	"no profile": ({ header }) => header.icc === undefined,
	"gain map": async ({ input }) => findGainMap(await bytesOf(input)) !== undefined,
};

/** Which mends concern a master of this format. @param read - its header, where that has been read */
export async function foundMends(
	input: string | Uint8Array,
	format: ImageFormat,
	read?: Metadata,
): Promise<FoundMends> {
	const seen = { input, decodable: await decodable(input, format) };
	const header = read ?? (await sharp(seen.decodable, { limitInputPixels: false }).metadata());
	const has: MendName[] = [];
	for (const name of mendsOf(format)) if (await LOOKS[name]({ ...seen, header })) has.push(name);
	return { upTo: MENDS.length, has };
}

/** Such a chunk stands before the pixels; its third number is that of a matrix. */
async function hasForeignNumbers(input: string | Uint8Array): Promise<boolean> {
	const head = Buffer.from(await withBytesOf(input, (at) => at(0, PNG_HEAD_BYTES)));
	const [numbers, pixels] = [head.indexOf("cICP"), head.indexOf("IDAT")];
	return numbers > 0 && (pixels < 0 || numbers < pixels) && head[numbers + 6] !== 0;
}
