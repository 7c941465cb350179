import { fileURLToPath } from "node:url";
import { DatabaseError } from "../../database-error.ts";
import type { DatabaseOptions } from "../client.ts";
import { codeOf } from "../fault.ts";
import { timed } from "../queries.ts";
import { changeLine, type Going } from "../write/change-line.ts";
import type { Statement } from "../write/change-statements.ts";
import { retryBusy } from "../write/retry-busy.ts";
import type { Change } from "../write/write.ts";
import { changingConnection } from "./changing-connection.ts";
import { bindable } from "./handle.ts";
import type { ChangeEnd } from "./transaction.ts";

/*
 * All changes of a file go through one connection. Their statements run on the thread that answers requests, where they take some microseconds each; their commit waits
 * for the disk on a thread of the driver. What comes meanwhile goes together into the next transaction, and shares its commit.
 */

export interface FileWriter {
	/** Makes a change, whole or not at all. @returns what each statement returned @throws DatabaseError */
	change(statements: readonly Statement[], name: string): Promise<Change>;
	/** Runs a statement that is none of a change, when its place in the line has come. Nothing is changed meanwhile. @throws DatabaseError */
	alone(sql: string): Promise<void>;
	/** Ends when all that was begun has ended; nothing begins afterwards. */
	close(): Promise<void>;
}

interface FileWriterOptions extends Pick<DatabaseOptions, "onFull" | "onSlow"> {
	readonly url: string;
	readonly pragmas: readonly string[];
	/** How long an operation waits for another process that locks the file, its place in the line included. */
	readonly busyTimeoutMs: number;
}

/** What stands in the line: a change, or a statement that goes by itself. */
interface Work {
	readonly statements: readonly Statement[];
	readonly name: string;
	readonly isChange: boolean;
	readonly untilMs: number;
}

type Place = Going<Work, Change>;

const GROUP_MAX = 64;
/** What is changed together keeps what waits for it waiting. */
const GROUP_STATEMENTS_MAX = 500;

/** Changes of a file, in one line. */
export function fileWriter({ url, pragmas, busyTimeoutMs, onFull, onSlow }: FileWriterOptions): FileWriter {
	const connection = changingConnection(fileURLToPath(url), pragmas);
	let isClosed = false;

	async function endsOf(works: readonly Work[]): Promise<readonly ChangeEnd[]> {
		const [first] = works;
		if (!first) return [];
		return await timed(first.name, onSlow, async () => {
			if (first.isChange) return await connection.change(works.map(({ statements }) => statements));
			await connection.alone(first.name);
			return [{ rows: [] }];
		});
	}

	async function alone(place: Place): Promise<void> {
		const work = () => retryBusy(() => endsOf([place.change]), place.change.untilMs);
		try {
			const [ended] = await fitted(work, onFull);
			tell(place, ended);
		} catch (error) {
			place.answer.reject(error);
		}
	}

	async function together(going: readonly Place[]): Promise<void> {
		let left = going;
		const work = async () => {
			try {
				return await endsOf(left.map(({ change }) => change));
			} catch (error) {
				if (codeOf(error) === "SQLITE_BUSY") left = patientOf(left);
				throw error;
			}
		};
		const untilMs = Math.max(...going.map(({ change }) => change.untilMs));
		try {
			const ended = await fitted(() => retryBusy(work, untilMs), onFull);
			for (const [place, one] of left.entries()) tell(one, ended[place]);
		} catch {
			// Nothing of it was kept, and it may be one change's doing: each has its own answer.
			for (const one of left) await alone(one);
		}
	}

	const inLine = changeLine<Work, Change>(
		async (going) => {
			const [first] = going;
			if (first && going.length === 1) await alone(first);
			else await together(going);
		},
		{ groupMax: GROUP_MAX, sizeMax: GROUP_STATEMENTS_MAX, sizeOf },
	);

	async function enqueue(work: Omit<Work, "untilMs">): Promise<Change> {
		if (isClosed) throw new Error("This database is closed.");
		return await inLine({ ...work, untilMs: performance.now() + busyTimeoutMs });
	}

	return {
		change: async (statements, name) => await enqueue({ statements: statements.map(bound), name, isChange: true }),
		async alone(sql) {
			await enqueue({ statements: [], name: sql, isChange: false });
		},
		async close() {
			if (isClosed) return;
			const last = enqueue({ statements: [], name: "PRAGMA wal_checkpoint(TRUNCATE)", isChange: false });
			isClosed = true;
			// A log that cannot be emptied now is read at the next start; nothing in it is lost.
			await last.catch(() => undefined);
			connection.close();
		},
	};
}

/** Those that may wait for another process longer; the others hear that it locks the file. */
function patientOf(places: readonly Place[]): readonly Place[] {
	const now = performance.now();
	return places.filter(({ change, answer }) => {
		const isPatient = change.untilMs >= now;
		if (!isPatient) answer.reject(new DatabaseError("SQLITE_BUSY", "no", undefined));
		return isPatient;
	});
}

/** What goes by itself is larger than any group. */
function sizeOf({ statements, isChange }: Work): number {
	return isChange ? statements.length : Number.POSITIVE_INFINITY;
}

function tell({ answer }: Place, ended: ChangeEnd | undefined): void {
	if (ended && "rows" in ended) answer.resolve(ended.rows);
	else answer.reject(ended?.error);
}

/** A full disk keeps no part of a change, so it can be tried again once there is space. Nothing else runs meanwhile: it would not fit either. */
async function fitted<T>(work: () => Promise<T>, onFull: DatabaseOptions["onFull"]): Promise<T> {
	try {
		return await work();
	} catch (error) {
		const full = error instanceof DatabaseError && error.code === "SQLITE_FULL";
		if (!(full && (await onFull?.()))) throw error;
		return await work();
	}
}

/** A value that no database keeps is refused before it stands in the line. @throws RangeError @throws TypeError */
function bound({ sql, args }: Statement): Statement {
	return { sql, args: args.map(boundValue) };
}

function boundValue(value: unknown): unknown {
	if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError("A number that SQLite cannot keep.");
	if (value === undefined) throw new TypeError("A value that is missing.");
	return bindable(value instanceof ArrayBuffer ? new Uint8Array(value) : value);
}
