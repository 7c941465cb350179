import { IntlMessageFormat } from "intl-messageformat";
import type { Locale } from "../enumerations.ts";

/* Texts that people read, from catalogues of ICU messages: one file a language (docs/languages.md). */

/** The messages of one part of the service, by language and name. */
export type Catalogue<Name extends string = string> = Readonly<Record<Locale, Readonly<Record<Name, string>>>>;

/** Takes the values of a message's placeholders; nothing where it has none, which catalogues write as null. */
export type ValuesOf<Values> = Values extends null ? readonly [] : readonly [Values];

const DAY = { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" } as const;
/** What a message calls the ways of writing a time, given in milliseconds: `{until, date, day}`. */
const FORMATS = {
	date: {
		day: DAY,
		moment: { ...DAY, hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" },
	},
} as const;

/** Compiled once for each language and text. */
const compiled = new Map<string, IntlMessageFormat>();

/**
 * A message with its values. What is neither text nor a number among them stays as it is, and the answer is then a list of parts.
 * @throws Error where a value is missing, or the message is no ICU message
 */
export function format<Part>(
	catalogue: Catalogue,
	locale: Locale,
	name: string,
	values: Readonly<Record<string, unknown>>,
): string | readonly (string | Part)[] {
	const text = catalogue[locale][name];
	if (text === undefined) throw new Error(`there is no message ${name} in ${locale}`);
	const key = `${locale} ${text}`;
	const message = compiled.get(key) ?? new IntlMessageFormat(text, locale, FORMATS);
	compiled.set(key, message);
	const formatted = message.format<Part>(values as Parameters<typeof message.format<Part>>[0]);
	return typeof formatted === "string" || Array.isArray(formatted) ? formatted : [formatted];
}

/** The texts of a catalogue that are plain: mails, and what has no room for more. */
export function plainTexts<Messages>(catalogue: Catalogue<keyof Messages & string>) {
	return (locale: Locale) =>
		<Name extends keyof Messages & string>(name: Name, ...[values]: ValuesOf<Messages[Name]>): string => {
			const text = format(catalogue, locale, name, { ...values });
			if (typeof text !== "string") throw new Error(`the message ${name} is not plain`);
			return text;
		};
}
