import { Failure } from "@svc/base/failure";
import { isFromHere } from "@svc/base/http/same-machine";
import type { Account } from "@svc/people/people";
import { findTicket, spendTicket } from "@svc/people/sign-in/console-tickets";
import { deviceOf } from "../kit/device.ts";
import { flowSecret, formToken, readForm, requireToken } from "../kit/form.ts";
import { PostForm } from "../kit/parts.tsx";
import type { PagesRooms } from "../kit/rooms.ts";
import { type Page, PageRefusal, type PageResult, type Route, redirect, show, type Visit } from "../kit/visit.ts";
import { localeOf } from "./language.ts";
import { t } from "./messages.ts";
import { signedIn } from "./sign-in.ts";

/*
 * `/console?start=…`, the address that a start of the service and `svc open console` print. Looking at it does nothing, so that previews and scanners use
 * nothing up; the button signs in.
 */

export const CONSOLE = "/console";
const START = "/console/start";

/** @throws Refusal 410 for a ticket that was used or has ended, and where the browser may not use it */
export async function showStart(rooms: PagesRooms, visit: Visit): Promise<Page> {
	const ticket = ticketOf(visit);
	const found = await findTicket(rooms.people, ticket, isHere(rooms, visit));
	if (!found) throw startOver();
	const token = await formToken(flowSecret(visit));
	const title = t("console.start");
	const body = (
		<div className="card">
			<h1>{title}</h1>
			<p>{t("console.start.text", { email: <bdi>{found.email}</bdi> })}</p>
			<PostForm action={START} token={token} fields={{ start: ticket }}>
				<button className="primary" type="submit">
					{t("console.start.open")}
				</button>
			</PostForm>
			<p className="fine">{t("link.caution")}</p>
		</div>
	);
	// Its own address is a secret.
	return show(title, body, { headers: { "Referrer-Policy": "no-referrer" } });
}

/** Signs in and leads to the console, whose address says nothing of the ticket. @throws Refusal 403 for a form from elsewhere, 410 */
async function openStart(rooms: PagesRooms, visit: Visit): Promise<PageResult> {
	const form = await readForm(visit, rooms.addresses);
	await requireToken(form, visit.cookies.read("flow"), CONSOLE);
	const locale = await localeOf(rooms, visit);
	const address = rooms.addressOf(visit.request);
	const use = {
		isHere: isHere(rooms, visit),
		device: deviceOf(visit.request),
		address,
		locale,
		requestId: visit.requestId,
	};
	try {
		const verified = await spendTicket(rooms.people, form.get("start") ?? "", use);
		await signedIn(rooms, visit, verified);
		return redirect(await landingOf(rooms, verified.account));
	} catch (cause) {
		throw cause instanceof Failure && cause.code === "invalid_code" ? startOver() : cause;
	}
}

/** Where somebody begins who comes by a ticket: with one App among its pictures, which in a new App is the form for the first one. */
async function landingOf({ apps }: PagesRooms, { pk }: Pick<Account, "pk">): Promise<string> {
	const [one, other] = await apps.store.list(pk, null, { limit: 2, beforePk: undefined });
	return one && !other ? `${CONSOLE}/${one.app.id}/images` : CONSOLE;
}

/** What the button leads to. */
export function startRoute(rooms: PagesRooms): Route {
	return { path: START, get: async () => redirect(CONSOLE), post: (visit) => openStart(rooms, visit) };
}

/** Whether the console is asked for with a ticket. */
export function hasTicket({ url }: Visit): boolean {
	return url.searchParams.has("start");
}

function ticketOf({ url }: Visit): string {
	return url.searchParams.get("start") ?? "";
}

function isHere({ addressOf }: PagesRooms, { request }: Visit): boolean {
	return isFromHere(request, addressOf(request));
}

function startOver(): PageRefusal {
	return new PageRefusal(410, t("over"), t("console.start.over"), {
		again: { href: CONSOLE, label: t("console.start.sign_in") },
	});
}
