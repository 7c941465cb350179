import type { ModerationItem } from "@svc/sdk/management-types";
import { listOf, selectedOf } from "./list.ts";
import type { State } from "./model.ts";
import { bodyRows, detailColumns, isNarrow } from "./sizes.ts";

/** A picture to show in the detail, in at most this many cells. */
export interface WantedPreview {
	/** The same for the same picture in the same size. */
	readonly key: string;
	readonly item: ModerationItem;
	readonly columns: number;
	readonly rows: number;
}

/** Nobody has to look at what is flagged, reported or blocked unless they ask to. */
function isHidden(state: State, { id, image, reports_count }: ModerationItem): boolean {
	const isFlagged = image.nsfw || image.status === "blocked" || reports_count > 0;
	return isFlagged && !state.revealed.has(id);
}

export function wantedPreview(state: State): WantedPreview | undefined {
	const item = state.screen === "moderation" ? selectedOf(listOf(state)) : undefined;
	if (item?.object !== "moderation_item" || isHidden(state, item)) return undefined;
	if (isNarrow(state) && state.pane === "list") return undefined;
	const columns = detailColumns(state);
	const rows = Math.floor(bodyRows(state) / 2);
	return { key: `${item.id} ${item.image.status} ${columns}×${rows}`, item, columns, rows };
}

/** What stands in the picture's place; undefined where there is none to show. */
export function previewOf(state: State): { readonly lines: readonly string[] } | undefined {
	if (state.screen !== "moderation") return undefined;
	const item = selectedOf(listOf(state));
	if (item?.object !== "moderation_item") return undefined;
	if (isHidden(state, item)) return { lines: ["[picture hidden; v shows it]"] };
	if (state.preview?.key !== wantedPreview(state)?.key) return { lines: ["[picture under way]"] };
	return state.preview;
}
