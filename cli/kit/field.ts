import { UsageError } from "./exit.ts";

/**
 * The value at `a.b` inside `row`; undefined where a deeper part of the path is missing in this row.
 * @throws UsageError naming what there is, when the row has nothing of the path's first name.
 */
export function pick(row: unknown, field: string): unknown {
	const path = field.split(".");
	const found = find(row, path);
	const [first = ""] = path;
	if (found !== undefined || (isParts(row) && Object.hasOwn(row, first))) return found;
	const names = isParts(row) ? Object.keys(row) : [];
	throw new UsageError(`There is no field "${field}".`, names.length > 0 ? `Fields: ${names.join(", ")}` : undefined);
}

/** By own properties; the longest name wins, since label names may hold dots themselves. */
function find(value: unknown, path: readonly string[]): unknown {
	if (path.length === 0) return value;
	if (!isParts(value)) return undefined;
	for (let taken = path.length; taken > 0; taken--) {
		const name = path.slice(0, taken).join(".");
		if (Object.hasOwn(value, name)) return find(value[name], path.slice(taken));
	}
	return undefined;
}

function isParts(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null;
}
