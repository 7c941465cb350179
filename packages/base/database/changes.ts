import type { Rows } from "./rows.ts";

/** When something was last changed. */
interface Mark {
	at: number;
}

/** What something kept was made of. */
export type Reads = readonly Mark[];

/** What is known of a database's changes, so that what was read can be kept until it is another. */
export interface Changes {
	/** A number that grows with each change: to be taken before that is read which is to be kept. */
	readonly now: () => number;
	/**
	 * What a query reads, for {@link Changes.isAsRead}: its tables, of those that `rows` names these rows alone. Undefined where it cannot be told: nothing of
	 * it may be kept.
	 */
	readonly readBy: (sql: string, rows?: readonly Rows[]) => Reads | undefined;
	/** Whether nothing of it has changed since {@link Changes.now} was `at`. */
	readonly isAsRead: (reads: Reads, at: number) => boolean;
}

/** So many marks are kept for the rows of a table; rows that share one are taken for changed together. */
const ROW_MARKS = 4_096;

interface TableMarks {
	/** Any row. */
	readonly any: Mark;
	/** All rows, or some that nobody has named. */
	readonly all: Mark;
	/** By the hash of a row's name. */
	readonly rows: Map<number, Mark>;
}

/** When each table, and of some tables each row, was last changed. Numbers of one process, which makes all changes. */
export class ChangeMarks {
	readonly #tables = new Map<string, TableMarks>();
	/** Of changes of which nobody knows what they touch. */
	readonly #everything: Mark = { at: 0 };
	#now = 0;

	/** Whether anybody keeps anything. */
	get isUsed(): boolean {
		return this.#tables.size > 0;
	}

	readonly now = (): number => this.#now;

	readonly isAsRead = (reads: Reads, at: number): boolean => {
		for (const mark of reads) if (mark.at > at) return false;
		return true;
	};

	reads(tables: Iterable<string>, rows: readonly Rows[] = []): Reads {
		const reads = [this.#everything];
		for (const table of tables) {
			const { any, all } = this.#of(table);
			const names = namesIn(table, rows);
			if (names) reads.push(all, ...names.map((name) => this.#row(table, name)));
			else reads.push(any);
		}
		return reads;
	}

	/** What a statement touches of these tables; of any where they are not known. */
	written(tables: Iterable<string> | undefined, rows: readonly Rows[] = []): Reads {
		if (!tables) return [this.#everything];
		return Array.from(tables).flatMap((table) => {
			const { any, all } = this.#of(table);
			const names = namesIn(table, rows);
			if (!names) return [any, all];
			return names.length === 0 ? [] : [any, ...names.map((name) => this.#row(table, name))];
		});
	}

	/** Raised before a change and after it: what is read meanwhile is of neither. */
	raise(marks: Reads): void {
		this.#now += 1;
		for (const mark of marks) mark.at = this.#now;
	}

	#of(table: string): TableMarks {
		const known = this.#tables.get(table);
		if (known) return known;
		const fresh = { any: { at: 0 }, all: { at: 0 }, rows: new Map<number, Mark>() };
		this.#tables.set(table, fresh);
		return fresh;
	}

	#row(table: string, name: number | string): Mark {
		const { rows } = this.#of(table);
		const place = placeOf(String(name));
		const known = rows.get(place) ?? { at: 0 };
		rows.set(place, known);
		return known;
	}
}

/** Undefined where the table's rows are not told apart. */
function namesIn(table: string, rows: readonly Rows[]): readonly (number | string)[] | undefined {
	const its = rows.filter((one) => one.table === table);
	return its.length === 0 ? undefined : its.flatMap(({ names }) => names);
}

function placeOf(name: string): number {
	let hash = 0;
	for (let place = 0; place < name.length; place += 1) hash = (Math.imul(hash, 31) + name.charCodeAt(place)) | 0;
	return (hash >>> 0) % ROW_MARKS;
}
