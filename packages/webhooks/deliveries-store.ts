import type { Actor } from "@svc/base/actor";
import type { Database } from "@svc/base/database/client";
import { ofRequest } from "@svc/base/database/request-claims";
import { apps } from "@svc/base/database/schema/apps";
import { events } from "@svc/base/database/schema/events";
import { webhookDeliveries, webhookEndpoints } from "@svc/base/database/schema/webhooks";
import { columns, olderThan, returned, statements, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { untilChanged } from "@svc/base/database/until-changed";
import type { WebhookDeliveryState } from "@svc/base/enumerations";
import { and, desc, eq, inArray, isNull, lt, type SQL, sql } from "drizzle-orm";
import type { ClaimedDelivery, EndpointDelivery } from "./deliveries.ts";
import type { Endpoint } from "./endpoint.ts";

export interface DeliveryPage {
	readonly limit: number;
	readonly beforePk?: number | undefined;
	readonly state?: WebhookDeliveryState | undefined;
	readonly eventId?: string | undefined;
	/** Undefined: of every type. */
	readonly types?: readonly string[] | undefined;
}

/** An endpoint that gets deliveries, with what they are signed with. */
export interface Receiver extends Pick<Endpoint, "pk" | "id" | "appPk" | "url" | "types"> {
	readonly appId: string;
	readonly secret: string;
	readonly oldSecret: string | null;
	readonly oldSecretUntilMs: number | null;
	readonly place: number;
}

/** @param process the id of this process: its claims end with it */
export function deliveryStore(database: Database, process: string) {
	const { queries, read, write } = database;
	const { pk: enabledPk, state } = webhookEndpoints;
	const enabled = queries
		.select({ enabledPk })
		.from(webhookEndpoints)
		.where(sql`${state} = 'enabled'`)
		.limit(1)
		.prepare();
	return {
		/** Whether any endpoint gets deliveries. With a file it is asked only where endpoints have changed. */
		hasReceivers: untilChanged<[], boolean>(database, {
			find: async () => (await read(() => enabled.all())).length > 0,
			sql: enabled.getQuery().sql,
			nameOf: () => "",
		}),
		/** The newest first. */
		list: (endpointPk: number, page: DeliveryPage) => findDeliveries(database, listed(endpointPk, page), page.limit),
		async find(endpointPk: number, id: string): Promise<EndpointDelivery | undefined> {
			const one = and(eq(webhookDeliveries.id, id), eq(webhookDeliveries.endpointPk, endpointPk));
			return (await findDeliveries(database, one, 1))[0];
		},
		async addTest(
			{ pk: endpointPk }: Endpoint,
			test: Pick<EndpointDelivery, "id" | "eventId" | "type" | "body">,
			{ nowMs, requestId }: Actor,
		): Promise<void> {
			const row = { ...test, endpointPk, state: "pending", nextMs: nowMs, createdMs: nowMs } as const;
			await write([{ run: ofRequest(requestId, statements.insert(webhookDeliveries).values(row)) }]);
		},
		/** The schedule begins anew; one that is tried at present goes on. */
		async again(pk: number, { nowMs, requestId }: Actor): Promise<void> {
			const set = { state: "pending", nextMs: nowMs, tries: 0 } as const;
			const its = eq(webhookDeliveries.pk, pk);
			await write([{ run: ofRequest(requestId, statements.update(webhookDeliveries).set(set).where(its)) }]);
		},
		/** The endpoints that get deliveries; of some Apps, or of all. */
		async listReceivers(appPks: readonly number[] | undefined): Promise<readonly Receiver[]> {
			const { pk, id, appPk, url, types, secret, oldSecret, oldSecretUntilMs, place } = webhookEndpoints;
			const fields = { pk, id, appPk, url, types, secret, oldSecret, oldSecretUntilMs, place, appId: apps.id };
			const some = appPks && inArray(appPk, [...appPks]);
			const enabled = and(sql`${webhookEndpoints.state} = 'enabled'`, isNull(apps.deletingMs), some);
			const select = queries.select(fields).from(webhookEndpoints).innerJoin(apps, eq(apps.pk, appPk));
			return await read(() => select.where(enabled));
		},
		/** The endpoints that have something due. */
		async listDue(nowMs: number): Promise<ReadonlySet<number>> {
			const due = sql`SELECT 1 FROM ${webhookDeliveries} INDEXED BY webhook_deliveries_due
				WHERE ${webhookDeliveries.endpointPk} = ${webhookEndpoints.pk} AND ${IS_PENDING} AND ${webhookDeliveries.nextMs} <= ${nowMs}`;
			const rows = await read(() =>
				queries
					.select({ pk: webhookEndpoints.pk })
					.from(webhookEndpoints)
					.where(sql`${webhookEndpoints.state} = 'enabled' AND EXISTS (${due})`),
			);
			return new Set(rows.map(({ pk }) => pk));
		},
		/**
		 * Makes deliveries of events, and moves the endpoint's place in the feed behind them, in one commit: no other process makes them as well.
		 * False where another one was faster.
		 */
		fanOut: fanOut.bind(null, database),
		/** Makes deliveries of events that have none, and tries again those that have failed; returns how many. */
		recover: recover.bind(null, database),
		claim: claimDue.bind(null, database, process),
		/** Removes at most `limit` that were made before; returns how many. */
		async forget(beforeMs: number, limit: number): Promise<number> {
			const oldest = sql`SELECT ${webhookDeliveries.pk} FROM ${webhookDeliveries} ORDER BY ${webhookDeliveries.pk} LIMIT ${limit}`;
			const old = and(sql`${webhookDeliveries.pk} IN (${oldest})`, lt(webhookDeliveries.createdMs, beforeMs));
			const { rows } = await write([
				{ run: statements.delete(webhookDeliveries).where(old).returning({ gone: sql`1` }) },
			]);
			return rows?.[0]?.length ?? 0;
		},
	};
}

/** A literal, so that the partial index applies. */
const IS_PENDING = sql`${webhookDeliveries.state} = 'pending'`;

function listed(endpointPk: number, { beforePk, state, eventId, types }: DeliveryPage): SQL | undefined {
	return and(
		eq(webhookDeliveries.endpointPk, endpointPk),
		olderThan(webhookDeliveries.pk, beforePk),
		state && eq(webhookDeliveries.state, state),
		eventId === undefined ? undefined : eq(webhookDeliveries.eventId, eventId),
		types && inArray(webhookDeliveries.type, [...types]),
	);
}

async function findDeliveries(
	{ queries, read }: Database,
	where: SQL | undefined,
	limit: number,
): Promise<readonly EndpointDelivery[]> {
	const { pk, id, eventId, type, body, state, nextMs, attempts, createdMs } = webhookDeliveries;
	const fields = { pk, id, eventId, type, body, state, nextMs, attempts, createdMs };
	const select = queries.select(fields).from(webhookDeliveries);
	return (await read(() => select.where(where).orderBy(desc(pk)).limit(limit))) as readonly EndpointDelivery[];
}

async function fanOut(
	{ write }: Database,
	{ pk, place }: Receiver,
	eventPks: readonly number[],
	nowMs: number,
): Promise<boolean> {
	const unmoved = and(
		eq(webhookEndpoints.pk, pk),
		eq(webhookEndpoints.place, place),
		sql`${webhookEndpoints.state} = 'enabled'`,
	);
	const { refused } = await write([
		updateStep(webhookEndpoints, { place: Math.max(...eventPks) }, unmoved, "moved"),
		{ run: deliveriesOf(pk, eventPks, nowMs) },
	]);
	return refused === undefined;
}

async function recover(
	{ write }: Database,
	endpointPk: number,
	eventPks: readonly number[],
	nowMs: number,
): Promise<number> {
	const ids = sql`SELECT ${events.id} FROM ${events} WHERE ${events.pk} IN ${eventPks}`;
	const failed = and(
		eq(webhookDeliveries.endpointPk, endpointPk),
		sql`${webhookDeliveries.eventId} IN (${ids})`,
		eq(webhookDeliveries.state, "failed"),
	);
	const again = statements.update(webhookDeliveries).set({ state: "pending", nextMs: nowMs, tries: 0 });
	const { rows } = await write([
		{ run: again.where(failed).returning(returned({ pk: webhookDeliveries.pk })) },
		{ run: sql`${deliveriesOf(endpointPk, eventPks, nowMs)} RETURNING pk` },
	]);
	return (rows?.[0]?.length ?? 0) + (rows?.[1]?.length ?? 0);
}

function deliveriesOf(endpointPk: number, eventPks: readonly number[], nowMs: number): SQL {
	const { id, eventId, type, state, nextMs, createdMs } = webhookDeliveries;
	const names = columns(id, webhookDeliveries.endpointPk, eventId, type, state, nextMs, createdMs);
	return sql`INSERT OR IGNORE INTO ${webhookDeliveries} (${names})
		SELECT 'whd_' || hex(randomblob(11)), ${endpointPk}, ${events.id}, ${events.type}, 'pending', ${nowMs}, ${nowMs}
		FROM ${events} WHERE ${events.pk} IN ${eventPks} ORDER BY ${events.pk}`;
}

interface Claiming {
	/** Random. */
	readonly claim: string;
	/** When another process may take them; by the machine's clock. */
	readonly untilMs: number;
	readonly machineMs: number;
	readonly nowMs: number;
	/** How many of one endpoint are tried at once, by all processes together. */
	readonly max: number;
}

/** Claims what is due of one endpoint, as far as fewer than `max` are on their way. */
async function claimDue(
	{ write }: Database,
	process: string,
	endpointPk: number,
	{ claim, untilMs, machineMs, nowMs, max }: Claiming,
): Promise<readonly ClaimedDelivery[]> {
	const { pk, eventId, body, tries, leaseMs } = webhookDeliveries;
	const its = sql`${webhookDeliveries.endpointPk} = ${endpointPk} AND ${IS_PENDING} AND ${webhookDeliveries.nextMs} <= ${nowMs}`;
	const free = sql`(${leaseMs} IS NULL OR ${leaseMs} <= ${machineMs})`;
	const running = sql`SELECT count(*) FROM ${webhookDeliveries} INDEXED BY webhook_deliveries_running
		WHERE ${webhookDeliveries.endpointPk} = ${endpointPk} AND ${leaseMs} IS NOT NULL AND ${leaseMs} > ${machineMs}`;
	const next = sql`SELECT ${pk} FROM ${webhookDeliveries} INDEXED BY webhook_deliveries_due WHERE ${its} AND ${free}
		ORDER BY ${webhookDeliveries.nextMs} LIMIT max(0, ${max} - (${running}))`;
	const take = statements
		.update(webhookDeliveries)
		.set({ claim, leaseMs: untilMs, process })
		.where(sql`${pk} IN (${next})`);
	const { rows } = await write([{ run: take.returning(returned({ pk, eventId, body, tries })) }]);
	return (rows?.[0] ?? []).map((row) => ({ ...(row as unknown as Omit<ClaimedDelivery, "claim">), claim }));
}

/** The first step of what becomes of a try: nothing of it is kept once another process has the delivery. */
export function triedStep(
	{ pk, claim }: ClaimedDelivery,
	attempt: Readonly<Record<string, unknown>>,
	set: {
		readonly state: WebhookDeliveryState | SQL;
		readonly nextMs: number | SQL | null;
		readonly tries: number;
	},
): Step<"lost"> {
	const attempts = sql`json_insert(${webhookDeliveries.attempts}, '$[#]', json(${JSON.stringify(attempt)}))`;
	const ours = and(eq(webhookDeliveries.pk, pk), eq(webhookDeliveries.claim, claim));
	return updateStep(webhookDeliveries, { ...set, attempts, claim: null, leaseMs: null, process: null }, ours, "lost");
}
