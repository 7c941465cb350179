import { chooseApp, chooseQueue } from "./answers.ts";
import { listOf, selectedOf, withFilter, withList } from "./list.ts";
import { type ScreenName, type State, type Step, say, stay } from "./model.ts";
import { show } from "./moves.ts";
import type { AppThing } from "./things.ts";

/** Where the thing with an id is listed, by how its id begins. */
const SCREEN_OF: readonly (readonly [prefix: string, screen: ScreenName])[] = [
	["img_", "moderation"],
	["app_", "apps"],
	["key_", "keys"],
	["usr_", "users"],
	["pln_", "plans"],
];

/** The detail; of an App: work in it; of an audit entry: what it was about. */
export function enter(state: State): Step {
	const selected = selectedOf(listOf(state));
	if (selected === undefined) return stay(state);
	if (selected.object === "app" && state.pane === "list") return workIn(state, selected);
	if (selected.object === "audit_entry" && state.pane === "list") return jump(state, selected.target);
	return stay({ ...state, pane: "detail", scroll: 0 });
}

function workIn(state: State, { id, name, role }: AppThing): Step {
	return stay(say(chooseApp(state, { id, name, role }), "good", `Working in ${name}: keys, users, plans and usage.`));
}

function jump(state: State, target: string | null): Step {
	const [, screen] = SCREEN_OF.find(([prefix]) => target?.startsWith(prefix)) ?? [];
	if (target === null || screen === undefined) return stay({ ...state, pane: "detail" });
	// An image is in one queue or another, and always among all of them.
	const there: State = { ...state, screen, scroll: 0 };
	const { state: next, effects } = screen === "moderation" ? chooseQueue(there, "all") : show(state, screen);
	return stay(
		withList(next, (list) => withFilter(list, target)),
		...effects,
	);
}
