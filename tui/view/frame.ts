import type { Tone } from "../screens/describe.ts";
import { listOf, selectedOf } from "../state/list.ts";
import type { List, Overlay, State } from "../state/model.ts";
import { entriesOf } from "../state/search.ts";
import { bodyRows, detailColumns, isNarrow, listColumns } from "../state/sizes.ts";
import { cell, cut, oneLine, widthOf } from "../text.ts";
import { detailLines, pictureLines } from "./detail-lines.ts";
import { formLines } from "./form-lines.ts";
import { listLines } from "./list-lines.ts";
import { type Line, paint } from "./paint.ts";
import { keysLine, promptOf } from "./prompt-lines.ts";
import { tabsLine } from "./tabs-line.ts";

/** Exactly as many rows as the terminal has, each as wide as it. */
export function frameRows(state: State, colour: boolean): readonly string[] {
	const bar = (line: Line) => paint(line, state.columns, colour);
	const head = [headerLine(state), tabsLine(state)].map(bar);
	const foot = [noticeLine(state), keysLine(state)].map(bar);
	return [...head, ...bodyText(state, colour), ...foot].slice(0, state.rows);
}

/** Lines of the frame for a screen reader, which reads one thing after the other. */
export function frameLines(state: State): readonly Line[] {
	const body = onePane(state) ?? listLines(state, state.columns, bodyRows(state));
	return [headerLine(state), tabsLine(state), ...body, noticeLine(state), keysLine(state)];
}

/** What fills the screen alone; undefined while there are two panes. */
function onePane(state: State): readonly Line[] | undefined {
	const { overlay, columns, pane } = state;
	const rows = bodyRows(state);
	if (overlay?.kind === "search") return searchLines(state, overlay, rows);
	if (overlay?.kind === "form") return formLines(overlay, columns, rows);
	if (pane === "picture") return pictureLines(state, columns);
	if (!isNarrow(state)) return undefined;
	return pane === "list" ? listLines(state, columns, rows) : detailLines(state, columns, rows);
}

function bodyText(state: State, colour: boolean): readonly string[] {
	const { columns, pane } = state;
	const all = Array.from({ length: bodyRows(state) });
	const alone = onePane(state);
	if (alone !== undefined) return all.map((_, row) => paint(alone[row] ?? [], columns, colour));
	// The list's last column stays clear of the rule.
	const list = listLines(state, listColumns(state) - 1, all.length);
	const detail = detailLines(state, detailColumns(state), all.length);
	const rule = pane === "detail" ? "┃ " : "│ ";
	return all.map((_, row) => {
		const left = paint(list[row] ?? [], listColumns(state), colour);
		return left + rule + paint(detail[row] ?? [], detailColumns(state), colour);
	});
}

const SIGNS = { good: "✓", warn: "!", danger: "✗" } as const;

const NAME_CELLS = 28;

/** Red is for what may cost real money: elsewhere it would soon be overlooked. */
function badgeOf({ readOnly, mode }: State): readonly [text: string, tone: Tone] {
	if (readOnly) return [" READ-ONLY ", "good"];
	if (mode === "live") return [" LIVE ", "danger"];
	return [mode === "test" ? " TEST " : " READ-WRITE ", "warn"];
}

/** Who works where, and whether keys change anything. */
function headerLine(current: State): Line {
	const { profile, person, app, columns } = current;
	const [mode, tone] = badgeOf(current);
	const role = person?.operator === true ? "operator" : (app?.role ?? "no role");
	const nobody = listOf(current).error === undefined ? "signing in…" : "not signed in";
	const who = person === undefined ? nobody : `${person.email} (${role})`;
	const text = ` svc  ${profile} · ${who} · ${app === undefined ? "no App" : `App ${app.name}`}`;
	return [
		{ text: cell(text, columns - widthOf(mode)), bold: true },
		{ text: mode, tone, inverse: true },
	];
}

const GONE = "It is not in this list any more; it leaves the screen once you go on.";

/** The question, else the last notice, else the error of the list. */
function noticeLine(current: State): Line {
	const { overlay, notice, columns } = current;
	const refused = notice?.tone === "danger" ? `✗ ${notice.text}` : undefined;
	if (overlay !== undefined) {
		const warning = notice === undefined ? "" : `  ${SIGNS[notice.tone]} ${notice.text}`;
		return [{ text: cut(oneLine(promptOf(current, overlay) + warning), columns), bold: true }];
	}
	const list = listOf(current);
	const { error, pending } = list;
	if (refused === undefined && error !== undefined && list.loaded) {
		return [{ text: cut(oneLine(`✗ STALE, tries again by itself: ${error}`), columns), tone: "danger" }];
	}
	if (notice !== undefined) {
		return [{ text: cut(oneLine(`${SIGNS[notice.tone]} ${notice.text}`), columns), tone: notice.tone }];
	}
	if (list.gone.has(selectedOf(list)?.id ?? "")) return [{ text: cut(GONE, columns), dim: true }];
	const busy = pending?.slow === true || current.changes.length > 0;
	return [{ text: busy ? "… under way" : cut(oneLine(soughtText(list)), columns), dim: true }];
}

function soughtText({ search, filter }: List): string {
	return [search && `search: ${search}`, filter && `filter: ${filter}`].filter(Boolean).join("  ");
}

/** The list of keys, or the palette. */
function searchLines(current: State, overlay: Extract<Overlay, { kind: "search" }>, rows: number): Line[] {
	const entries = entriesOf(current, overlay.of, overlay.query);
	const first = Math.max(0, Math.min(overlay.cursor - Math.floor(rows / 2), entries.length - rows));
	if (entries.length === 0) return [[{ text: "   Nothing fits. backspace, or esc." }]];
	return entries.slice(first, first + rows).map(({ left, label }, index) => {
		const isSelected = first + index === overlay.cursor;
		const text = `${isSelected ? "▸" : " "}  ${cell(left, NAME_CELLS)} ${label}`;
		return [{ text: cell(text, current.columns), inverse: isSelected }];
	});
}
