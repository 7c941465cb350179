/*
 * Text that is safe to print. Names, addresses and messages may come from any person, and go to terminals, logs, mails and
 * headers.
 */

/**
 * Never printed: controls, which drive a terminal or end a header; format characters, which turn the direction of text or
 * cannot be seen; separators of lines and paragraphs; characters for private use, which mean something else everywhere; and what will never be a character. The two
 * joiners stay, since letters of some scripts and emoji need them, and so do the few tags behind a black flag that make it the flag of Scotland. What a later Unicode
 * may make a letter stays, too.
 */
const UNPRINTABLE = once(
	() =>
		/[[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}[\p{Default_Ignorable_Code_Point}&&\p{Cn}]]--[\u200c\u200d\u{e0020}-\u{e007f}]]|(?<!\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{0,6})[\u{e0020}-\u{e007f}]/gv,
);
const BREAKS = once(() => /[\t\n\v\f\r\u0085\p{Zl}\p{Zp}]+/gu);

/** Most texts are of these alone, and the classes above cost more to make than a command to start: they are made for the first other text. */
const PLAIN = /^[ -~]*$/;
const PLAIN_LINES = /^[ -~\n]*$/;

/** All of it but what is never printed. */
export function onlyPrintable(text: string): string {
	return PLAIN.test(text) ? text : text.toWellFormed().replace(UNPRINTABLE(), "");
}

/** One line for a terminal, a log or a header; breaks and tabs become a space, lone surrogates a replacement character. */
export function printableLine(text: string): string {
	if (PLAIN.test(text)) return text;
	return onlyPrintable(text.toWellFormed().replace(BREAKS(), " "));
}

/** The same for people to read: composed, with single spaces, and at most `max` characters. */
export function shortLine(text: string, max: number): string {
	return cutLine(printableLine(text.normalize("NFC")).replace(/\s+/g, " ").trim(), max);
}

/** At most `max` whole characters; an ellipsis replaces the rest. */
export function cutLine(line: string, max: number): string {
	const characters = [...line];
	return characters.length <= max ? line : `${characters.slice(0, max - 1).join("")}…`;
}

/** The name of a file to save, as in Content-Disposition: no part of a path, and an underline for each unprintable character. */
export function printableFilename(name: string): string {
	return name.toWellFormed().replace(UNPRINTABLE(), "_").replace(/[/\\]/g, "_");
}

/** A text as one word of a command line that a person may paste. */
export function shellWord(text: string): string {
	return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * A text for people with the commands in it as they are typed on this machine. `svc` by itself, and before what is no command, stays.
 * @param command such as `./svc`
 * @param names the first words of commands: letters and hyphens
 */
export function commandsAsTyped(text: string, command: string, names: readonly string[]): string {
	const first = ["--help", "<command>", ...names].join("|");
	return text.replace(new RegExp(`(?<![\\w./\\\\-])svc(?= (?:${first})(?![\\w-]))`, "g"), () => command);
}

/** JSON with the same meaning, with every unprintable character escaped, even those that JSON allows. */
export function printableJson(value: unknown, indent?: number): string {
	const text = JSON.stringify(value ?? null, null, indent);
	// The breaks between the lines are JSON's own; those within texts are escaped already.
	if (PLAIN_LINES.test(text)) return text;
	return text.replace(UNPRINTABLE(), (character) => (character === "\n" ? character : escaped(character)));
}

function once(make: () => RegExp): () => RegExp {
	let made: RegExp | undefined;
	return () => {
		made ??= make();
		return made;
	};
}

function escaped(character: string): string {
	const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
	return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
