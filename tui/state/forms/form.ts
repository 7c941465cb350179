import type { Action } from "../acts/action.ts";
import { change, tookAnswer } from "../acts/changes.ts";
import { listOf, refresh } from "../lists/list.ts";
import { type Event, type State, type Step, say, stay } from "../model.ts";
import { charactersOf, edited as editedLine, inserted as insertedIn, type TypedLine } from "./line.ts";

/* One form for whatever has more than one field, and for whatever the service may refuse by the name of a field. */

interface FieldWords {
	/** As the service names it where it refuses it. */
	readonly name: string;
	readonly label: string;
	/** What it takes; shown while the field is chosen. */
	readonly hint: string;
	readonly value: string;
	/** What it means where nothing stands in it. */
	readonly empty?: string;
}

export type Field = FieldWords &
	(
		| { readonly kind: "text" }
		/** Digits alone; what they count stands behind them. */
		| { readonly kind: "number"; readonly unit: string }
		| { readonly kind: "choice"; readonly choices: readonly string[] }
	);

/** The values of all fields by their names; empty for what was left empty. */
export type Values = Readonly<Record<string, string>>;
/** Why a field cannot be as it is, by its name. */
type FieldErrors = Readonly<Record<string, string>>;

export interface Form {
	readonly kind: "form";
	readonly title: string;
	readonly fields: readonly Field[];
	/** The field that has the keys. */
	readonly at: number;
	/** Characters before the caret in it. */
	readonly caret: number;
	/** What the fields held at first. */
	readonly first: Values;
	readonly errors: FieldErrors;
	/** Number of this opening: whatever is sent from it is made once. */
	readonly opening: number;
	/** The request that is under way. */
	readonly sent: number | undefined;
	/** Esc was pressed although something was typed. */
	readonly isLeaving: boolean;
	/** The action, what is wrong with the fields, or undefined where nothing has changed. */
	read(values: Values, first: Values, nowMs: number): Action | { readonly errors: FieldErrors } | undefined;
}

const LONGEST = 2_000;

const YES_NO = ["yes", "no"] as const;

/** Names of the fields that hold something else than at first. */
export function changedIn(values: Values, first: Values): ReadonlySet<string> {
	return new Set(Object.keys(values).filter((name) => values[name] !== first[name]));
}

/** A field with two answers. */
export function yesNo(is: boolean): { kind: "choice"; choices: readonly string[]; value: string } {
	return { kind: "choice", choices: YES_NO, value: is ? "yes" : "no" };
}

export function openForm(state: State, { title, fields, read }: Pick<Form, "title" | "fields" | "read">): Step {
	const opening = state.seq + 1;
	const form: Form = {
		kind: "form",
		title,
		fields,
		read,
		opening,
		first: valuesOf(fields),
		at: 0,
		caret: 0,
		errors: {},
		sent: undefined,
		isLeaving: false,
	};
	return stay({ ...state, seq: opening, overlay: atField(form, 0), notice: undefined });
}

function valuesOf(fields: readonly Field[]): Values {
	return Object.fromEntries(fields.map(({ name, value }) => [name, value]));
}

function isTouched({ fields, first }: Pick<Form, "fields" | "first">): boolean {
	return fields.some(({ name, value }) => first[name] !== value);
}

/** The caret stands behind what is in the field already. */
function atField(form: Form, at: number): Form {
	const next = Math.max(0, Math.min(at, form.fields.length - 1));
	return { ...form, at: next, caret: charactersOf(form.fields[next]?.value ?? "").length };
}

/** A key in the form. */
export function inForm(state: State, form: Form, key: string): Step {
	if (form.isLeaving) return leaving(state, form, key);
	if (key === "escape") return leave(state, form);
	if (form.sent !== undefined) return stay(say(state, "warn", "It is on its way; esc leaves without the answer."));
	const isLast = form.at === form.fields.length - 1;
	if (key === "ctrl-s" || (key === "enter" && isLast)) return submit(state, form);
	return stay({ ...state, overlay: MOVES[key]?.(form) ?? edited(form, key), notice: undefined });
}

const MOVES: Readonly<Record<string, (form: Form) => Form>> = {
	enter: (form) => atField(form, form.at + 1),
	down: (form) => atField(form, form.at + 1),
	up: (form) => atField(form, form.at - 1),
	tab: (form) => atField(form, (form.at + 1) % form.fields.length),
	backtab: (form) => atField(form, (form.at + form.fields.length - 1) % form.fields.length),
};

function leave(state: State, form: Form): Step {
	if (form.sent !== undefined) {
		return stay(say({ ...state, overlay: undefined }, "warn", "It is on its way; r shows what became of it."));
	}
	if (isTouched(form)) return stay({ ...state, overlay: { ...form, isLeaving: true }, notice: undefined });
	return stay(say({ ...state, overlay: undefined }, "warn", "Nothing was changed."));
}

function leaving(state: State, form: Form, key: string): Step {
	if (key === "y") return stay(say({ ...state, overlay: undefined }, "warn", "Nothing was changed."));
	return stay({ ...state, overlay: { ...form, isLeaving: false } });
}

function submit(state: State, form: Form): Step {
	const read = form.read(trimmed(valuesOf(form.fields)), form.first, state.nowMs);
	if (read === undefined) return stay(say(state, "warn", "Nothing is different yet; esc leaves it as it is."));
	if ("errors" in read) return stay({ ...state, overlay: withErrors(form, read.errors), notice: undefined });
	const { state: next } = change(state, read);
	const sent = next.seq;
	return stay(
		{ ...next, overlay: { ...form, errors: {}, sent } },
		{ type: "act", seq: sent, act: read, opening: form.opening },
	);
}

function trimmed(values: Values): Values {
	return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.trim()]));
}

/** The first field with an error gets the keys. */
function withErrors(form: Form, errors: FieldErrors): Form {
	const at = form.fields.findIndex(({ name }) => errors[name] !== undefined);
	return { ...(at === -1 ? form : atField(form, at)), errors };
}

function edited(form: Form, key: string): Form {
	const field = form.fields[form.at];
	if (field === undefined) return form;
	if (field.kind === "choice") return chosen(form, field, key);
	if (field.kind === "number" && [...key].length === 1 && !/\d/.test(key)) return form;
	const line = editedLine({ text: field.value, caret: form.caret }, key, LONGEST);
	return line === undefined ? form : withLine(form, field, line);
}

function withLine(form: Form, field: Field, { text, caret }: TypedLine): Form {
	return { ...(text === field.value ? form : withValue(form, field, text)), caret };
}

/** Left and right go round; a letter goes to the choice that begins with it. */
function chosen(form: Form, field: Extract<Field, { kind: "choice" }>, key: string): Form {
	const { choices } = field;
	const by = { right: 1, " ": 1, left: -1 }[key];
	const index = choices.indexOf(field.value) + (by ?? 0) + choices.length;
	const value = by === undefined ? choices.find((one) => one.startsWith(key)) : choices[index % choices.length];
	return value === undefined ? form : withValue(form, field, value);
}

function inserted(form: Form, field: Field, text: string): Form {
	const fitting = field.kind === "number" ? text.replace(/\D/g, "") : text;
	return withLine(form, field, insertedIn({ text: field.value, caret: form.caret }, fitting, LONGEST));
}

/** What was wrong with the field is no longer said of what it holds now. */
function withValue(form: Form, { name }: Field, value: string): Form {
	const fields = form.fields.map((field) => (field.name === name ? { ...field, value } : field));
	const { [name]: _, ...errors } = form.errors;
	return { ...form, fields, errors };
}

/** Pasted lines are one line. */
export function pastedInForm(state: State, form: Form, text: string): Step {
	const field = form.fields[form.at];
	if (form.sent !== undefined || form.isLeaving || field === undefined || field.kind === "choice") return stay(state);
	const line = text
		.trim()
		.replace(/[\r\n\t]+/g, " ")
		.replace(/\p{Cc}/gu, "");
	return stay({ ...state, overlay: inserted(form, field, line), notice: undefined });
}

/** The answer to what a form sent: it closes, or says beside its fields what the service refused. */
export function answered(before: State, event: Extract<Event, { type: "acted" }>): Step {
	const { state } = tookAnswer(before, event);
	const { overlay } = state;
	if (overlay?.kind !== "form" || overlay.sent !== event.seq) return stay(state);
	const [failure] = event.failures;
	// What was made is made, also where something was wrong with its answer.
	if (failure === undefined || event.things.length > 0) {
		const closed: State = { ...state, overlay: undefined };
		const isListed = event.things.some(({ id }) => listOf(closed).things.some((thing) => thing.id === id));
		// What the answer does not hold is in the list when it is read anew.
		return isListed ? stay(closed) : refresh(closed);
	}
	const errors = errorsFor(overlay.fields, failure.details ?? {});
	const form = withErrors({ ...overlay, sent: undefined }, errors);
	const isSaid =
		Object.keys(errors).length > 0 && Object.keys(errors).length === Object.keys(failure.details ?? {}).length;
	return stay({ ...state, overlay: form, notice: isSaid ? undefined : state.notice });
}

/** A field answers for what the service names below it as well, as `benefits` for `benefits.2`. */
function errorsFor(fields: readonly Field[], details: Readonly<Record<string, readonly string[]>>): FieldErrors {
	const found: Record<string, string> = {};
	for (const [place, why] of Object.entries(details)) {
		const field = fields.find(
			({ name }) => place === name || place.startsWith(`${name}.`) || place.startsWith(`${name}[`),
		);
		const part = place.slice(field?.name.length).replace(/^\./, "");
		if (field !== undefined) found[field.name] ??= `${part === "" ? "" : `${part} `}${[why].flat().join(", ")}`;
	}
	return found;
}
