import { LibsqlBatchError } from "@libsql/client/sqlite3";
import type { SQLWrapper } from "drizzle-orm";
import { DatabaseError } from "../../database-error.ts";
import type { Row, WriteResult, Written } from "../client.ts";
import { CLAIM_LOST, type Claims, claimLost, claimOf } from "../request-claims.ts";
import type { Step } from "../step.ts";
import { type ChangeStatement, GUARD, statementOf } from "./change-statements.ts";

/** What each statement of a change returned. */
export type Change = readonly (readonly Row[])[];

/** Makes a change, as often as others are in its way. */
export type Writer = (change: {
	readonly statements: readonly ChangeStatement[];
	readonly name: string;
}) => Promise<Change>;

interface Writing {
	readonly writer: Writer;
	readonly claims: Claims;
}

/** Writes one change, whole or not at all. @throws DatabaseError @throws Failure idempotency_key_in_progress where its claim is lost */
export async function write<Cause extends string>(
	{ writer, claims }: Writing,
	steps: readonly Step<Cause>[],
): Promise<WriteResult<Cause>> {
	const batch = withClaim(toBatch(steps), claimOf(steps, claims));
	try {
		const results = await writer(batch);
		const rows = results.filter((_, place) => !batch.guards.has(place) && !batch.added.has(place));
		const written: Written = { refused: undefined, rows };
		return written as WriteResult<Cause>;
	} catch (error) {
		const refused = refusalOf(error, batch);
		if (refused === undefined) throw error;
		if (refused === CLAIM_LOST) throw claimLost(error);
		return { refused } as WriteResult<Cause>;
	}
}

interface Batch<Cause extends string> {
	readonly statements: readonly ChangeStatement[];
	/** The refusal cause of the guard at each index. */
	readonly guards: ReadonlyMap<number, Cause>;
	/** The places of statements that are none of the steps' own. */
	readonly added: ReadonlySet<number>;
	/** The first statement names the whole batch in reports. */
	readonly name: string;
}

function toBatch<Cause extends string>(steps: readonly Step<Cause>[]): Batch<Cause> {
	const statements: ChangeStatement[] = [];
	const guards = new Map<number, Cause>();
	for (const step of steps) {
		statements.push(statementOf(step));
		if (step.guard !== undefined) {
			guards.set(statements.length, step.guard);
			statements.push(GUARD);
		}
	}
	return { statements, guards, added: new Set(), name: statements[0]?.sql ?? "" };
}

/** The change of a request that holds a claim marks the claim as well, or is refused with it; what the change looks at in the end stays there. */
function withClaim<Cause extends string>(
	batch: Batch<Cause>,
	claim: SQLWrapper | undefined,
): Batch<Cause | typeof CLAIM_LOST> {
	if (claim === undefined) return batch;
	const { statements } = batch;
	const place = statements.findLastIndex(({ kind }) => kind !== "look") + 1;
	const marks = toBatch([{ run: claim, guard: CLAIM_LOST }]);
	const guards = new Map<number, Cause | typeof CLAIM_LOST>(batch.guards);
	for (const [mark, cause] of marks.guards) guards.set(place + mark, cause);
	const added = new Set(marks.statements.keys().map((mark) => place + mark));
	return { ...batch, guards, added, statements: statements.toSpliced(place, 0, ...marks.statements) };
}

function refusalOf<Cause extends string>(error: unknown, { guards }: Batch<Cause>): Cause | undefined {
	if (!(error instanceof DatabaseError) || error.code !== "SQLITE_CONSTRAINT") return undefined;
	return error.cause instanceof LibsqlBatchError ? guards.get(error.cause.statementIndex) : undefined;
}

// `rowsAffected` is always 0 for RETURNING, so rows are all that a caller gets to see.
export function asRows({
	columns,
	rows,
}: {
	readonly columns: readonly string[];
	readonly rows: readonly ArrayLike<unknown>[];
}) {
	return rows.map((row) => Object.fromEntries(columns.map((column, place) => [column, row[place]])));
}
