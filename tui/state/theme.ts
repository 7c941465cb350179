/** What the colours are made for: a dark ground, a light one, or none, as on paper. */
export const THEME_NAMES = ["dark", "light", "none"] as const;
export type ThemeName = (typeof THEME_NAMES)[number];
/** What a terminal writes on. */
export type Ground = "dark" | "light";

type Environment = Readonly<Record<string, string | undefined>>;

/** The theme that was asked for; else none by no-color.org, else the one that was kept. Undefined: the terminal's ground decides. */
export function wishedTheme(
	{ NO_COLOR, TERM }: Environment,
	asked: ThemeName | undefined,
	kept: ThemeName | undefined,
): ThemeName | undefined {
	if (asked !== undefined) return asked;
	const hasNone = (NO_COLOR !== undefined && NO_COLOR !== "") || TERM === "dumb";
	return hasNone ? "none" : kept;
}

/** What some terminals say of their ground to programs that they start; dark where nothing is said. */
export function groundOf({ COLORFGBG }: Environment): Ground {
	return LIGHT_GROUNDS.has(COLORFGBG?.split(";").at(-1) ?? "") ? "light" : "dark";
}

const LIGHT_GROUNDS: ReadonlySet<string> = new Set(["7", "15"]);

/** The theme to draw with. */
export function themeOf({
	theme,
	ground,
}: {
	readonly theme: ThemeName | undefined;
	readonly ground: Ground;
}): ThemeName {
	return theme ?? ground;
}
