import { type Event, type State, type Step, say, stay } from "./model.ts";
import { THEME_NAMES, type ThemeName } from "./theme.ts";

/* The colours, chosen from the palette and kept for the next time. */

const LABELS: Readonly<Record<ThemeName, string>> = {
	dark: "Colours for a dark ground",
	light: "Colours for a light ground",
	none: "No colours",
};

interface Choice {
	readonly name: string;
	readonly label: string;
	run(state: State): Step;
}

/** As commands of the palette. */
export const THEME_CHOICES: readonly Choice[] = [
	...THEME_NAMES.map(
		(theme): Choice => ({ name: `theme ${theme}`, label: LABELS[theme], run: (state) => choose(state, theme) }),
	),
	{
		name: "theme auto",
		label: "Colours for the ground that the terminal has",
		run: (state) => choose(state, undefined),
	},
];

function choose(state: State, theme: ThemeName | undefined): Step {
	return stay({ ...state, theme }, { type: "keep-theme", theme });
}

/** Whether it was kept or not, it is what is drawn with. */
export function tookTheme(state: State, { where, message }: Extract<Event, { type: "theme-kept" }>): State {
	const { theme } = state;
	const words = theme === undefined ? "The terminal's ground chooses the colours" : `Theme ${theme}`;
	return where === undefined
		? say(state, "warn", `${words}, for now: ${message}`)
		: say(state, "good", `${words}, kept in the profile ${where}.`);
}
