import { startsWith, viewOf } from "../bytes.ts";
import { unlessBroken } from "../heif/boxes.ts";
import { type Description, findDescription, propertiesOf } from "../heif/primary.ts";
import { withBytesOf } from "./bytes-at.ts";
import { type ColourNumbers, ofHeifNumbers } from "./numbers.ts";

const MARK_BYTES = 4;
/** Primaries, transfer and matrix, of two bytes each. */
const POINTS_BYTES = 6;

/** As {@link heifNumbers}, of a file; undefined too where its boxes cannot be followed. */
export async function findHeifNumbers(input: string | Uint8Array): Promise<ColourNumbers | undefined> {
	try {
		const description = await withBytesOf(input, findDescription);
		return description && heifNumbers(description);
	} catch (error) {
		return unlessBroken(error);
	}
}

/** The numbers by which the primary picture of an AVIF or a HEIC says what its colours are (ISO/IEC 14496-12, section 12.1.5). A profile comes before them. */
export function heifNumbers(description: Description): ColourNumbers | undefined {
	const said = propertiesOf(description, "colr");
	if (said.some((colour) => startsWith(colour, "prof") || startsWith(colour, "rICC"))) return undefined;
	const points = said.find((colour) => startsWith(colour, "nclx") && colour.length >= MARK_BYTES + POINTS_BYTES);
	if (!points) return undefined;
	const view = viewOf(points);
	return ofHeifNumbers(view.getUint16(MARK_BYTES), view.getUint16(MARK_BYTES + 2));
}
