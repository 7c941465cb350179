import { open, readFile } from "node:fs/promises";
import type { SourceFormat } from "@svc/base/enumerations";
import { ascii, latin1, viewOf } from "../bytes.ts";

/*
 * Pictures in boxes (ISO/IEC 14496-12): AVIF, HEIC and their kin. The first of their brands is only what a file is best taken as, and readers go by all of
 * them; what a file holds is said by its pictures. Programs write every mixture.
 */

export interface Recognised {
	/** Undefined for what is known by name only. */
	readonly format: SourceFormat | undefined;
	/** A name for people, as `a TIFF file`. */
	readonly kind: string;
}

/** What the decoder's own look at the first brand lets through. */
const KNOWN_FIRST = new Set(["avif", "heic", "heix", "heim", "heis", "hevc", "hevm", "hevs", "mif1", "msf1"]);
const FIRST_BRAND = 8;

/** The name of the box that says how to decode a picture, and what is in it then. */
const CODINGS: readonly (readonly [box: string, coding: string])[] = [
	["hvcC", "HEVC"],
	["av1C", "AV1"],
	["vvcC", "VVC"],
	["avcC", "AVC"],
	["j2kH", "JPEG 2000"],
	["jpgC", "JPEG"],
	["uncC", "uncompressed"],
];

/** Undefined for what has none of the brands. */
export function recogniseHeif(head: Uint8Array): Recognised | undefined {
	const brands = brandsOf(head);
	const named = [AVIF, HEIC].filter(({ names }) => brands.some((brand) => names.includes(brand)));
	if (named.length === 0 && !brands.some((brand) => NAMES_OF_ANY.includes(brand))) return undefined;
	const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
	if (bytes.includes("moov") && !bytes.includes("pitm")) return WITHOUT_STILL;
	const codings = CODINGS.filter(([box]) => bytes.includes(box)).map(([, coding]) => coding);
	const byFirst = [...named.filter(({ names }) => names.includes(brands[0] ?? "")), ...named];
	// Where the description lies farther behind, the brands are all there is.
	const [coding] = codings;
	const held = byFirst.find((one) => coding === undefined || codings.includes(one.coding));
	if (held || codings.includes(HEIC.coding)) return held ?? HEIC;
	const called = byFirst[0]?.kind ?? "a HEIF file";
	return { format: undefined, kind: coding ? `${called} by its brands but holds ${coding} pictures` : WITHOUT_HEVC };
}

interface Named extends Recognised {
	readonly names: readonly string[];
	readonly coding: string;
}

const AVIF: Named = { format: "avif", kind: "an AVIF file", names: ["avif", "avis"], coding: "AV1" };
const HEIC: Named = {
	format: "heic",
	kind: "a HEIC file",
	names: ["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"],
	coding: "HEVC",
};
const NAMES_OF_ANY = ["mif1", "mif2", "mif3", "msf1", "miaf"];
const WITHOUT_HEVC = "a HEIF file without HEVC pictures";
const WITHOUT_STILL: Recognised = { format: undefined, kind: "a moving picture without a still one to show" };

/** The first one, and those that the file is compatible with. */
function brandsOf(head: Uint8Array): readonly string[] {
	if (head.length < 16 || latin1(head.subarray(4, 8)) !== "ftyp") return [];
	const end = Math.min(viewOf(head).getUint32(0), head.length);
	const brands = [latin1(head.subarray(FIRST_BRAND, FIRST_BRAND + 4))];
	for (let at = 16; at + 4 <= end; at += 4) brands.push(latin1(head.subarray(at, at + 4)));
	return brands;
}

/** The file, or where the decoder does not know its first brand a copy in memory that has another one there. */
export async function underKnownBrand(input: string | Uint8Array, format: SourceFormat): Promise<string | Uint8Array> {
	if (format !== "avif" && format !== "heic") return input;
	const head = typeof input === "string" ? await headOf(input) : input;
	if (KNOWN_FIRST.has(latin1(head.subarray(FIRST_BRAND, FIRST_BRAND + 4)))) return input;
	const copy = Uint8Array.from(typeof input === "string" ? await readFile(input) : input);
	if (copy.length >= FIRST_BRAND + 4) copy.set(ascii(format), FIRST_BRAND);
	return copy;
}

async function headOf(path: string): Promise<Uint8Array> {
	const file = await open(path, "r");
	try {
		const { buffer } = await file.read(new Uint8Array(FIRST_BRAND + 4), 0, FIRST_BRAND + 4, 0);
		return buffer;
	} finally {
		await file.close();
	}
}
