import { findPagePayer } from "@svc/billing/payers/checkouts";
import { SIMULATED_CARDS, type SimulatedCard, type SimulatedPage, type Simulation } from "@svc/billing/ports";
import * as v from "valibot";
import { AppCard } from "../apps/app-card.tsx";
import { findShownApp } from "../apps/find-shown-app.ts";
import { type FormFields, flowSecret, formToken, readForm, requireToken } from "../kit/form.ts";
import { missing } from "../kit/layout.tsx";
import { Alert, amountText, Day, Name, Notice, PostForm } from "../kit/parts.tsx";
import type { PagesRooms } from "../kit/rooms.ts";
import type { ShownApp } from "../kit/shown-app.ts";
import type { Message, Text } from "../kit/text.ts";
import { type Page, PageRefusal, type PageResult, type Route, redirect, show, type Visit } from "../kit/visit.ts";
import { t } from "./messages.ts";
import { priceText } from "./price-text.ts";

/* The page of the simulated payment processor: where real money is paid there is none. */

const NUMBERS: Readonly<Record<SimulatedCard, string>> = {
	pays: "•••• 4242",
	declines: "•••• 0002",
	needs_bank: "•••• 3155",
};

const stepSchema = v.variant("step", [
	v.object({ step: v.literal("pay"), card: v.picklist(SIMULATED_CARDS) }),
	v.object({ step: v.literal("confirm") }),
	v.object({ step: v.literal("refuse") }),
]);

export function checkoutRoutes(rooms: PagesRooms): Route[] {
	const { simulation } = rooms.billing.processor;
	if (!simulation) return [];
	return [
		{
			path: "/checkout/:ref",
			get: (visit) => open(rooms, simulation, visit),
			post: (visit) => step(rooms, simulation, visit),
		},
	];
}

async function open(rooms: PagesRooms, simulation: Simulation, visit: Visit): Promise<PageResult> {
	const page = await simulation.findPage(visit.params.ref ?? "");
	if (!page || page.state === "closed") throw closed(page);
	return page.state === "done" ? redirect(page.successUrl) : await paymentPage(rooms, visit, page);
}

async function step(rooms: PagesRooms, simulation: Simulation, visit: Visit): Promise<PageResult> {
	const form = await readForm(visit, rooms.addresses);
	await requireToken(form, visit.cookies.read("flow"), visit.url.pathname);
	const submitted = await simulation.submit(visit.params.ref ?? "", stepOf(form));
	if (!submitted) throw missing();
	const { page, declined } = submitted;
	if (page.state === "closed") throw closed(page);
	if (page.state === "done") return redirect(page.successUrl);
	const fault = declined ? t("checkout.declined") : undefined;
	return await paymentPage(rooms, visit, page, fault);
}

/** A page that the service has closed: nothing can be paid at it any more. */
function closed(page: SimulatedPage | undefined): PageRefusal {
	if (!page) return missing();
	const again = { href: page.cancelUrl, label: t("checkout.back.subscribe") };
	return new PageRefusal(410, t("checkout.closed"), t("checkout.closed.text"), { again });
}

/** A value that our form does not send counts as a declined card. */
function stepOf(form: FormFields): { readonly card: SimulatedCard } | { readonly confirmed: boolean } {
	const sent = v.safeParse(stepSchema, Object.fromEntries(form));
	if (!sent.success) return { card: "declines" };
	return sent.output.step === "pay" ? { card: sent.output.card } : { confirmed: sent.output.step === "confirm" };
}

async function paymentPage(rooms: PagesRooms, visit: Visit, page: SimulatedPage, fault?: Text): Promise<Page> {
	const nowMs = rooms.clock.now();
	const payer = await findPagePayer(rooms.billing, page);
	const app = payer && (await findShownApp(rooms, payer.app));
	const token = await formToken(flowSecret(visit));
	const { pathname } = visit.url;
	const subscribes = page.purpose === "subscribe";
	const title = t(subscribes ? "checkout.subscribe" : "checkout.method");
	const body = (
		<div className="card">
			<div className="stack">
				<h1>{title}</h1>
				{payer && <For email={payer.email} app={app} />}
			</div>
			<AppCard app={app} />
			<Notice>{t("checkout.simulated")}</Notice>
			{fault && <Alert answers>{fault}</Alert>}
			<Terms page={page} nowMs={nowMs} />
			{page.state === "confirming" ? (
				<Bank action={pathname} token={token} />
			) : (
				<Cards action={pathname} token={token} page={page} />
			)}
			<p>
				<a className="back" href={page.cancelUrl}>
					{t(subscribes ? "checkout.back.subscribe" : "checkout.back.method")}
				</a>
			</p>
		</div>
	);
	return show(title, body, { status: fault ? 422 : 200, app });
}

/** Whose plan it is, before anybody pays. */
function For({ email, app }: { readonly email: string; readonly app: ShownApp | undefined }) {
	const account = <Name>{email}</Name>;
	return (
		<p className="soft">
			{app ? t("checkout.for", { account, app: <Name>{app.name}</Name> }) : t("checkout.for.own", { account })}
		</p>
	);
}

const DAY_MS = 86_400_000;

function Terms({ page, nowMs }: { readonly page: SimulatedPage; readonly nowMs: number }) {
	const { price, trialDays, title, seller } = page;
	if (!price) return <p>{t("checkout.next")}</p>;
	const text = priceText(price, price.taxBehavior ?? null);
	return (
		<div className="stack">
			<p className="lead">{t("checkout.plan", { plan: <Name>{title}</Name>, seller: <Name>{seller}</Name> })}</p>
			<p>
				{trialDays > 0
					? t("checkout.trial", { days: trialDays, price: text, day: <Day ms={nowMs + trialDays * DAY_MS} /> })
					: t("checkout.terms", { price: text })}
			</p>
			<Tax price={price} term={page.term} />
		</div>
	);
}

/** What of a term is tax; nothing where none is taken. */
function Tax({ price, term }: Pick<SimulatedPage, "price" | "term">) {
	if (!price?.taxBehavior || !term) return null;
	const { currency, taxBehavior: kind } = price;
	const text = (amount: number) => amountText({ amount, currency });
	const { subtotal, tax, total } = term;
	return <p>{t("checkout.tax", { kind, subtotal: text(subtotal), tax: text(tax), total: text(total) })}</p>;
}

interface FormProps {
	readonly action: string;
	readonly token: string;
}

function Cards({ action, token, page }: FormProps & { readonly page: SimulatedPage }) {
	return (
		<PostForm action={action} token={token} fields={{ step: "pay" }}>
			<fieldset>
				<legend>{t("checkout.with")}</legend>
				{SIMULATED_CARDS.map((card, place) => (
					<label className="choice" key={card}>
						<input type="radio" name="card" value={card} required defaultChecked={place === 0} />
						<span>
							<strong>{t(`card.${card}`)}</strong>
							<br />
							<span className="fine">{NUMBERS[card]}</span>
						</span>
					</label>
				))}
			</fieldset>
			<div className="actions">
				<button className="primary" type="submit">
					{buttonOf(page)}
				</button>
			</div>
		</PostForm>
	);
}

function buttonOf({ price, term, trialDays }: SimulatedPage): Message {
	if (!price) return t("checkout.use");
	return trialDays > 0
		? t("checkout.try")
		: t("checkout.pay", { amount: amountText({ amount: term?.total ?? price.amount, currency: price.currency }) });
}

function Bank({ action, token }: FormProps) {
	return (
		<div className="stack">
			<p>{t("bank")}</p>
			<PostForm action={action} token={token} fields={{ step: "confirm" }}>
				<button className="primary" type="submit">
					{t("bank.confirm")}
				</button>
			</PostForm>
			<PostForm action={action} token={token} fields={{ step: "refuse" }}>
				<button className="quiet" type="submit">
					{t("bank.refuse")}
				</button>
			</PostForm>
		</div>
	);
}
