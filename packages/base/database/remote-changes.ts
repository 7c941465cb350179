import { DatabaseError } from "../database-error.ts";
import { type ChangeLineOptions, changeLine, type Going } from "./change-line.ts";
import { known, retryBusy } from "./connection.ts";
import { type Batch, changeOf, type Ended, type Found, type Statement, type Value } from "./hrana.ts";
import type { RemoteWriter } from "./remote-writer.ts";
import { Refusal } from "./server-streams.ts";

/** A server answers BUSY while others write, and while it moves its log. */
const SERVER_BUSY_MS = 3_000;
const NUMBER_BYTES = 16;

type Change = Going<Batch, readonly Found[]>;

export interface RemoteChangesOptions extends Omit<ChangeLineOptions<Batch>, "sizeOf"> {
	/** For so long changes of one group begin to be tried alone, where they were not kept together: those that follow wait as well. */
	readonly aloneMs?: number;
}

/**
 * Makes the changes of one process at a libSQL server. While one is on its way, those that come wait, and then go together in one transaction:
 * there a commit costs more than most changes. Each is kept or refused by itself, and nobody hears of a change before all of them are kept.
 * @returns what each statement returned @throws DatabaseError as for one that went alone
 */
export function remoteChanges(
	writer: Pick<RemoteWriter, "change" | "group">,
	{ aloneMs = SERVER_BUSY_MS, ...options }: RemoteChangesOptions = {},
): (statements: readonly Statement[]) => Promise<readonly Found[]> {
	async function alone({ change, answer }: Change): Promise<void> {
		await patiently(() => writer.change(change)).then(answer.resolve, answer.reject);
	}

	async function together(going: readonly Change[]): Promise<void> {
		const ended = await endedTogether(going);
		const again = going.filter((one, place) => !tell(one, ended[place]));
		const untilMs = performance.now() + aloneMs;
		for (const one of again) {
			if (performance.now() < untilMs) await alone(one);
			else one.answer.reject(new DatabaseError("SQLITE_BUSY", "no", undefined));
		}
	}

	async function endedTogether(going: readonly Change[]): Promise<readonly Ended[]> {
		try {
			return await patiently(() => writer.group(going.map(({ change }) => change)));
		} catch (cause) {
			const fail = () => {
				throw cause;
			};
			// What nobody could read may be so because of one of them.
			return going.map(() => (isUnread(cause) ? undefined : fail));
		}
	}

	const inLine = changeLine<Batch, readonly Found[]>(
		(going) => {
			const [first] = going;
			return first && going.length === 1 ? alone(first) : together(going);
		},
		{ ...options, sizeOf },
	);
	// One that cannot be sent is refused here, and disturbs nobody.
	return async (statements) => await inLine(changeOf(statements));
}

/** False where it is to be tried alone: nothing of it was kept. */
function tell({ answer }: Change, ended: Ended): boolean {
	if (!ended) return false;
	try {
		answer.resolve(ended());
	} catch (cause) {
		answer.reject(known(cause));
	}
	return true;
}

function isUnread(cause: unknown): boolean {
	return cause instanceof DatabaseError && cause.cause instanceof Refusal && cause.cause.isUnread;
}

function patiently<T>(work: () => Promise<T>): Promise<T> {
	return retryBusy(work, performance.now() + SERVER_BUSY_MS);
}

/** About the bytes that are sent. */
function sizeOf({ steps }: Batch): number {
	let bytes = 0;
	for (const { stmt } of steps) {
		bytes += stmt.sql.length;
		for (const arg of stmt.args) bytes += lengthOf(arg);
	}
	return bytes;
}

function lengthOf(value: Value): number {
	if (value.type === "text") return value.value.length;
	return value.type === "blob" ? value.base64.length : NUMBER_BYTES;
}
