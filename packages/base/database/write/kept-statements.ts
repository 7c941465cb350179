import { is, Param, Placeholder, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";

/*
 * To build the text of a statement costs more than to run it. Those of the changes that are made most often are built once, with a place for each
 * value, and then only filled.
 */

type Values = Readonly<Record<string, unknown>>;

/** What stands in a text for each value. */
export type Places<Known> = { readonly [Name in keyof Known]-?: Placeholder };

interface Text {
	readonly part: SQL;
	readonly sql: string;
	/** The value of each place, as the driver takes it. */
	readonly fills: readonly ((values: Values) => unknown)[];
}

/** A statement whose text was built before, with its values. */
export interface FilledStatement extends SQLWrapper {
	readonly sql: string;
	readonly args: readonly unknown[];
}

export function isFilled(statement: SQLWrapper): statement is FilledStatement {
	return "args" in statement && "sql" in statement;
}

/**
 * A statement that is built once for each of its shapes. `getSQL` of what it makes has no values: it is a statement of its own, and no part of another one.
 * @param build makes the statement of what stands for the values, all of them the first time. It looks at nothing else but the shape, of which there are a few hundred at
 * most. A value beside no column of the builder goes to the driver as it is
 */
export function keptStatement<Known extends object, Shape extends readonly (string | boolean)[] = []>(
	build: (at: Places<Known>, ...shape: Shape) => SQLWrapper,
): (values: Known, ...shape: Shape) => FilledStatement {
	const texts = new Map<string, Text>();
	return (values, ...shape) => {
		const name = shape.join(" ");
		let text = texts.get(name);
		if (!text) {
			const places = Object.keys(values).map((value) => [value, sql.placeholder(value)]);
			text = textOf(build(Object.fromEntries(places), ...shape).getSQL());
			texts.set(name, text);
		}
		const { part, sql: filled, fills } = text;
		return { sql: filled, args: fills.map((fill) => fill(values as Values)), getSQL: () => part };
	};
}

const dialect = new SQLiteAsyncDialect();

function textOf(part: SQL): Text {
	const { sql: text, params } = dialect.sqlToQuery(part);
	return { part, sql: text, fills: params.map(fillOf) };
}

function fillOf(param: unknown): Text["fills"][number] {
	if (is(param, Placeholder)) return (values) => given(values, param);
	if (!is(param, Param) || !is(param.value, Placeholder)) return () => param;
	const { encoder, value: place } = param;
	return (values) => {
		const value = given(values, place);
		return value === null ? null : encoder.mapToDriverValue(value);
	};
}

function given(values: Values, { name }: Placeholder): unknown {
	const value = values[name];
	if (value === undefined) throw new Error(`A statement has no value for ${name}.`);
	return value;
}
