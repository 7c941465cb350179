import { ageText, bytesText, countText, onOff } from "./words.ts";

/* A noun of the service is described once, for the tables of the command line and for the lists and details of the dashboard. */

export type NounTone = "good" | "warn" | "danger" | "accent" | "border";

/** What people see of a value where nothing else is said: a time as its age, an amount in units, a switch as on or off. */
type Kind = "text" | "time" | "bytes" | "count" | "switch";

/** One field. The command line has what it is, under its name; the dashboard what is said of it, in a column of a list and in a line of its own. */
export interface Field<T> {
	readonly kind?: Kind;
	/** What it is; where nothing is said, what the noun has under this name. */
	value?(thing: T): unknown;
	/** Its column in a table shrinks where the terminal is too narrow. */
	readonly shrinks?: boolean;
	/** Only programs get its column: tables leave it out, unless they are to be wide. */
	readonly hidden?: boolean;
	/** A narrow terminal loses the columns of the least worth first. Default: 0, and among equals the last one first. */
	readonly worth?: number;

	/** The title of its column in the dashboard. */
	readonly title?: string;
	/** Cells of that column; the one without them takes what is left. */
	readonly width?: number;
	/** That column is shown only where the names of things have the room that they need. */
	readonly more?: true;
	cell?(thing: T, nowMs: number): string;
	tone?(thing: T): NounTone | undefined;

	/** What stands before its line; where nothing is said, its name. */
	readonly label?: string | ((thing: T) => string);
	/** Undefined where there is nothing to say: then it has no line. */
	line?(thing: T, nowMs: number): string | undefined;
}

export interface NounSection {
	readonly title: string;
	/** A name and a value, or a line of its own where there is no name. */
	readonly rows: readonly (readonly [name: string, value: string])[];
	/** What is drawn under the title, of lines of at most this many cells. */
	draw?(columns: number): readonly string[];
}

interface Described<T, Name extends string> {
	/** By its name as programs know it. A column that shows another value under the same name takes its own. */
	readonly fields: {
		readonly [One in Name]: One extends keyof T ? Field<T> : Field<T> & Required<Pick<Field<T>, "value">>;
	};
	/** The columns of many of them. What a pipe gets in this order is a promise to scripts: add at the end only. */
	readonly list: readonly NoInfer<Name>[];
	/** What the command line shows of one beside these. */
	readonly detail: readonly NoInfer<Name>[];
	readonly dashboard: {
		readonly title: string | ((thing: T) => string);
		/** Shown where there is none; names the next key. */
		readonly empty: string;
		readonly columns: readonly NoInfer<Name>[];
		readonly lines: readonly NoInfer<Name>[];
		/** What is shown below the lines. */
		more?(thing: T, nowMs: number): readonly NounSection[];
	};
}

/** A column of a table, as the command line draws it. */
interface TableColumn<T> extends Pick<Field<T>, "shrinks" | "hidden" | "worth"> {
	readonly name: string;
	value(row: T): unknown;
}

/** A noun as the dashboard shows it. */
export interface ShownNoun<T> {
	readonly columns: readonly { readonly title: string; readonly width?: number; readonly more?: true }[];
	readonly empty: string;
	cells(thing: T, nowMs: number): readonly { readonly text: string; readonly tone: NounTone | undefined }[];
	sections(thing: T, nowMs: number): readonly NounSection[];
}

/** A noun whose fields have been described. */
export interface Noun<T, Name extends string> {
	/** The columns of many of them. */
	readonly list: readonly TableColumn<T>[];
	/** Everything that the command line shows of one. */
	readonly detail: readonly TableColumn<T>[];
	/** Other columns, in another order. */
	columnsOf(...names: readonly Name[]): readonly TableColumn<T>[];
	readonly shown: ShownNoun<T>;
}

/** Describes a noun of the shape T: `noun<App>()({ … })`. */
export function noun<T extends object>() {
	return <const Name extends string>({ fields, list, detail, dashboard }: Described<T, Name>): Noun<T, Name> => {
		const named = Object.entries<Field<T>>(fields).map(([name, field]) => [name, whole(name, field)] as const);
		const known = new Map(named);
		const all = (names: readonly string[]) => names.flatMap((name) => known.get(name) ?? []);
		const listed = all(dashboard.columns);
		const lines = all(dashboard.lines);
		const { title } = dashboard;
		const titleOf = typeof title === "string" ? () => title : title;
		return {
			list: all(list),
			detail: all([...list, ...detail]),
			columnsOf: (...names) => all(names),
			shown: {
				columns: listed,
				empty: dashboard.empty,
				cells: (thing, nowMs) => listed.map(({ cell, tone }) => ({ text: cell(thing, nowMs), tone: tone?.(thing) })),
				sections: (thing, nowMs) => [
					{ title: titleOf(thing), rows: lines.flatMap((field) => rowOf(field, thing, nowMs)) },
					...(dashboard.more?.(thing, nowMs) ?? []),
				],
			},
		};
	};
}

type Whole<T> = ReturnType<typeof whole<T>>;

/** The field with what follows from its kind where nothing is said. */
function whole<T>(name: string, field: Field<T>) {
	const { kind = "text", title = name, label = name } = field;
	const raw = field.value ?? ((thing: T) => (thing as Readonly<Record<string, unknown>>)[name]);
	const said = (thing: T, nowMs: number) => textOf(kind, raw(thing), nowMs);
	return {
		...field,
		name,
		title,
		label: typeof label === "string" ? () => label : label,
		value: kind === "switch" ? (thing: T) => onOff(raw(thing) === true) : raw,
		cell: field.cell ?? said,
		line: field.line ?? ((thing: T, nowMs: number) => said(thing, nowMs) || "—"),
	};
}

function rowOf<T>({ label, line }: Whole<T>, thing: T, nowMs: number): NounSection["rows"] {
	const text = line(thing, nowMs);
	return text === undefined ? [] : [[label(thing), text]];
}

function textOf(kind: Kind, value: unknown, nowMs: number): string {
	if (kind === "time") return ageText(typeof value === "string" ? value : null, nowMs);
	if (kind === "switch") return onOff(value === true);
	if (value === null || value === undefined) return "—";
	if (typeof value === "number" && kind !== "text") return kind === "bytes" ? bytesText(value) : countText(value);
	return Array.isArray(value) ? value.join(", ") : String(value);
}

type Sign = readonly [text: string, tone: NounTone | undefined];

/** A sign and a word for a state, so that no colour is needed to tell them apart. */
export function signed<T>(signOf: (thing: T) => Sign) {
	return { cell: (thing: T) => signOf(thing)[0], tone: (thing: T) => signOf(thing)[1] };
}

/** The same by a table; a word that is not in it stands as it is, since a newer service may have others. */
export function signedBy<Key extends string>(key: Key, signs: Readonly<Record<string, Sign>>) {
	return signed((thing: Readonly<Record<Key, string>>) => signs[thing[key]] ?? [thing[key], undefined]);
}

/** They say what the address or the section says as well. */
const UNREADABLE: ReadonlySet<string> = new Set(["object", "sizes"]);

/** A value as one line; an em dash for nothing. */
export function valueText(value: unknown): string {
	if (value === null || value === undefined || value === "") return "—";
	if (Array.isArray(value)) return value.map(valueText).join("; ");
	return typeof value === "string" ? value : JSON.stringify(value);
}

/** The fields of an object that say something, each by its name. */
export function readable(values: object): readonly (readonly [name: string, value: unknown])[] {
	return Object.entries(values).filter(([name]) => !UNREADABLE.has(name));
}

/** A section with what an object holds; none where it holds nothing. */
export function valuesOf(title: string, values: object): readonly NounSection[] {
	return sectionOf(
		title,
		readable(values).map(([name, value]): [string, string] => [name, valueText(value)]),
	);
}

/** No section where there is no row. */
export function sectionOf(title: string, rows: NounSection["rows"]): readonly NounSection[] {
	return rows.length === 0 ? [] : [{ title, rows }];
}
