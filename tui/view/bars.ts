import type { Tone } from "../screens/describe.ts";
import { listOf, selectedOf } from "../state/lists/list.ts";
import type { List, State } from "../state/model.ts";
import { promptLines } from "../state/overlays/prompt.ts";
import { saidLines } from "../state/said.ts";
import { cut, oneLine, widthOf } from "../text.ts";
import type { Line } from "./paint.ts";

/* The lines above and below the panes, besides those of screens and keys. */

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
	const where = app === undefined ? "no App" : oneLine(`App ${app.name}`);
	const name = " svc ";
	const room = columns - widthOf(name) - widthOf(mode) - 1;
	// Where there is little room, what people work in is worth more than who they are.
	const left = room - Math.min(widthOf(where), Math.floor(room / 2));
	const email = person?.email ?? nobody;
	const who = person === undefined ? nobody : `${email} (${role})`;
	const befores = [` ${profile} · ${who} · `, ` ${email} (${role}) · `, ` ${email} · `].map(oneLine);
	const head = cut(befores.find((before) => widthOf(before) <= left) ?? befores.at(-1) ?? "", left);
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

/** The question, and below it what is said; where neither is, what the list is about. */
export function noticeLines(current: State): readonly Line[] {
	const { overlay, columns } = current;
	const said = saidLines(current).map(({ text, tone }): Line => [{ text, tone, bold: overlay !== undefined }]);
	if (overlay !== undefined) {
		return [...promptLines(current).map((text): Line => [{ text, bold: true }]), ...said];
	}
	return said.length > 0 ? said : [[{ text: cut(oneLine(restText(current)), columns), dim: true }]];
}

function restText(current: State): string {
	const list = listOf(current);
	if (list.gone.has(selectedOf(list)?.id ?? "")) return GONE;
	return list.pending?.slow === true || current.changes.length > 0 ? "… under way" : soughtText(list);
}

function soughtText({ search, filter }: List): string {
	return [search && `search: ${search}`, filter && `filter: ${filter}`].filter(Boolean).join("  ");
}
