import { authorityOf, conflict, refuseDemoted, type TeamMember } from "@svc/apps/authority";
import { SEALED_PLACES } from "@svc/base/crypto/deployment-secret";
import { newWebhookSecret } from "@svc/base/crypto/secrets";
import { Failure, found, invalid } from "@svc/base/failure";
import { isId, newId } from "@svc/base/ids";
import { parseTypes } from "@svc/events/events";
import { type Kept, readSnapshot } from "@svc/events/snapshots-store";
import { type Job, newJob } from "@svc/jobs/jobs";
import type { EndpointDelivery } from "./deliveries.ts";
import type { Endpoint, EndpointChanges, EndpointFields } from "./endpoint.ts";
import { endpointFields } from "./endpoints-store.ts";
import type { Webhooks } from "./room.ts";

/* Where an App's events are sent. An endpoint is the App's: it outlives the member who made it. */

/** The endpoint of its event, as it was then. */
export function readEndpointEvent(kept: Kept): Endpoint {
	return readSnapshot(endpointFields, kept);
}

/** An endpoint, and the secret that is shown this once. */
export interface MadeEndpoint {
	readonly endpoint: Endpoint;
	readonly secret: string;
}

const PER_APP_MAX = 10;
/** Events are kept no longer. */
const RECOVER_MAX_MS = 30 * 24 * 3_600_000;

/** @throws Failure validation_error under `url`, `types` or `webhook_endpoints` */
export async function createEndpoint(
	room: Webhooks,
	member: TeamMember,
	fields: EndpointFields,
): Promise<MadeEndpoint> {
	checkFields(room, fields);
	const secret = newWebhookSecret();
	const id = newId("whe");
	const kept = room.keyring.seal(secret, SEALED_PLACES.webhook(id));
	const authority = authorityOf(member, "admin");
	const refused = await room.endpoints.create(authority, { id, secret: kept, ...fields }, PER_APP_MAX);
	if (refused === "demoted") await refuseDemoted(room.apps, member);
	if (refused === "full") throw invalid("webhook_endpoints", `this App has ${PER_APP_MAX} already`);
	return { endpoint: await getEndpoint(room, member, id), secret };
}

/** @throws Failure not_found */
export async function getEndpoint(room: Webhooks, { app }: Pick<TeamMember, "app">, id: string): Promise<Endpoint> {
	return found(isId("whe", id) ? await room.endpoints.find(app.pk, id) : undefined);
}

/**
 * One that is enabled again gets what happens from now on.
 * @throws Failure not_found; validation_error under `url` or `types`
 */
export async function changeEndpoint(
	room: Webhooks,
	member: TeamMember,
	id: string,
	changes: EndpointChanges,
): Promise<Endpoint> {
	const before = await getEndpoint(room, member, id);
	checkFields(room, changes);
	const refused = await room.endpoints.change(authorityOf(member, "admin"), before, changes);
	if (refused === "demoted") await refuseDemoted(room.apps, member);
	if (refused === "gone") throw new Failure("not_found");
	return await getEndpoint(room, member, id);
}

/** Its deliveries go with it. @throws Failure not_found */
export async function deleteEndpoint(room: Webhooks, member: TeamMember, id: string): Promise<void> {
	const endpoint = await getEndpoint(room, member, id);
	const refused = await room.endpoints.delete(authorityOf(member, "admin"), endpoint);
	if (refused === "demoted") await refuseDemoted(room.apps, member);
	if (refused === "gone") throw new Failure("not_found");
}

/** The former secret signs as well for `oldForMs`. @throws Failure not_found */
export async function rotateSecret(
	room: Webhooks,
	member: TeamMember,
	id: string,
	oldForMs: number,
): Promise<MadeEndpoint> {
	const endpoint = await getEndpoint(room, member, id);
	const secret = newWebhookSecret();
	const kept = room.keyring.seal(secret, SEALED_PLACES.webhook(endpoint.id));
	const refused = await room.endpoints.rotate(authorityOf(member, "admin"), endpoint, kept, oldForMs);
	if (refused === "demoted") await refuseDemoted(room.apps, member);
	if (refused === "gone") throw new Failure("not_found");
	return { endpoint: await getEndpoint(room, member, id), secret };
}

/** Sends an event that is in no feed. @throws Failure not_found; state_conflict for an endpoint that is disabled */
export async function testEndpoint(room: Webhooks, member: TeamMember, id: string): Promise<EndpointDelivery> {
	const endpoint = await getEndpoint(room, member, id);
	refuseDisabled(endpoint);
	const test = { id: newId("whd"), eventId: newId("evt"), type: "webhook.test" };
	const { requestId, nowMs } = member.by;
	const body = room.describe.test(endpoint, { id: test.eventId, appId: member.app.id, requestId, createdMs: nowMs });
	await room.deliveries.addTest(endpoint, { ...test, body: JSON.stringify(body) }, member.by);
	return found(await room.deliveries.find(endpoint.pk, test.id));
}

/** Sends it again, under the id that it had. @throws Failure not_found; state_conflict for an endpoint that is disabled */
export async function redeliver(
	room: Webhooks,
	member: TeamMember,
	id: string,
	deliveryId: string,
): Promise<EndpointDelivery> {
	const endpoint = await getEndpoint(room, member, id);
	const delivery = found(isId("whd", deliveryId) ? await room.deliveries.find(endpoint.pk, deliveryId) : undefined);
	refuseDisabled(endpoint);
	await room.deliveries.again(delivery.pk, member.by);
	return found(await room.deliveries.find(endpoint.pk, deliveryId));
}

/** Starts the job that sends what was not delivered since then. @throws Failure not_found; validation_error under `since`; state_conflict */
export async function startRecovery(room: Webhooks, member: TeamMember, id: string, sinceMs: number): Promise<Job> {
	const endpoint = await getEndpoint(room, member, id);
	const { by, person, app } = member;
	if (sinceMs > by.nowMs || sinceMs < by.nowMs - RECOVER_MAX_MS)
		throw invalid("since", "must be within the last 30 days");
	refuseDisabled(endpoint);
	const facts = { startedBy: person.account.id, appPk: app.pk, dedupe: `webhook.recover ${endpoint.id}` };
	const job = await room.jobs.store.enqueue(newJob("webhook.recover", { endpointId: endpoint.id, sinceMs }, facts), by);
	room.jobs.wake();
	return job;
}

function checkFields(room: Webhooks, { url, types }: EndpointChanges): void {
	if (types !== undefined) parseTypes(types);
	if (url !== undefined) room.poster.check(url);
}

function refuseDisabled({ state }: Endpoint): void {
	if (state === "disabled") throw conflict("This endpoint is disabled; enable it first.");
}
