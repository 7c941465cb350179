import { Box } from "ink";
import type { ReactNode } from "react";
import type { Field, Form } from "../state/forms/form.ts";
import { cell, cut, oneLine, widthOf, wrap } from "../text.ts";
import { Lines } from "./lines.tsx";
import { Words } from "./words.tsx";

/** A form is read better narrow than wide. */
const WIDEST = 96;
const WIDEST_LABEL = 24;
/** The sign of the field that has the keys. */
const SIGN = 3;
const segments = new Intl.Segmenter(undefined, { granularity: "grapheme" });

interface Props {
	readonly form: Form;
	readonly columns: number;
	readonly rows: number;
}

/** The form from the line on at which the field with the keys, its hint and its error are on the screen. */
export function FormLines({ form, columns, rows }: Props) {
	const width = Math.min(columns, WIDEST) - 1;
	const title = wrap(form.title, width - SIGN).map((text) => (
		<Words key={text} bold>{`${" ".repeat(SIGN)}${text}`}</Words>
	));
	const labels = Math.min(WIDEST_LABEL, Math.max(...form.fields.map(({ label }) => widthOf(label))));
	const blocks = form.fields.map((field, index) => fieldLines(form, field, index === form.at, labels, width));
	const head = [...title, undefined];
	const before = head.length + blocks.slice(0, form.at).flat().length;
	const end = before + (blocks[form.at]?.length ?? 0);
	const first = Math.max(0, Math.min(end - rows, before));
	return <Lines of={[...head, ...blocks.flat()].slice(first, first + rows)} />;
}

function fieldLines(form: Form, field: Field, hasKeys: boolean, labels: number, width: number): ReactNode[] {
	const error = form.errors[field.name];
	const indent = SIGN + labels + 2;
	const room = Math.max(8, width - indent);
	const below = (text: string, look: { readonly tone?: "danger"; readonly dim?: boolean }) =>
		wrap(text, room).map((line) => (
			<Words key={line} {...look}>
				{" ".repeat(indent) + line}
			</Words>
		));
	return [
		<Box key={field.name}>
			<Words bold={hasKeys} dim={!hasKeys}>
				{`${hasKeys ? "▸" : " "}  ${cell(field.label, labels)}  `}
			</Words>
			<Value form={form} field={field} hasKeys={hasKeys} room={room} />
		</Box>,
		...(error === undefined ? [] : below(`✗ ${error}`, { tone: "danger" })),
		...(hasKeys ? below(field.hint, { dim: true }) : []),
	];
}

interface ValueProps {
	readonly form: Form;
	readonly field: Field;
	readonly hasKeys: boolean;
	/** Cells for the value. */
	readonly room: number;
}

function Value({ form, field, hasKeys, room }: ValueProps) {
	if (field.kind === "choice") return <Choice field={field} hasKeys={hasKeys} room={room} />;
	const isEmpty = field.value === "";
	const unit = field.kind === "number" && field.unit !== "" ? ` ${field.unit}` : "";
	const behind = unit !== "" && <Words dim>{unit}</Words>;
	if (!hasKeys) {
		return (
			<>
				<Words dim={isEmpty}>{cut(isEmpty ? (field.empty ?? "—") : oneLine(field.value), room - widthOf(unit))}</Words>
				{!isEmpty && behind}
			</>
		);
	}
	// An empty field says what that means, also while it has the keys.
	if (isEmpty && field.empty !== undefined) {
		return (
			<>
				<Words inverse> </Words>
				<Words dim>{` ${cut(field.empty, room - 2)}`}</Words>
			</>
		);
	}
	return (
		<>
			<Typed value={field.value} caret={form.caret} room={room - widthOf(unit) - 1} />
			{behind}
		</>
	);
}

/** The part of a long text around the caret. */
function Typed({ value, caret, room }: { readonly value: string; readonly caret: number; readonly room: number }) {
	const characters = [...segments.segment(value)].map(({ segment }) => oneLine(segment));
	let from = caret;
	let left = room - 1;
	while (from > 0 && left - widthOf(characters[from - 1] ?? "") >= 0) left -= widthOf(characters[--from] ?? "");
	return (
		<>
			<Words>{`${from > 0 ? "…" : ""}${characters.slice(from > 0 ? from + 1 : 0, caret).join("")}`}</Words>
			<Words inverse>{characters[caret] ?? " "}</Words>
			<Words>{cut(characters.slice(caret + 1).join(""), Math.max(0, left))}</Words>
		</>
	);
}

interface ChoiceProps extends Omit<ValueProps, "form"> {
	readonly field: Extract<Field, { kind: "choice" }>;
}

/** All choices where there is room for them, else the one that is chosen. */
function Choice({ field: { choices, value }, hasKeys, room }: ChoiceProps) {
	const all = choices.map((one) => (one === value ? `[${one}]` : ` ${one} `));
	if (!hasKeys) return <Words>{cut(value, room)}</Words>;
	if (widthOf(all.join(" ")) > room) return <Words bold>{cut(`◂ ${value} ▸`, room)}</Words>;
	return (
		<Box gap={1}>
			{choices.map((one, index) => (
				<Words key={one} bold={one === value} dim={one !== value}>
					{all[index] ?? ""}
				</Words>
			))}
		</Box>
	);
}
