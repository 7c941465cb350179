const ISO_DATE = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/;
/** As text, four digits may mean a year and eight a day, as in `20240102`: these are nobody's seconds for sure. */
const SECONDS = /^-?(?!(?:\d{4}|\d{8})$)\d{1,10}$/;

/** What a date is, for whoever sent none. */
export const DATE_RULE =
	"must be a unix timestamp in whole seconds (as text 1 to 10 digits, but not 4 or 8) or an ISO-8601 date, of the years 0 to 9999";

/** Beyond the four-digit years, whither a zone can carry a date too, it could not be written any more. */
const YEAR_0_MS = Date.UTC(-1, 12);
const YEAR_10000_MS = Date.UTC(10_000, 0);

/**
 * The one reader of dates that somebody sent: milliseconds since 1970, or undefined for what is none.
 * A number is whole seconds, negative before 1970. A date without a zone is UTC.
 */
export function readDate(sent: string | number): number | undefined {
	const milliseconds = typeof sent === "number" || SECONDS.test(sent) ? secondsMs(Number(sent)) : isoMs(sent);
	return milliseconds >= YEAR_0_MS && milliseconds < YEAR_10000_MS ? milliseconds : undefined;
}

/** NaN where they are not whole. */
function secondsMs(seconds: number): number {
	// Of the two zeros `-0` is no number that JSON or a database keeps.
	return Number.isInteger(seconds) ? seconds * 1_000 + 0 : Number.NaN;
}

/** NaN where the text is not a date. */
function isoMs(text: string): number {
	const match = ISO_DATE.exec(text);
	if (!match) return Number.NaN;
	const [, day = "", minutes = "00:00", seconds = ":00", zone = "Z"] = match;
	const offset = zone === "Z" ? zone : `${zone.slice(0, 3)}:${zone.slice(3).replace(":", "") || "00"}`;
	// A day that its month does not have would silently become the next month's.
	if (new Date(`${day}T00:00:00Z`).getUTCDate() !== Number(day.slice(8))) return Number.NaN;
	return Date.parse(`${day}T${minutes}${seconds.slice(0, 7)}${offset}`);
}
