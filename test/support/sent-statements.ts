import { appendFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/*
 * Loaded before every test (bunfig.toml). With SVC_TEST_STATEMENTS=<folder> each text of SQL that this process sends to a database file is
 * written there once: what house/statements.ts looks at afterwards.
 */

interface Driver {
	readonly prototype: { prepare(this: unknown, sql: string): unknown };
}

const folder = process.env.SVC_TEST_STATEMENTS;
if (folder) record(folder);

function record(into: string): void {
	mkdirSync(into, { recursive: true });
	const file = join(into, `${process.pid}.jsonl`);
	const seen = new Set<string>();
	// Both ways to the database, the reader's and the writer's, prepare each statement here.
	const here = createRequire(join(import.meta.dirname, "../../packages/base/database/file/kept-reader.ts"));
	const { prototype } = here("libsql") as Driver;
	const { prepare } = prototype;
	prototype.prepare = function (sql) {
		const statement = prepare.call(this, sql);
		if (!seen.has(sql)) {
			seen.add(sql);
			appendFileSync(file, `${JSON.stringify(sql)}\n`);
		}
		return statement;
	};
}
