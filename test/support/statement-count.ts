import { AsyncLocalStorage } from "node:async_hooks";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Database } from "@svc/base/database/client";
import { sql } from "drizzle-orm";

/* What a request asks of a database file: each statement that is run for it, in the order of the runs. */

interface Driver {
	readonly prototype: { prepare(this: unknown, sql: string): { all(rows: unknown[]): unknown } };
}

const counted = new AsyncLocalStorage<string[]>();
let isHeard = false;

/** The texts of the statements that `work` runs, but for those that ask SQLite about others; nothing of what runs in the background meanwhile. */
export async function statementsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
	const texts: string[] = [];
	await counted.run(texts, work);
	return texts.filter((text) => !/^(EXPLAIN|SELECT rootpage)/.test(text));
}

/** To be called before the database is opened: each statement is prepared once, and kept. */
export function hearStatements(): void {
	if (isHeard) return;
	isHeard = true;
	const here = createRequire(join(import.meta.dirname, "../../packages/base/database/file/kept-reader.ts"));
	const { prototype } = here("libsql") as Driver;
	const { prepare } = prototype;
	prototype.prepare = function (text) {
		const statement = prepare.call(this, text);
		const { all } = statement;
		statement.all = function (values) {
			counted.getStore()?.push(text);
			return all.call(this, values);
		};
		return statement;
	};
}

/** Lets nothing count that was kept of the database: a change of which nobody can tell what it touches. */
export async function forgetKept(database: Database): Promise<void> {
	const steps = ["CREATE TABLE forgotten (a INTEGER)", "DROP TABLE forgotten"];
	await database.write(steps.map((text) => ({ run: sql.raw(text) })));
}
