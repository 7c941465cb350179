import type { FileReader } from "./kept-reader.ts";

/** The tables that a statement reads and writes, with those of its triggers and cascades. */
interface StatementTables {
	readonly reads: ReadonlySet<string>;
	/** Undefined where it may be any: it changes the schema, or is none that SQLite knows. */
	readonly writes: ReadonlySet<string> | undefined;
}

/** Texts that are known at once. Most changes are made by a few hundred. */
const TEXTS_MAX = 2_000;
/** What changes the schema, or a table that is none of the file's own. */
const OF_ANY: ReadonlySet<string> = new Set(["ParseSchema", "Destroy", "DropTable", "DropTrigger", "VUpdate"]);
const UNKNOWN: StatementTables = { reads: new Set(), writes: undefined };

type Instruction = readonly [place: number, code: string, p1: number, p2: number, p3: number];

/**
 * Asks SQLite which tables a statement is about, once for each text. Its program (EXPLAIN) opens each of them by its root page, also those of triggers and
 * of cascades that nobody sees in the text, so that none can be forgotten. SQLite has the same few instructions for it for decades; a table that cannot be told makes a
 * statement's tables any.
 */
export class TablesByText {
	readonly #reader: Pick<FileReader, "rowsOnce">;
	readonly #known = new Map<string, StatementTables>();

	constructor(reader: Pick<FileReader, "rowsOnce">) {
		this.#reader = reader;
	}

	of(sql: string): StatementTables {
		const known = this.#known.get(sql);
		if (known) return known;
		const found = this.#ask(sql);
		// Another schema has other triggers, which are in the programs of what is known by now.
		if (!found.writes || this.#known.size >= TEXTS_MAX) this.#known.clear();
		if (found.writes) this.#known.set(sql, found);
		return found;
	}

	#ask(sql: string): StatementTables {
		try {
			// The schema is read first: that makes the connection see the present one.
			const pages = new Map(
				this.#reader.rowsOnce("SELECT rootpage, tbl_name FROM sqlite_schema") as [number, string][],
			);
			return tablesOf(this.#reader.rowsOnce(`EXPLAIN ${sql}`) as unknown as Instruction[], pages);
		} catch {
			return UNKNOWN;
		}
	}
}

function tablesOf(program: readonly Instruction[], pages: ReadonlyMap<number, string>): StatementTables {
	const reads = new Set<string>();
	const writes = new Set<string>();
	let isAny = false;
	const add = (tables: Set<string>, page: number, database: number) => {
		const table = database === 0 ? pages.get(page) : undefined;
		if (table === undefined) isAny = true;
		else tables.add(table);
	};
	for (const [, code, p1, p2, p3] of program) {
		if (code === "OpenRead" || code === "ReopenIdx") add(reads, p2, p3);
		else if (code === "OpenWrite") add(writes, p2, p3);
		else if (code === "Clear") add(writes, p1, p2);
		else if (OF_ANY.has(code)) isAny = true;
	}
	return { reads, writes: isAny ? undefined : writes };
}
