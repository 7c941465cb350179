import { stateOf } from "@svc/nouns/moderation";
// biome-ignore lint/style/noRestrictedImports: a line of a picture is made of styles, and holds nothing of a stranger.
import { Box, Text } from "ink";
import { listOf, selectedOf, visibleOf } from "../state/lists/list.ts";
import type { State } from "../state/model.ts";
import { imageOf, placedPicture, previewOf } from "../state/preview.ts";
import { FIRST_COLUMN, FIRST_ROW, wholeColumns } from "../state/sizes.ts";
import { cut, wrap } from "../text.ts";
import { Wrapped } from "./lines.tsx";
import { listTitle } from "./list/list-title.tsx";
import { Pane } from "./pane.tsx";
import { Words } from "./words.tsx";

type Shown = NonNullable<ReturnType<typeof previewOf>>;

/** Lines that the picture, its hint and the gap below them take up. */
export function previewRows({ drawing, hint }: Shown, columns: number): number {
	const rows = drawing.kind === "words" ? wrap(drawing.words, columns).length : drawing.rows;
	return rows + (hint === "" ? 0 : wrap(hint, columns).length) + 1;
}

export function Preview({ preview, columns }: { readonly preview: Shown; readonly columns: number }) {
	const { drawing, hint } = preview;
	return (
		<Box flexDirection="column" flexShrink={0} marginBottom={1}>
			<Drawing drawing={drawing} columns={columns} />
			{hint !== "" && <Wrapped columns={columns}>{hint}</Wrapped>}
		</Box>
	);
}

/** The picture in characters; the room for one that the terminal draws itself; or the words in its place. */
function Drawing({ drawing, columns }: { readonly drawing: Shown["drawing"]; readonly columns: number }) {
	if (drawing.kind === "words") return <Wrapped columns={columns}>{drawing.words}</Wrapped>;
	return (
		<Box height={drawing.rows} width={drawing.columns} flexShrink={0}>
			{drawing.kind === "cells" && <Text aria-hidden>{drawing.lines.join("\n")}</Text>}
		</Box>
	);
}

/** The picture alone, under a line that says what it is; where there is none, what to do about it. */
export function PicturePane({ state }: { readonly state: State }) {
	const columns = wholeColumns(state);
	const preview = previewOf(state);
	const caption = captionOf(state);
	const { row = FIRST_ROW + 1, column = FIRST_COLUMN } = placedPicture(state) ?? {};
	return (
		<Pane title={listTitle(state)} columns={columns} hasFocus>
			{preview === undefined || caption === undefined ? (
				<Wrapped columns={columns}>No image is chosen. q shows the list.</Wrapped>
			) : (
				<>
					<Box height={1} gap={1}>
						<Words bold>{caption}</Words>
						<Box flexShrink={0}>
							<Words>{cut(preview.hint, columns - 1)}</Words>
						</Box>
					</Box>
					{preview.drawing.kind === "words" ? (
						<Wrapped columns={columns}>{preview.drawing.words}</Wrapped>
					) : (
						<Box marginTop={row - FIRST_ROW - 1} marginLeft={column - FIRST_COLUMN}>
							<Drawing drawing={preview.drawing} columns={columns} />
						</Box>
					)}
				</>
			)}
		</Pane>
	);
}

function captionOf(state: State): string | undefined {
	const list = listOf(state);
	const thing = selectedOf(list);
	const image = imageOf(thing);
	if (image === undefined) return undefined;
	const { filename, format, width, height } = image;
	const status = thing?.object === "moderation_item" ? stateOf(thing)[0] : image.status;
	return `${list.cursor + 1} of ${visibleOf(list).length} · ${status} · ${filename}, ${format}, ${width}×${height}`;
}
