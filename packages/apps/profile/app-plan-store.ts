import { APP_PLAN_NAMES, type AppPlan, type OwnPlanKey, TIER_NAMES, type Tier } from "@svc/base/enumerations";
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { TIER_OF, WORTH } from "./app-plan.ts";

type Operand = SQLWrapper | OwnPlanKey | null;

/** The better one of two plans in SQL, either of which may be null: of what operators have granted, and what is paid for. */
export function betterPlan(one: Operand, other: Operand): SQL<AppPlan> {
	return best(APP_PLAN_NAMES, WORTH, one, other);
}

/** The same, as the tier of the App's own storage. */
export function betterTier(one: Operand, other: Operand): SQL<Tier> {
	return best(TIER_NAMES, TIER_OF, one, other);
}

function best<Word extends OwnPlanKey>(
	words: readonly [Word, ...Word[]],
	worth: Readonly<Record<OwnPlanKey, Word>>,
	one: Operand,
	other: Operand,
): SQL<Word> {
	const [least, ...better] = words;
	const keys = Object.entries(worth);
	const cases = better
		.toReversed()
		.flatMap((word) =>
			keys.filter(([, is]) => is === word).map(([key]) => sql`WHEN ${key} IN (${one}, ${other}) THEN ${word}`),
		);
	return sql<Word>`CASE ${sql.join(cases, sql` `)} ELSE ${least} END`;
}
