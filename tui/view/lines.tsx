import { Box, Text } from "ink";
import type { Tone } from "../screens/describe.ts";
import { cut, widthOf } from "../text.ts";

/** Part of a line that looks the same throughout. */
export interface Span {
	readonly text: string;
	readonly tone?: Tone | undefined;
	readonly bold?: boolean | undefined;
	readonly dim?: boolean | undefined;
	readonly inverse?: boolean | undefined;
}

/** `key` tells it from the others. */
export interface Line {
	readonly key: string;
	readonly spans: readonly Span[];
}

const COLOURS: Record<Tone, string> = { good: "green", warn: "yellow", danger: "red", accent: "cyan" };

export function line(key: string, ...spans: readonly Span[]): Line {
	return { key, spans };
}

function SpanText({ span, colour }: { readonly span: Span; readonly colour: boolean }) {
	const { text, tone, bold = false, dim = false, inverse = false } = span;
	const color = colour && tone !== undefined ? COLOURS[tone] : undefined;
	return (
		<Text bold={bold} dimColor={dim} inverse={inverse} {...(color !== undefined && { color })}>
			{text}
		</Text>
	);
}

/** The line in at most `columns` cells, so that no part of it is wrapped. */
function fitted({ key, spans }: Line, columns: number): Line {
	let left = columns;
	const kept = spans.flatMap((span): Span[] => {
		const text = cut(span.text, left);
		left -= widthOf(text);
		return text === "" ? [] : [{ ...span, text }];
	});
	return { key, spans: kept };
}

interface Props {
	readonly lines: readonly Line[];
	readonly columns: number;
	readonly rows: number;
	readonly colour: boolean;
}

/** Exactly as many rows as it is given, whatever there is to show. One text for all of them: a box for each is slow. */
export function Lines({ lines, columns, rows, colour }: Props) {
	const shown = lines.slice(0, rows).map((one) => fitted(one, columns));
	return (
		<Box width={columns} height={rows} flexShrink={0} overflow="hidden">
			<Text>
				{shown.map(({ key, spans }, row) => (
					<Text key={key}>
						{spans.map((span, index) => (
							// biome-ignore lint/suspicious/noArrayIndexKey: spans have nothing else to tell them apart, and no state.
							<SpanText key={index} span={span} colour={colour} />
						))}
						{row < shown.length - 1 ? "\n" : ""}
					</Text>
				))}
			</Text>
		</Box>
	);
}
