import type { Field, Form } from "../state/forms/form.ts";
import { cell, cut, oneLine, widthOf, wrap } from "../text.ts";
import type { Line, Span } from "./paint.ts";

/** A form is read better narrow than wide. */
const WIDEST = 96;
const WIDEST_LABEL = 24;
/** The sign of the field that has the keys. */
const SIGN = 3;
const segments = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The form from the line on at which the field with the keys, its hint and its error are on the screen. */
export function formLines(form: Form, columns: number, rows: number): Line[] {
	const width = Math.min(columns, WIDEST) - 1;
	const title = wrap(form.title, width - SIGN).map(
		(text): Line => [{ text: `${" ".repeat(SIGN)}${text}`, bold: true }],
	);
	const labels = Math.min(WIDEST_LABEL, Math.max(...form.fields.map(({ label }) => widthOf(label))));
	const blocks = form.fields.map((field, index) => fieldLines(form, field, index === form.at, labels, width));
	const head: readonly Line[] = [...title, []];
	const before = head.length + blocks.slice(0, form.at).flat().length;
	const end = before + (blocks[form.at]?.length ?? 0);
	const lines = [...head, ...blocks.flat()];
	const first = Math.max(0, Math.min(end - rows, before));
	return lines.slice(first, first + rows);
}

function fieldLines(form: Form, field: Field, hasKeys: boolean, labels: number, width: number): Line[] {
	const error = form.errors[field.name];
	const indent = " ".repeat(SIGN + labels + 2);
	const room = Math.max(8, width - indent.length);
	const label = `${hasKeys ? "▸" : " "}  ${cell(field.label, labels)}  `;
	const below = (text: string, look: Omit<Span, "text">) =>
		wrap(text, room).map((one): Line => [{ text: indent + one, ...look }]);
	return [
		[{ text: label, bold: hasKeys, dim: !hasKeys }, ...valueSpans(form, field, hasKeys, room)],
		...(error === undefined ? [] : below(`✗ ${error}`, { tone: "danger" })),
		...(hasKeys ? below(field.hint, { dim: true }) : []),
	];
}

function valueSpans(form: Form, field: Field, hasKeys: boolean, room: number): readonly Span[] {
	if (field.kind === "choice") return choiceSpans(field, hasKeys, room);
	const unit = field.kind === "number" && field.unit !== "" ? ` ${field.unit}` : "";
	if (!hasKeys) {
		const value = field.value === "" ? (field.empty ?? "—") : oneLine(field.value);
		return [
			{ text: cut(value, room - widthOf(unit)), dim: field.value === "" },
			{ text: field.value === "" ? "" : unit, dim: true },
		];
	}
	const left = room - widthOf(unit) - 1;
	// An empty field says what that means, also while it has the keys.
	if (field.value === "" && field.empty !== undefined) {
		return [
			{ text: " ", inverse: true },
			{ text: ` ${cut(field.empty, room - 2)}`, dim: true },
		];
	}
	return [...typedSpans(field.value, form.caret, left), { text: unit, dim: true }];
}

/** The part of a long text around the caret. */
function typedSpans(value: string, caret: number, room: number): readonly Span[] {
	const characters = [...segments.segment(value)].map(({ segment }) => oneLine(segment));
	let from = caret;
	let left = room - 1;
	while (from > 0 && left - widthOf(characters[from - 1] ?? "") >= 0) left -= widthOf(characters[--from] ?? "");
	const after = cut(characters.slice(caret + 1).join(""), Math.max(0, left));
	return [
		{ text: `${from > 0 ? "…" : ""}${characters.slice(from > 0 ? from + 1 : 0, caret).join("")}` },
		{ text: characters[caret] ?? " ", inverse: true },
		{ text: after },
	];
}

/** All choices where there is room for them, else the one that is chosen. */
function choiceSpans(
	{ choices, value }: Extract<Field, { kind: "choice" }>,
	hasKeys: boolean,
	room: number,
): readonly Span[] {
	const all = choices.map((one) => (one === value ? `[${one}]` : ` ${one} `));
	if (!hasKeys || widthOf(all.join(" ")) > room) {
		return hasKeys ? [{ text: cut(`◂ ${value} ▸`, room), bold: true }] : [{ text: cut(value, room) }];
	}
	return choices.flatMap((one, index): Span[] => [
		{ text: index === 0 ? "" : " " },
		{ text: all[index] ?? "", bold: one === value, dim: one !== value },
	]);
}
