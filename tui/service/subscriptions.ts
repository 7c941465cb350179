import type { SubscriptionThing } from "@svc/nouns/subscription";
import type { ManagedSubscription } from "@svc/sdk/shapes";
import type { List } from "@svc/sdk/types";
import { soughtIn } from "../state/lists/seek.ts";
import type { Money, MonthMoney } from "../state/things.ts";
import { type Asked, appOf, optionsOf, type Page } from "./asked.ts";
import { namesOf } from "./names.ts";

/** The newest so many are added up. */
const MOST = 500;

/** Those who pay the App, below what all of them brought in. */
export async function loadSubscriptions(asked: Asked): Promise<Page> {
	const list = lister(asked);
	const first = await withUsers(asked, await list(asked.cursor));
	const page = { things: first.data, nextCursor: first.pagination.next_cursor ?? undefined };
	if (asked.cursor !== undefined || first.data.length === 0) return page;
	const all: ManagedSubscription[] = [...first.data];
	let cursor = page.nextCursor;
	while (cursor !== undefined && all.length < MOST) {
		const next = await list(cursor);
		all.push(...next.data);
		cursor = next.pagination.next_cursor ?? undefined;
	}
	// What an App buys for itself brings it nothing.
	const sold = all.filter(({ seller }) => asked.app === undefined || seller.kind === "app");
	return { ...page, things: [moneyOf(sold, cursor !== undefined), ...first.data] };
}

async function withUsers(asked: Asked, page: List<ManagedSubscription>): Promise<List<SubscriptionThing>> {
	const names = await namesOf(
		asked,
		page.data.map(({ user_id }) => user_id),
	);
	return { ...page, data: page.data.map((one) => ({ ...one, user_email: names.get(one.user_id ?? "") })) };
}

/** Operators need not belong to the App's team. */
function lister(asked: Asked): (cursor: string | undefined) => Promise<List<ManagedSubscription>> {
	const { management, operator, search } = asked;
	const { subscriptions } = appOf(asked);
	if (!operator) return (cursor) => subscriptions.list({ ...optionsOf(asked), cursor });
	const { email } = soughtIn(search);
	const sought = { ...(asked.app !== undefined && { app: asked.app }), ...(email && { email }) };
	return (cursor) => management.operator.subscriptions.list({ ...optionsOf(asked), ...sought, cursor });
}

function moneyOf(subscriptions: readonly ManagedSubscription[], hasMore: boolean): Money {
	const months = new Map<string, MonthMoney>();
	for (const { paid_at, amount_paid, amount_refunded, currency } of subscriptions.flatMap(({ invoices }) => invoices)) {
		if (paid_at === null) continue;
		const month = paid_at.slice(0, "2026-11".length);
		const key = `${month} ${currency}`;
		const known = months.get(key) ?? { month, currency, paid: 0, refunded: 0 };
		months.set(key, { ...known, paid: known.paid + amount_paid, refunded: known.refunded + amount_refunded });
	}
	const sorted = [...months].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, money]) => money);
	const now = new Date().toISOString().slice(0, "2026-11".length);
	return { id: "money", object: "money", counted: subscriptions.length, hasMore, months: everyMonth(sorted, now) };
}

/** With the months in which nothing came in, up to this one: they are part of the picture. */
export function everyMonth(months: readonly MonthMoney[], now: string): MonthMoney[] {
	const [first] = months;
	if (first === undefined) return [];
	const known = new Map(months.map((money) => [`${money.month} ${money.currency}`, money]));
	const currencies = [...new Set(months.map(({ currency }) => currency))];
	return monthsBetween(first.month, now).flatMap((month) =>
		currencies.map((currency) => known.get(`${month} ${currency}`) ?? { month, currency, paid: 0, refunded: 0 }),
	);
}

function monthsBetween(first: string, last: string): readonly string[] {
	const months: string[] = [];
	const [year = 0, month = 1] = first.split("-").map(Number);
	for (
		let at = new Date(Date.UTC(year, month - 1));
		;
		at = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1))
	) {
		const text = at.toISOString().slice(0, "2026-11".length);
		// What came in after now, by another clock, is listed as well.
		if (text > last && text > first) return months.length === 0 ? [first] : months;
		months.push(text);
	}
}
