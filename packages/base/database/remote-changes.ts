import { type ChangeLineOptions, changeLine, type Going } from "./change-line.ts";
import { retryBusy } from "./connection.ts";
import { databaseError } from "./fault.ts";
import { type Batch, changeOf, type Ended, type Found, type Statement, type Value } from "./hrana.ts";
import type { RemoteWriter } from "./remote-writer.ts";

/** A server answers BUSY while others write, and while it moves its log. */
const SERVER_BUSY_MS = 3_000;
const NUMBER_BYTES = 16;

type Change = Going<Batch, readonly Found[]>;

/**
 * Makes the changes of one process at a libSQL server. While one is on its way, those that come wait, and then go together in one transaction:
 * there a commit costs more than most changes. Each is kept or refused by itself, and nobody hears of a change before all of them are kept.
 * @returns what each statement returned @throws DatabaseError as for one that went alone
 */
export function remoteChanges(
	writer: Pick<RemoteWriter, "change" | "group">,
	options: Omit<ChangeLineOptions<Batch>, "sizeOf"> = {},
): (statements: readonly Statement[]) => Promise<readonly Found[]> {
	async function alone({ change, answer }: Change): Promise<void> {
		await patiently(() => writer.change(change)).then(answer.resolve, answer.reject);
	}

	async function together(going: readonly Change[]): Promise<void> {
		const changes = going.map(({ change }) => change);
		let ended: readonly Ended[];
		try {
			ended = await patiently(() => writer.group(changes));
		} catch (cause) {
			for (const { answer } of going) answer.reject(cause);
			return;
		}
		const again: Change[] = [];
		for (const [place, one] of going.entries()) {
			if (!tell(one, ended[place])) again.push(one);
		}
		for (const one of again) await alone(one);
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
function tell({ answer }: Change, ended: Ended | undefined): boolean {
	if (ended?.found) answer.resolve(ended.found);
	else if (ended?.fault) answer.reject(databaseError(ended.fault));
	else return false;
	return true;
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
