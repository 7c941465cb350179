import type { Database } from "@svc/base/database/client";
import { plans, prices } from "@svc/base/database/schema/billing/plans";
import { processorRefs } from "@svc/base/database/schema/billing/processor";
import type { PaidAppPlan, TaxBehavior } from "@svc/base/enumerations";
import { and, eq, sql } from "drizzle-orm";
import type { Bought } from "../plans/plan.ts";
import { toBought } from "../subscriptions/subscription-rows-store.ts";

/** The processor's names for our objects: `id` is a public id, a {@link priceName}, or names an App's own plan. */
export function refStore({ queries, read, write }: Database) {
	async function find(processor: string, id: string): Promise<string | undefined> {
		const named = and(eq(processorRefs.processor, processor), eq(processorRefs.subject, id));
		const [row] = await read(() => queries.select({ ref: processorRefs.ref }).from(processorRefs).where(named));
		return row?.ref;
	}

	return {
		find,
		/** Keeps the first reference; returns what is kept. */
		async save(processor: string, id: string, ref: string, nowMs: number): Promise<string> {
			const row = { processor, subject: id, ref, createdMs: nowMs };
			await write([{ run: queries.insert(processorRefs).values(row).onConflictDoNothing() }]);
			const kept = await find(processor, id);
			if (kept === undefined) throw new Error(`The processor's ${ref} already stands for something else than ${id}.`);
			return kept;
		},
		async findPrice(processor: string, ref: string): Promise<Bought | undefined> {
			const { subject } = processorRefs;
			const priceId = sql`iif(instr(${subject}, ':') > 0, substr(${subject}, 1, instr(${subject}, ':') - 1), ${subject})`;
			const [row] = await read(() =>
				queries
					.select({ subject, price: prices, plan: plans })
					.from(processorRefs)
					.leftJoin(prices, eq(prices.id, priceId))
					.leftJoin(plans, eq(plans.pk, prices.planPk))
					.where(and(eq(processorRefs.processor, processor), eq(processorRefs.ref, ref))),
			);
			if (!row) return undefined;
			const [kind, variant] = row.subject.split(":");
			const sold = toBought(null, row.price, row.plan, (variant as TaxBehavior | undefined) ?? null);
			if (sold) return sold;
			return kind === "app_plan" ? { subject: "app", appPlan: variant as PaidAppPlan } : undefined;
		},
	};
}
