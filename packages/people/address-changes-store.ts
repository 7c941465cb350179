import { auditEach } from "@svc/base/database/audit";
import type { Database, Step } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import { addressChanges, sessions } from "@svc/base/database/schema/people";
import { statements, updateStep } from "@svc/base/database/statements";
import { and, eq, gt, gte, isNull, ne, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { AddressChange } from "./address-changes.ts";

export function addressChangeStore(database: Database) {
	const { queries, read } = database;
	return {
		/** Undefined once its time is over. */
		async find(ref: string, nowMs: number): Promise<AddressChange | undefined> {
			const open = and(eq(addressChanges.ref, ref), gt(addressChanges.untilMs, nowMs));
			const [row] = await read(() => queries.select().from(addressChanges).where(open));
			return row;
		},
		/** The change by which an address was given up that is still kept for its account; undefined while an account has it. */
		async findGivenUp(emailNorm: string, nowMs: number): Promise<AddressChange | undefined> {
			const [row] = await read(() =>
				queries
					.select()
					.from(addressChanges)
					.where(
						sql`${addressChanges.ref} IN (${givenUp(emailNorm, nowMs)}) AND NOT EXISTS
							(SELECT 1 FROM ${accounts} WHERE ${accounts.emailNorm} = ${emailNorm})`,
					)
					.orderBy(addressChanges.createdMs)
					.limit(1),
			);
			return row;
		},
		/** "used" when it was taken back before. */
		undo: undo.bind(null, database),
	};
}

/** The open changes by which an address was given up. */
export function givenUp(emailNorm: string | SQL, nowMs: number): SQL {
	return sql`SELECT ${addressChanges.ref} FROM ${addressChanges} WHERE ${addressChanges.oldEmailNorm} = ${emailNorm}
		AND ${addressChanges.undoneMs} IS NULL AND ${addressChanges.untilMs} > ${nowMs}`;
}

/** Whether an account gave up an address so lately that the way back to it must stay open. */
export function hasWayBack(accountPk: number | SQL, nowMs: number): SQL {
	return sql`EXISTS (SELECT 1 FROM ${addressChanges} WHERE ${addressChanges.accountPk} = ${accountPk}
		AND ${addressChanges.undoneMs} IS NULL AND ${addressChanges.untilMs} > ${nowMs})`;
}

/** Remembers a change for as long as it can be taken back. */
export function addressChangeEntry(change: AddressChange & { readonly oldEmailNorm: string }): Step {
	return { run: statements.insert(addressChanges).values(change) };
}

/** All sessions and tokens of an account end, but the one that is named. */
export function endAllSteps(accountPk: number, nowMs: number, except?: string): Step {
	const others = except === undefined ? undefined : ne(sessions.id, except);
	const live = and(eq(sessions.accountPk, accountPk), isNull(sessions.revokedMs), others);
	return updateStep(sessions, { revokedMs: nowMs }, live);
}

async function undo({ write }: Database, change: AddressChange, requestId: string, nowMs: number) {
	const { refused } = await write(undoSteps(change, requestId, nowMs));
	return refused;
}

/** What giving the old address back consists of; passkeys that were added since are to end here as well, where there are any. */
function undoSteps(change: AddressChange, requestId: string, nowMs: number): readonly Step<"used">[] {
	const { ref, accountPk, oldEmail, createdMs } = change;
	const open = and(eq(addressChanges.ref, ref), isNull(addressChanges.undoneMs), gt(addressChanges.untilMs, nowMs));
	const later = and(
		eq(addressChanges.accountPk, accountPk),
		gte(addressChanges.createdMs, createdMs),
		isNull(addressChanges.undoneMs),
	);
	const other = alias(accounts, "other");
	const free = sql`NOT EXISTS (SELECT 1 FROM ${accounts} AS ${other}
		WHERE ${other.emailNorm} = ${addressChanges.oldEmailNorm} AND ${other.pk} <> ${accountPk})`;
	const theirs = and(eq(accounts.pk, accountPk), ne(accounts.status, "deleting"));
	const emailNorm = sql`(SELECT ${addressChanges.oldEmailNorm} FROM ${addressChanges} WHERE ${addressChanges.ref} = ${ref})`;
	const entry = { atMs: nowMs, actor: accounts.id, appPk: null, event: "account.email_restored", target: accounts.id };
	return [
		updateStep(addressChanges, { undoneMs: nowMs }, and(open, free), "used"),
		updateStep(addressChanges, { undoneMs: nowMs }, later),
		updateStep(accounts, { email: oldEmail, emailNorm, verifiedMs: nowMs }, theirs, "used"),
		endAllSteps(accountPk, nowMs),
		{ run: auditEach({ ...entry, requestId }, sql`FROM ${accounts} WHERE ${accounts.pk} = ${accountPk}`) },
	];
}
