import type { Thing } from "../state/things.ts";

export type Tone = "good" | "warn" | "danger" | "accent" | "border";

interface Column<T> {
	readonly title: string;
	/** Cells; the column without them takes what is left. */
	readonly width?: number;
	/** It is shown only where the names of things have the room that they need. */
	readonly more?: true;
	text(thing: T, nowMs: number): string;
	tone?(thing: T): Tone | undefined;
}

export interface Section {
	readonly title: string;
	/** A name and a value, or a line of its own where there is no name. */
	readonly rows: readonly (readonly [name: string, value: string])[];
	/** What is drawn under the title, of lines of at most this many cells. */
	draw?(columns: number): readonly string[];
}

/** The name with its id beside it; the id alone where there is no name. */
export function named(name: string | undefined, id: string): string {
	return name === undefined ? id : `${name} (${id})`;
}

/** Describes one screen: the list's columns, and the lines of the detail. */
interface Description<T extends Thing> {
	readonly object: T["object"];
	readonly columns: readonly Column<T>[];
	/** Shown when the list is empty; names the next key. */
	readonly empty: string;
	sections(thing: T, nowMs: number): readonly Section[];
}

/** The same description for a caller that does not know the kind of the thing. */
export interface Screen {
	readonly columns: readonly Pick<Column<Thing>, "title" | "width" | "more">[];
	readonly empty: string;
	cells(thing: Thing, nowMs: number): readonly { readonly text: string; readonly tone: Tone | undefined }[];
	sections(thing: Thing, nowMs: number): readonly Section[];
}

/** A thing of another kind has no text. */
export function screenOf<T extends Thing>(description: Description<T>): Screen {
	const isMine = (thing: Thing): thing is T => thing.object === description.object;
	return {
		columns: description.columns,
		empty: description.empty,
		cells: (thing, nowMs) =>
			isMine(thing)
				? description.columns.map((column) => ({ text: column.text(thing, nowMs), tone: column.tone?.(thing) }))
				: [],
		sections: (thing, nowMs) => (isMine(thing) ? description.sections(thing, nowMs) : []),
	};
}
