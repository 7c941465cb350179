import { coloursOf } from "../preview/draw.ts";
import type { State } from "../state/model.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** What the terminal that these variables describe can do; `asks` where only the terminal itself knows of its graphics. */
export function picturesIn(env: Environment): { readonly pictures: State["pictures"]; readonly asks: boolean } {
	if (env.INK_SCREEN_READER === "true") return { pictures: "none", asks: false };
	const cells = coloursOf(env, true) === "none" || isMultiplexed(env) || isUnaskable(env);
	const pictures = !cells && isKnown(env) ? "graphics" : "cells";
	return { pictures, asks: !cells };
}

/** Whether the terminal can be asked for the colour that it writes on; one that does not know the question stays silent. */
export function asksGround(env: Environment): boolean {
	return env.INK_SCREEN_READER !== "true" && env.STY === undefined && env.TERM !== "dumb" && !isUnaskable(env);
}

/** These multiplexers pass no pictures on, and answer no question to the terminal behind them. */
function isMultiplexed({ TMUX, STY, TERM = "" }: Environment): boolean {
	return TMUX !== undefined || STY !== undefined || /^(?:screen|tmux)/.test(TERM);
}

/** These terminals write the question on the screen instead of ignoring it. */
function isUnaskable({ TERM = "", TERM_PROGRAM }: Environment): boolean {
	return TERM === "linux" || TERM_PROGRAM === "Apple_Terminal";
}

function isKnown({ TERM = "", TERM_PROGRAM = "", KITTY_WINDOW_ID }: Environment): boolean {
	return KITTY_WINDOW_ID !== undefined || /kitty|ghostty/.test(TERM) || /^(?:ghostty|wezterm)$/i.test(TERM_PROGRAM);
}
