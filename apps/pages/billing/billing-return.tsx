import { type FinishedCheckout, finishCheckout } from "@svc/billing/payers/checkouts";
import { callbackUrl } from "@svc/connect/connections";
import { missing } from "../kit/layout.tsx";
import { Name } from "../kit/parts.tsx";
import { isProcessorAway, processorAway } from "../kit/refusals.ts";
import type { PagesRooms } from "../kit/rooms.ts";
import { type Page, type PageResult, type Route, redirect, show, type Visit } from "../kit/visit.ts";
import { t as plans } from "../plans/messages.ts";
import { t } from "./messages.ts";

/* The page that the payment processor sends people back to, whether they paid or not. */

export function billingReturnRoutes(rooms: PagesRooms): Route[] {
	return [{ path: "/billing/return", get: (visit) => comeBack(rooms, visit) }];
}

async function comeBack(rooms: PagesRooms, { url }: Visit): Promise<PageResult> {
	if (url.searchParams.has("subscription")) return paymentMethodPage();
	const id = url.searchParams.get("checkout") ?? "";
	const finished = await finishCheckout(rooms.billing, id).catch((cause: unknown) => {
		throw isProcessorAway(cause) ? processorAway(cause, true) : cause;
	});
	if (!finished) throw missing();
	const { checkout, completed } = finished;
	const { redirectUri } = checkout;
	if (redirectUri === null || !(await isWanted(rooms, checkout, redirectUri))) return ownPlanPage(finished);
	return redirect(returnAddress(redirectUri, checkout.state, completed));
}

/**
 * The App may have removed it since the checkout began: nobody is sent where it does not want people any more. Of what the service itself sells to
 * people nobody knows any more at which App's card it was bought.
 */
async function isWanted(
	{ connect, billing }: PagesRooms,
	{ app }: FinishedCheckout["checkout"],
	redirectUri: string,
): Promise<boolean> {
	const own = await billing.apps.ownApp.find();
	if (own?.app.id === app.id) return true;
	return (await connect.connections.findApp(app.id, redirectUri))?.registered ?? false;
}

/** The callback with the result as parameters; without a result, as it was registered. */
function returnAddress(redirectUri: string, state: string | null, completed: boolean): string {
	if (!completed && state === null) return redirectUri;
	return callbackUrl(redirectUri, { billing: completed ? "success" : null, state });
}

function ownPlanPage({ checkout, completed }: FinishedCheckout): Page {
	const title = t(completed ? "return.thanks" : "return.nothing");
	const app = <Name>{checkout.app.name}</Name>;
	const body = (
		<div className="card">
			<h1>{title}</h1>
			<p>{t(completed ? "return.paid" : "return.unpaid", { app })}</p>
			<PlansLink />
		</div>
	);
	return show(title, body);
}

function paymentMethodPage(): Page {
	const body = (
		<div className="card">
			<h1>{t("checkout.method")}</h1>
			<p>{t("return.method")}</p>
			<PlansLink />
		</div>
	);
	return show(t("checkout.method"), body);
}

/** Whoever pays sees there what for, and stops it. */
function PlansLink() {
	return (
		<p>
			<a href="/account/plans">{plans("all")}</a>
		</p>
	);
}
