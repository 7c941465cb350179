import type { SQLWrapper } from "drizzle-orm";
import type { OfRequest } from "./request-claims.ts";
import type { Rows } from "./rows.ts";

/**
 * One statement of a change. A guard names the cause of refusal when the statement does not touch exactly one row; then no part
 * of the change is kept.
 */
export interface Step<Cause extends string = never> {
	readonly run: SQLWrapper | OfRequest;
	readonly guard?: Cause;
	readonly kind?: StepKind;
	/** Of which tables it changes these rows alone: what is kept of others stays. Of the other tables that SQLite says it writes it may change any. */
	readonly rows?: readonly Rows[];
}

/**
 * What a step is where that makes a difference to a database server: a look changes nothing and returns what the steps before it have left; an update
 * finds its row by all that its guard asks for, and changes nothing but this row; a turn is that of `remote/turns.ts`.
 */
export type StepKind = "look" | "turn" | "update";
