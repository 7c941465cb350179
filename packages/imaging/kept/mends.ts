import { readFile } from "node:fs/promises";
import type { ImageFormat } from "@svc/base/enumerations";
import { type FoundMends, MENDS, type MendName, mendsOf } from "@svc/images/transform/mends";
import type { Metadata } from "sharp";
import { gifXmp } from "../metadata/strip-gif.ts";
import { copyrightXmp } from "../metadata/xmp.ts";
import { sharp } from "../sharp-settings.ts";

/** What of a file says that a mend concerns it. It may look at the whole file, and decodes nothing. */
type Look = (file: Uint8Array, header: Metadata) => boolean | Promise<boolean>;

const LOOKS: Readonly<Record<MendName, Look>> = {
	"colours by numbers": () => false,
	premultiplied: () => false,
	uncovered: () => false,
	"turned animation": (_, { pages = 1, orientation = 1 }) => pages > 1 && orientation > 1,
	rights: (file) => {
		const xmp = gifXmp(file);
		return xmp !== undefined && copyrightXmp(xmp) !== undefined;
	},
	XMP: (file) => gifXmp(file) !== undefined,
	"foreign profile": () => false,
	"no profile": (_, { icc }) => icc === undefined,
};

/** Which mends concern a master of this format. */
export async function foundMends(input: string | Uint8Array, format: ImageFormat): Promise<FoundMends> {
	const file = typeof input === "string" ? await readFile(input) : input;
	const header = await sharp(file, { limitInputPixels: false }).metadata();
	const has: MendName[] = [];
	for (const name of mendsOf(format)) if (await LOOKS[name](file, header)) has.push(name);
	return { upTo: MENDS.length, has };
}
