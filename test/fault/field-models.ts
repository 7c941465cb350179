/* What the specification says of a field ("Limits" and the fields of POST /v1/images), as plainly as it can be written down. */

function isMap(sent: unknown): sent is Record<string, unknown> {
	return Object.prototype.toString.call(sent) === "[object Object]";
}

/** Text that a database of UTF-8 strings gives back as it was. */
function isKeepable(text: string): boolean {
	return new TextDecoder().decode(new TextEncoder().encode(text)) === text.replace(/^\ufeff/, "") && !/\0/.test(text);
}

/** Whether metadata is taken: at most 50 keys of 1 to 64 characters, values of at most 1,024. */
export function metadataModel(sent: unknown): boolean {
	if (!isMap(sent)) return false;
	const entries = Object.entries(sent);
	return entries.length <= 50 && entries.every(([key, value]) => isEntry(key, value, 64, 1_024) && key.length > 0);
}

function isEntry(key: string, value: unknown, keyMost: number, valueMost: number): value is string {
	if (typeof value !== "string") return false;
	return Array.from(key).length <= keyMost && Array.from(value).length <= valueMost && isKeepable(key + value);
}

const LABEL_LETTERS = new Set("abcdefghijklmnopqrstuvwxyz0123456789_.-");

/** Whether labels are taken: at most 20 keys of the pattern, values of 1 to 128 characters without commas or outer white space. */
export function labelsModel(sent: unknown): boolean {
	if (!isMap(sent)) return false;
	const entries = Object.entries(sent);
	return entries.length <= 20 && entries.every(([key, value]) => isLabelKey(key) && isLabelValue(key, value));
}

function isLabelKey(key: string): boolean {
	return key !== "" && Array.from(key).every((letter) => LABEL_LETTERS.has(letter));
}

function isLabelValue(key: string, value: unknown): boolean {
	if (!isEntry(key, value, 64, 128)) return false;
	return value !== "" && value.split(",").length === 1 && !/^\s|\s$/.test(value);
}

const UNITS: readonly (readonly [string, number])[] = [
	["s", 1],
	["m", 60],
	["h", 60 * 60],
	["d", 24 * 60 * 60],
	["", 1],
];

/** Seconds; undefined for what is refused. Speaks of lives only, not of the spellings of "permanent". */
export function ttlModel(sent: unknown): number | undefined {
	if (typeof sent === "number") return lives(sent);
	if (typeof sent !== "string") return undefined;
	const [unit, seconds] = UNITS.find(([ending]) => sent.endsWith(ending)) ?? ["", 1];
	const count = sent.slice(0, sent.length - unit.length);
	const isCount = count !== "" && [...count].every((digit) => "0123456789".includes(digit));
	return isCount ? lives(Number(count) * seconds) : undefined;
}

function lives(seconds: number): number | undefined {
	return Number.isInteger(seconds) && seconds >= 5 * 60 && seconds <= 90 * 24 * 60 * 60 ? seconds : undefined;
}

export interface DateParts {
	readonly year: number;
	readonly month: number;
	readonly day: number;
	/** Undefined: a date alone. */
	readonly time:
		| {
				readonly hour: number;
				readonly minute: number;
				/** Undefined: hours and minutes alone. */
				readonly second: number | undefined;
				/** Digits after the point; none without a second. */
				readonly fraction: string;
				/** Minutes ahead of UTC; undefined where none is named. */
				readonly zone: { readonly sign: "+" | "-"; readonly hours: number; readonly minutes: number } | undefined;
		  }
		| undefined;
}

const DAY_MS = 86_400_000;

function isLeap(year: number): boolean {
	return year % 400 === 0 || (year % 4 === 0 && year % 100 !== 0);
}

function daysIn(year: number, month: number): number {
	if (month === 2) return isLeap(year) ? 29 : 28;
	return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Days from the first of January 1970, counted year by year. */
function dayNumber(year: number, month: number, day: number): number {
	// The calendar repeats after 400 years of 146,097 days.
	const eras = Math.floor((year - 1970) / 400);
	let days = eras * 146_097;
	for (let counted = 1970 + eras * 400; counted < year; counted++) days += isLeap(counted) ? 366 : 365;
	for (let counted = 1; counted < month; counted++) days += daysIn(year, counted);
	return days + day - 1;
}

/** Milliseconds since 1970; undefined for what is no date, or none within the years 0000 to 9999 of UTC. */
export function dateModel({ year, month, day, time }: DateParts): number | undefined {
	if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
	const clock = time === undefined ? 0 : clockMs(time);
	if (clock === undefined) return undefined;
	const at = dayNumber(year, month, day) * DAY_MS + clock;
	return at >= dayNumber(0, 1, 1) * DAY_MS && at < dayNumber(10_000, 1, 1) * DAY_MS ? at : undefined;
}

function clockMs({ hour, minute, second = 0, fraction, zone }: NonNullable<DateParts["time"]>): number | undefined {
	const milliseconds = Number(fraction.padEnd(3, "0").slice(0, 3));
	const ofDay = ((hour * 60 + minute) * 60 + second) * 1_000 + milliseconds;
	// 24:00 is the end of the day (ISO 8601:2004), and nothing comes after it.
	if (minute > 59 || second > 59 || ofDay > DAY_MS) return undefined;
	if (zone === undefined) return ofDay;
	if (zone.hours > 23 || zone.minutes > 59) return undefined;
	return ofDay - Number(`${zone.sign}1`) * (zone.hours * 60 + zone.minutes) * 60_000;
}
