import { ChangeMarks, type Changes } from "../changes.ts";
import type { ChangeStatement } from "../write/change-statements.ts";
import type { FileReader } from "./kept-reader.ts";
import { TablesByText } from "./statement-tables.ts";

interface FileChanges extends Changes {
	/** Makes a change; notes what it touches before and after it. */
	making<T>(statements: readonly ChangeStatement[], make: () => Promise<T>): Promise<T>;
}

/** The changes of a file that this process owns. */
export function fileChanges(reader: Pick<FileReader, "rowsOnce">): FileChanges {
	const marks = new ChangeMarks();
	const tables = new TablesByText(reader);

	return {
		now: marks.now,
		isAsRead: marks.isAsRead,
		readBy(sql, rows) {
			const { reads, writes } = tables.of(sql);
			// A table that has no name here could change unseen.
			return reads.size === 0 || !writes ? undefined : marks.reads(reads, rows);
		},
		async making(statements, make) {
			// While nothing is kept nobody asks: migrations change the schema with each statement.
			const touched = marks.isUsed
				? statements.flatMap(({ sql, rows }) => marks.written(tables.of(sql).writes, rows))
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
