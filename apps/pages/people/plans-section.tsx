import { t } from "../plans/messages.ts";
import { isLive, Plans } from "../plans/plan-pages.tsx";
import { type Section, SectionCard } from "./sections.tsx";

/* What a person pays for now, in Apps and here; its own page has the earlier plans as well. */

export const plansSection: Section = {
	id: "plans",
	title: t("title"),
	elsewhere: true,
	async show({ rooms, person }) {
		const all = await rooms.billing.ownPlans.list(person.account.pk, { limit: SHOWN, beforePk: undefined });
		const plans = all.filter(isLive);
		return (
			<SectionCard id="plans" title={t("title")}>
				{plans.length === 0 ? <p className="soft">{t("none")}</p> : <Plans rooms={rooms} plans={plans} />}
				<p>
					<a href="/account/plans">{t("all")}</a>
				</p>
			</SectionCard>
		);
	},
};

const SHOWN = 200;
