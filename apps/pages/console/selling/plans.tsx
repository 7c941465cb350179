import type { App, ManagedPlan, ManagedPrice } from "@svc/sdk/shapes";
import { priceText } from "../../billing/price-text.ts";
import { looksPath } from "../../kit/assets.ts";
import { Day, fileSize, numberText } from "../../kit/parts.tsx";
import { type Page, type PageResult, redirect } from "../../kit/visit.ts";
import { ActForm } from "../kit/forms.tsx";
import { screenPage } from "../kit/frame.tsx";
import { Lines } from "../kit/lines.tsx";
import { Pager } from "../kit/pager.tsx";
import { type ConsolePost, type ConsoleVisit, hasRole, type Refused, type Screen } from "../kit/visit.ts";
import { t } from "../messages.ts";
import { Look, shownPlan, taxBehaviorOf } from "./look.tsx";
import { Missing } from "./missing.tsx";
import { readWhole } from "./money.ts";
import { askedPrice, NewPrice, termsOf } from "./new-price.tsx";
import { PlanForm } from "./plan-form.tsx";
import { Terms } from "./terms.tsx";

/* What an App sells: what is missing until people can buy, its plans with their prices, and the card as they see it. */

export const plansScreen: Screen = {
	path: "/:app/plans",
	get: showPlans,
	acts: { create, save, archive, price, on_sale: setOnSale, free, codes },
};

async function showPlans(visit: ConsoleVisit, refused?: Refused): Promise<Page> {
	const { app: id = "" } = visit.params;
	const cursor = visit.url.searchParams.get("cursor") ?? undefined;
	const calls = visit.api.apps.of(id);
	const [app, { data, pagination }, uris] = await Promise.all([
		visit.api.apps.get(id),
		calls.plans.list({ cursor, limit: 100 }),
		calls.redirectUris.list({ limit: 1 }),
	]);
	const live = data.filter(({ archived_at }) => archived_at === null).toSorted(asOnCard);
	const archived = data.filter(({ archived_at }) => archived_at !== null);
	const asked = askedOf(visit, app, live);
	const sheet = await looksPath(app.profile.accent_color);
	const look = <Look app={app} sheet={sheet} {...lookOf(visit, live, asked.priced)} />;
	const form = { visit, here: plansPath(app), refused };
	const children = asked.priced ? (
		<>
			<NewPrice {...form} app={app} plan={asked.priced} />
			{look}
		</>
	) : asked.edited ? (
		<PlanForm {...form} plan={asked.edited} />
	) : (
		<>
			<Missing visit={visit} app={app} uris={uris.data} plans={data} />
			{asked.sells && <PlanForm {...form} plan={undefined} />}
			{data.length === 0 && <p className="empty soft">{t("plans.none")}</p>}
			{live.map((plan) => (
				<Plan key={plan.id} visit={visit} app={app} plan={plan} refused={refused} />
			))}
			{look}
			{archived.length > 0 && (
				<details>
					<summary>{t("plans.archived.count", { plans: archived.length })}</summary>
					{archived.map((plan) => (
						<Plan key={plan.id} visit={visit} app={app} plan={plan} refused={refused} />
					))}
				</details>
			)}
			<Pager visit={visit} next={pagination.next_cursor} />
			<Terms {...form} app={app} />
		</>
	);
	return screenPage(visit, { title: t("plans"), app, screen: "plans", scripts: ["copy"], children });
}

/** By the place that its Owner chose, then by name. */
function asOnCard(one: ManagedPlan, other: ManagedPlan): number {
	return one.display_order - other.display_order || (one.name < other.name ? -1 : 1);
}

interface AskedFor {
	/** Whether who looks may change anything. */
	readonly sells: boolean;
	readonly edited: ManagedPlan | undefined;
	readonly priced: ManagedPlan | undefined;
}

/** What the address asks for: the form of a plan, or of a price. While the App may not sell, nothing of it can be changed. */
function askedOf({ url: { searchParams } }: ConsoleVisit, app: App, live: readonly ManagedPlan[]): AskedFor {
	const sells = app.selling_enabled && hasRole(app, "owner");
	const named = (name: string) => live.find(({ id }) => sells && id === searchParams.get(name));
	return { sells, edited: named("edit"), priced: named("price") };
}

/** The plans as the card will have them, with the price that is about to be made. */
function lookOf(visit: ConsoleVisit, live: readonly ManagedPlan[], priced: ManagedPlan | undefined) {
	const { terms } = priced ? askedPrice(visit) : {};
	const plans = live.map((plan) => {
		const shown = shownPlan(plan);
		return terms && plan === priced ? { ...shown, prices: [...shown.prices, { id: "new", ...terms }] } : shown;
	});
	return { plans, first: terms?.interval };
}

function plansPath({ id }: Pick<App, "id">): string {
	return `/console/${id}/plans`;
}

interface PlanProps {
	readonly visit: ConsoleVisit;
	readonly app: App;
	readonly plan: ManagedPlan;
	readonly refused: Refused | undefined;
}

function Plan({ visit, app, plan, refused: refusedForm }: PlanProps) {
	const { id, key, name, description, archived_at } = plan;
	const refused = refusedForm?.form.get("plan") === id ? refusedForm : undefined;
	const changes = app.selling_enabled && hasRole(app, "owner") && archived_at === null;
	return (
		<section className="card" aria-labelledby={id}>
			<div className="stack" dir="auto">
				<h2 id={id}>
					<bdi>{name}</bdi> <code className="fine">{key}</code>
					{archived_at !== null && <span className="tag warns">{t("plans.archived")}</span>}
				</h2>
				{description && <p>{description}</p>}
				<Brings plan={plan} />
			</div>
			{plan.prices.length === 0 ? (
				<p className="soft">{t("price.none")}</p>
			) : (
				<Prices visit={visit} app={app} plan={plan} changes={changes} refused={refused} />
			)}
			{changes && (
				<div className="acts">
					<a className="button quiet slim" href={`${plansPath(app)}?price=${id}`}>
						{t("price.new")}
					</a>
					<a className="button quiet slim" href={`${plansPath(app)}?edit=${id}`}>
						{t("change")}
					</a>
					<details className="ask" open={refused?.act === "archive"}>
						<summary className="button quiet slim">{t("plans.archive.ask")}</summary>
						<ActForm visit={visit} action={plansPath(app)} act="archive" fields={{ plan: id }} refused={refused}>
							<p>{t("plans.archive.about")}</p>
							<button className="final" type="submit">
								{t("plans.archive")}
							</button>
						</ActForm>
					</details>
				</div>
			)}
		</section>
	);
}

function Brings({ plan: { benefits, limits } }: { readonly plan: ManagedPlan }) {
	const held = [
		...(limits.images === null ? [] : [{ id: "images", text: t("plans.images"), value: numberText(limits.images) }]),
		...(limits.bytes === null ? [] : [{ id: "bytes", text: t("plans.bytes"), value: fileSize(limits.bytes) }]),
	];
	if (held.length + benefits.length === 0) return null;
	return (
		<ul className="benefits">
			{held.map(({ id, text, value }) => (
				<li key={id}>
					{text}: {value}
				</li>
			))}
			{benefits.map((benefit, place) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: the list is rendered once, and benefits may repeat
				<li key={place}>{benefit}</li>
			))}
		</ul>
	);
}

interface PricesProps extends PlanProps {
	readonly changes: boolean;
}

function Prices({ visit, app, plan, changes, refused }: PricesProps) {
	const lines = plan.prices.map((one) => ({
		id: one.id,
		cells: [
			wordsOf(app, one),
			t("price.days", { days: one.trial_days }),
			t("price.sale", { on: one.on_sale ? "yes" : "no" }),
			<Day key="since" ms={Date.parse(one.created_at)} />,
			...(changes ? [<Sale key="sale" visit={visit} app={app} plan={plan} of={one} refused={refused} />] : []),
		],
	}));
	const columns = [t("price.price"), t("price.trial"), t("price.sale.title"), t("price.since")];
	const caption = t("price.prices", { plan: plan.name });
	return <Lines caption={caption} columns={changes ? [...columns, ""] : columns} lines={lines} />;
}

function wordsOf(app: App, { amount, currency, interval }: ManagedPrice) {
	return priceText({ amount, currency, interval: interval as "month" }, taxBehaviorOf(app));
}

/** Who pays a price goes on paying it: only whether it can be bought changes, at the amount that the button says. */
function Sale({ visit, app, plan, of, refused: refusedForm }: PlanProps & { readonly of: ManagedPrice }) {
	const refused = refusedForm?.form.get("price") === of.id ? refusedForm : undefined;
	const fields = { plan: plan.id, price: of.id, on_sale: String(!of.on_sale) };
	return (
		<ActForm visit={visit} action={plansPath(app)} act="on_sale" fields={fields} refused={refused}>
			<button className="quiet slim" type="submit">
				{t(of.on_sale ? "price.off" : "price.on", { price: wordsOf(app, of) })}
			</button>
		</ActForm>
	);
}

async function create(post: ConsolePost): Promise<PageResult> {
	await plansOf(post).create({ ...described(post), key: textOf(post, "key") }, once(post));
	return await done(post, "plan");
}

async function save(post: ConsolePost): Promise<PageResult> {
	await plansOf(post).edit(planOf(post), described(post));
	return await done(post, "saved");
}

async function archive(post: ConsolePost): Promise<PageResult> {
	await plansOf(post).archive(planOf(post));
	return await done(post, "archived");
}

async function price(post: ConsolePost): Promise<PageResult> {
	await plansOf(post).createPrice(planOf(post), termsOf(post.form), once(post));
	return await done(post, "price");
}

async function setOnSale(post: ConsolePost): Promise<PageResult> {
	const on = textOf(post, "on_sale") === "true";
	await plansOf(post).setOnSale(planOf(post), textOf(post, "price") || NONE, on);
	return await done(post, on ? "price" : "off_sale");
}

async function free(post: ConsolePost): Promise<PageResult> {
	await post.api.apps.edit(post.params.app ?? "", { freeLimits: limitsOf(post) });
	return await done(post, "saved");
}

async function codes(post: ConsolePost): Promise<PageResult> {
	await post.api.apps.edit(post.params.app ?? "", { promotionCodes: textOf(post, "promotion_codes") === "true" });
	return await done(post, "saved");
}

/** An empty field is no limit. */
function limitsOf(post: ConsolePost) {
	const limit = (name: string) => readWhole(textOf(post, name)) ?? null;
	return { images: limit("images"), bytes: limit("bytes") };
}

function described(post: ConsolePost) {
	return {
		name: textOf(post, "name"),
		description: textOf(post, "description"),
		benefits: textOf(post, "benefits")
			.split(/\r?\n/)
			.filter((line) => line.trim() !== ""),
		displayOrder: readWhole(textOf(post, "display_order")) ?? 0,
		limits: limitsOf(post),
	};
}

function textOf({ form }: ConsolePost, name: string): string {
	return form.get(name)?.trim() ?? "";
}

/** The id of what a form does not name: there is none such. */
const NONE = "none";

function planOf(post: ConsolePost): string {
	return textOf(post, "plan") || NONE;
}

function once({ idempotencyKey }: ConsolePost) {
	return idempotencyKey ? { idempotencyKey } : {};
}

function plansOf({ api, params }: ConsolePost) {
	return api.apps.of(params.app ?? "").plans;
}

async function done(post: ConsolePost, what: string): Promise<PageResult> {
	await post.leave({ what });
	return redirect(plansPath({ id: post.params.app ?? "" }));
}
