import { Box, Text } from "ink";
import type { State } from "../state/model.ts";
import { bodyRows, detailColumns, isNarrow, listColumns } from "../state/sizes.ts";
import { detailLines } from "./detail-lines.ts";
import { headerLine, keysLine, noticeLine, searchLines, tabsLine } from "./frame-lines.ts";
import { Lines } from "./lines.tsx";
import { listLines } from "./list-lines.ts";

interface Props {
	readonly state: State;
	/** Signs and words say the same. */
	readonly colour: boolean;
}

function Panes({ state, colour }: Props) {
	const rows = bodyRows(state);
	const { columns } = state;
	if (state.overlay?.kind === "search") {
		return <Lines lines={searchLines(state, state.overlay, rows)} columns={columns} rows={rows} colour={colour} />;
	}
	const list = listColumns(state);
	const detail = detailColumns(state);
	const listPane = <Lines lines={listLines(state, list, rows)} columns={list} rows={rows} colour={colour} />;
	const detailPane = <Lines lines={detailLines(state, detail, rows)} columns={detail} rows={rows} colour={colour} />;
	if (isNarrow(state)) return state.pane === "list" ? listPane : detailPane;
	const rule = state.pane === "detail" ? "┃ " : "│ ";
	return (
		<Box>
			{listPane}
			<Text>{Array(rows).fill(rule).join("\n")}</Text>
			{detailPane}
		</Box>
	);
}

/** A whole frame. It keeps nothing: the same state is the same frame. */
export function Dashboard({ state, colour }: Props) {
	const { columns, rows } = state;
	const bar = { columns, rows: 1, colour };
	return (
		<Box flexDirection="column" width="100%" height={rows} overflow="hidden">
			<Lines lines={[headerLine(state)]} {...bar} />
			<Lines lines={[tabsLine(state)]} {...bar} />
			<Panes state={state} colour={colour} />
			<Lines lines={[noticeLine(state)]} {...bar} />
			<Lines lines={[keysLine(state)]} {...bar} />
		</Box>
	);
}
