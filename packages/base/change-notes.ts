import { AsyncLocalStorage } from "node:async_hooks";
import type { Database } from "./database/client.ts";
import { DatabaseError } from "./database-error.ts";

/* Whether a request has changed anything yet: what fails after its first change may not be told as what has changed nothing. */

export interface ChangeNote {
	/** True also where it is not known. */
	changed: boolean;
}

const notes = new AsyncLocalStorage<ChangeNote>();

/** Does the work of a request; what it changes is noted, here or at somebody else's. */
export function noting<T>(note: ChangeNote, work: () => Promise<T>): Promise<T> {
	return notes.run(note, work);
}

/** Something was changed that no failure takes back, such as a payment at its processor. */
export function noteChange(changed = true): void {
	const note = notes.getStore();
	if (note) note.changed = changed;
}

/** A database that notes what was changed for the request that wanted it. */
export function noted(database: Database): Database {
	return {
		...database,
		async write(steps) {
			try {
				const result = await database.write(steps);
				if (result.refused === undefined) noteChange();
				return result;
			} catch (error) {
				if (error instanceof DatabaseError && error.written === "unknown") noteChange();
				throw error;
			}
		},
	};
}
