import type { AppBilling, AppPlanOffer, AppPlanPrice } from "@svc/sdk/shapes";
import { amountText, fileSize } from "../../kit/parts.tsx";
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
							<Choose
								key={price.interval}
								visit={visit}
								here={here}
								refused={refused}
								isPaying={billing.paid_plan !== null}
								offer={offer}
								price={price}
							/>
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

interface ChooseProps extends Pick<FormProps, "visit" | "here" | "refused"> {
	readonly isPaying: boolean;
	readonly offer: AppPlanOffer;
	readonly price: AppPlanPrice;
}

/** What is paid for is changed on a page that says what the change costs; what is bought is paid at the payment processor's. */
function Choose({ visit, here, refused, isPaying, offer, price }: ChooseProps) {
	const fields = { plan: offer.key, interval: price.interval };
	const words = t("plan.buy", { plan: offer.key, price: priceText(price) });
	if (isPaying)
		return (
			<a className="button quiet slim" href={`${here}?${new URLSearchParams(fields)}`}>
				{words} …
			</a>
		);
	const own = refused?.form.get("plan") === offer.key ? refused : undefined;
	return (
		<ActForm visit={visit} action={here} act="checkout" fields={fields} refused={own}>
			<button className="quiet slim" type="submit">
				{words}
			</button>
		</ActForm>
	);
}

function isPresent({ plan }: AppBilling, { key }: AppPlanOffer): boolean {
	return plan === key;
}

/** What is paid already, or will be from the next term on. */
function isPaid(
	{ paid_plan, pending_plan, interval }: AppBilling,
	{ key }: AppPlanOffer,
	price: AppPlanPrice,
): boolean {
	return (pending_plan ?? paid_plan) === key && (pending_plan !== null || interval === price.interval);
}

function priceText({ interval, ...money }: AppPlanPrice): Text {
	return t(interval === "year" ? "plan.yearly" : "plan.monthly", { amount: amountText(money) });
}

export async function buy(post: ConsolePost): Promise<PageResult> {
	const app = post.params.app ?? "";
	const plan = post.form.get("plan") ?? "";
	const { billing } = post.api.apps.of(app);
	const [interval, at] = [post.form.get("interval") ?? "month", post.form.get("at") || undefined];
	const { url, effective } = await billing.checkout(plan, { interval, at });
	if (url !== null) return await leadOn(post, url, t("plan.pay"));
	await post.leave({ what: effective === "at_renewal" ? "plan_pending" : "plan_changed" });
	return redirect(planPath({ id: app }));
}
