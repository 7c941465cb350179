import type { NounSection } from "@svc/nouns/noun";
import type { ReactNode } from "react";
import { DESCRIPTIONS } from "../screens/screens.ts";
import { listOf, selectedOf } from "../state/lists/list.ts";
import type { State } from "../state/model.ts";
import { previewOf } from "../state/preview.ts";
import { bodyRows, detailColumns, isNarrow } from "../state/sizes.ts";
import { cell, widthOf, wrap } from "../text.ts";
import { Lines } from "./lines.tsx";
import { ListPlace, listTitle } from "./list/list-title.tsx";
import { Pane } from "./pane.tsx";
import { Preview, previewRows } from "./picture.tsx";
import { Line, Words } from "./words.tsx";

/** Names take up to a third of the line, and are whole where it is wide enough. */
const NAMES_SHARE = 3;
const NARROWEST_NAMES = 12;

/** What is under the cursor: its picture, which stays, and what it is of, from the line on that the person has scrolled to. */
export function DetailPane({ state }: { readonly state: State }) {
	const columns = detailColumns(state);
	const [head, ...others] = sectionsOf(state);
	// The title of the first one is the pane's.
	const [, ...own] = head === undefined ? [] : sectionLines(head, columns);
	const lines = [...own, ...others.flatMap((section) => sectionLines(section, columns))].slice(0, -1);
	const preview = previewOf(state);
	const room = Math.max(0, bodyRows(state) - (preview === undefined ? 0 : previewRows(preview, columns)));
	const first = Math.max(0, Math.min(state.scroll, lines.length - room));
	const scroll = lines.length <= room ? undefined : `${Math.min(first + room, lines.length)}/${lines.length}`;
	const title = head?.title ?? "";
	return (
		<Pane
			title={isNarrow(state) ? `${listTitle(state)} › ${title}` : title}
			place={isNarrow(state) ? <NarrowPlace state={state} scroll={scroll} /> : scroll && <Words dim>{scroll}</Words>}
			columns={columns}
			hasFocus={state.pane === "detail"}
		>
			{preview !== undefined && <Preview preview={preview} columns={columns} />}
			<Lines of={lines.slice(first, first + room)} />
		</Pane>
	);
}

/** Alone it says which of the list it shows. */
function NarrowPlace({ state, scroll }: { readonly state: State; readonly scroll: string | undefined }) {
	return (
		<>
			<ListPlace state={state} />
			{scroll !== undefined && <Words dim>{` · line ${scroll}`}</Words>}
		</>
	);
}

function sectionsOf(state: State): readonly NounSection[] {
	const thing = selectedOf(listOf(state));
	return thing === undefined ? [] : DESCRIPTIONS[state.screen].sections(thing, state.nowMs);
}

/** One node a line, the last one empty. */
function sectionLines({ title, rows, draw }: NounSection, columns: number): ReactNode[] {
	const widest = Math.max(NARROWEST_NAMES, Math.floor(columns / NAMES_SHARE));
	const names = Math.min(widest, Math.max(0, ...rows.map(([name]) => widthOf(name))));
	return [
		<Words key="title" bold tone="accent">
			{title}
		</Words>,
		...(draw?.(columns) ?? []).map((line) => (
			<Words key={line} tone="accent">
				{line}
			</Words>
		)),
		...rows.flatMap((row) => rowLines(row, names, columns)),
		undefined,
	];
}

function rowLines([name, value]: NounSection["rows"][number], names: number, columns: number): ReactNode[] {
	const room = Math.max(4, columns - names - 1);
	return wrap(value, room).map((text, index) => (
		<Line key={text}>
			<Words dim>{`${cell(index === 0 ? name : "", names)} `}</Words>
			<Words>{text}</Words>
		</Line>
	));
}
