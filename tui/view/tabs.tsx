import { Box } from "ink";
import type { State } from "../state/model.ts";
import { type ScreenName, screensOf, TABS, tabOf } from "../state/screens.ts";
import { widthOf } from "../text.ts";
import { Line, Words } from "./words.tsx";

type TabName = keyof typeof TABS;

const GAP = 1;
/** Cells of an arrow that says that there are more. */
const AWAY = GAP + 1;

/** The screens with their keys, the one that is shown among them. */
export function Tabs({ state }: { readonly state: State }) {
	const there = screensOf(state);
	const { first, end, name } = fitting(there, state.screen, state.columns);
	return (
		<Box height={1} gap={GAP}>
			{first > 0 && <Words dim>‹</Words>}
			{there.slice(first, end).map((screen) => (
				<Tab key={screen} screen={screen} here={state.screen} name={name} />
			))}
			{end < there.length && <Words dim>›</Words>}
		</Box>
	);
}

interface TabProps {
	readonly screen: TabName;
	/** The screen that is shown. */
	readonly here: ScreenName;
	readonly name: "title" | "short";
}

/** The key stands out from the name. */
function Tab({ screen, here, name }: TabProps) {
	if (screen === tabOf(here)) {
		return (
			<Words bold selected>
				{textOf({ screen, here, name })}
			</Words>
		);
	}
	return (
		<Line>
			<Words tone="accent">{TABS[screen].key}</Words>
			<Words>{` ${TABS[screen][name]}`}</Words>
		</Line>
	);
}

function textOf({ screen, here, name }: TabProps): string {
	const text = `${TABS[screen].key} ${TABS[screen][name]}`;
	if (screen !== tabOf(here)) return text;
	return `[${text}${here === "deliveries" ? " › Deliveries" : ""}]`;
}

/** All by their titles where there is room, else by their short names, else those around the one that is shown. */
function fitting(there: readonly TabName[], here: ScreenName, columns: number) {
	const widthOfAll = (screens: readonly TabName[], name: "title" | "short") =>
		screens.reduce((sum, screen) => sum + GAP + widthOf(textOf({ screen, here, name })), 0);
	for (const name of ["title", "short"] as const) {
		if (widthOfAll(there, name) <= columns) return { first: 0, end: there.length, name };
	}
	let first = there.indexOf(tabOf(here));
	let end = first + 1;
	for (let turn = 0; turn < 2 * there.length; turn++) {
		const isBefore = turn % 2 === 0;
		const from = isBefore ? Math.max(0, first - 1) : first;
		const to = isBefore ? end : Math.min(there.length, end + 1);
		if (widthOfAll(there.slice(from, to), "short") > columns - 2 * AWAY) continue;
		first = from;
		end = to;
	}
	return { first, end, name: "short" as const };
}
