import { Box } from "ink";
import { type ReactNode, use } from "react";
import { ThemeContext } from "./theme.ts";
import { Words } from "./words.tsx";

interface Props {
	readonly title: string;
	/** On the right of the title, as where in the list the cursor is. */
	readonly place?: ReactNode;
	/** Keys go here: the frame stands out. */
	readonly hasFocus: boolean;
	/** Cells within the frame. */
	readonly columns: number;
	readonly children: ReactNode;
}

/** A frame with a title in it, as high as there is room. */
export function Pane({ title, place, hasFocus, columns, children }: Props) {
	const { tones } = use(ThemeContext);
	// Without colours the frame of the pane that has the keys is heavier.
	const isHeavy = hasFocus && tones === undefined;
	const [left, across, right] = isHeavy ? ["┏", "━", "┓"] : ["╭", "─", "╮"];
	const edge = { tone: hasFocus ? "accent" : "border", dim: !hasFocus, silent: true } as const;
	const border = {
		borderStyle: isHeavy ? "bold" : "round",
		borderDimColor: tones === undefined && !hasFocus,
		...(tones !== undefined && { borderColor: tones[edge.tone] }),
	} as const;
	return (
		<Box flexDirection="column" width={columns + 2} flexShrink={0}>
			<Box height={1}>
				<Words {...edge}>{left + across}</Words>
				{title !== "" && <Words bold={hasFocus}>{` ${title} `}</Words>}
				<Box
					{...border}
					flexGrow={1}
					flexShrink={0}
					minWidth={1}
					height={1}
					borderBottom={false}
					borderLeft={false}
					borderRight={false}
				/>
				{place !== undefined && (
					<Box flexShrink={0} paddingX={1}>
						{place}
					</Box>
				)}
				<Box flexShrink={0}>
					<Words {...edge}>{(place === undefined ? "" : across) + right}</Words>
				</Box>
			</Box>
			<Box {...border} borderTop={false} flexDirection="column" flexGrow={1}>
				{children}
			</Box>
		</Box>
	);
}
