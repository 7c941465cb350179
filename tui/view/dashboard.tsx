import { Box, Text, Transform, useIsScreenReaderEnabled } from "ink";
import type { State } from "../state/model.ts";
import { frameLines, frameRows } from "./frame.ts";
import { plain } from "./paint.ts";
import type { Theme } from "./theme.ts";

interface Props {
	readonly state: State;
	/** Signs and words say what colours say. */
	readonly theme: Theme;
}

/**
 * A whole frame. It keeps nothing: the same state is the same frame. The rows are put in place of a text that is quickly measured: Ink
 * looks at every character of a text several times, and at each style.
 */
export function Dashboard({ state, theme }: Props) {
	const isReader = useIsScreenReaderEnabled();
	if (isReader) return <Text>{frameLines(state).map(plain).filter(isSpoken).join("\n")}</Text>;
	const rows = frameRows(state, theme);
	return (
		<Box width="100%" height={state.rows} overflow="hidden">
			<Transform transform={(_, row) => rows[row] ?? ""}>
				<Text>{rows.map(() => ".").join("\n")}</Text>
			</Transform>
		</Box>
	);
}

function isSpoken(text: string): boolean {
	return text.trim() !== "";
}
