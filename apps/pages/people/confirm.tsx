import { startPasskeyStepUp } from "@svc/people/passkeys/passkey-sign-in";
import { hasPasskey } from "@svc/people/passkeys/passkeys";
import { formToken, readForm, requireToken } from "../kit/form.ts";
import { Alert, Name, PostForm } from "../kit/parts.tsx";
import type { PagesRooms } from "../kit/rooms.ts";
import type { Text } from "../kit/text.ts";
import { type Page, type PageResult, type Route, redirect, show, type Visit } from "../kit/visit.ts";
import { type AccountCall, type Deed, getCall, type KeptForm, look, readFlowForm } from "./account/account-call.ts";
import { t } from "./messages.ts";
import { optionsAnswer, verifySent } from "./passkeys/passkey-calls.ts";
import { PasskeyForm } from "./passkeys/passkey-form.tsx";
import {
	type FormFault,
	findFlow,
	mailWay,
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
			path: "/account/confirm/passkey",
			get: async ({ url }) => redirect(`/account/confirm${url.search}`),
			post: (visit) => usePasskey(rooms, visit, forms),
		},
		{
			path: "/account/confirm/passkey/options",
			post: async (visit) => {
				const form = await readForm(visit, rooms.addresses);
				const { person } = await getCall(rooms, visit);
				await requireToken(form, visit.cookies.read("session"), START);
				return optionsAnswer(await startPasskeyStepUp(rooms.people, person));
			},
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
	const { form, call, flow } = await readFlowForm(rooms, visit, getFlow, START);
	const verified = await verifyCode(rooms, visit, flow, form);
	if (verified === "wrong") return redirect(`/account/confirm?login=${flow.login.id}`);
	if ("fault" in verified) return codePage(flow, forms, call, verified);
	return await doKept(rooms, visit, forms, flow);
}

/** A passkey instead of the code. */
async function usePasskey(rooms: PagesRooms, visit: Visit, forms: Forms): Promise<PageResult> {
	const { form, call, flow } = await readFlowForm(rooms, visit, getFlow, START);
	const verified = await verifySent(rooms, visit, form, call.person.session.id);
	if ("fault" in verified) {
		const { fault: passkeyFault, ...refused } = verified;
		return codePage(flow, forms, call, { ...refused, passkeyFault });
	}
	// The code that was mailed is not needed any more.
	visit.cookies.clear(`flow-${flow.login.id}`);
	return await doKept(rooms, visit, forms, flow);
}

/** Does what the form asked for that was kept. */
async function doKept(rooms: PagesRooms, visit: Visit, forms: Forms, flow: OpenFlow): Promise<PageResult> {
	const { path, params, fields } = keptFormOf(flow);
	const asked = forms.get(path);
	if (!asked) throw new Error(`no form of the account is registered under ${path}`);
	// Read again: the session is fresh now.
	const fresh = await getCall(rooms, { ...visit, params });
	return await asked.deed({ ...fresh, form: new Map(fields) });
}

async function resend(rooms: PagesRooms, visit: Visit, forms: Forms): Promise<PageResult> {
	const { call, flow } = await readFlowForm(rooms, visit, getFlow, START);
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
	{ rooms, visit, person }: AccountCall,
	said: Partial<FormFault & Wait> & { readonly notice?: Text; readonly passkeyFault?: Text },
): Promise<Page> {
	const { login } = flow;
	const { path, fields } = keptFormOf(flow);
	const { status = 200, headers = {}, passkeyFault, ...shown } = said;
	const query = `?login=${login.id}`;
	const resend = `/account/confirm/resend${query}`;
	const token = await formToken(visit.cookies.read("session") ?? "");
	const passkeys = await hasPasskey(rooms.people, person);
	const passkeyForm = passkeys && (
		<PasskeyForm
			kind="get"
			action={`/account/confirm/passkey${query}`}
			options="/account/confirm/passkey/options"
			token={token}
			submit={t(login.isSent ? "passkey.confirm" : "passkey.confirm.first")}
			failed={t("passkey.failed")}
			fault={passkeyFault}
			first={!login.isSent && !passkeyFault}
		/>
	);
	const body = (
		<div className="card">
			<div className="stack">
				<h1>{t("confirm")}</h1>
				<p className="soft" id="about">
					{t(login.isSent ? "confirm.text" : "confirm.ask", {
						about: forms.get(path)?.about(new Map(fields)) ?? "",
						email: <Name>{login.email}</Name>,
					})}
				</p>
			</div>
			{login.isSent ? (
				<>
					<CodeForm
						{...shown}
						mail={await mailWay(rooms, visit)}
						actions={{ verify: `/account/confirm${query}`, resend }}
						restart={{ href: START, label: t("confirm.nothing") }}
						token={token}
						email={login.email}
						submit={t("confirm.do")}
						about="about"
						focus={!passkeyFault}
					/>
					{passkeyForm}
				</>
			) : (
				<>
					{passkeyForm}
					<CodeOffer action={resend} token={token} fault={shown.wait} />
				</>
			)}
		</div>
	);
	return show(t("confirm"), body, { status, headers, passkeys });
}

/** For people whose passkey is elsewhere, and for browsers that know none: nothing is mailed before it is asked for. */
function CodeOffer({ action, token, fault }: { action: string; token: string; fault: Text | undefined }) {
	return (
		<>
			{fault && <Alert>{fault}</Alert>}
			<PostForm action={action} token={token}>
				<div className="actions">
					<button className="quiet" type="submit">
						{t("confirm.mail")}
					</button>
					<a className="button quiet" href={START}>
						{t("confirm.nothing")}
					</a>
				</div>
			</PostForm>
		</>
	);
}
