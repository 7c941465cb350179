/** An App as the people see it who sign in to it, or pay it: a page that shows one has its look. */
export interface ShownApp {
	readonly name: string;
	readonly developer: string | null;
	readonly homepage: string | null;
	readonly privacy: string | null;
	readonly terms: string | null;
	readonly support: string | null;
	/** The address of its picture; null where there is none that may be shown. */
	readonly logo: string | null;
	/** The path of the sheet with its colour; null where it has none. */
	readonly sheet: string | null;
}

/** The beginnings of the first two words of a name. */
export function initialsOf(name: string): string {
	const words = name.split(/\s+/).filter((word) => word !== "");
	return words.slice(0, 2).map(firstLetter).join("").toUpperCase();
}

const letters = new Intl.Segmenter("en", { granularity: "grapheme" });

function firstLetter(word: string): string {
	const [first] = letters.segment(word);
	return first?.segment ?? "";
}
