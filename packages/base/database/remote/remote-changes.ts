import { DatabaseError } from "../../database-error.ts";
import { type ChangeLineOptions, changeLine, type Going } from "../write/change-line.ts";
import type { ChangeStatement } from "../write/change-statements.ts";
import { known, retryBusy } from "../write/retry-busy.ts";
import type { Ended } from "./change-groups.ts";
import { type ChangeBatch, changeOf, type Found, type Value } from "./hrana.ts";
import type { RemoteWriter } from "./remote-writer.ts";
import { Refusal } from "./server-streams.ts";

/** A server answers BUSY while others write, and while it moves its log. */
const SERVER_BUSY_MS = 3_000;
/** Longer than the server lets one keep others waiting: a second connection only makes its line longer. */
const PLACE_MS = 6_000;
const WAIT_MS = 5_000;
const NUMBER_BYTES = 16;
/** How often changes are made together, each time without those that were refused; the last time without programs. */
const TOGETHER_TRIES = 4;

type Change = Going<ChangeBatch, readonly Found[]>;

export interface RemoteChangesOptions extends Omit<ChangeLineOptions<ChangeBatch>, "sizeOf"> {
	/** For so long changes of one group begin to be tried alone, where they were not kept together: those that follow wait as well. */
	readonly aloneMs?: number;
}

/**
 * Makes the changes of one process at a libSQL server. While one is on its way, those that come wait, and then go together in one transaction:
 * there a commit costs more than most changes. Each is kept or refused by itself, and nobody hears of a change before all of them are kept.
 * They wait here and not in the server: there three connections that wait to write can leave an entry of a closed one in the server's own line (seen in
 * 0.24.32); when its place comes nobody takes it, and the server writes nothing more until it is started anew.
 * @returns what each statement returned @throws DatabaseError as for one that went alone
 */
export function remoteChanges(
	writer: Pick<RemoteWriter, "change" | "group">,
	{ aloneMs = SERVER_BUSY_MS, ...options }: RemoteChangesOptions = {},
): (statements: readonly ChangeStatement[]) => Promise<readonly Found[]> {
	async function alone({ change, answer }: Change): Promise<void> {
		await patiently(() => writer.change(change)).then(answer.resolve, answer.reject);
	}

	async function together(going: readonly Change[]): Promise<void> {
		const untilMs = performance.now() + aloneMs;
		for (const one of await leftOf(going)) {
			if (performance.now() < untilMs) await alone(one);
			else one.answer.reject(new DatabaseError("SQLITE_BUSY", "no", undefined));
		}
	}

	/** Makes them together, each time without those that were refused; returns those that are to be tried alone. */
	async function leftOf(going: readonly Change[]): Promise<readonly Change[]> {
		const apart = new Set<ChangeBatch>();
		let left = going;
		let isAgain = true;
		for (let tries = 1; isAgain && left.length > 1; tries += 1) {
			if (tries === TOGETHER_TRIES) for (const { change } of left) apart.add(change);
			const ended = await endedTogether(left, apart);
			left = left.filter((one, place) => !tell(one, ended[place] ?? "alone"));
			isAgain = ended.includes("together") && tries < TOGETHER_TRIES;
		}
		return left;
	}

	async function endedTogether(going: readonly Change[], apart: Set<ChangeBatch>): Promise<readonly Ended[]> {
		const changes = going.map(({ change }) => change);
		try {
			return await patiently(() => writer.group(changes, apart));
		} catch (cause) {
			const fail = () => {
				throw cause;
			};
			// What nobody could read may be so because of one of them.
			return going.map(() => (isUnread(cause) ? "alone" : fail));
		}
	}

	const inLine = changeLine<ChangeBatch, readonly Found[]>(
		(going) => {
			const [first] = going;
			return first && going.length === 1 ? alone(first) : together(going);
		},
		{ placeMs: PLACE_MS, waitMs: WAIT_MS, ...options, sizeOf },
	);
	// One that cannot be sent is refused here, and disturbs nobody.
	return async (statements) => await inLine(changeOf(statements));
}

/** False where it is to be tried again: nothing of it was kept. */
function tell({ answer }: Change, ended: Ended): boolean {
	if (typeof ended === "string") return false;
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
function sizeOf({ steps }: ChangeBatch): number {
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
