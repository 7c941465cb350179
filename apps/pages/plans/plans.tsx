import { Failure } from "@svc/base/failure";
import {
	cancelOwnPlan,
	getOwnInvoice,
	ownPaymentMethodUrl,
	readOwnPlan,
	resumeOwnPlan,
	withdrawOwnPlan,
} from "@svc/billing/payers/own-plans";
import { mayWithdraw } from "@svc/billing/payers/user-billing";
import type { OwnPlan } from "@svc/billing/subscription";
import { readForm, requireToken } from "../kit/form.ts";
import { conflictText } from "../kit/refusals.ts";
import type { PagesRooms } from "../kit/rooms.ts";
import { type Page, PageRefusal, type PageResult, type Route, redirect, type Visit } from "../kit/visit.ts";
import { type AccountCall, findCall, look } from "../people/account/account-call.ts";
import { invoicePage } from "./invoice-page.tsx";
import { t } from "./messages.ts";
import { cancelPage, planPage, plansPage, withdrawPage } from "./plan-pages.tsx";

/* What people pay for: they see it, stop it and take it back, whatever became of the App, and without it. */

const PLANS_PATH = "/account/plans";

export function ownPlanRoutes(rooms: PagesRooms): Route[] {
	const signedIn = (run: (call: AccountCall) => Promise<PageResult>) => (visit: Visit) => look(rooms, visit, run);
	const one = `${PLANS_PATH}/:plan`;
	const posted = (run: (call: AccountCall) => Promise<PageResult>) => (visit: Visit) => change(rooms, visit, run);
	return [
		{ path: PLANS_PATH, get: signedIn(list) },
		{ path: one, get: signedIn((call) => show(call)) },
		{ path: `${one}/cancel`, get: signedIn(askCancel), post: posted(cancel) },
		{ path: `${one}/withdraw`, get: signedIn(askWithdraw), post: posted(withdraw) },
		{ path: `${one}/resume`, get: backToPlan("resume"), post: posted(resume) },
		{ path: `${one}/payment-method`, get: backToPlan("payment-method"), post: posted(payment) },
		{ path: "/account/invoices/:invoice", get: signedIn(invoice) },
	];
}

/** The address that a person is at after a refusal, and that a reload asks for. */
function backToPlan(button: string) {
	return async ({ url }: Visit) => redirect(url.pathname.slice(0, -button.length - 1));
}

/** What the processor or the present state refuses is said on the plan's own page. */
async function change(
	rooms: PagesRooms,
	visit: Visit,
	run: (call: AccountCall) => Promise<PageResult>,
): Promise<PageResult> {
	const form = await readForm(visit, rooms.addresses);
	const call = await findCall(rooms, visit);
	if (!call) throw new PageRefusal(403, t("out"), t("out.text"), { again: { href: PLANS_PATH, label: t("sign_in") } });
	await requireToken(form, visit.cookies.read("session"), PLANS_PATH);
	try {
		return await run(call);
	} catch (cause) {
		if (!(cause instanceof Failure)) throw cause;
		if (cause.code === "state_conflict") return show(call, t("impossible", { reason: conflictText(cause) }), 409);
		if (cause.code !== "server_error") throw cause;
		return show(call, t("away"), 503);
	}
}

const SHOWN = 200;

async function list({ rooms, person }: AccountCall): Promise<Page> {
	const page = { limit: SHOWN, beforePk: undefined };
	return plansPage({
		rooms,
		email: person.account.email,
		plans: await rooms.billing.ownPlans.list(person.account.pk, page),
		grants: await rooms.billing.grants.listOfAccount(person.account.pk, rooms.clock.now()),
	});
}

function idOf({ visit }: AccountCall): string {
	return visit.params.plan ?? "";
}

function find(call: AccountCall): Promise<OwnPlan> {
	return readOwnPlan(call.rooms.billing, call.person.account, idOf(call));
}

async function show(call: AccountCall, fault?: Parameters<typeof planPage>[0]["fault"], status = 200): Promise<Page> {
	const { rooms, person, token } = call;
	const plan = await find(call);
	const invoices = await rooms.billing.ownPlans.listInvoices(plan.pk, { limit: SHOWN, beforePk: undefined });
	const { email } = person.account;
	const withdrawable = mayWithdraw(plan, rooms.clock.now());
	return planPage({ rooms, email, plan, invoices, withdrawable, token, fault, status });
}

function isOver({ endedMs, withdrawnMs }: OwnPlan): boolean {
	return endedMs !== null || withdrawnMs !== null;
}

async function askCancel(call: AccountCall): Promise<PageResult> {
	const plan = await find(call);
	if (isOver(plan) || (plan.cancelAtPeriodEnd && !plan.endsUnsold)) return redirect(`${PLANS_PATH}/${plan.id}`);
	return cancelPage({ rooms: call.rooms, email: call.person.account.email, plan, token: call.token });
}

async function askWithdraw(call: AccountCall): Promise<PageResult> {
	const plan = await find(call);
	if (!mayWithdraw(plan, call.rooms.clock.now())) return redirect(`${PLANS_PATH}/${plan.id}`);
	return withdrawPage({ rooms: call.rooms, email: call.person.account.email, plan, token: call.token });
}

function payerOf({ person, by }: AccountCall) {
	return { account: person.account, by };
}

async function cancel(call: AccountCall): Promise<PageResult> {
	return after(await cancelOwnPlan(call.rooms.billing, payerOf(call), idOf(call)));
}

async function resume(call: AccountCall): Promise<PageResult> {
	return after(await resumeOwnPlan(call.rooms.billing, payerOf(call), idOf(call)));
}

async function withdraw(call: AccountCall): Promise<PageResult> {
	return after(await withdrawOwnPlan(call.rooms.billing, payerOf(call), idOf(call)));
}

async function payment(call: AccountCall): Promise<PageResult> {
	return redirect(await ownPaymentMethodUrl(call.rooms.billing, call.person.account, idOf(call)));
}

function after({ id }: OwnPlan): PageResult {
	return redirect(`${PLANS_PATH}/${id}`);
}

async function invoice({ rooms, visit, person }: AccountCall): Promise<Page> {
	const found = await getOwnInvoice(rooms.billing, person.account, visit.params.invoice ?? "");
	return invoicePage({ service: rooms.name, email: person.account.email, invoice: found });
}
