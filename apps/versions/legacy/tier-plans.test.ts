import { expect, test } from "bun:test";
import { serviceFor } from "@svc/test/support/service";
import { sql } from "drizzle-orm";
import { offerTiers } from "./tier-plans.ts";
import { tierPlanStore } from "./tier-plans-store.ts";

const service = serviceFor({ SVC_VARIANT: "legacy" });

test("a second start changes nothing about what is sold; other prices take the place of those before", async () => {
	const rows = () =>
		service.database.read(() =>
			service.database.queries.values(
				sql`SELECT plans.key, prices.id, amount, interval, on_sale FROM prices JOIN plans ON plans.pk = plan_pk
					JOIN storages ON storages.app_pk = plans.app_pk AND storages.kind = 'anonymous' ORDER BY prices.pk`,
			),
		);
	const before = await rows();
	expect(before).toHaveLength(6);
	await offerTiers(tierPlanStore(service.database), service.clock);
	expect(await rows()).toEqual(before);
	await service.database.write([
		{ run: sql`UPDATE prices SET amount = 1 WHERE id = ${String((before[0] as unknown[])[1])}` },
	]);
	await offerTiers(tierPlanStore(service.database), service.clock);
	const after = await rows();
	expect(after).toHaveLength(7);
	expect(after[0]).toEqual(expect.arrayContaining([1, 0]));
	expect(after[6]).toEqual(["pro", expect.any(String), 2_900, "month", 1]);
});
