import { formToken, readForm, requireToken } from "../kit/form.ts";
import { Name } from "../kit/parts.tsx";
import type { PagesRooms } from "../kit/rooms.ts";
import type { Text } from "../kit/text.ts";
import { type Page, type PageResult, type Route, redirect, show, type Visit } from "../kit/visit.ts";
import { type AccountCall, type Deed, getCall, type KeptForm, look } from "./account-call.ts";
import { t } from "./messages.ts";
import {
	type Fault,
	findFlow,
	type OpenFlow,
	resendCode,
	saidOfTries,
	signInOver,
	verifyCode,
	type Wait,
} from "./sign-in.ts";
import { CodeForm } from "./sign-in-pages.tsx";

/* Confirming who one is, where a form that was sent needs it; then what the form asked for is done. */

const START = "/account";

/** A form that may need to be confirmed. */
export interface ConfirmedForm {
	readonly deed: Deed;
	/** What the page says is about to be done: "To change your address to …". */
	readonly about: (fields: ReadonlyMap<string, string>) => Text;
}

/** @param forms by the path as it is registered */
export function confirmRoutes(rooms: PagesRooms, forms: ReadonlyMap<string, ConfirmedForm>): Route[] {
	return [
		{
			path: "/account/confirm",
			get: (visit) => look(rooms, visit, (call) => showCode(call, forms)),
			post: (visit) => confirm(rooms, visit, forms),
		},
		{
			path: "/account/confirm/resend",
			get: async ({ url }) => redirect(`/account/confirm${url.search}`),
			post: (visit) => resend(rooms, visit, forms),
		},
	];
}

type Forms = ReadonlyMap<string, ConfirmedForm>;

async function showCode(call: AccountCall, forms: Forms): Promise<Page> {
	const flow = await getFlow(call.rooms, call.visit);
	const sent = call.visit.url.searchParams.has("sent");
	return codePage(flow, forms, call, sent ? { notice: t("code.sent") } : saidOfTries(flow));
}

async function confirm(rooms: PagesRooms, visit: Visit, forms: Forms): Promise<PageResult> {
	const form = await readForm(visit, rooms.addresses);
	const call = await getCall(rooms, visit);
	const flow = await getFlow(rooms, visit);
	await requireToken(form, visit.cookies.read("session"), START);
	const verified = await verifyCode(rooms, visit, flow, form);
	if (verified === "wrong") return redirect(`/account/confirm?login=${flow.login.id}`);
	if ("fault" in verified) return codePage(flow, forms, call, verified);
	const { path, params, fields } = keptFormOf(flow);
	const asked = forms.get(path);
	if (!asked) throw new Error(`no form of the account is registered under ${path}`);
	// Read again: the session is fresh now.
	const fresh = await getCall(rooms, { ...visit, params });
	return await asked.deed({ ...fresh, form: new Map(fields) });
}

async function resend(rooms: PagesRooms, visit: Visit, forms: Forms): Promise<PageResult> {
	const form = await readForm(visit, rooms.addresses);
	const call = await getCall(rooms, visit);
	const flow = await getFlow(rooms, visit);
	await requireToken(form, visit.cookies.read("session"), START);
	const refused = await resendCode(rooms, visit, flow);
	return refused ? codePage(flow, forms, call, refused) : redirect(`/account/confirm?login=${flow.login.id}&sent=1`);
}

/** @throws Refusal 410 */
async function getFlow(rooms: PagesRooms, visit: Visit): Promise<OpenFlow> {
	const flow = await findFlow(rooms, visit, "step_up", START);
	if (flow?.login.deed) return flow;
	throw signInOver(START);
}

/** The form was written by the service itself, in the step-up that it began. */
function keptFormOf({ login }: OpenFlow): KeptForm {
	return JSON.parse(login.deed ?? "{}") as KeptForm;
}

async function codePage(
	flow: OpenFlow,
	forms: Forms,
	{ visit }: AccountCall,
	said: Partial<Fault & Wait> & { readonly notice?: Text },
): Promise<Page> {
	const { login } = flow;
	const { path, fields } = keptFormOf(flow);
	const { status = 200, headers = {}, ...shown } = said;
	const query = `?login=${login.id}`;
	const body = (
		<div className="card">
			<div className="stack">
				<h1>{t("confirm")}</h1>
				<p className="soft" id="about">
					{t("confirm.text", {
						about: forms.get(path)?.about(new Map(fields)) ?? "",
						email: <Name>{login.email}</Name>,
					})}
				</p>
			</div>
			<CodeForm
				{...shown}
				actions={{ verify: `/account/confirm${query}`, resend: `/account/confirm/resend${query}` }}
				restart={{ href: START, label: t("confirm.nothing") }}
				token={await formToken(visit.cookies.read("session") ?? "")}
				email={login.email}
				submit={t("confirm.do")}
				about="about"
			/>
		</div>
	);
	return show(t("confirm"), body, { status, headers });
}
