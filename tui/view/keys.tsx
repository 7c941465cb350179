import { Fragment } from "react";
import { bindingsOf } from "../state/bindings.ts";
import type { State } from "../state/model.ts";
import type { Overlay } from "../state/overlays/overlay.ts";
import { keyName } from "../state/overlays/search.ts";
import { widthOf } from "../text.ts";
import { Line, Words } from "./words.tsx";

/** The number of keys that are always shown: how to find the others, and how to leave. */
const LAST_KEYS = 3;

type KeyWord = readonly [key: string, word: string];

/** While something is asked, the keys of the list do nothing. */
const KEYS_OF: Record<Overlay["kind"], readonly KeyWord[]> = {
	filter: [
		["↑ ↓", "choose"],
		["enter", "keep it"],
		["esc", "show all"],
	],
	reason: [["esc", "not at all"]],
	search: [
		["↑ ↓", "choose"],
		["enter", "do it"],
		["esc", "back"],
	],
	confirm: [
		["enter", "do it"],
		["esc", "change nothing"],
	],
	text: [
		["enter", "do it"],
		["esc", "change nothing"],
	],
	form: [
		["enter, tab, ↑ ↓", "go on"],
		["ctrl-s", "save"],
		["esc", "leave"],
	],
	output: [
		["↑ ↓", "scroll"],
		["r", "run again"],
		["y", "copy the command"],
		["esc", "back"],
	],
	secret: [
		["y", "copy it"],
		["esc", "forget it"],
	],
};

/** The keys that do something now, as many as there is room for. */
export function Keys({ state }: { readonly state: State }) {
	return (
		<Line>
			{keyWords(state).map(([key, word], index) => (
				<Fragment key={key}>
					<Words tone="accent" bold>
						{(index === 0 ? "" : GAP) + key}
					</Words>
					<Words dim>{` ${word}`}</Words>
				</Fragment>
			))}
		</Line>
	);
}

const GAP = "  ";

function keyWords(current: State): readonly KeyWord[] {
	const { overlay, pane, screen, columns } = current;
	if (overlay?.kind === "form" && overlay.isLeaving) {
		return [
			["y", "leave"],
			["any other key", "goes on"],
		];
	}
	if (overlay !== undefined) return KEYS_OF[overlay.kind];
	const all = bindingsOf(current).flatMap(({ keys, short }): KeyWord[] => {
		const word = typeof short === "function" ? short(current) : short;
		if (word === undefined) return [];
		return [[keyName(keys[0]), word === "quit" && (pane !== "list" || screen === "deliveries") ? "back" : word]];
	});
	const last = all.splice(-LAST_KEYS);
	const widthOfAll = () => widthOf([...all, ...last].map((pair) => pair.join(" ")).join(GAP));
	while (all.length > 0 && widthOfAll() > columns) all.pop();
	return [...all, ...last];
}
