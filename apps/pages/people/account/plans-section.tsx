import { t } from "../../plans/messages.ts";
import { isLive, Plans } from "../../plans/plan-pages.tsx";
import type { AccountCall } from "./account-call.ts";
import { SectionCard } from "./sections.tsx";

const SHOWN = 200;

/** What a person pays for now, in Apps and here; their page has the earlier plans as well. Nothing for who pays for nothing. */
export async function paidCard({ rooms, person }: AccountCall) {
	const all = await rooms.billing.ownPlans.list(person.account.pk, { limit: SHOWN, beforePk: undefined });
	const plans = all.filter(isLive);
	if (plans.length === 0) return null;
	return (
		<SectionCard id="paid" title={t("title")}>
			<Plans rooms={rooms} plans={plans} />
		</SectionCard>
	);
}
