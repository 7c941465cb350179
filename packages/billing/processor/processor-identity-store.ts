import type { Actor } from "@svc/base/actor";
import { auditBy } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { processorEvents, processorRefs } from "@svc/base/database/schema/billing/processor";
import { checkouts, subscriptions } from "@svc/base/database/schema/billing/subscriptions";
import { meta } from "@svc/base/database/schema/service";
import { and, asc, eq, isNull } from "drizzle-orm";
import type { ProcessorIdentity } from "../ports.ts";
import { listLive } from "../subscriptions/due-subscriptions-store.ts";
import type { PublishedStatuses } from "../subscriptions/published-statuses-store.ts";
import { endLost, PROCESSOR_KEY } from "../subscriptions/subscription-readings-store.ts";

const PAGE = 100;

export type ProcessorIdentityStore = ReturnType<typeof processorIdentityStore>;

export function processorIdentityStore(database: Database) {
	const { queries, read, write } = database;

	/** That of the first subscription; of one from before it was kept, its name alone. */
	async function find(): Promise<ProcessorIdentity | undefined> {
		const [row] = await read(() => queries.select({ value: meta.value }).from(meta).where(eq(meta.key, PROCESSOR_KEY)));
		if (row) return JSON.parse(row.value) as ProcessorIdentity;
		const { processor, pk, endedMs } = subscriptions;
		const [first] = await read(() =>
			queries.select({ processor }).from(subscriptions).where(isNull(endedMs)).orderBy(asc(pk)).limit(1),
		);
		return first && { name: first.processor, account: null, mode: null };
	}

	return {
		find,
		async replace(identity: ProcessorIdentity): Promise<void> {
			const value = JSON.stringify(identity);
			const known = { target: meta.key, set: { value } };
			await write([{ run: queries.insert(meta).values({ key: PROCESSOR_KEY, value }).onConflictDoUpdate(known) }]);
		},
		/** How many subscriptions of it have not ended here. */
		async countLive({ name }: ProcessorIdentity): Promise<number> {
			const live = and(eq(subscriptions.processor, name), isNull(subscriptions.endedMs));
			return await read(() => queries.$count(subscriptions, live));
		},
		/** Ends its subscriptions on our side, and forgets its names of our prices and payers; returns how many ended. */
		async forget(identity: ProcessorIdentity, published: PublishedStatuses, by: Actor): Promise<number> {
			const { name } = identity;
			let ended = 0;
			for (;;) {
				const page = await listLive(database, name, 0, PAGE);
				if (page.length === 0) break;
				for (const one of page) await endLost(database, published, one, by);
				ended += page.length;
			}
			const open = and(eq(checkouts.processor, name), isNull(checkouts.doneMs));
			const waiting = and(eq(processorEvents.processor, name), isNull(processorEvents.doneMs));
			await write([
				{ run: queries.update(checkouts).set({ doneMs: by.nowMs }).where(open) },
				{ run: queries.update(processorEvents).set({ doneMs: by.nowMs }).where(waiting) },
				{ run: queries.delete(processorRefs).where(eq(processorRefs.processor, name)) },
				{ run: queries.delete(meta).where(eq(meta.key, PROCESSOR_KEY)) },
				{
					run: auditBy(by, {
						appPk: null,
						event: "operator.processor_forgotten",
						target: name,
						changes: { ...identity, ended },
					}),
				},
			]);
			return ended;
		},
	};
}
