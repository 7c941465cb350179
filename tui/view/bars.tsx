import type { NounTone } from "@svc/nouns/noun";
import { Box } from "ink";
import { listOf, selectedOf } from "../state/lists/list.ts";
import type { List, State } from "../state/model.ts";
import { promptLines } from "../state/overlays/prompt.ts";
import { saidLines } from "../state/said.ts";
import { cut, oneLine, widthOf } from "../text.ts";
import { Lines } from "./lines.tsx";
import { Words } from "./words.tsx";

/* The lines above and below the panes, besides those of screens and keys. */

interface Props {
	readonly state: State;
}

/** Red is for what may cost real money: elsewhere it would soon be overlooked. */
function badgeOf({ readOnly, mode }: State): readonly [text: string, tone: NounTone] {
	if (readOnly) return [" READ-ONLY ", "good"];
	if (mode === "live") return [" LIVE ", "danger"];
	return [mode === "test" ? " TEST " : " READ-WRITE ", "warn"];
}

/** Who works where, and whether keys change anything. */
export function Header({ state }: Props) {
	const { app, columns } = state;
	const [mode, tone] = badgeOf(state);
	const where = app === undefined ? "no App" : oneLine(`App ${app.name}`);
	const name = " svc ";
	const room = columns - widthOf(name) - widthOf(mode) - 1;
	// Where there is little room, what people work in is worth more than who they are.
	const left = room - Math.min(widthOf(where), Math.floor(room / 2));
	const befores = whoTexts(state).map(oneLine);
	const who = cut(befores.find((before) => widthOf(before) <= left) ?? befores.at(-1) ?? "", left);
	return (
		<Box height={1}>
			<Words tone="accent" bold>
				{name}
			</Words>
			<Words dim>{who}</Words>
			<Box flexGrow={1}>
				<Words bold>{cut(where, room - widthOf(who))}</Words>
			</Box>
			<Words tone={tone} inverse>
				{mode}
			</Words>
		</Box>
	);
}

/** Who it is, from the most that can be said of them to the least. */
function whoTexts(state: State): readonly string[] {
	const { profile, person, app } = state;
	const nobody = listOf(state).error === undefined ? "signing in…" : "not signed in";
	const role = person?.operator === true ? "operator" : (app?.role ?? "no role");
	const email = person?.email ?? nobody;
	const who = person === undefined ? nobody : `${email} (${role})`;
	return [` ${profile} · ${who} · `, ` ${email} (${role}) · `, ` ${email} · `];
}

const GONE = "It is not in this list any more; it leaves the screen once you go on.";

/** The question, and below it what is said; where neither is, what the list is about. */
export function Said({ state }: Props) {
	const { overlay } = state;
	const asked = overlay === undefined ? [] : promptLines(state);
	const said = saidLines(state);
	const isQuiet = overlay === undefined && said.length === 0;
	return (
		<Lines
			of={[
				...(isQuiet
					? [
							<Words key="rest" dim>
								{restText(state)}
							</Words>,
						]
					: []),
				...asked.map((text) => (
					<Words key={text} bold>
						{text}
					</Words>
				)),
				...said.map(({ text, tone }) => (
					<Words key={text} tone={tone} bold={overlay !== undefined}>
						{text}
					</Words>
				)),
			]}
		/>
	);
}

function restText(current: State): string {
	const list = listOf(current);
	if (list.gone.has(selectedOf(list)?.id ?? "")) return GONE;
	return list.pending?.slow === true || current.changes.length > 0 ? "… under way" : soughtText(list);
}

function soughtText({ search, filter }: List): string {
	return [search && `search: ${search}`, filter && `filter: ${filter}`].filter(Boolean).join("  ");
}
