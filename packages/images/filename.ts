const MAX_LENGTH = 255;

// Control characters, and invisible ones that reorder or hide what follows them.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}]/gu;

/** The last segment of a URL's path, percent-decoded; undefined when there is none. */
export function filenameOf(url: string): string | undefined {
	const segment = URL.parse(url)?.pathname.split("/").at(-1) ?? "";
	try {
		return decodeURIComponent(segment) || undefined;
	} catch {
		return segment || undefined;
	}
}

/** A name that is safe to show and to store: no path, nothing hidden, at most 255 characters, never empty. */
export function safeFilename(sent: string | undefined, fallback: string): string {
	const name = (sent ?? "").split(/[/\\]/).at(-1)?.toWellFormed().replace(HIDDEN, "").trim() ?? "";
	return bounded(/^\.*$/.test(name) ? fallback : name);
}

/** The ending survives a cut, for it says what the file is. */
function bounded(name: string): string {
	const letters = [...name];
	if (letters.length <= MAX_LENGTH) return name;
	const ending = /\.[A-Za-z0-9]{1,8}$/.exec(name)?.[0] ?? "";
	return letters.slice(0, MAX_LENGTH - ending.length).join("") + ending;
}
