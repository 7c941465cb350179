/** Lists whose command is not called after what they hold. */
const SAID: Readonly<Record<string, string>> = {
	"audit list": "Nothing was done",
	"moderation list": "Nothing waits for a moderator",
	"moderation log": "Moderators did nothing",
	"server trash list": "The trash is empty",
	"operator billing list": "No subscriptions",
	"usage daily": "Nothing was uploaded or served",
	"usage get": "Nothing was used",
};

const PAGING = /^--(limit|all|cursor)(=|$)/;

/** What a person reads instead of an empty table: which things there are none of, and whether a filter may be why. */
export function nothingText(path: readonly string[], line: readonly string[]): string {
	const last = path.at(-1);
	const noun = (last === "list" ? path.at(-2) : last) ?? "";
	const said = SAID[path.join(" ")] ?? `No ${noun.replaceAll("-", " ")}`;
	const isFiltered = line.some((word) => word.startsWith("--") && !PAGING.test(word));
	return isFiltered ? `${said} that would fit.` : `${said}.`;
}
