/*
 * Names of Apps, and of what Apps sell, must not pass for the service's own (specification, "Authentication" 8). A forbidden word is
 * found as a separate word, whichever look-alike letters it is written with, and as single letters with separators
 * between them: with the service's name Svc, `S.v.c` is refused and `Pics VC` is not. An App's name "cannot contain" the service's, so
 * that it is found inside of a word as well: `photosvc`. What Apps say of their plans is prose, and only must not name it.
 */

const NAME_MAX = 100;

/** Characters that pass for a Latin letter. Digits and signs count as letters only where a forbidden word has that letter. */
const LOOKALIKES: Readonly<Record<string, string>> = {
	a: "ꓮаαɑᴀᎪ4@ª",
	b: "ꓐвьβʙᏴ8",
	c: "ꓚсϲᴄᏟⅽ©¢ꮯ",
	d: "ꓓԁᴅᎠꭰđð",
	e: "ꓰеєεᴇᎬꭼ3€",
	f: "ꓝғϝꜰƒ",
	g: "ꓖɡցɢᏀ9",
	h: "ꓧнһηհʜᎻħ",
	i: "ꓲіιıɩɪᎥꭵl1|!",
	j: "ꓙјϳᴊᎫ",
	k: "ꓗкκᴋᏦ",
	l: "ꓡӏʟᏞɩіιıi1|!ł",
	m: "ꓟмᴍᎷ",
	n: "ꓠпηոɴ",
	o: "ꓳоοօσᴏ0øө",
	p: "ꓑрρᴘᏢꮲ",
	q: "ԛգ",
	r: "ꓣгʀᎡꮁᴦ",
	s: "ꓢѕꜱᏚꮪς5$§",
	t: "ꓔтτᴛᎢŧ7",
	u: "ꓴυսᴜυµμц",
	v: "ꓦѵνᴠᏙꮩ∨",
	w: "ꓪԝωшᴡᎳ",
	x: "ꓫхχ×",
	y: "ꓬуүγʏΥ¥",
	z: "ꓜᴢᏃ2",
};
/** Signs that together look like one letter. */
const COMPOSED: Readonly<Record<string, string>> = { m: "rn", w: "vv", d: "cl" };

/** The Latin letters that a character may stand for. */
const LETTERS_OF = new Map<string, string>();
for (const [letter, characters] of Object.entries(LOOKALIKES)) {
	for (const character of foldCase(characters)) LETTERS_OF.set(character, (LETTERS_OF.get(character) ?? "") + letter);
}

/** A text in the form in which names are compared: look-alikes, letter case, marks and invisible characters make no difference. */
export function foldName(name: string): string {
	const letters = [...foldMarks(name)].map((character) =>
		/^[^\P{L}a-z]$/u.test(character) ? (LETTERS_OF.get(character)?.charAt(0) ?? character) : character,
	);
	return letters.join("").trim().replace(/\s+/g, " ");
}

/**
 * The fault of an App's name; undefined when there is none. `serviceName` is the service's own, in any form.
 */
export function appNameFault(name: string, serviceName: string): string | undefined {
	const fault = nameFault(name, NAME_MAX);
	if (fault !== undefined) return fault;
	const word = findForbiddenWord(name, [serviceName]) ?? (isWithinWord(name, serviceName) ? serviceName : undefined);
	return word === undefined ? undefined : `must not hold this service's own name, ${word}`;
}

/** The fault of a name in itself, of an App or anything else; undefined when there is none. */
export function nameFault(name: string, max: number): string | undefined {
	if ([...name].length > max || foldMarks(name).trim() === "") return `must have 1 to ${max} characters`;
	// A character that turns the direction of writing makes a name show as another one.
	if (!name.isWellFormed() || /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(name)) {
		return "must not hold control characters";
	}
	return undefined;
}

/** The first of the forbidden words that a text holds, in the given form; undefined when it holds none. */
export function findForbiddenWord(text: string, forbidden: readonly string[]): string | undefined {
	const readings = [foldMarks(text), foldMarks(splitCamelCase(text))];
	return forbidden.find((word) => {
		const patterns = patternsOf(word);
		return readings.some((reading) => patterns.some((pattern) => pattern.test(reading)));
	});
}

/** One or two letters are part of countless words that have nothing to do with the service. */
const PART_MIN = 3;

/**
 * Whether a word of the text contains the service's name. A Latin letter counts as itself alone here: i, l and 1 are alike, but no
 * `skill` contains `Lil`. Digits, signs and letters of other scripts, which no word has by chance, count as what they look like.
 */
function isWithinWord(text: string, serviceName: string): boolean {
	const letters = [...foldMarks(serviceName).replace(/[^\p{L}\p{N}]+/gu, "")];
	if (letters.length < PART_MIN) return false;
	const pattern = letters.map((letter) => `[${escaped(strictLookalikes(letter))}]`).join("");
	return new RegExp(pattern, "u").test(foldMarks(text));
}

function strictLookalikes(letter: string): string {
	return letter + [...foldCase(LOOKALIKES[letter] ?? "")].filter((one) => !/[a-z]/.test(one)).join("");
}

/** `SvcPhotos` are two words, and so are `MySVC` and `SVCPhotos`. */
function splitCamelCase(text: string): string {
	return text
		.normalize("NFKC")
		.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
		.replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2");
}

function foldCase(text: string): string {
	return text.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase();
}

/** Removes letter case, marks and invisible characters; flags and boxed letters become letters. */
function foldMarks(text: string): string {
	return foldCase(text)
		.normalize("NFKD")
		.replace(/[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "")
		.replace(/[\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}\u{1f1e6}-\u{1f1ff}]/gu, boxedLetter)
		.replaceAll("\\/", "v");
}

const BOXED_ALPHABETS = [0x1f1e6, 0x1f170, 0x1f150];

function boxedLetter(box: string): string {
	const code = box.codePointAt(0) ?? 0;
	const first = BOXED_ALPHABETS.find((start) => code >= start) ?? code;
	return String.fromCharCode(0x61 + code - first);
}

/** A digit beside a word is not part of it, unless it stands for one of its letters: `Svc2` holds `Svc`. */
const WORD_START = "(?<!\\p{L})";
const WORD_END = "(?!\\p{L})";

/** Patterns for the word as one word, perhaps with signs inside of it, and for its single letters with any separators between them. */
function patternsOf(word: string): readonly RegExp[] {
	const words = foldMarks(word)
		.split(/[^\p{L}\p{N}]+/u)
		.filter((part) => part !== "")
		.map((part) => [...part].map(lookalikesOf));
	const letters = words.flat();
	if (letters.length === 0) return [];
	// A sign that may be a letter of this word is never a separator in it: each text has one reading only, which takes linear time.
	const signs = letters.flatMap((letter) => letter.signs).join("");
	const within = `[^\\p{L}\\p{N}\\s${escaped(signs)}]*`;
	const between = `[^\\p{L}\\p{N}${escaped(signs)}]`;
	const whole = words.map((part) => part.map(({ pattern }) => pattern).join(within)).join(`${between}*`);
	const spelt = letters.map(({ pattern }) => `${WORD_START}${pattern}${WORD_END}`).join(`${between}+`);
	return [whole, spelt].map((pattern) => new RegExp(`${WORD_START}(?:${pattern})${WORD_END}`, "u"));
}

interface Letter {
	readonly pattern: string;
	/** Its look-alikes that are neither letters nor digits. */
	readonly signs: readonly string[];
}

function lookalikesOf(character: string): Letter {
	const letters = /^[a-z]$/.test(character) ? character : (LETTERS_OF.get(character) ?? "");
	const alike = new Set([character, ...letters]);
	for (const letter of letters) for (const other of foldCase(LOOKALIKES[letter] ?? "")) alike.add(other);
	const composed = [...letters].flatMap((letter) => COMPOSED[letter] ?? []);
	const single = `[${escaped([...alike].join(""))}]`;
	return {
		pattern: composed.length === 0 ? single : `(?:${[single, ...composed].join("|")})`,
		signs: [...alike].filter((one) => !/[\p{L}\p{N}]/u.test(one)),
	};
}

function escaped(characters: string): string {
	return characters.replace(/[\\\]^$|.*+?(){}/[-]/g, "\\$&");
}
