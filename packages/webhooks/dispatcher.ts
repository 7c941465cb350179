import { SEALED_PLACES } from "@svc/base/crypto/deployment-secret";
import { signedHeaders } from "@svc/base/crypto/standard-webhooks";
import { randomBase62 } from "@svc/base/ids";
import { parseTypes } from "@svc/events/events";
import { type ClaimedDelivery, type DeliveryAttempt, nextTryMs, retryAfterMs } from "./deliveries.ts";
import type { Receiver } from "./deliveries-store.ts";
import { bodyOf } from "./request-body.ts";
import type { Webhooks } from "./room.ts";

/*
 * Follows the feed, makes the deliveries that it asks for, and tries what is due. Each process does so: places in the feed and claims are
 * in the database, so that nothing is sent by two.
 */

/** How many of one endpoint are on their way at once. */
const IN_FLIGHT_MAX = 10;
/** Longer than a try takes. */
const LEASE_MS = 40_000;
const EVENTS_AT_ONCE = 100;
const NEWS_MAX = 1_000;
const CLAIM_DIGITS = 16;

export interface Dispatcher {
	/** Looks once, and begins to send; resolves when it has looked. Rejects when the database is away. */
	look(): Promise<void>;
	/** Looks, sends, and looks again until nothing is due any more: for tests and for the end. */
	drain(): Promise<void>;
	/** Begins nothing any more, and waits for what is on its way. */
	stop(): Promise<void>;
}

export function webhookDispatcher(room: Webhooks): Dispatcher {
	const running = new Set<Promise<void>>();
	let place: number | undefined;
	let isStopped = false;
	let looking: Promise<void> | undefined;

	async function look(): Promise<void> {
		if (isStopped) return;
		if (!(await room.deliveries.hasReceivers())) {
			// Each knows by itself where it begins.
			place = undefined;
			return;
		}
		await follow();
		const receivers = new Map((await room.deliveries.listReceivers(undefined)).map((one) => [one.pk, one]));
		for (const pk of await room.deliveries.listDue(room.clock.now())) {
			const receiver = receivers.get(pk);
			if (receiver !== undefined && !isStopped) await begin(receiver);
		}
	}

	/** Makes deliveries of what was written since the last look. */
	async function follow(): Promise<void> {
		const last = await room.events.store.lastPk();
		if (place !== undefined && last <= place) return;
		for (const receiver of await room.deliveries.listReceivers(await newsSince(place))) await fanOut(room, receiver);
		place = last;
	}

	/** Undefined: any App may have news. */
	async function newsSince(since: number | undefined): Promise<readonly number[] | undefined> {
		if (since === undefined) return undefined;
		const news = await room.events.store.newsAfter(since, NEWS_MAX);
		return news.length === NEWS_MAX ? undefined : [...new Set(news.map(({ appPk }) => appPk))];
	}

	async function begin(receiver: Receiver): Promise<void> {
		const machineMs = room.machineClock.now();
		const claim = randomBase62(CLAIM_DIGITS);
		const nowMs = room.clock.now();
		const times = { untilMs: machineMs + LEASE_MS, machineMs, nowMs };
		for (const delivery of await room.deliveries.claim(receiver.pk, { claim, ...times, max: IN_FLIGHT_MAX })) {
			const work: Promise<void> = attempt(room, receiver, delivery)
				.catch((cause: unknown) => room.log.error("a webhook delivery could not be noted", { cause }))
				.finally(() => {
					running.delete(work);
					// Its place is free for what waits behind it.
					lookOnce().catch(() => undefined);
				});
			running.add(work);
		}
	}

	function lookOnce(): Promise<void> {
		looking ??= look().finally(() => {
			looking = undefined;
		});
		return looking;
	}

	return {
		look: async () => {
			if (!isStopped) await lookOnce();
		},
		async drain() {
			do {
				await Promise.all(running);
				// A look that is under way may have begun before what is to be found was written.
				await looking?.catch(() => undefined);
				await lookOnce();
			} while (running.size > 0);
		},
		async stop() {
			isStopped = true;
			await looking?.catch(() => undefined);
			await Promise.all(running);
		},
	};
}

/** One page of the feed after the other, until the endpoint has a delivery of each event that it wants. */
async function fanOut(room: Webhooks, first: Receiver): Promise<void> {
	let receiver: Receiver | undefined = first;
	while (receiver !== undefined) {
		const pks = await wantedBy(room, receiver);
		if (pks.length === 0) return;
		const isMoved = await room.deliveries.fanOut(receiver, pks, room.clock.now());
		receiver = isMoved ? { ...receiver, place: Math.max(...pks) } : await asItIsNow(room, receiver);
	}
}

/** The next events that it wants and that have no delivery. */
async function wantedBy(room: Webhooks, { appPk, place, types }: Receiver): Promise<readonly number[]> {
	const range = { types: parseTypes(types), afterPk: place, sinceMs: 0, limit: EVENTS_AT_ONCE };
	return (await room.events.store.list({ appPk, userId: undefined }, range)).map(({ pk }) => pk);
}

/** Another process has just made deliveries, and may be gone before it has made the rest. Undefined where none are to be made any more. */
async function asItIsNow(room: Webhooks, { pk, appPk }: Receiver): Promise<Receiver | undefined> {
	return (await room.deliveries.listReceivers([appPk])).find((one) => one.pk === pk);
}

async function attempt(room: Webhooks, receiver: Receiver, delivery: ClaimedDelivery): Promise<void> {
	const atMs = room.clock.now();
	const body = await bodyOf(room, receiver, delivery);
	const startMs = performance.now();
	const seconds = Math.floor(atMs / 1_000);
	const headers = signedHeaders({ id: delivery.eventId, seconds, body }, secretsOf(room, receiver, atMs));
	const { status, error, response, retryAfter } = await room.poster.post(receiver.url, body, headers);
	const made: DeliveryAttempt = { atMs, status, ms: Math.round(performance.now() - startMs), error, response };
	const nowMs = room.clock.now();
	const isDelivered = status !== null && status >= 200 && status < 300;
	room.meters.count("svc_webhook_attempts_total", { result: isDelivered ? "delivered" : (error ?? "refused") });
	if (isDelivered) return await room.results.delivered(receiver, delivery, made, nowMs);
	const asked = status === 429 || status === 503 ? retryAfterMs(retryAfter, nowMs) : undefined;
	const gone = status === 410;
	const next = { tries: delivery.tries + 1, nowMs, retryAfterMs: asked };
	const nextMs = gone ? undefined : nextTryMs(next, room.chance());
	await room.results.failed(receiver, delivery, made, { nextMs, gone, nowMs });
}

function secretsOf(
	{ keyring }: Pick<Webhooks, "keyring">,
	{ id, secret, oldSecret, oldSecretUntilMs }: Receiver,
	nowMs: number,
): readonly string[] {
	const valid = oldSecret !== null && (oldSecretUntilMs ?? 0) > nowMs ? [secret, oldSecret] : [secret];
	return valid.map((text) => keyring.open(text, SEALED_PLACES.webhook(id)));
}
