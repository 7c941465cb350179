import type { Tier } from "@svc/base/enumerations";
import { hasPlan, type UserBilling } from "@svc/billing/payers/user-billing";
import type { SoldPlan } from "@svc/billing/plans/plan";
import { ChangeCost, shownFields } from "@svc/pages/billing/billing-change.tsx";
import { type CardVersion, changeTerms, type Offered, obstacleTo } from "@svc/pages/billing/billing-parts.tsx";
import { cardAddress } from "@svc/pages/billing/billing-query";
import { nothingYet } from "@svc/pages/billing/plan-card.tsx";
import { priceText } from "@svc/pages/billing/price-text";
import { fileSize, Notice, PostForm } from "@svc/pages/kit/parts.tsx";
import type { Message } from "@svc/pages/kit/text";
import { TIERS, type TierTerm } from "../../until-4.4/tiers.ts";
import { t } from "../messages.ts";
import { getTierPrice, termOf } from "../tier-plans.ts";

/* The billing card where the service sells the tiers of storages. */

export const tierCardVersion: CardVersion = {
	offers: { list: (offered) => <TierOffers {...offered} />, nothing: () => <FreeTier /> },
	async choose({ rooms, payer, form }) {
		return (await getTierPrice(rooms.billing, payer, { plan: form.get("plan"), interval: form.get("interval") })).id;
	},
};

function takes({ monthlyUploads, storageBytes }: (typeof TIERS)[Tier]): Message {
	return t("takes", { uploads: monthlyUploads, size: fileSize(storageBytes) });
}

/** The tier that a storage has without paying: it is shown, and cannot be bought. */
function FreeTier() {
	const { free } = TIERS;
	return <p>{t("free", { plan: <strong>{free.name}</strong>, takes: takes(free) })}</p>;
}

/** What there is to choose: a tier, and how it is paid. */
export function TierChoices({ plans, plan, term, current }: TierChoicesProps) {
	return (
		<>
			<fieldset>
				<legend>{t("plan")}</legend>
				{plans.map((one) => (
					<TierChoice key={one.id} plan={one} chosen={one.key === plan} current={one.key === current} />
				))}
			</fieldset>
			<fieldset>
				<legend>{t("payment")}</legend>
				<TermChoice term="monthly" label={t("monthly")} chosen={term} />
				<TermChoice term="annual" label={t("annual")} chosen={term} />
			</fieldset>
		</>
	);
}

interface TierChoicesProps {
	readonly plans: readonly SoldPlan[];
	/** What is chosen at first. */
	readonly plan: string | undefined;
	readonly term: string | undefined;
	/** The key of the tier that is paid for. */
	readonly current: string | undefined;
}

/** The card is one form: the tier in the App's link is preselected, and nothing happens before its button is pressed. */
function TierOffers({ facts, billing }: Offered) {
	const { card, plans, selling, token } = facts;
	const has = hasPlan(billing);
	const { subscription } = billing;
	if (!selling) return <Notice>{t("sells_none")}</Notice>;
	const obstacle = has && subscription ? obstacleTo(subscription) : undefined;
	if (obstacle) return <Notice>{obstacle}</Notice>;
	const current = has ? findCurrent(plans, billing) : undefined;
	const plan = choose(card.plan, ["pro", "scale", "max"], current?.plan.key);
	const term = choose(card.interval, ["monthly", "annual"], current ? termOf(current.price) : "monthly");
	return (
		<section className="card" aria-labelledby="plans">
			<h2 id="plans">{t(has ? "change" : "choose")}</h2>
			<PostForm action={cardAddress(card, has ? "switch" : "checkout")} token={token} fields={shownFields(facts)}>
				<TierChoices plans={plans} plan={plan} term={term} current={current?.plan.key} />
				<div className="actions">
					<button className="primary" type="submit">
						{t(has ? "switch" : "pay")}
					</button>
				</div>
				{facts.plans.flatMap(({ name, prices }) =>
					prices.map((price) => {
						const preview = facts.changes.get(price.id);
						return (
							preview && (
								<div className="fine" key={price.id}>
									<strong>{name}</strong> <ChangeCost preview={preview} price={price} taxBehavior={null} />
								</div>
							)
						);
					}),
				)}
				<p className="fine">{has && subscription ? changeTerms(subscription) : nothingYet()}</p>
			</PostForm>
		</section>
	);
}

/** The tier in the link, if there is such a tier. */
function choose<Known extends string>(sent: string | null, known: readonly Known[], otherwise: string | undefined) {
	return known.find((one) => one === sent) ?? otherwise;
}

function findCurrent(plans: readonly SoldPlan[], { subscription }: UserBilling) {
	const bought = subscription?.bought;
	if (bought?.subject !== "user") return undefined;
	for (const plan of plans) {
		const price = plan.prices.find(({ id }) => id === bought.priceId);
		if (price) return { plan, price };
	}
	return undefined;
}

interface TierChoiceProps {
	readonly plan: SoldPlan;
	readonly chosen: boolean;
	readonly current: boolean;
}

function TierChoice({ plan: { key, name, prices }, chosen, current }: TierChoiceProps) {
	const [monthly, annual] = prices.map((price) => priceText(price, null));
	return (
		<label className="choice">
			<input type="radio" name="plan" value={key} required defaultChecked={chosen} />
			<span>
				<strong>{name}</strong>
				{current && <span className="tag">{t("yours")}</span>}
				<br />
				{isTier(key) && (
					<>
						{takes(TIERS[key])}
						<br />
					</>
				)}
				<span className="soft">{monthly && annual ? t("or", { monthly, annual }) : (monthly ?? annual)}</span>
			</span>
		</label>
	);
}

function isTier(key: string): key is Tier {
	return Object.hasOwn(TIERS, key);
}

interface TermChoiceProps {
	readonly term: TierTerm;
	readonly label: Message;
	readonly chosen: string | undefined;
}

function TermChoice({ term, label, chosen }: TermChoiceProps) {
	return (
		<label className="choice">
			<input type="radio" name="interval" value={term} required defaultChecked={term === chosen} />
			<span>{label}</span>
		</label>
	);
}
