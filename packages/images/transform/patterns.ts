import { type Kind, wordsOf } from "./values.ts";

/* What values that are no numbers look like, for the API document: as JSON Schema has it, without flags. */

const NUMBER = "(?:\\d+(?:\\.\\d+)?|\\.\\d+)";
const SHARE = "(?:-?0+(?:\\.0+)?|0*\\.\\d+|0*1(?:\\.0+)?)";
const CHANNELS = `${NUMBER}%?(?:\\s*,\\s*${NUMBER}%?){2,3}|${NUMBER}%?(?:\\s+${NUMBER}%?){2}(?:\\s*/\\s*${NUMBER}%?)?`;
const HEX = "#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})";
const SIDE = "0*[1-9]\\d{0,8}";

/** Everything that a parameter of this kind takes matches it, and hardly anything else; undefined for kinds that have no pattern. */
export function patternOf(kind: Kind): string | undefined {
	switch (kind.kind) {
		case "point":
			return `^(?:${SHARE},${SHARE}|${wordsOf(kind).join("|")})$`;
		case "piece":
			return `^\\d+,\\d+,${SIDE},${SIDE}$`;
		case "colour":
			return `^(?:[a-zA-Z]{3,20}|${HEX}|[rR][gG][bB][aA]?\\(\\s*(?:${CHANNELS})\\s*\\))$`;
		case "image":
			return "^img_[0-9A-Za-z]{22}$";
		case "name":
			return "^[^/\\\\]+$";
		default:
			return undefined;
	}
}
