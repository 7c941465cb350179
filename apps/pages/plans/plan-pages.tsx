import { isOwnUnsold, withdrawUntilOf } from "@svc/billing/payers/own-plans";
import { planNameOf, termsOf } from "@svc/billing/plans/bought";
import type { PlanGrant } from "@svc/billing/plans/plan";
import type { OwnPlan } from "@svc/billing/subscription";
import { type Invoice, isUnpaid } from "@svc/billing/subscription";
import { Alert, Day, Name, PostForm } from "../kit/parts.tsx";
import type { PagesRooms } from "../kit/rooms.ts";
import { type Message, usePlain } from "../kit/text.ts";
import { type Page, show } from "../kit/visit.ts";
import { t } from "./messages.ts";
import { money, planTitle, Standing, staysUntil } from "./plan-texts.tsx";

/* The pages of one's own plans. */

const PATH = "/account/plans";

interface PlansProps {
	readonly rooms: PagesRooms;
	readonly email: string;
	readonly plans: readonly OwnPlan[];
	/** What one is given for nothing. */
	readonly grants: readonly PlanGrant[];
}

export function plansPage({ rooms, email, plans, grants }: PlansProps): Page {
	const [live, earlier] = [plans.filter(isLive), plans.filter((plan) => !isLive(plan))];
	const body = (
		<>
			<div className="stack">
				<h1>{t("title")}</h1>
				<p className="soft">{t("signed_in", { email: <Name>{email}</Name> })}</p>
				<p>{t("lead")}</p>
			</div>
			<div className="alone">
				<section className="card" aria-labelledby="live">
					<h2 id="live">{t("title")}</h2>
					{live.length === 0 ? <p className="soft">{t("none")}</p> : <Plans rooms={rooms} plans={live} />}
				</section>
			</div>
			{grants.length > 0 && (
				<section className="card" aria-labelledby="grants">
					<h2 id="grants">{t("grants")}</h2>
					<ul className="rows">
						{grants.map(({ id, plan, app, untilMs }) => (
							<li key={id} data-grant={id}>
								<p>
									{t("granted", {
										plan: <bdi>{plan.name}</bdi>,
										app: <bdi>{app.name}</bdi>,
										day: <Day ms={untilMs} />,
									})}
								</p>
							</li>
						))}
					</ul>
				</section>
			)}
			{earlier.length > 0 && (
				<section className="card" aria-labelledby="earlier">
					<h2 id="earlier">{t("earlier")}</h2>
					<Plans rooms={rooms} plans={earlier} />
				</section>
			)}
			<p>
				<a className="back" href="/account">
					{t("back.account")}
				</a>
			</p>
		</>
	);
	return show(t("title"), body, { wide: true });
}

export function isLive({ endedMs, withdrawnMs }: OwnPlan): boolean {
	return endedMs === null && withdrawnMs === null;
}

export function Plans({ rooms, plans }: Pick<PlansProps, "rooms" | "plans">) {
	return (
		<ul className="rows">
			{plans.map((plan) => (
				<Row key={plan.id} rooms={rooms} plan={plan} />
			))}
		</ul>
	);
}

function Row({ rooms, plan }: { readonly rooms: PagesRooms; readonly plan: OwnPlan }) {
	const say = usePlain();
	return (
		<li data-plan={plan.id}>
			<div className="what">
				<h3>{planTitle(plan)}</h3>
				<Standing rooms={rooms} plan={plan} />
			</div>
			<div className="acts">
				<a
					className="button quiet slim"
					href={`${PATH}/${plan.id}`}
					aria-label={say(t("details.of", { plan: planNameOf(plan.bought) }))}
				>
					{t("details")}
				</a>
			</div>
		</li>
	);
}

interface PlanProps {
	readonly rooms: PagesRooms;
	readonly email: string;
	readonly plan: OwnPlan;
	readonly invoices: readonly Invoice[];
	readonly withdrawable: boolean;
	readonly token: string;
	readonly fault?: Message | undefined;
	readonly status: number;
}

export function planPage({ fault, status, ...props }: PlanProps & { readonly fault?: Message | undefined }): Page {
	const { rooms, email, plan } = props;
	const body = (
		<>
			<div className="card">
				<div className="stack">
					<h1>{planTitle(plan)}</h1>
					<p className="soft">{t("signed_in", { email: <Name>{email}</Name> })}</p>
				</div>
				{fault && <Alert answers>{fault}</Alert>}
				<div className="stack">
					<Standing rooms={rooms} plan={plan} />
				</div>
				{isLive(plan) && <Actions {...props} />}
			</div>
			<section className="card" aria-labelledby="invoices">
				<h2 id="invoices">{t("invoices")}</h2>
				<Invoices invoices={props.invoices} />
			</section>
			<p>
				<a className="back" href={PATH}>
					{t("back")}
				</a>
			</p>
		</>
	);
	return show(planTitleText(plan), body, { status, wide: true });
}

/** The title of a page holds text alone. */
function planTitleText({ bought, app }: OwnPlan): string {
	return app ? `${planNameOf(bought)} · ${app.name}` : planNameOf(bought);
}

function Actions({ rooms, plan, token, withdrawable }: Omit<PlanProps, "fault" | "status">) {
	const path = `${PATH}/${plan.id}`;
	const unpaid = isUnpaid(plan);
	return (
		<div className="actions">
			<PostForm action={`${path}/payment-method`} token={token}>
				<button className={unpaid ? "primary" : "quiet"} type="submit">
					{t(unpaid ? "payment.unpaid" : "payment")}
				</button>
			</PostForm>
			{plan.cancelAtPeriodEnd && !isOwnUnsold(rooms.billing, plan) && (
				<PostForm action={`${path}/resume`} token={token}>
					<button className="quiet" type="submit">
						{t("resume")}
					</button>
				</PostForm>
			)}
			{(!plan.cancelAtPeriodEnd || plan.endsUnsold) && (
				<a className="button quiet" href={`${path}/cancel`}>
					{t("cancel")}
				</a>
			)}
			{withdrawable && (
				<a className="button danger" href={`${path}/withdraw`}>
					{t("withdraw")}
				</a>
			)}
		</div>
	);
}

function Invoices({ invoices }: { readonly invoices: readonly Invoice[] }) {
	const say = usePlain();
	if (invoices.length === 0) return <p className="soft">{t("invoices.none")}</p>;
	return (
		<ul className="rows">
			{invoices.map((invoice) => (
				<li key={invoice.id}>
					<div className="what">
						<h3>
							<Day ms={invoice.createdMs} /> · {money(invoice.total, invoice.currency)}
						</h3>
						<p>
							{t("invoice.status", { status: invoice.status })}
							{invoice.amountRefunded > 0 && (
								<> · {t("invoice.refunded", { amount: money(invoice.amountRefunded, invoice.currency) })}</>
							)}
						</p>
					</div>
					<div className="acts">
						<a
							className="button quiet slim"
							href={`/account/invoices/${invoice.id}`}
							aria-label={say(t("invoice.title", { number: invoice.number }))}
						>
							{invoice.number}
						</a>
					</div>
				</li>
			))}
		</ul>
	);
}

interface AskProps {
	readonly rooms: PagesRooms;
	readonly email: string;
	readonly plan: OwnPlan;
	readonly token: string;
}

/** Says until when access lasts, before it is done. */
export function cancelPage(props: AskProps): Page {
	const { rooms, plan } = props;
	const until = staysUntil(rooms, plan);
	const words = isOwnUnsold(rooms.billing, plan) ? "cancel.unsold" : "cancel.text";
	return askPage(props, "cancel", {
		title: t("cancel.title", { plan: planNameOf(plan.bought) }),
		text: until === null ? t("cancel.unpaid") : t(words, { day: <Day ms={until} /> }),
		button: t("cancel.button"),
	});
}

export function withdrawPage(props: AskProps): Page {
	const { rooms, plan } = props;
	const amount = money(plan.amountKept, termsOf(plan.bought).currency);
	const day = <Day ms={withdrawUntilOf(plan, rooms.clock.now()) ?? plan.periodEndMs} />;
	return askPage(props, "withdraw", {
		title: t("withdraw.title", { plan: planNameOf(plan.bought) }),
		text: plan.amountKept > 0 ? t("withdraw.text", { amount, day }) : t("withdraw.trial", { day }),
		button: plan.amountKept > 0 ? t("withdraw.button", { amount }) : t("withdraw.free"),
	});
}

interface AskWords {
	readonly title: Message;
	readonly text: Message;
	readonly button: Message;
}

/** What is asked before a plan ends. */
function askPage(
	{ email, plan, token }: AskProps,
	deed: "cancel" | "withdraw",
	{ title, text, button }: AskWords,
): Page {
	const path = `${PATH}/${plan.id}`;
	const body = (
		<div className="card">
			<div className="stack">
				<h1>{title}</h1>
				<p className="soft">{planTitle(plan)}</p>
				<p className="soft">{t("signed_in", { email: <Name>{email}</Name> })}</p>
			</div>
			<p>{text}</p>
			<PostForm action={`${path}/${deed}`} token={token}>
				<div className="actions">
					<button className="final" type="submit">
						{button}
					</button>
					<a className="button quiet" href={path}>
						{t("keep")}
					</a>
				</div>
			</PostForm>
		</div>
	);
	return show(title, body);
}
