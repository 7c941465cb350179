import { actFor, PageVisitor } from "@svc/people/visitors";
import { ApiError } from "@svc/sdk/failure";
import { createManagement } from "@svc/sdk/management";
import { isStale, refusalOf } from "../console/kit/refusals.ts";
import type { ConsoleVisit, DoneDeed, Screen, ScreenAct } from "../console/kit/visit.ts";
import { t as words } from "../console/messages.ts";
import { SCREENS } from "../console/screens.ts";
import { transformed } from "../images/transformed.ts";
import { addressFields, type FormFields, readForm, requireToken } from "../kit/form.ts";
import type { PagesRooms } from "../kit/rooms.ts";
import { type Page, PageRefusal, type PageResult, type Route, type Visit } from "../kit/visit.ts";
import { type AccountCall, askToConfirm, getCall, look } from "./account/account-call.ts";
import type { ConfirmedForm } from "./confirm.tsx";
import { CONSOLE, hasTicket, showStart, startRoute } from "./console-start.tsx";
import { leaveNotice, takeDone } from "./notices.ts";
import { keepsMails } from "./sign-in.ts";

/*
 * From the browser's session to the console, and back. The console itself knows the SDK alone; here its `fetch` becomes the API of this
 * very process, as who is signed in.
 */

/** Captions, labels and metadata at their longest, percent-encoded. */
const FORM_MAX_BYTES = 256 * 1_024;

/** @param confirmed takes the forms whose sender may first have to confirm who they are, by path */
export function consoleRoutes(rooms: PagesRooms, confirmed: Map<string, ConfirmedForm>): Route[] {
	const screens = SCREENS.map((screen) => {
		const path = `/console${screen.path}`;
		confirmed.set(path, {
			deed: async (call) => await act(screen, call, call.form),
			about: () => words("confirm.about"),
		});
		const get = (visit: Visit) => look(rooms, visit, (call) => show(screen, call));
		return {
			path,
			get: path === CONSOLE ? (visit: Visit) => (hasTicket(visit) ? showStart(rooms, visit) : get(visit)) : get,
			...((screen.acts ?? screen.stream) && { post: (visit: Visit) => post(rooms, visit, screen, path) }),
		};
	});
	return [...screens, startRoute(rooms)];
}

async function show(screen: Screen, call: AccountCall): Promise<PageResult> {
	const visit = visitOf(call, await takeDone(call));
	return await screen.get(visit).catch((cause: unknown) => {
		throw refusalOf(cause);
	});
}

async function post(rooms: PagesRooms, visit: Visit, screen: Screen, path: string): Promise<PageResult> {
	const form = screen.stream
		? addressFields(visit, rooms.addresses)
		: await readForm(visit, rooms.addresses, FORM_MAX_BYTES);
	const call = await getCall(rooms, visit);
	await requireToken(form, visit.cookies.read("session"), visit.url.pathname + visit.url.search);
	try {
		return await act(screen, call, form);
	} catch (cause) {
		if (!isStale(cause)) throw cause;
		return await askToConfirm(call, path, form);
	}
}

/** Does what a form asks for. What the API refuses is shown on the page that the form stands on, beside its fields. */
async function act(screen: Screen, call: AccountCall, form: FormFields): Promise<PageResult> {
	const name = form.get("act") ?? "";
	const deed = deedOf(screen, name);
	const visit = visitOf(call, undefined);
	const leave = (done: DoneDeed) => leaveNotice(call, { done: "console", ...done });
	try {
		return await deed({ ...visit, form, idempotencyKey: form.get("number"), leave });
	} catch (cause) {
		if (isStale(cause)) throw cause;
		if (!isShownBesideFields(cause)) throw refusalOf(cause);
		const shown = await screen.get(visit, { act: name, form, error: cause });
		return isPage(shown) ? { ...shown, status: cause.status === 409 ? 409 : 422 } : shown;
	}
}

/** @throws Refusal 400 for a form that this screen has not */
function deedOf({ acts = {}, stream }: Screen, name: string): ScreenAct {
	const deed = stream ?? (Object.hasOwn(acts, name) ? acts[name] : undefined);
	if (deed) return deed;
	throw new PageRefusal(400, words("refused"), words("refused.act"));
}

/** Whether whoever sent the form may send it again, changed. */
function isShownBesideFields(cause: unknown): cause is ApiError {
	return cause instanceof ApiError && cause.status < 500 && ![401, 403, 404, 429].includes(cause.status);
}

function isPage(shown: PageResult): shown is Page {
	return !(shown instanceof Response) && shown.kind === "page";
}

function visitOf({ rooms, visit, person, token, by }: AccountCall, done: DoneDeed | undefined): ConsoleVisit {
	const { addresses, name: serviceName } = rooms;
	const visitor = new PageVisitor(visit.cookies.read("session") ?? "", visit.requestId);
	const fetch: ConsoleVisit["fetch"] = async (url, init) => {
		const call = new Request(url, init);
		actFor(call, visitor);
		return await rooms.ask(call, visit.request);
	};
	const { id, email, operator } = person.account;
	const api = createManagement({ baseUrl: addresses.base, apiKey: null, fetch, retries: 0 });
	const { includes } = rooms.variant.image;
	const nowMs = by.nowMs;
	const readsMails = operator && keepsMails(rooms);
	const seen = { person: { id, email, operator }, nowMs, includes, readsMails, done };
	return { ...visit, ...seen, token, serviceName, addresses, api, fetch, transformed };
}
