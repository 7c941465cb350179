import fc from "fast-check";
import type { DateParts } from "./field-models.ts";

/* Values of the writable fields as nobody should send them, close to the bounds and far beyond. */

const INHERITED = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "length", "source_url"];
const ODD_TEXT = [
	"",
	" ",
	"\0",
	"a\0b",
	"\ud800",
	"\udc00x",
	"😀",
	"\u{10ffff}",
	"\ufeff",
	"a,b",
	" a",
	"a\u00a0",
	"\u2028",
	"é",
];

/** Text whose length falls on either side of a bound. */
function near(bound: number, units: readonly string[]): fc.Arbitrary<string> {
	const lengths = fc.constantFrom(1, bound - 1, bound, bound + 1, bound * 3);
	return fc.tuple(lengths, fc.constantFrom(...units)).map(([length, unit]) => unit.repeat(length));
}

const anyText = fc.oneof(fc.constantFrom(...ODD_TEXT), fc.string(), fc.string({ unit: "binary" }));

function mapKey(name: "metadata" | "labels"): fc.Arbitrary<string> {
	const plain = fc.string({ unit: fc.constantFrom(..."abz09_.-"), minLength: 1, maxLength: 8 });
	const rest = fc.oneof(fc.constantFrom(...INHERITED), near(64, ["k", "😀"]), anyText, fc.constant("1"));
	return fc.oneof({ arbitrary: plain, weight: name === "labels" ? 30 : 10 }, rest);
}

function mapValue(name: "metadata" | "labels"): fc.Arbitrary<unknown> {
	const most = name === "labels" ? 128 : 1_024;
	const plain = fc.string({ unit: fc.constantFrom(..."abz 09é"), minLength: 1, maxLength: 12 });
	const rest = fc.oneof(near(most, ["v", "😀", "é"]), anyText, fc.constantFrom(null, 0, true, [], {}, ["a"]));
	return fc.oneof({ arbitrary: plain.map((text) => text.trim() || "v"), weight: 30 }, rest);
}

/** Maps of which about half are within the bounds. */
export function hostileMap(name: "metadata" | "labels"): fc.Arbitrary<unknown> {
	const most = name === "labels" ? 20 : 50;
	const few = fc.array(fc.tuple(mapKey(name), mapValue(name)), { maxLength: 5 });
	const many = fc
		.constantFrom(most - 1, most, most + 1, most * 10)
		.map((count) => Array.from({ length: count }, (_, place): [string, unknown] => [`k${place}`, "v"]));
	// Built from entries, so that "__proto__" becomes a key.
	return fc.oneof({ arbitrary: few, weight: 9 }, many).map((entries) => Object.fromEntries(entries));
}

const seconds = fc.oneof(
	fc.constantFrom(0, 1, 4, 5, 299, 300, 301, 89, 90, 91, 2_159, 2_160, 2_161, 129_600, 129_601, 7_776_000, 7_776_001),
	fc.nat(9_999_999),
);

/** Numbers, texts with and without units, and things that only look like either. */
export const sentTtl: fc.Arbitrary<unknown> = fc.oneof(
	seconds,
	fc.double(),
	seconds.map((count) => -count),
	fc.tuple(seconds, fc.constantFrom("", "s", "m", "h", "d")).map(([count, unit]) => `${count}${unit}`),
	fc
		.tuple(seconds, fc.constantFrom("w", "y", "S", "D", " d", "d ", "ms", ".0", "e1", "dd", "٣"))
		.map((parts) => parts.join("")),
	fc.tuple(fc.constantFrom("+", "-", " ", "0x", "\n"), seconds).map((parts) => parts.join("")),
	fc.string().filter((text) => text !== "never" && !/^\d{10,}/.test(text)),
	fc.constantFrom(true, false, "Never", "permanent", "Infinity", "NaN", [300], { seconds: 300 }),
);

const two = (most: number) => fc.oneof({ arbitrary: fc.nat(most), weight: 5 }, fc.nat(99));

const zone = fc.record({ sign: fc.constantFrom("+" as const, "-" as const), hours: two(23), minutes: two(59) });

const time = fc
	.record({
		hour: fc.oneof(two(23), fc.constantFrom(0, 23, 24)),
		minute: fc.oneof(two(59), fc.constant(0)),
		second: fc.option(fc.oneof(two(59), fc.constant(0)), { nil: undefined }),
		fraction: fc.string({ unit: fc.constantFrom(..."0123456789"), maxLength: 9 }),
		zone: fc.option(zone, { nil: undefined }),
	})
	.map((parts) => (parts.second === undefined ? { ...parts, fraction: "" } : parts));

const anyDay = fc.record({
	year: fc.oneof(fc.constantFrom(0, 1, 4, 100, 400, 1900, 1969, 1970, 2000, 2024, 2100, 9999), fc.nat(9_999)),
	month: fc.oneof(two(12), fc.constantFrom(1, 2, 12)),
	day: fc.oneof(two(31), fc.constantFrom(1, 28, 29, 30, 31, 32)),
});

/** Out of which a zone may carry a date. */
const outerDays = fc.constantFrom({ year: 0, month: 1, day: 1 }, { year: 9_999, month: 12, day: 31 });

/** Dates around month ends, century years and the ends of the calendar, with fields that run a little past their ranges. */
export const dateParts: fc.Arbitrary<DateParts> = fc
	.tuple(fc.oneof({ arbitrary: anyDay, weight: 9 }, outerDays), fc.option(time, { nil: undefined }))
	.map(([day, clock]) => ({ ...day, time: clock }));

function padded(value: number, width: number): string {
	return `${value}`.padStart(width, "0");
}

/** ISO-8601. A zone is written with its colon when its minutes are even, without it when they are odd. */
export function spelt({ year, month, day, time: clock }: DateParts): string {
	const date = `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`;
	if (!clock) return date;
	const { hour, minute, second, fraction, zone: offset } = clock;
	const tail = second === undefined ? "" : `:${padded(second, 2)}${fraction && `.${fraction}`}`;
	const colon = offset && offset.minutes % 2 === 0 ? ":" : "";
	const place = offset ? `${offset.sign}${padded(offset.hours, 2)}${colon}${padded(offset.minutes, 2)}` : "Z";
	return `${date}T${padded(hour, 2)}:${padded(minute, 2)}${tail}${offset || minute % 2 ? place : ""}`;
}
