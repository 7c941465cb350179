import type { Tier } from "@svc/base/enumerations";
import type { SoldPlan } from "@svc/billing/plans";
import { hasPlan, type UserBilling } from "@svc/billing/user-billing";
import type { CardOffers, PageParts } from "@svc/pages/parts";
import { TIERS, type TierTerm } from "../until-4.4/tiers.ts";
import { termOf } from "./tier-plans.ts";
import { storageSize } from "./tiers.ts";

/* The billing card where the service sells the tiers of storages. */

export function tierOffers(parts: PageParts): CardOffers {
	return {
		list: (offered) => <TierOffers {...offered} parts={parts} />,
		nothing: () => <FreeTier parts={parts} />,
	};
}

type Offered = Parameters<CardOffers["list"]>[0];

interface Handed {
	readonly parts: PageParts;
}

function takes({ count }: PageParts, { monthlyUploads, storageBytes }: (typeof TIERS)[Tier]): string {
	return `${count(monthlyUploads, "upload")} a month, ${storageSize(storageBytes)}`;
}

/** The tier that a storage has without paying: it is shown, and cannot be bought. */
function FreeTier({ parts }: Handed) {
	return (
		<p>
			You have the plan <strong>{TIERS.free.name}</strong>: {takes(parts, TIERS.free)}. It costs nothing.
		</p>
	);
}

/** The card is one form: the tier in the App's link is preselected, and nothing happens before its button is pressed. */
function TierOffers({ facts: { card, plans, selling, token }, billing, parts }: Offered & Handed) {
	const { Notice, PostForm, changeTerms, NOTHING_YET, obstacleTo, cardAddress } = parts;
	const has = hasPlan(billing);
	const { subscription } = billing;
	if (!selling) return <Notice>No plans are sold here at present.</Notice>;
	const obstacle = has && subscription ? obstacleTo(subscription) : undefined;
	if (obstacle) return <Notice>{obstacle}</Notice>;
	const current = has ? findCurrent(plans, billing) : undefined;
	const plan = choose(card.plan, ["pro", "scale", "max"], current?.plan.key);
	const term = choose(card.interval, ["monthly", "annual"], current ? termOf(current.price) : "monthly");
	return (
		<section className="card" aria-labelledby="plans">
			<h2 id="plans">{has ? "Change your plan" : "Choose a plan"}</h2>
			<PostForm action={cardAddress(card, has ? "switch" : "checkout")} token={token}>
				<fieldset>
					<legend>Plan</legend>
					{plans.map((one) => (
						<TierChoice
							key={one.id}
							parts={parts}
							plan={one}
							chosen={one.key === plan}
							current={one.pk === current?.plan.pk}
						/>
					))}
				</fieldset>
				<fieldset>
					<legend>Payment</legend>
					<TermChoice term="monthly" label="Every month" chosen={term} />
					<TermChoice term="annual" label="Every year, twelve months at once" chosen={term} />
				</fieldset>
				<div className="actions">
					<button className="primary" type="submit">
						{has ? "Change to this plan" : "Continue to payment"}
					</button>
				</div>
				<p className="fine">{has && subscription ? changeTerms(subscription) : NOTHING_YET}</p>
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

interface TierChoiceProps extends Handed {
	readonly plan: SoldPlan;
	readonly chosen: boolean;
	readonly current: boolean;
}

function TierChoice({ parts, plan: { key, name, prices }, chosen, current }: TierChoiceProps) {
	return (
		<label className="choice">
			<input type="radio" name="plan" value={key} required defaultChecked={chosen} />
			<span>
				<strong>{name}</strong>
				{current && <span className="tag">Your plan</span>}
				<br />
				{isTier(key) && (
					<>
						{takes(parts, TIERS[key])}
						<br />
					</>
				)}
				<span className="soft">{prices.map(parts.priceText).join(" or ")}</span>
			</span>
		</label>
	);
}

function isTier(key: string): key is Tier {
	return Object.hasOwn(TIERS, key);
}

interface TermChoiceProps {
	readonly term: TierTerm;
	readonly label: string;
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
