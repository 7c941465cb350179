import { APP_PLAN_NAMES, type AppPlan } from "@svc/base/enumerations";
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/** The better one of two plans in SQL, either of which may be null: of what operators have granted, and what is paid for. */
export function betterPlan(one: SQLWrapper | AppPlan | null, other: SQLWrapper | AppPlan | null): SQL<AppPlan> {
	const [least, ...better] = APP_PLAN_NAMES;
	const cases = better.toReversed().map((plan) => sql`WHEN ${plan} IN (${one}, ${other}) THEN ${plan}`);
	return sql<AppPlan>`CASE ${sql.join(cases, sql` `)} ELSE ${least} END`;
}
