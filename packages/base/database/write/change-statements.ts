import type { SQLWrapper } from "drizzle-orm";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import type { Step, StepKind } from "../step.ts";
import { isFilled } from "./kept-statements.ts";

export interface Statement {
	readonly sql: string;
	readonly args: readonly unknown[];
}

/** A statement of a change, with what its step says of it. */
export interface ChangeStatement extends Statement, Pick<Step, "rows"> {
	readonly kind?: StepKind | "guard" | undefined;
	/** The same text with a name for each value, as it stands in a larger statement; undefined where it cannot. */
	readonly named?: ((nameOf: (place: number) => string) => string) | undefined;
}

const dialect = new SQLiteAsyncDialect();

/** Refuses a change whose statement before it did not touch exactly one row: the NOT NULL column makes it fail. */
export const GUARD: ChangeStatement = {
	sql: "INSERT INTO guard SELECT NULL WHERE changes() <> 1",
	args: [],
	kind: "guard",
};

export function statementOf({ run, kind, rows }: Omit<Step, "guard">): ChangeStatement {
	const { sql, args } = isFilled(run) ? run : built(run);
	return { sql, args, kind, ...(rows && { rows }), named: (nameOf) => namedText(run, nameOf) };
}

function built(run: SQLWrapper): Statement {
	const { sql, params } = dialect.sqlToQuery(run.getSQL());
	return { sql, args: params };
}

/** The text of a part of SQL with a name for each of its values, by their places. */
export function namedText(part: SQLWrapper, nameOf: (place: number) => string): string {
	const naming = Object.assign(new SQLiteAsyncDialect(), { escapeParam: nameOf });
	return naming.sqlToQuery(part.getSQL()).sql;
}
