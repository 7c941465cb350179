import { setTimeout } from "node:timers/promises";
import type { Actor } from "@svc/base/actor";
import { newMail } from "@svc/mail/mail";
import { attempt, unanswered, withinChange } from "../patience.ts";
import { goodsOf, planNameOf } from "../plans/bought.ts";
import type { Billing } from "../room.ts";
import type { Subscription } from "../subscription.ts";
import { syncAfter, syncSubscription } from "./subscription-readings.ts";

/*
 * What the running interface version does not sell is not renewed: its payer would go on paying for what gives nothing any more. It ends with
 * its term; where a version that sells it runs again before that, it goes on.
 */

/** Whether the running interface version does not sell what the service has sold: then it is not renewed, and cannot be resumed. */
export function isUnsold(
	{ unsoldGoods }: Pick<Billing, "unsoldGoods">,
	{ bought }: Pick<Subscription, "bought">,
): boolean {
	return unsoldGoods.includes(goodsOf(bought));
}

const AT_ONCE = 100;

/** Sets to end what is not sold any more, and lets go on what is sold again. Each step may be repeated. */
export async function followSale(room: Billing): Promise<void> {
	const { processor, unsold } = room;
	const now = room.clock.now();
	for (const one of await unsold.listNew(processor.name, AT_ONCE)) {
		await attempt(room, () => mark(room, one, now));
	}
	for (const { ref } of await unsold.listToEnd(processor.name, AT_ONCE)) {
		await attempt(room, async () => {
			await withinChange(processor.cancel(ref, "period_end"));
			await syncSubscription(room, ref);
		});
	}
	for (const one of await unsold.listBack(processor.name, AT_ONCE)) {
		await attempt(room, async () => {
			// Its payer may have cancelled it since the list was read, and who does so now waits until this is done.
			if (!(await unsold.claim(one, room.clock.now()))) return;
			if (one.cancelAtPeriodEnd && one.endedMs === null) {
				await withinChange(processor.resume(one.ref));
				await syncSubscription(room, one.ref);
			}
			await unsold.forget(one, now);
		});
	}
}

/**
 * Ends a subscription with its term because a person wants it. That it would have ended anyhow, for want of a version that sells it,
 * changes nothing about their wish: back where it is sold, it is not renewed. Should a round be letting it go on at this moment, that is waited
 * for, and what it has done is taken back.
 * @throws Failure server_error with Retry-After while a round does not come to its end
 */
export async function cancelAtEnd(room: Billing, one: Subscription, by: Actor): Promise<void> {
	for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
		const marked = await room.unsold.isMarked(one);
		// Read after the mark: a round that has just let it go on has said so before it took the mark away.
		const known = await room.subscriptions.find(one.id);
		if (!marked && known?.cancelAtPeriodEnd) return;
		await syncAfter(room, one.ref, by, () => room.processor.cancel(one.ref, "period_end"));
		if (!marked || (await room.unsold.release(one, by))) return;
		await setTimeout(AGAIN_MS);
	}
	throw unanswered();
}

/** As long as a request waits for the processor where that may take its time, and then some. */
const ATTEMPTS = 24;
const AGAIN_MS = 500;

/** The mark comes first, with its mail: a start that is interrupted goes on with what is marked. */
async function mark({ unsold, addresses }: Billing, one: Subscription, nowMs: number): Promise<void> {
	const payer = await unsold.findPayer(one);
	const { id, bought, subscriber } = one;
	const facts = payer && {
		app: payer.app,
		plan: planNameOf(bought),
		goods: subscriber.subject === "user" ? "tier" : "app_plan",
		until: new Date(one.trialEndMs !== null && one.trialEndMs > nowMs ? one.trialEndMs : one.periodEndMs).toISOString(),
		page: `${addresses.web}/account/plans/${id}`,
	};
	await unsold.mark(
		one,
		payer && facts && newMail("not_renewed", payer.email, facts, `not_renewed ${id} ${nowMs}`),
		nowMs,
	);
}
