import type { Image } from "@svc/sdk/shapes";
import { type Box, boxWithin, type CellSize, FULL_SCREEN, HALF_BLOCK } from "../preview/box.ts";
import type { Placed } from "../preview/layer.ts";
import { listOf, selectedOf } from "./lists/list.ts";
import type { Preview, State } from "./model.ts";
import {
	bodyRows,
	detailColumn,
	detailColumns,
	FIRST_COLUMN,
	FIRST_ROW,
	isNarrow,
	usualRows,
	wholeColumns,
} from "./sizes.ts";
import type { Thing } from "./things.ts";

/** A picture to show, in at most this many cells. */
export interface WantedPreview {
	/** The key is the same for the same picture in the same size. */
	readonly key: string;
	readonly image: Image;
	readonly room: Box;
	/** The picture is shown so coarsely that nothing can be recognised. */
	readonly isCovered: boolean;
	/** Undefined means that it is drawn in characters. */
	readonly cell: CellSize | undefined;
}

/** A picture that is alone has a line above it that says what it is. */
const CAPTION_ROWS = 1;

export function wantedPreview(state: State): WantedPreview | undefined {
	const shown = shownOf(state);
	if (shown === undefined || state.pictures === "none") return undefined;
	const { image } = shown;
	if (isNarrow(state) && state.pane === "list") return undefined;
	const room = roomFor(state);
	const covered = shown.isFlagged && !state.revealed.has(image.id);
	// The terminal keeps the pictures it is sent, so a covered picture is never sent as it is.
	const cell = state.pictures === "graphics" && !covered ? state.cell : undefined;
	const { width, height } = cell ?? HALF_BLOCK;
	const size = `${room.columns}×${room.rows} of ${width}×${height}`;
	const key = `${image.id} ${image.status}${covered ? " covered" : ""} ${size}`;
	return { key, image, room, isCovered: covered, cell };
}

/** The image that a thing is, or is about. */
export function imageOf(thing: Thing | undefined): Image | undefined {
	if (thing?.object === "moderation_item") return thing.image;
	return thing?.object === "image" ? thing : undefined;
}

/** A picture that is flagged, reported or blocked is shown only on request. */
function shownOf(state: State): { readonly image: Image; readonly isFlagged: boolean } | undefined {
	const thing = selectedOf(listOf(state));
	const image = imageOf(thing);
	if (image === undefined) return undefined;
	const isReported = thing?.object === "moderation_item" && thing.reports_count > 0;
	return { image, isFlagged: image.nsfw || image.status === "blocked" || isReported };
}

/** The cells that the picture may take up: all of the screen's body, or the upper half of the detail. */
function roomFor(state: State): Box {
	if (state.pane === "picture")
		return boxWithin({ columns: wholeColumns(state), rows: bodyRows(state) - CAPTION_ROWS }, FULL_SCREEN);
	return boxWithin({ columns: detailColumns(state), rows: Math.floor(usualRows(state) / 2) });
}

/** What stands in the picture's place, with a word on it where there is one to say; undefined where there is no picture. */
export function previewOf(state: State): { readonly drawing: Preview["drawing"]; readonly hint: string } | undefined {
	if (shownOf(state) === undefined) return undefined;
	const wanted = wantedPreview(state);
	if (wanted === undefined) {
		return { drawing: { kind: "words", words: "[pictures are not drawn here; o opens it in a browser]" }, hint: "" };
	}
	if (state.preview?.key !== wanted.key) return { drawing: { kind: "words", words: "[picture under way]" }, hint: "" };
	const { drawing } = state.preview;
	const isCovering = wanted.isCovered && drawing.kind !== "words";
	return { drawing, hint: isCovering ? "[flagged, and therefore covered; v shows it]" : "" };
}

/** What is asked there fills the screen. */
const COVERING: ReadonlySet<string> = new Set(["search", "form", "output"]);

/** The picture that is on the screen, and where; undefined where none is. */
export function placedPicture(state: State): Placed | undefined {
	const drawing = previewOf(state)?.drawing;
	const isBelow = state.overlay !== undefined && COVERING.has(state.overlay.kind);
	if (drawing === undefined || drawing.kind === "words" || isBelow) return undefined;
	if (state.pane !== "picture") return { drawing, row: FIRST_ROW, column: detailColumn(state) };
	const below = Math.floor((bodyRows(state) - CAPTION_ROWS - drawing.rows) / 2);
	const row = FIRST_ROW + CAPTION_ROWS + Math.max(0, below);
	return { drawing, row, column: FIRST_COLUMN + Math.floor((wholeColumns(state) - drawing.columns) / 2) };
}
