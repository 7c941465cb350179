import { ascii, concat, startsWith } from "../bytes.ts";
import { pieces } from "../jpeg/pieces.ts";
import { endOfApplications, ICC_MARK, MARKER, segment, XMP_MARK } from "../jpeg/segments.ts";
import { GAIN_MAP_MARK, indexed } from "./gain-map.ts";
import { ANNOUNCED, type GainMapNumbers, isoOf, numbersOfIso, numbersOfXmp, propertiesOf } from "./gain-map-numbers.ts";
import { containerOf, describeProperties, type GainMapProperty, gainMapProperties } from "./gain-map-xmp.ts";
import { packet } from "./xmp.ts";

/* The gain map of a rendition: pixels that were made anew, with what the map of the master says. */

/** Written and least version of ISO 21496-1: all that a picture says of its map there. */
const ISO_VERSIONS = new Uint8Array(4);

export interface CarriedGainMap {
	readonly bytes: Uint8Array<ArrayBuffer>;
	/** Descriptions for the XMP of the picture; none for a map of Apple's, which only its index announces. */
	readonly announcement: readonly string[];
}

/**
 * Undefined where what the map says cannot be followed.
 * @param map as the master has it, cleaned
 * @param pixels a JPEG
 */
export function carriedGainMap(map: Uint8Array, pixels: Uint8Array): CarriedGainMap | undefined {
	const { numbers, properties, profile } = statementsOf(map);
	const said = numbers ? propertiesOf(numbers) : properties.filter(({ prefix }) => prefix !== "hdrgm");
	if (said.length === 0) return undefined;
	const iso = numbers ? [segment(MARKER.app2, ascii(GAIN_MAP_MARK), isoOf(numbers))] : [];
	const xmp = segment(MARKER.app1, ascii(XMP_MARK), packet([describeProperties(said)]));
	const bytes = concat([pixels.subarray(0, 2), ...iso, xmp, ...profile, pixels.subarray(2)]);
	return { bytes, announcement: numbers ? [describeProperties(ANNOUNCED), containerOf(bytes.length)] : [] };
}

/** The picture, a JPEG that says the announcement already, with the map behind it. */
export function withGainMap(picture: Uint8Array, map: CarriedGainMap): Uint8Array<ArrayBuffer> {
	const end = endOfApplications(picture);
	const version = map.announcement.length > 0 ? [segment(MARKER.app2, ascii(GAIN_MAP_MARK), ISO_VERSIONS)] : [];
	return indexed([picture.subarray(0, end), ...version], [picture.subarray(end)], map);
}

interface Statements {
	readonly numbers: GainMapNumbers | undefined;
	readonly properties: readonly GainMapProperty[];
	/** What its colours are. */
	readonly profile: readonly Uint8Array[];
}

function statementsOf(map: Uint8Array): Statements {
	let numbers: GainMapNumbers | undefined;
	let properties: readonly GainMapProperty[] = [];
	const profile: Uint8Array[] = [];
	for (const { marker, bytes, payload } of pieces(map)) {
		if (marker === MARKER.app2 && startsWith(payload, GAIN_MAP_MARK)) {
			numbers = numbersOfIso(payload.subarray(GAIN_MAP_MARK.length));
		} else if (marker === MARKER.app1 && startsWith(payload, XMP_MARK)) {
			properties = gainMapProperties(payload.subarray(XMP_MARK.length));
		} else if (marker === MARKER.app2 && startsWith(payload, ICC_MARK)) profile.push(bytes);
	}
	return { numbers: numbers ?? numbersOfXmp(properties), properties, profile };
}
