import { printableLine } from "@svc/base/text";
import { ageText, bytesText } from "@svc/nouns/words";
import { type Column, cell, cellText, type Units } from "./table.ts";

/* What people see of values: ages for times, units for bytes. Loaded only where something is drawn. */

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const BYTES = /(^|_)bytes(_|$)/;
/** An id of this service, whose digits are a time first: what tells one from the next is at its end. */
const ID = /^([a-z]{3}_)([0-9A-Za-z]{20,})$/;
/** The fewest digits of an id that are shown. */
const FEWEST = 6;

const UNITS: Units = { bytes: bytesText };

const thousands = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

function isTime(value: unknown): value is string {
	return typeof value === "string" && TIME.test(value);
}

/** The value as it stands in a table: ages and units in short, unless all of it is to be shown. */
export function shownCell<T>(column: Column<T>, row: T, nowMs: number, isWide: boolean): string {
	const value = column.value(row);
	if (isTime(value)) return isWide ? withoutFraction(value) : ageText(value, nowMs);
	if (typeof value === "number" && BYTES.test(column.name)) return bytesText(value);
	return textOf(column, row);
}

function textOf<T>(column: Column<T>, row: T): string {
	return column.shown === undefined ? cell(column, row) : printableLine(cellText(column.shown(row, UNITS)));
}

/** The value where it has a line of its own: exact, and in words beside it. */
export function fullValue<T>(column: Column<T>, row: T, nowMs: number): string {
	const value = column.value(row);
	if (isTime(value)) return `${withoutFraction(value)} (${ageText(value, nowMs)})`;
	if (typeof value === "number" && BYTES.test(column.name) && value >= 1000)
		return `${bytesText(value)} (${thousands.format(value)} bytes)`;
	return textOf(column, row);
}

function withoutFraction(time: string): string {
	return time.replace(/\.\d+Z$/, "Z");
}

/** Ids as short as they can be without two of them looking the same; texts of another form as they are. */
export function shortIds(texts: readonly string[]): readonly string[] {
	const ids = new Set(texts.filter((text) => ID.test(text)));
	const length = [...Array(20).keys()].map((extra) => FEWEST + extra).find((digits) => areTold(ids, digits));
	return texts.map((text) => {
		const [, prefix = "", digits = ""] = ID.exec(text) ?? [];
		if (digits === "" || length === undefined || digits.length <= length + 1) return text;
		return `${prefix}…${digits.slice(-length)}`;
	});
}

function areTold(ids: ReadonlySet<string>, digits: number): boolean {
	return new Set([...ids].map((id) => id.slice(0, 4) + id.slice(-digits))).size === ids.size;
}
