import type { AppBilling, AppPlanOffer, AppPlanPrice } from "@svc/sdk/shapes";
import { amountText } from "../../kit/money.ts";
import { fileSize } from "../../kit/parts.tsx";
import type { Text } from "../../kit/text.ts";
import { type PageResult, redirect } from "../../kit/visit.ts";
import { ActForm } from "../kit/forms.tsx";
import { Lines } from "../kit/lines.tsx";
import type { ConsolePost } from "../kit/visit.ts";
import { t } from "../messages.ts";
import { type FormProps, isUnlimited, leadOn, limitText, planPath } from "./parts.tsx";

/* The plans that an App can be on. What changes an amount has it on its button. */

export function Offers({ visit, app, billing, here, refused }: FormProps) {
	const isOwner = app.role === "owner";
	const lines = billing.plans.map((offer) => ({
		id: offer.key,
		cells: [
			<bdi key="plan">{offer.key}</bdi>,
			limitText(offer.limits.images),
			limitText(offer.limits.users),
			limitText(offer.monthly_uploads),
			isUnlimited(offer.storage_bytes) ? t("plan.any") : fileSize(offer.storage_bytes),
			offer.prices.length === 0 ? "–" : offer.prices.map((price) => <p key={price.interval}>{priceText(price)}</p>),
			<div key="acts" className="acts">
				{isPresent(billing, offer) && <span className="tag">{t("plan.present")}</span>}
				{isOwner &&
					offer.prices
						.filter((price) => !isPaid(billing, offer, price))
						.map((price) => (
							<ActForm
								key={price.interval}
								visit={visit}
								action={here}
								act="checkout"
								fields={{ plan: offer.key, interval: price.interval }}
								refused={refused?.form.get("plan") === offer.key ? refused : undefined}
							>
								<button className="quiet slim" type="submit">
									{t("plan.buy", { plan: offer.key, price: priceText(price) })}
								</button>
							</ActForm>
						))}
			</div>,
		],
	}));
	const columns: readonly Text[] = [
		t("plan"),
		t("images"),
		t("users"),
		t("plan.uploads"),
		t("plan.storage"),
		t("plan.price"),
		"",
	];
	return (
		<>
			<h2>{t("plan.offers")}</h2>
			{billing.paid_plan !== null && isOwner && <p className="soft">{t("plan.change.about")}</p>}
			<Lines caption={t("plan.offers")} columns={columns} lines={lines} />
		</>
	);
}

function isPresent({ plan }: AppBilling, { key }: AppPlanOffer): boolean {
	return plan === key;
}

/** What is paid already, or will be from the next term on. */
function isPaid({ paid_plan, pending_plan, interval }: AppBilling, { key }: AppPlanOffer, price: AppPlanPrice): boolean {
	return (pending_plan ?? paid_plan) === key && (pending_plan !== null || interval === price.interval);
}

function priceText({ interval, ...money }: AppPlanPrice): Text {
	return t(interval === "year" ? "plan.yearly" : "plan.monthly", { amount: amountText(money) });
}

export async function buy(post: ConsolePost): Promise<PageResult> {
	const app = post.params.app ?? "";
	const plan = post.form.get("plan") ?? "";
	const { url, effective } = await post.api.apps
		.of(app)
		.billing.checkout(plan, { interval: post.form.get("interval") ?? "month" });
	if (url !== null) return await leadOn(post, url, t("plan.pay"));
	await post.leave({ what: effective === "at_renewal" ? "plan_pending" : "plan_changed" });
	return redirect(planPath({ id: app }));
}
