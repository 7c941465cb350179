import { ascii, latin1, startsWith, viewOf } from "../bytes.ts";
import { type HeifBox, unlessBroken } from "../heif/boxes.ts";
import { type Description, describedBy, propertiesOf, propertyBoxesOf } from "../heif/primary.ts";

/* What browsers refuse an AVIF for, whose pixels they could show: what says its colours is none, or of another kind than they are. */

const MARK_BYTES = 4;
const PROFILE_HEADER_BYTES = 128;
const ENTRY_BYTES = 12;
/** More than any profile has. */
const MAX_TAGS = 200;
/** Of the third byte of an AV1 configuration (AV1-ISOBMFF, section 2.3.3). */
const MONOCHROME = 0x10;
/** Curves that no browser knows: two of logarithms, and two of cameras for more colours (ITU-T H.273, table 3). */
const FOREIGN_CURVES: ReadonlySet<number> = new Set([9, 10, 11, 12]);
const UNSPECIFIED = 2;

/** @param meta - the description of an AVIF, whose bytes are changed where they are: nothing in it may move */
export function leaveOutForeignColours(meta: Uint8Array): void {
	for (const box of foreignColours(meta)) {
		if (isNumbers(meta, box)) viewOf(meta).setUint16(box.start + MARK_BYTES + 2, UNSPECIFIED);
		// Room that nobody reads, so that the properties behind it keep their places.
		else meta.set(ascii("free"), box.from + 4);
	}
}

/** Those of the primary picture's properties that browsers refuse it for. */
export function foreignColours(meta: Uint8Array): readonly HeifBox[] {
	try {
		const description = describedBy(meta, 0);
		return description ? foreignIn(description) : [];
	} catch (error) {
		return unlessBroken(error) ?? [];
	}
}

function foreignIn(description: Description): readonly HeifBox[] {
	const isGrey = propertiesOf(description, "av1C").some((coding) => ((coding[2] ?? 0) & MONOCHROME) !== 0);
	return propertyBoxesOf(description, "colr").filter((box) => {
		const content = description.bytes.subarray(box.start, box.end);
		if (isNumbers(description.bytes, box))
			return content.length >= MARK_BYTES + 4 && FOREIGN_CURVES.has(viewOf(content).getUint16(MARK_BYTES + 2));
		const isProfile = startsWith(content, "prof") || startsWith(content, "rICC");
		return isProfile && !isUsable(content.subarray(MARK_BYTES), isGrey);
	});
}

function isNumbers(meta: Uint8Array, { start, end }: HeifBox): boolean {
	return startsWith(meta.subarray(start, end), "nclx");
}

/** Whether a profile is whole, as far as its structure tells, and for pixels of this kind (ICC.1, section 7). */
function isUsable(profile: Uint8Array, isGrey: boolean): boolean {
	if (profile.length < PROFILE_HEADER_BYTES + 4) return false;
	const view = viewOf(profile);
	const bytes = view.getUint32(0);
	const space = latin1(profile.subarray(16, 20));
	const tags = view.getUint32(PROFILE_HEADER_BYTES);
	const isFit = space === "RGB " || (isGrey && space === "GRAY");
	if (!isFit || latin1(profile.subarray(36, 40)) !== "acsp" || bytes > profile.length) return false;
	const table = PROFILE_HEADER_BYTES + 4;
	if (tags > MAX_TAGS || table + tags * ENTRY_BYTES > bytes) return false;
	return Array.from({ length: tags }, (_, tag) => table + tag * ENTRY_BYTES).every(
		(at) => view.getUint32(at + 4) + view.getUint32(at + 8) <= bytes,
	);
}
