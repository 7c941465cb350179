import { storageFields, toApp } from "@svc/apps/team/memberships-store";
import type { Actor } from "@svc/base/actor";
import type { Span } from "@svc/base/cursors";
import { auditBy, auditOnChange } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps, storages } from "@svc/base/database/schema/apps";
import { connections } from "@svc/base/database/schema/connect";
import { keys } from "@svc/base/database/schema/keys";
import { sessions } from "@svc/base/database/schema/people";
import { uploadTickets } from "@svc/base/database/schema/tickets";
import { olderThan, rowCondition, statements, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import type { TicketState } from "@svc/base/enumerations";
import { newEvent } from "@svc/events/event-entries-store";
import { snapshotOf } from "@svc/events/snapshots-store";
import type { CallAccess } from "@svc/images/ports";
import { keyWrites, mayStillWrite, memberWrites } from "@svc/keys/authority-store";
import { and, asc, desc, eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import type { NewTicket, PlacedTicket, Ticket } from "./ticket.ts";

const { pk: _, hash: __, appPk, storagePk, maker, makerKind, endedMs, ...ticketKept } = getTableColumns(uploadTickets);

/** What an event keeps of a ticket: its row, but for what only the database uses. Its address is in no event. */
export { ticketKept };

export function ticketStore(database: Database) {
	return {
		/** One guarded commit. "full" while the App has `most` open ones, "closed" for a caller who may not write any more. */
		create: createTicket.bind(null, database),
		/** Undefined unless it is in that storage. */
		async find(storagePk: number, id: string, nowMs: number): Promise<Ticket | undefined> {
			const named = and(eq(uploadTickets.storagePk, storagePk), eq(uploadTickets.id, id));
			const [row] = await database.read(() => selectTickets(database, nowMs).where(named));
			return row && toTicket(row);
		},
		/** Newest first; of one state where it is named. */
		list: listTickets.bind(null, database),
		/** Finds the ticket of an address by the hash of its token. */
		findPlaced: findPlaced.bind(null, database),
		/** Cancels an open one; any other stays as it is. */
		async cancel({ pk, id }: Ticket, access: CallAccess, by: Actor): Promise<void> {
			const open = sql`${isOpen(pk)} AND ${uploadTickets.endedMs} > ${by.nowMs} AND ${mayStillWrite(access)}`;
			await database.write([
				updateStep(uploadTickets, { state: "cancelled", endedMs: by.nowMs }, open),
				{ run: auditOnChange(by, { appPk: access.app.pk, event: "upload_ticket.cancelled", target: id }) },
			]);
		},
		/** Notes a refused attempt on an open ticket, and cancels it where it was the last one that it allows. */
		async refuse(
			{ pk, id, appPk }: Ticket,
			failure: NonNullable<Ticket["failure"]>,
			most: number,
			by: Actor,
		): Promise<void> {
			const spent = sql`${isOpen(pk)} AND ${uploadTickets.attempts} >= ${most}`;
			const entry = { appPk, event: "upload_ticket.cancelled", target: id, changes: { attempts: most } };
			await database.write([
				updateStep(uploadTickets, { attempts: sql`${uploadTickets.attempts} + 1`, failure }, isOpen(pk)),
				updateStep(uploadTickets, { state: "cancelled", endedMs: by.nowMs }, spent),
				{ run: auditOnChange(by, entry) },
			]);
		},
		/** Writes down what has ended by its time; returns of how many. */
		async endDue(dueBeforeMs: number, nowMs: number, limit: number): Promise<number> {
			const due = sql`${uploadTickets.state} = 'open' AND ${uploadTickets.endedMs} <= ${dueBeforeMs}`;
			const some = statements
				.select({ pk: uploadTickets.pk })
				.from(uploadTickets)
				.where(due)
				.orderBy(asc(uploadTickets.endedMs))
				.limit(limit);
			const end = statements
				.update(uploadTickets)
				.set({ state: stateAt(nowMs) })
				.where(inArray(uploadTickets.pk, some))
				.returning({ pk: uploadTickets.pk });
			const { rows } = await database.write([{ run: end }]);
			return rows?.[0]?.length ?? 0;
		},
		/** Removes at most `limit` that ended before `beforeMs`; returns how many. */
		async forget(beforeMs: number, limit: number): Promise<number> {
			const over = sql`${uploadTickets.state} <> 'open' AND ${uploadTickets.endedMs} <= ${beforeMs}`;
			const some = statements
				.select({ pk: uploadTickets.pk })
				.from(uploadTickets)
				.where(over)
				.orderBy(asc(uploadTickets.endedMs))
				.limit(limit);
			const gone = statements
				.delete(uploadTickets)
				.where(inArray(uploadTickets.pk, some))
				.returning({ pk: uploadTickets.pk });
			const { rows } = await database.write([{ run: gone }]);
			return rows?.[0]?.length ?? 0;
		},
	};
}

const SNAPSHOT = sql`json_object('object', ${snapshotOf(ticketKept)})`;

function ofRow(pk: number): SQL {
	return sql`FROM ${uploadTickets} WHERE ${uploadTickets.pk} = ${pk}`;
}

/** The steps of an image's commit that use a ticket up. */
export function useSteps({ pk, id, appPk, userId, imageId }: Ticket, by: Actor): readonly Step<"withdrawn">[] {
	const used = { state: "used", usedMs: by.nowMs, endedMs: by.nowMs, failure: null } as const;
	const attempts = sql`${uploadTickets.attempts} + 1`;
	return [
		updateStep(uploadTickets, { ...used, attempts }, isOpen(pk), "withdrawn"),
		{ run: auditBy(by, { appPk, event: "upload_ticket.used", target: id, changes: { image: imageId } }) },
		newEvent(by, { type: "upload_ticket.used", appPk, userId, subject: id, data: SNAPSHOT }, ofRow(pk)),
	];
}

async function createTicket(
	{ write }: Database,
	ticket: NewTicket,
	hash: Uint8Array,
	access: CallAccess,
	most: number,
	by: Actor,
): Promise<"full" | "closed" | undefined> {
	const { appPk, storagePk } = ticket;
	const storage = sql`${storages.pk} = ${storagePk} AND ${storages.teamHash} = ${access.storage.teamHash}
		AND ${storages.state} = 'active' AND ${mayStillWrite(access)}`;
	const changes = { image: ticket.imageId, expiresMs: ticket.expiresMs, userId: ticket.userId };
	const { refused } = await write([
		rowCondition(storages.createdMs, storage, "closed"),
		rowCondition(apps.name, sql`${apps.pk} = ${appPk} AND ${hasRoom(appPk, most, by.nowMs)}`, "full"),
		{ run: statements.insert(uploadTickets).values({ ...ticket, hash }) },
		{ run: auditBy(by, { appPk, event: "upload_ticket.created", target: ticket.id, changes }) },
	]);
	return refused;
}

/** Those whose maker has lost their authority are looked at only where there would be no room otherwise. */
function hasRoom(appPk: number, most: number, nowMs: number): SQL {
	const open = sql`${uploadTickets.appPk} = ${appPk} AND ${uploadTickets.state} = 'open' AND ${uploadTickets.endedMs} > ${nowMs}`;
	const held = sql`SELECT count(*) FROM ${uploadTickets} WHERE ${open}`;
	return sql`((${held}) < ${most} OR (${held} AND ${makerWrites(nowMs)}) < ${most})`;
}

async function listTickets(
	database: Database,
	storagePk: number,
	{ limit, beforePk, state }: Span & { readonly state?: TicketState | undefined },
	nowMs: number,
): Promise<readonly Ticket[]> {
	const page = async (also: SQL | undefined) => {
		const where = and(eq(uploadTickets.storagePk, storagePk), also, olderThan(uploadTickets.pk, beforePk));
		const found = selectTickets(database, nowMs).where(where).orderBy(desc(uploadTickets.pk)).limit(limit);
		return (await database.read(() => found)).map(toTicket);
	};
	if (state === undefined) return await page(undefined);
	// Few rows say `open` that are not; each of the two reads goes along an index.
	const written = state === "open" ? [] : await page(eq(uploadTickets.state, state));
	const open = and(eq(uploadTickets.state, "open"), sql`${stateAt(nowMs)} = ${state}`);
	const derived = state === "used" ? [] : await page(open);
	return [...written, ...derived].sort((one, other) => other.pk - one.pk).slice(0, limit);
}

async function findPlaced(database: Database, hash: Uint8Array, nowMs: number): Promise<PlacedTicket | undefined> {
	const reachable = sql<number>`(${storages.kind} <> 'user' OR EXISTS (SELECT 1 FROM ${connections}
		JOIN ${accounts} ON ${accounts.pk} = ${connections.accountPk}
		WHERE ${connections.storagePk} = ${storages.pk} AND ${connections.state} = 'connected' AND ${accounts.status} = 'active'))`;
	const [row] = await database.read(() =>
		database.queries
			.select({ ticket: uploadTickets, now: stateAt(nowMs), app: apps, storage: storageFields, reachable })
			.from(uploadTickets)
			.innerJoin(apps, eq(apps.pk, uploadTickets.appPk))
			.innerJoin(storages, eq(storages.pk, uploadTickets.storagePk))
			.where(eq(uploadTickets.hash, hash)),
	);
	if (!row) return undefined;
	return { ticket: toTicket(row), app: toApp(row.app), storage: row.storage, isReachable: row.reachable === 1 };
}

function selectTickets({ queries }: Database, nowMs: number) {
	return (
		queries
			.select({ ticket: uploadTickets, now: stateAt(nowMs) })
			.from(uploadTickets)
			// A query of one table alone names its columns without it, and those of the conditions inside would be taken for others.
			.innerJoin(apps, eq(apps.pk, uploadTickets.appPk))
			.$dynamic()
	);
}

function isOpen(pk: number): SQL {
	return sql`${uploadTickets.pk} = ${pk} AND ${uploadTickets.state} = 'open'`;
}

/** The state as it is at a time, whatever the row says yet. */
function stateAt(nowMs: number): SQL<TicketState> {
	return sql<TicketState>`CASE WHEN ${uploadTickets.state} <> 'open' THEN ${uploadTickets.state}
		WHEN NOT ${makerWrites(nowMs)} THEN 'cancelled'
		WHEN ${uploadTickets.endedMs} <= ${nowMs} THEN 'expired' ELSE 'open' END`;
}

/** Whether the key or person whose authority a ticket has may still write. */
function makerWrites(nowMs: number): SQL {
	const { maker, makerKind, appPk } = uploadTickets;
	const key = sql`${keyWrites(maker)} AND EXISTS (SELECT 1 FROM ${keys}
		WHERE ${keys.id} = ${maker} AND (${keys.expiresMs} IS NULL OR ${keys.expiresMs} > ${nowMs}))`;
	const member = sql`${memberWrites(appPk, maker)} AND EXISTS (SELECT 1 FROM ${sessions}
		WHERE ${sessions.id} = ${maker} AND ${sessions.expiresMs} > ${nowMs})`;
	return sql`(CASE ${makerKind} WHEN 'key' THEN ${key} ELSE ${member} END)`;
}

interface TicketRow {
	readonly ticket: typeof uploadTickets.$inferSelect;
	readonly now: TicketState;
}

function toTicket({ ticket, now }: TicketRow): Ticket {
	return { ...ticket, state: now };
}
