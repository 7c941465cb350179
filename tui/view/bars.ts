import type { Tone } from "../screens/describe.ts";
import { listOf, selectedOf } from "../state/list.ts";
import type { List, State } from "../state/model.ts";
import { cut, oneLine, widthOf } from "../text.ts";
import type { Line } from "./paint.ts";
import { promptOf } from "./prompt-lines.ts";

/* The lines above and below the panes, besides those of screens and keys. */

const SIGNS = { good: "✓", warn: "!", danger: "✗" } as const;

/** Red is for what may cost real money: elsewhere it would soon be overlooked. */
function badgeOf({ readOnly, mode }: State): readonly [text: string, tone: Tone] {
	if (readOnly) return [" READ-ONLY ", "good"];
	if (mode === "live") return [" LIVE ", "danger"];
	return [mode === "test" ? " TEST " : " READ-WRITE ", "warn"];
}

/** Who works where, and whether keys change anything. */
export function headerLine(current: State): Line {
	const { profile, person, app, columns } = current;
	const [mode, tone] = badgeOf(current);
	const role = person?.operator === true ? "operator" : (app?.role ?? "no role");
	const nobody = listOf(current).error === undefined ? "signing in…" : "not signed in";
	const who = person === undefined ? nobody : `${person.email} (${role})`;
	const where = app === undefined ? "no App" : oneLine(`App ${app.name}`);
	const name = " svc ";
	const before = oneLine(` ${profile} · ${who} · `);
	const room = columns - widthOf(name) - widthOf(mode) - 1;
	const head = cut(before, room);
	const tail = cut(where, room - widthOf(head));
	const gap = " ".repeat(Math.max(0, room - widthOf(head) - widthOf(tail) + 1));
	return [
		{ text: name, tone: "accent", bold: true },
		{ text: head, dim: true },
		{ text: tail + gap, bold: true },
		{ text: mode, tone, inverse: true },
	];
}

const GONE = "It is not in this list any more; it leaves the screen once you go on.";

/** The question, else the last notice, else the error of the list. */
export function noticeLine(current: State): Line {
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
