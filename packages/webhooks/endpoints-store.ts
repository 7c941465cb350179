import type { Authority } from "@svc/apps/authority";
import { authorityStep } from "@svc/apps/authority-store";
import type { Span } from "@svc/base/cursors";
import { auditBy } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { events } from "@svc/base/database/schema/events";
import { webhookDeliveries, webhookEndpoints } from "@svc/base/database/schema/webhooks";
import { condition, olderThan, statements, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import type { DisabledReason } from "@svc/base/enumerations";
import { newEvent } from "@svc/events/event-entries-store";
import { snapshotOf } from "@svc/events/snapshots-store";
import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import type { Endpoint, EndpointChanges, EndpointFields } from "./endpoint.ts";

type EndpointRefusal = "demoted" | "gone";

export function endpointStore(database: Database) {
	return {
		/** The newest first. */
		list: (appPk: number, { limit, beforePk }: Span) =>
			findEndpoints(database, and(eq(webhookEndpoints.appPk, appPk), olderThan(webhookEndpoints.pk, beforePk)), limit),
		/** Those that the service has switched off. */
		listStopped: (appPk: number, limit: number) => {
			const stopped = sql`${webhookEndpoints.state} = 'disabled' AND ${webhookEndpoints.disabledReason} <> 'manual'`;
			return findEndpoints(database, and(eq(webhookEndpoints.appPk, appPk), stopped), limit);
		},
		async find(appPk: number, id: string): Promise<Endpoint | undefined> {
			const one = and(eq(webhookEndpoints.id, id), eq(webhookEndpoints.appPk, appPk));
			return (await findEndpoints(database, one, 1))[0];
		},
		/** `full` where the App has `max` already. It gets what happens from then on. */
		create: createEndpoint.bind(null, database),
		change: changeEndpoint.bind(null, database),
		delete: deleteEndpoint.bind(null, database),
		rotate: rotateSecret.bind(null, database),
	};
}

/** What is known of an endpoint outside of its deliveries: no secret. */
export const endpointFields = {
	pk: webhookEndpoints.pk,
	id: webhookEndpoints.id,
	appPk: webhookEndpoints.appPk,
	url: webhookEndpoints.url,
	types: webhookEndpoints.types,
	description: webhookEndpoints.description,
	state: webhookEndpoints.state,
	disabledReason: webhookEndpoints.disabledReason,
	disabledMs: webhookEndpoints.disabledMs,
	lastDeliveredMs: webhookEndpoints.lastDeliveredMs,
	createdMs: webhookEndpoints.createdMs,
};

/** Ends what is on its way to an endpoint, and tells the App. The step before has disabled it, guarded. */
export function disabledSteps(endpoint: Pick<Endpoint, "pk">, occasion: { readonly nowMs: number }): readonly Step[] {
	const its = eq(webhookDeliveries.endpointPk, endpoint.pk);
	const { id, appPk, pk } = webhookEndpoints;
	const data = sql`json_object('object', ${snapshotOf(endpointFields)})`;
	const event = { type: "webhook_endpoint.disabled", appPk, userId: null, subject: id, data } as const;
	return [
		updateStep(
			webhookDeliveries,
			{ state: "failed", nextMs: null },
			and(its, sql`${webhookDeliveries.state} = 'pending'`),
		),
		newEvent(occasion, event, sql`FROM ${webhookEndpoints} WHERE ${pk} = ${endpoint.pk}`),
	];
}

export function disabling(reason: DisabledReason, nowMs: number) {
	return { state: "disabled", disabledReason: reason, disabledMs: nowMs } as const;
}

function findEndpoints(
	{ queries, read }: Database,
	where: SQL | undefined,
	limit: number,
): Promise<readonly Endpoint[]> {
	const select = queries.select(endpointFields).from(webhookEndpoints);
	return read(() => select.where(where).orderBy(desc(webhookEndpoints.pk)).limit(limit));
}

const NEWEST = sql<number>`(SELECT coalesce(max(${events.pk}), 0) FROM ${events})`;

async function createEndpoint(
	{ write }: Database,
	authority: Authority,
	endpoint: EndpointFields & { readonly id: string; readonly secret: string },
	max: number,
): Promise<"demoted" | "full" | undefined> {
	const { appPk, by } = authority;
	const { id, url, types, description, secret } = endpoint;
	const count = sql`SELECT count(*) FROM ${webhookEndpoints} WHERE ${webhookEndpoints.appPk} = ${appPk}`;
	const row = { id, appPk, url, types, description, secret, place: NEWEST, createdMs: by.nowMs };
	const { refused } = await write([
		authorityStep(authority),
		condition(appPk, sql`(${count}) < ${max}`, "full"),
		{ run: statements.insert(webhookEndpoints).values(row) },
		{ run: auditBy(by, { appPk, event: "webhook_endpoint.created", target: id, changes: { url, types } }) },
	]);
	return refused;
}

async function changeEndpoint(
	{ write }: Database,
	authority: Authority,
	before: Endpoint,
	{ url, types, description, state }: EndpointChanges,
): Promise<EndpointRefusal | undefined> {
	const { appPk, by } = authority;
	const sent = {
		...(url !== undefined && url !== before.url && { url }),
		...(types !== undefined && JSON.stringify(types) !== JSON.stringify(before.types) && { types }),
		...(description !== undefined && description !== before.description && { description }),
		...(state !== undefined && state !== before.state && { state }),
	};
	if (Object.keys(sent).length === 0) return undefined;
	const ends = sent.state === "disabled" && disabling("manual", by.nowMs);
	const begins = sent.state === "enabled" && { ...ENABLED, place: NEWEST };
	const { refused } = await write<EndpointRefusal>([
		authorityStep(authority),
		updateStep(webhookEndpoints, { ...sent, ...ends, ...begins }, asRead(before), "gone"),
		...(ends ? disabledSteps(before, by) : []),
		{ run: auditBy(by, { appPk, event: "webhook_endpoint.updated", target: before.id, changes: sent }) },
	]);
	return refused;
}

const ENABLED = { disabledReason: null, disabledMs: null, failingSinceMs: null, warnedMs: null } as const;

function asRead({ pk, id, state }: Endpoint): SQL | undefined {
	return and(eq(webhookEndpoints.pk, pk), eq(webhookEndpoints.id, id), eq(webhookEndpoints.state, state));
}

async function deleteEndpoint(
	{ write }: Database,
	authority: Authority,
	{ pk, id, url }: Endpoint,
): Promise<EndpointRefusal | undefined> {
	const { appPk, by } = authority;
	const named = and(eq(webhookEndpoints.pk, pk), eq(webhookEndpoints.id, id));
	const { refused } = await write<EndpointRefusal>([
		authorityStep(authority),
		{ run: statements.delete(webhookEndpoints).where(named), guard: "gone" },
		{ run: auditBy(by, { appPk, event: "webhook_endpoint.deleted", target: id, changes: { url } }) },
	]);
	return refused;
}

async function rotateSecret(
	{ write }: Database,
	authority: Authority,
	{ pk, id }: Endpoint,
	secret: string,
	oldForMs: number,
): Promise<EndpointRefusal | undefined> {
	const { appPk, by } = authority;
	const oldSecret = oldForMs > 0 ? sql`${webhookEndpoints.secret}` : null;
	const set = { oldSecret, oldSecretUntilMs: oldForMs > 0 ? by.nowMs + oldForMs : null, secret };
	const { refused } = await write<EndpointRefusal>([
		authorityStep(authority),
		updateStep(webhookEndpoints, set, and(eq(webhookEndpoints.pk, pk), eq(webhookEndpoints.id, id)), "gone"),
		{ run: auditBy(by, { appPk, event: "webhook_endpoint.rotated", target: id }) },
	]);
	return refused;
}
