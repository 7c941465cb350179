import { photoTexts } from "./exif.ts";

const DATE_TIME_ORIGINAL = 0x9003;
const OFFSET_TIME_ORIGINAL = 0x9011;
const DATE = /^(\d{4})[:-](\d{2})[:-](\d{2})[ T](\d{2}:\d{2}:\d{2})$/;
const OFFSET = /^[+-]\d{2}:\d{2}$/;

/**
 * When a picture was taken, in milliseconds since 1970: EXIF DateTimeOriginal with its offset, without one read as UTC. Null where there is
 * none, or none that is a date: cameras without a clock write blanks or zeros.
 */
export function takenOf(exif: Uint8Array): number | null {
	const texts = photoTexts(exif, [DATE_TIME_ORIGINAL, OFFSET_TIME_ORIGINAL]);
	const [date, year, month, day, time] = DATE.exec(texts.get(DATE_TIME_ORIGINAL) ?? "") ?? [];
	if (date === undefined) return null;
	const iso = `${year}-${month}-${day}T${time}`;
	const asUtc = Date.parse(`${iso}Z`);
	// A day that its month does not have would silently become the next month's.
	if (Number.isNaN(asUtc) || !new Date(asUtc).toISOString().startsWith(iso)) return null;
	const offset = texts.get(OFFSET_TIME_ORIGINAL) ?? "";
	const told = OFFSET.test(offset) ? Date.parse(`${iso}${offset}`) : asUtc;
	return Number.isNaN(told) ? asUtc : told;
}
