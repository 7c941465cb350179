import type { TaxBehavior } from "@svc/base/enumerations";
import { type PreviewedChange, previewChange } from "@svc/billing/payers/change-previews";
import type { PlanPrice } from "@svc/billing/plans/plan";
import type { ProcessorPreview } from "@svc/billing/ports";
import { AppCard } from "../apps/app-card.tsx";
import { findShownApp } from "../apps/find-shown-app.ts";
import { Alert, Day, Name, PostForm } from "../kit/parts.tsx";
import type { Message } from "../kit/text.ts";
import { type Page, show } from "../kit/visit.ts";
import { t } from "../plans/messages.ts";
import { money } from "../plans/plan-texts.tsx";
import type { CardPost } from "./billing.tsx";
import { type CardFacts, frameOf } from "./billing-parts.tsx";
import { cardAddress } from "./billing-query.ts";

/* What a change of plan costs: it is shown before the button, which carries it along. */

/** The field that carries what was shown for a price. */
function fieldOf(priceId: string): string {
	return `shown_${priceId}`;
}

/** What was shown of the prices that are charged at once; empty for one that the processor did not tell of. */
export function shownFields({ changes, nowMs }: Pick<CardFacts, "changes" | "nowMs">, priceId?: string) {
	const shown = [...changes].filter(([id]) => priceId === undefined || id === priceId);
	return Object.fromEntries(
		shown.map(([id, preview]) => [fieldOf(id), preview ? `${preview.amountNow}@${nowMs}` : ""]),
	);
}

interface ChangeCostProps {
	readonly preview: ProcessorPreview;
	readonly price: PlanPrice;
	readonly taxBehavior: TaxBehavior | null;
}

/** “You pay 3.21 € now, then 10.00 € a month from 9 March.” */
export function ChangeCost({ preview, price, taxBehavior }: ChangeCostProps) {
	const { amountNow, currency, credit, nextAmount, nextMs } = preview;
	const day = <Day ms={nextMs} />;
	const amount = money(price.amount, price.currency);
	const regular = t("price", { interval: price.interval, amount, tax: taxBehavior ?? "none" });
	const now = money(amountNow, currency);
	return (
		<p>
			{amountNow > 0 ? t("pay.now", { now, price: regular, day }) : t("pay.free", { price: regular, day })}
			{credit > 0 && <> {t("pay.credit", { amount: money(credit, currency) })}</>}
			{nextAmount !== price.amount && <> {t("pay.next", { amount: money(nextAmount, currency) })}</>}
		</p>
	);
}

/** The words of the button that pays. */
export function payWords({ amountNow, currency }: ProcessorPreview): Message {
	return amountNow > 0 ? t("pay.button", { amount: money(amountNow, currency) }) : t("pay.change");
}

/** How long a change may cost what was shown: its preview is counted from then. */
const SHOWN_MS = 15 * 60_000;

/**
 * The time from which a change is counted, so that it costs what was shown; or a page that asks again, because it costs something else by now.
 */
export async function shownOrAsk(call: CardPost, priceId: string): Promise<number | Page> {
	const { rooms, payer, form } = call;
	const nowMs = rooms.clock.now();
	// A form without it shows nothing of what is charged at once: it is asked about like one that shows too little.
	const [amount, at] = (form.get(fieldOf(priceId)) ?? "").split("@").map(Number);
	const fresh = at !== undefined && at <= nowMs && nowMs - at <= SHOWN_MS;
	const change = await previewChange(rooms.billing, payer, priceId, fresh ? at : nowMs);
	if (!change) return nowMs;
	if (fresh && change.preview.amountNow === amount) return at;
	return askPage(call, priceId, (await previewChange(rooms.billing, payer, priceId, nowMs)) ?? change, nowMs);
}

async function askPage(
	{ rooms, card, payer, visit, form, token }: CardPost,
	priceId: string,
	change: PreviewedChange,
	nowMs: number,
): Promise<Page> {
	const app = card.opened === "by_person" ? undefined : await findShownApp(rooms, card.app);
	const { offer, preview, taxBehavior } = change;
	const title = t("pay.ask", { plan: offer.plan.name });
	const chosen = [...form].filter(([name]) => CHOICES.has(name));
	const shown = shownFields({ changes: new Map([[priceId, preview]]), nowMs }, priceId);
	const body = (
		<div className="card">
			<div className="stack">
				<h1>{title}</h1>
				<p className="soft">{t("signed_in", { email: <Name>{payer.email}</Name> })}</p>
			</div>
			<AppCard app={app} />
			<Alert answers>{t("pay.moved")}</Alert>
			<ChangeCost preview={preview} price={offer.price} taxBehavior={taxBehavior} />
			<PostForm action={cardAddress(card, "switch")} token={token} fields={{ ...Object.fromEntries(chosen), ...shown }}>
				<div className="actions">
					<button className="primary" type="submit">
						{payWords(preview)}
					</button>
					<a className="button quiet" href={visit.url.pathname.replace(/\/switch$/, "") + visit.url.search}>
						{t("keep")}
					</a>
				</div>
			</PostForm>
		</div>
	);
	return show(title, body, { status: 409, app: frameOf({ app, card }) });
}

/** The fields by which a price is chosen. */
const CHOICES: ReadonlySet<string> = new Set(["price_id", "plan", "interval"]);
