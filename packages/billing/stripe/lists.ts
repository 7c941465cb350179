import type { Stripe } from "stripe";
import type { ListedSubscription } from "../ports.ts";
import { idOf, plainly } from "./api.ts";
import { findPaidFor } from "./events.ts";
import { toListed } from "./snapshot.ts";

/* What Stripe has of ours, to be compared with what we have. */

const PAGE = 100;

export async function* listLive(api: Stripe): AsyncGenerator<ListedSubscription> {
	// Without a status Stripe lists those that have not ended.
	for await (const sub of pagesOf((starting_after) => api.subscriptions.list({ limit: PAGE, ...starting_after }))) {
		const listed = toListed(sub);
		if (listed.checkout !== "") yield listed;
	}
}

export async function* listPaidBack(api: Stripe, sinceMs: number): AsyncGenerator<string> {
	const created = { gte: Math.floor(sinceMs / 1_000) };
	const intents = new Set<string>();
	for await (const one of pagesOf((after) => api.refunds.list({ created, limit: PAGE, ...after }))) {
		if (one.payment_intent) intents.add(idOf(one.payment_intent));
	}
	for await (const one of pagesOf((after) => api.disputes.list({ created, limit: PAGE, ...after }))) {
		if (one.payment_intent) intents.add(idOf(one.payment_intent));
	}
	for (const intent of intents) {
		const subscription = await plainly(findPaidFor(api, intent));
		if (subscription !== null) yield subscription;
	}
}

interface After {
	readonly starting_after?: string;
}

async function* pagesOf<T extends { readonly id: string }>(
	list: (after: After) => Promise<{ readonly data: readonly T[]; readonly has_more: boolean }>,
): AsyncGenerator<T> {
	for (let after: After = {}; ; ) {
		const { data, has_more } = await plainly(list(after));
		yield* data;
		const last = data.at(-1);
		if (!has_more || !last) return;
		after = { starting_after: last.id };
	}
}
