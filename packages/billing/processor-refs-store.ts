import type { Database } from "@svc/base/database/client";
import { plans, prices, processorRefs } from "@svc/base/database/schema/billing";
import type { PaidAppPlan } from "@svc/base/enumerations";
import { and, eq, sql } from "drizzle-orm";
import type { Bought } from "./subscriptions.ts";

/** What the processor calls something of ours: `id` is a public id, or names an App's own plan. */
export interface RefStore {
	find(processor: string, id: string): Promise<string | undefined>;
	/** Keeps the first; gives what is kept. */
	save(processor: string, id: string, ref: string, nowMs: number): Promise<string>;
	findPrice(processor: string, ref: string): Promise<Bought | undefined>;
}

export function refStore({ queries, read, write }: Database): RefStore {
	async function find(processor: string, id: string): Promise<string | undefined> {
		const [row] = await read(() =>
			queries
				.select({ ref: processorRefs.ref })
				.from(processorRefs)
				.where(and(eq(processorRefs.processor, processor), eq(processorRefs.subject, id))),
		);
		return row?.ref;
	}

	return {
		find,
		async save(processor, id, ref, nowMs) {
			await write([
				{
					run: sql`INSERT INTO processor_refs (processor, subject, ref, created_ms) VALUES (${processor}, ${id}, ${ref}, ${nowMs})
						ON CONFLICT DO NOTHING`,
				},
			]);
			const kept = await find(processor, id);
			if (kept === undefined) throw new Error(`The processor's ${ref} already stands for something else than ${id}.`);
			return kept;
		},
		async findPrice(processor, ref) {
			const [row] = await read(() =>
				queries
					.select({ subject: processorRefs.subject, pricePk: prices.pk, planKey: plans.key, planName: plans.name })
					.from(processorRefs)
					.leftJoin(prices, eq(prices.id, processorRefs.subject))
					.leftJoin(plans, eq(plans.pk, prices.planPk))
					.where(and(eq(processorRefs.processor, processor), eq(processorRefs.ref, ref))),
			);
			if (!row) return undefined;
			const { subject, pricePk, planKey, planName } = row;
			if (pricePk !== null && planKey !== null && planName !== null) {
				return { subject: "user", pricePk, priceId: subject, planKey, planName };
			}
			const [kind, appPlan] = subject.split(":");
			return kind === "app_plan" ? { subject: "app", appPlan: appPlan as PaidAppPlan } : undefined;
		},
	};
}
