import type { ChangeStatement } from "../change-statements.ts";
import { ChangeMarks, type Changes } from "../changes.ts";
import type { FileReader } from "./kept-reader.ts";
import { TablesByText } from "./statement-tables.ts";

export interface FileChanges extends Changes {
	/** Makes a change; notes what it touches before and after it. */
	making<T>(statements: readonly ChangeStatement[], make: () => Promise<T>): Promise<T>;
}

/** The changes of a file that this process owns. */
export function fileChanges(reader: Pick<FileReader, "rowsOnce">): FileChanges {
	const marks = new ChangeMarks();
	const tables = new TablesByText(reader);

	/** @throws Error where a statement changes nothing and does not say that it looks: a server would not give what it returns. */
	function writtenBy({ sql, kind }: ChangeStatement): ReadonlySet<string> | undefined {
		const { reads, writes } = tables.of(sql);
		if (writes?.size === 0 && reads.size > 0 && kind !== "look")
			throw new Error(`This step is a look, and does not say so: ${sql}`);
		return writes;
	}

	return {
		now: () => marks.now(),
		isAsRead: (reads, at) => marks.isAsRead(reads, at),
		readBy(sql, rows) {
			const { reads } = tables.of(sql);
			return reads.size === 0 ? undefined : marks.reads(reads, rows);
		},
		async making(statements, make) {
			// While nothing is kept nobody asks: migrations change the schema with each statement.
			const touched = marks.isUsed
				? statements.flatMap((statement) => marks.written(writtenBy(statement), statement.rows))
				: marks.written(undefined);
			// What is read meanwhile is neither from before nor from after.
			marks.raise(touched);
			try {
				return await make();
			} finally {
				marks.raise(touched);
			}
		},
	};
}
