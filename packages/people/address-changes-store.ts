import type { Actor } from "@svc/base/actor";
import { auditEach } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import { addressChanges, passkeys, sessions } from "@svc/base/database/schema/people";
import { rowCondition, statements, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { and, desc, eq, gt, isNull, ne, type SQL, sql } from "drizzle-orm";
import { alias, type SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { AddressChange } from "./address-change.ts";
import { removePasskeySteps } from "./passkeys/passkeys-store.ts";

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
		/** The changes of an account that are still remembered, newest first. */
		async list(accountPk: number): Promise<readonly AddressChange[]> {
			const own = eq(addressChanges.accountPk, accountPk);
			return await read(() => queries.select().from(addressChanges).where(own).orderBy(desc(addressChanges.createdMs)));
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

async function undo(
	{ write }: Database,
	{ ref, accountPk }: AddressChange,
	by: Omit<Actor, "actor">,
): Promise<"used" | undefined> {
	const { refused } = await write([
		rowCondition(addressChanges.newEmail, isOpen(ref, accountPk, by.nowMs), "used"),
		...restoreSteps(ref, accountPk, by),
		endAllSteps(accountPk, by.nowMs),
	]);
	return refused;
}

/** Whether a change can still be taken back. */
function isOpen(ref: string, accountPk: number, nowMs: number): SQL {
	const other = alias(accounts, "other");
	const taken = sql`SELECT 1 FROM ${accounts} AS ${other}
		WHERE ${other.emailNorm} = ${addressChanges.oldEmailNorm} AND ${other.pk} <> ${accountPk}`;
	return sql`${addressChanges.ref} = ${ref} AND ${addressChanges.undoneMs} IS NULL
		AND ${addressChanges.untilMs} > ${nowMs} AND NOT EXISTS (${taken})`;
}

/**
 * Gives the old address back, takes later changes back with it, and removes passkeys that were added since; nothing happens where the change
 * was taken back before.
 */
export function restoreSteps(
	ref: string,
	accountPk: number,
	{ requestId, nowMs }: Omit<Actor, "actor">,
): readonly Step[] {
	const of = (column: SQLiteColumn) =>
		sql`(SELECT ${column} FROM ${addressChanges} WHERE ${addressChanges.ref} = ${ref})`;
	const open = sql`EXISTS (SELECT 1 FROM ${addressChanges} WHERE ${isOpen(ref, accountPk, nowMs)})`;
	const theirs = sql`${accounts.pk} = ${accountPk} AND ${accounts.status} <> 'deleting' AND ${open}`;
	const restored = {
		email: of(addressChanges.oldEmail),
		emailNorm: of(addressChanges.oldEmailNorm),
		verifiedMs: nowMs,
	};
	const later = sql`${addressChanges.accountPk} = ${accountPk} AND ${addressChanges.undoneMs} IS NULL
		AND ${addressChanges.createdMs} >= ${of(addressChanges.createdMs)}`;
	const entry = { atMs: nowMs, actor: accounts.id, appPk: null, event: "account.email_restored", target: accounts.id };
	const since = sql`${passkeys.accountPk} = ${accountPk} AND ${passkeys.createdMs} >= ${of(addressChanges.createdMs)} AND ${open}`;
	const actor = sql`(SELECT ${accounts.id} FROM ${accounts} WHERE ${accounts.pk} = ${accountPk})`;
	return [
		...removePasskeySteps(since, { actor, requestId, nowMs }),
		updateStep(accounts, restored, theirs),
		{
			run: auditEach(
				{ ...entry, requestId },
				sql`FROM ${accounts} WHERE ${accounts.pk} = ${accountPk} AND changes() > 0`,
			),
		},
		updateStep(addressChanges, { undoneMs: nowMs }, later),
	];
}
