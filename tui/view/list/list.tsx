import { Box } from "ink";
import { memo, useMemo } from "react";
import type { Screen } from "../../screens/describe.ts";
import { DESCRIPTIONS } from "../../screens/screens.ts";
import { listOf, visibleOf } from "../../state/lists/list.ts";
import type { List, State } from "../../state/model.ts";
import { bodyRows, firstRow } from "../../state/sizes.ts";
import type { Thing } from "../../state/things.ts";
import { cell, widthOf } from "../../text.ts";
import { Wrapped } from "../lines.tsx";
import { Pane } from "../pane.tsx";
import { Line, Words } from "../words.tsx";
import { GAP, SIGNS, widthsOf } from "./columns.ts";
import { ListPlace, listTitle } from "./list-title.tsx";

/** Between the last column and the frame. */
const MARGIN = 1;

interface Props {
	readonly state: State;
	/** Cells within the frame. */
	readonly columns: number;
}

/** What a screen lists. Only the rows that are on the screen are drawn, however many there are. */
export function ListPane({ state, columns }: Props) {
	return (
		<Pane
			title={listTitle(state)}
			place={<ListPlace state={state} />}
			columns={columns}
			hasFocus={state.pane === "list"}
		>
			<Rows state={state} columns={columns} />
		</Pane>
	);
}

function Rows({ state, columns }: Props) {
	const list = listOf(state);
	const { things, filter, cursor, marked, gone } = list;
	const { nowMs, pane } = state;
	const screen = DESCRIPTIONS[state.screen];
	const visible = useMemo(() => visibleOf({ things, filter }), [things, filter]);
	const widths = useMemo(() => widthsOf(screen, visible, columns - MARGIN, nowMs), [screen, visible, columns, nowMs]);
	const rows = bodyRows(state) - 1;
	const first = firstRow(cursor, visible.length, rows);
	return (
		<>
			<Titles screen={screen} widths={widths} />
			{visible.length === 0 && <Empty list={list} empty={emptyText(state, screen)} columns={columns} />}
			{visible.slice(first, first + rows).map((thing, index) => (
				<Row
					key={thing.id}
					thing={thing}
					screen={screen}
					widths={widths}
					columns={columns}
					nowMs={nowMs}
					isCursor={first + index === cursor}
					hasFocus={pane === "list"}
					isMarked={marked.has(thing.id)}
					isGone={gone.has(thing.id)}
				/>
			))}
		</>
	);
}

function Titles({ screen, widths }: { readonly screen: Screen; readonly widths: readonly number[] }) {
	const titles = screen.columns.map(({ title }, index) => padded(title, widths, index));
	return <Words dim>{" ".repeat(SIGNS) + titles.join("")}</Words>;
}

/** A column without a width is not shown. */
function padded(text: string, widths: readonly number[], index: number): string {
	const width = widths[index] ?? 0;
	return width === 0 ? "" : (index === 0 ? "" : " ".repeat(GAP)) + cell(text, width);
}

interface RowProps {
	readonly thing: Thing;
	readonly screen: Screen;
	readonly widths: readonly number[];
	readonly columns: number;
	readonly nowMs: number;
	readonly isCursor: boolean;
	readonly hasFocus: boolean;
	readonly isMarked: boolean;
	readonly isGone: boolean;
}

/** A key moves the cursor from one row to another: the others stay as they are drawn. */
const Row = memo(function Row({
	thing,
	screen,
	widths,
	columns,
	nowMs,
	isCursor,
	hasFocus,
	isMarked,
	isGone,
}: RowProps) {
	const selected = isCursor && hasFocus;
	const cells = screen
		.cells(thing, nowMs)
		.map(({ text, tone }, index) => ({ text: padded(text, widths, index), tone }));
	// A row may have fewer cells than there are columns: what is chosen has one colour all the same.
	const taken = cells.reduce((sum, { text }) => sum + widthOf(text), SIGNS);
	return (
		<Line>
			<Words tone={isMarked ? "warn" : "accent"} bold={isMarked || isCursor} selected={selected}>
				{`${isCursor ? "▸" : " "}${isMarked ? "✱" : " "} `}
			</Words>
			{cells.map(
				({ text, tone }, index) =>
					text !== "" && (
						<Words key={screen.columns[index]?.title} tone={tone} selected={selected} bold={isCursor} dim={isGone}>
							{text}
						</Words>
					),
			)}
			{selected && (
				<Words bold selected>
					{" ".repeat(Math.max(0, columns - taken))}
				</Words>
			)}
		</Line>
	);
});

/** Where there is nothing to list: that it is being fetched, why it is not there, or what to do next. */
function Empty({ list, empty, columns }: { readonly list: List; readonly empty: string; readonly columns: number }) {
	// A list that is read once more says meanwhile what it said.
	if (!list.loaded && list.pending !== undefined && list.error === undefined) {
		return list.pending.slow && <Skeleton columns={columns} />;
	}
	const refused = list.error === undefined ? undefined : `${list.error} r tries again.`;
	return (
		<Box flexDirection="column" paddingLeft={SIGNS}>
			<Wrapped columns={columns - SIGNS}>{refused ?? unfoundText(list) ?? empty}</Wrapped>
		</Box>
	);
}

function Skeleton({ columns }: { readonly columns: number }) {
	return [0.7, 0.5, 0.6, 0.4].map((part) => (
		<Box key={part} paddingLeft={SIGNS}>
			<Words dim>{"░".repeat(Math.floor(columns * part))}</Words>
		</Box>
	));
}

/** Of a user's images there are none where the App may have some. */
function emptyText({ screen: name, user }: State, screen: Screen): string {
	if (name !== "images" || user === undefined) return screen.empty;
	return `${user.email} has no image here. i shows the App's own.`;
}

function unfoundText({ filter, search, nextCursor }: List): string | undefined {
	if (filter === "" && search === "") return undefined;
	const sought = [search, filter].filter(Boolean).join(" ");
	if (nextCursor !== undefined) return `Nothing that is loaded fits "${sought}". Enter looks through the rest.`;
	return `Nothing fits "${sought}". esc shows all.`;
}
