import type { NounTone } from "@svc/nouns/noun";
import { createContext } from "react";
import type { ThemeName } from "../state/theme.ts";

/** Colours as Ink takes them. */
export interface Theme {
	/** Undefined where words and signs have to do. */
	readonly tones: Readonly<Record<NounTone, string>> | undefined;
	/** What is quieter than text; undefined where the terminal knows by itself. */
	readonly dim: string | undefined;
	/** The one look of what the cursor is on; undefined: the other way round. */
	readonly selected: { readonly color: string; readonly backgroundColor: string } | undefined;
}

/* Colours of the 256, which look the same whatever the terminal's own sixteen are. */
const of256 = (number: number) => `ansi256(${number})`;

export const THEMES: Readonly<Record<ThemeName, Theme>> = {
	dark: {
		tones: {
			good: of256(114),
			warn: of256(221),
			danger: of256(203),
			accent: of256(80),
			border: of256(240),
		},
		dim: of256(246),
		selected: { color: of256(231), backgroundColor: of256(24) },
	},
	light: {
		tones: {
			good: of256(28),
			warn: of256(130),
			danger: of256(160),
			accent: of256(25),
			border: of256(250),
		},
		dim: of256(242),
		selected: { color: of256(16), backgroundColor: of256(153) },
	},
	none: { tones: undefined, dim: undefined, selected: undefined },
};

export const ThemeContext = createContext<Theme>(THEMES.none);
