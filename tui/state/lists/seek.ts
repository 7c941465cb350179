import type { State, Step } from "../model.ts";
import type { ScreenName } from "../screens.ts";
import { EMPTY_LIST, ensureAhead, listOf, refresh, withList } from "./list.ts";

/* What a filter asks of the service itself, where a list has more than what was loaded. */

/** What the words of a search ask for. */
export interface Sought {
	/** Null: without such a label. */
	readonly labels: Readonly<Record<string, string | null>>;
	readonly after?: string;
	readonly before?: string;
	/** How a file's name begins. */
	readonly name?: string;
	readonly email?: string;
	readonly who?: string;
	readonly what?: string;
	readonly since?: string;
	/** All of the text. */
	readonly q: string;
}

/** The words that the service understands on a screen; any other one only filters what was loaded. */
const UNDERSTOOD: Partial<Record<ScreenName, RegExp>> = {
	images: /^(?:![\w.:-]+|[\w.:-]+=.*|(?:after|before|name):.+)$/,
	users: /@/,
	subscriptions: /@/,
	audit: /^(?:who|what|since):.+$/,
	apps: /./,
};

const FIELD = /^(after|before|name|who|what|since):(.+)$/;

/** How a search is written, for the screens that have one. */
export const SEARCHES: Partial<Record<ScreenName, string>> = {
	images: "album=pets  !album  after:2026-11-01  before:2026-12-01  name:IMG_",
	users: "a whole e-mail address",
	subscriptions: "a whole e-mail address",
	audit: "who:acc_1  what:key.revoked  since:2026-11-01",
	apps: "an id, or how a name or the Owner's address begins",
};

/** With Enter: what the service understands is asked of it; the other words go on filtering what comes. */
export function seek(state: State): Step {
	const { filter } = listOf(state);
	const understood = understoodOn(state);
	const words = filter.split(/\s+/).filter(Boolean);
	const search = words.filter((word) => understood?.test(word)).join(" ");
	if (search === "") return ensureAhead(state);
	const rest = words.filter((word) => understood?.test(word) !== true).join(" ");
	return refresh(withList(state, () => ({ ...EMPTY_LIST, search, filter: rest })));
}

/** Those of a person's own are few: only operators have the service look through all of them. */
function understoodOn(state: State): RegExp | undefined {
	const { screen, person } = state;
	const isOperators = screen === "apps" || screen === "subscriptions";
	return (isOperators && person?.operator !== true) || isAllHere(state) ? undefined : UNDERSTOOD[screen];
}

/** What the words are looked for in is on the screen; labels and days can be asked of the service alone. */
function isAllHere(state: State): boolean {
	const { nextCursor, search } = listOf(state);
	return state.screen !== "images" && state.screen !== "audit" && nextCursor === undefined && search === "";
}

export function soughtIn(search: string): Sought {
	const labels: Record<string, string | null> = {};
	const fields: Record<string, string> = {};
	for (const word of search.split(" ").filter(Boolean)) {
		const [, field, asked = ""] = FIELD.exec(word) ?? [];
		const [, key, value = ""] = /^([^=]+)=(.*)$/.exec(word) ?? [];
		if (field !== undefined) fields[field] = asked;
		else if (word.startsWith("!")) labels[word.slice(1)] = null;
		else if (key !== undefined) labels[key] = value;
		else if (word.includes("@")) fields.email = word;
	}
	return { ...fields, labels, q: search };
}
