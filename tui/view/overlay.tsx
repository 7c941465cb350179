import { Box } from "ink";
import type { State } from "../state/model.ts";
import type { Overlay } from "../state/overlays/overlay.ts";
import { entriesOf } from "../state/overlays/search.ts";
import { bodyRows, wholeColumns } from "../state/sizes.ts";
import { cell } from "../text.ts";
import { FormLines } from "./form.tsx";
import { Lines } from "./lines.tsx";
import { listTitle } from "./list/list-title.tsx";
import { Pane } from "./pane.tsx";
import { Words } from "./words.tsx";

/* What fills the screen while it is asked, or read. */

export type Covering = Extract<Overlay, { kind: "search" | "form" | "output" }>;

/** What is asked has the screen for itself. */
export function OverlayPane({ state, overlay }: { readonly state: State; readonly overlay: Covering }) {
	const [columns, rows] = [wholeColumns(state), bodyRows(state)];
	if (overlay.kind === "search") return <Search state={state} overlay={overlay} />;
	if (overlay.kind === "output") return <Output overlay={overlay} columns={columns} rows={rows} />;
	return (
		<Pane title={listTitle(state)} columns={columns} hasFocus>
			<FormLines form={overlay} columns={columns} rows={rows} />
		</Pane>
	);
}

interface OutputProps {
	readonly overlay: Extract<Overlay, { kind: "output" }>;
	readonly columns: number;
	readonly rows: number;
}

/** What a command has printed. */
function Output({ overlay: { line, lines = [], first }, columns, rows }: OutputProps) {
	const last = `${Math.min(first + rows, lines.length)}/${lines.length}`;
	return (
		<Pane title={line} place={lines.length > rows ? <Words>{last}</Words> : undefined} columns={columns} hasFocus>
			<Lines of={lines.slice(first, first + rows).map((text) => <Words key={text}>{text}</Words>)} />
		</Pane>
	);
}

/** Names of keys are short, commands are not. */
const NAME_CELLS = { keys: 20, palette: 28 } as const;

interface SearchProps {
	readonly state: State;
	readonly overlay: Extract<Overlay, { kind: "search" }>;
}

/** The list of keys, or the palette. */
function Search({ state, overlay: { cursor, of, query } }: SearchProps) {
	const [columns, rows] = [wholeColumns(state), bodyRows(state)];
	const entries = entriesOf(state, of, query);
	const first = Math.max(0, Math.min(cursor - Math.floor(rows / 2), entries.length - rows));
	const shown = entries.slice(first, first + rows).map(({ left, label }, index) => {
		const selected = first + index === cursor;
		return (
			<Box key={`${left} ${label}`}>
				<Words tone="accent" selected={selected}>{`${selected ? "▸" : " "}  ${cell(left, NAME_CELLS[of])} `}</Words>
				<Words selected={selected}>{cell(label, columns - NAME_CELLS[of] - 4)}</Words>
			</Box>
		);
	});
	const nothing = <Words key="nothing">{"   Nothing fits. backspace, or esc."}</Words>;
	return (
		<Pane
			title={of === "keys" ? "Keys" : "Find"}
			place={<Words bold>{entries.length === 0 ? "0" : `${cursor + 1}/${entries.length}`}</Words>}
			columns={columns}
			hasFocus
		>
			<Lines of={entries.length === 0 ? [nothing] : shown} />
		</Pane>
	);
}
