import type { Tone } from "../screens/describe.ts";
import type { ThemeName } from "../state/theme.ts";

/** Parameters of a terminal's styles. */
export interface Theme {
	/** Undefined where words and signs have to do. */
	readonly tones: Readonly<Record<Tone, string>> | undefined;
	/** What is quieter than text. */
	readonly dim: string;
	readonly notDim: string;
	/** The one look of what the cursor is on. */
	readonly selected: string;
	readonly notSelected: string;
}

/* Colours of the 256, which look the same whatever the terminal's own sixteen are. */

export const THEMES: Readonly<Record<ThemeName, Theme>> = {
	dark: {
		tones: { good: "38;5;114", warn: "38;5;221", danger: "38;5;203", accent: "38;5;80", border: "38;5;240" },
		dim: "38;5;246",
		notDim: "39",
		selected: "48;5;24;38;5;231",
		notSelected: "49;39",
	},
	light: {
		tones: { good: "38;5;28", warn: "38;5;130", danger: "38;5;160", accent: "38;5;25", border: "38;5;250" },
		dim: "38;5;242",
		notDim: "39",
		selected: "48;5;153;38;5;16",
		notSelected: "49;39",
	},
	none: { tones: undefined, dim: "2", notDim: "22", selected: "7", notSelected: "27" },
};
