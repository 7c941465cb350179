import type { NounTone } from "@svc/nouns/noun";
// biome-ignore lint/style/noRestrictedImports: every other text of the dashboard goes through here.
import { Text, type TextProps } from "ink";
import { memo, type ReactNode, use } from "react";
import { oneLine } from "../text.ts";
import { type Theme, ThemeContext } from "./theme.ts";

interface Look {
	readonly tone?: NounTone | undefined;
	readonly bold?: boolean | undefined;
	readonly dim?: boolean | undefined;
	readonly inverse?: boolean | undefined;
	/** What the cursor is on: it has one colour, whatever its parts have elsewhere. */
	readonly selected?: boolean | undefined;
}

interface Props extends Look {
	readonly children: string;
	/** A rule or a corner, which nobody wants read aloud. */
	readonly silent?: boolean;
}

/**
 * A line of text, cut where there is no room for it. All that is on the screen goes through here, so that no name of a stranger moves the cursor, and
 * Ink and the terminal find each as wide.
 */
export const Words = memo(function Words({ children, silent = false, ...look }: Props) {
	return (
		<Text wrap="truncate-end" aria-hidden={silent} {...styleOf(look, use(ThemeContext))}>
			{oneLine(children)}
		</Text>
	);
});

/** Words behind one another, which are measured and cut as one. */
export function Line({ children }: { readonly children: ReactNode }) {
	return <Text wrap="truncate-end">{children}</Text>;
}

function styleOf({ tone, bold = false, dim = false, inverse = false, selected }: Look, theme: Theme): TextProps {
	if (selected) return { bold, ...(theme.selected ?? { inverse: true }) };
	const color = tone === undefined ? undefined : theme.tones?.[tone];
	if (color !== undefined) return { bold, inverse, color };
	return { bold, inverse, ...(dim && (theme.dim === undefined ? { dimColor: true } : { color: theme.dim })) };
}
