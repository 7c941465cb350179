import { findAddressChange, undoAddressChange } from "@svc/people/address-changes";
import { startEmailChange } from "@svc/people/me";
import { readForm } from "../kit/form.ts";
import { Alert, Moment, Name } from "../kit/parts.tsx";
import type { PagesRooms } from "../kit/rooms.ts";
import type { Text } from "../kit/text.ts";
import { type Page, type PageResult, type Route, redirect, show, type Visit } from "../kit/visit.ts";
import { type AccountCall, type AccountPost, look, readFlowForm } from "./account/account-call.ts";
import { sectionPage } from "./account/account-pages.tsx";
import { AddressCard } from "./account/address-section.tsx";
import { askedPage, takenBackPage } from "./letter-pages.tsx";
import { t } from "./messages.ts";
import { leaveNotice } from "./notices.ts";
import {
	bind,
	type FormFault,
	faultOf,
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

/* Changing the address of an account by a code to the new one, and the way back from a letter to the old one. */

const SECTION = "/account/address";

/** The deed of the section's form. */
export async function changeAddress(call: AccountPost): Promise<PageResult> {
	const { rooms, visit, person, form } = call;
	const email = form.get("email") ?? "";
	const address = rooms.addressOf(visit.request);
	try {
		const login = await startEmailChange(rooms.people, person, { email, address });
		bind(rooms, visit, login);
		return redirect(codeAddress(login.id));
	} catch (cause) {
		const fault = faultOf(cause, {
			validation_error: () => t("address.fault"),
		});
		const section = <AddressCard email={person.account.email} token={call.token} typed={email} fault={fault.fault} />;
		return sectionPage(
			t("address"),
			{ email: person.account.email, token: call.token, notice: undefined, children: section },
			fault,
		);
	}
}

export function addressRoutes(rooms: PagesRooms): Route[] {
	return [
		{
			path: `${SECTION}/code`,
			get: (visit) => look(rooms, visit, showCode),
			post: (visit) => verify(rooms, visit),
		},
		{
			path: `${SECTION}/resend`,
			get: async ({ url }) => redirect(`${SECTION}/code${url.search}`),
			post: (visit) => resend(rooms, visit),
		},
		{ path: "/account/undo/:token", get: (visit) => askUndo(rooms, visit), post: (visit) => undo(rooms, visit) },
	];
}

function codeAddress(loginId: string): string {
	return `${SECTION}/code?login=${loginId}`;
}

async function showCode(call: AccountCall): Promise<Page> {
	const flow = await getFlow(call.rooms, call.visit);
	const sent = call.visit.url.searchParams.has("sent");
	return codePage(flow, call, sent ? { notice: t("code.sent") } : saidOfTries(flow));
}

async function verify(rooms: PagesRooms, visit: Visit): Promise<PageResult> {
	const { call, flow, form } = await readFlowForm(rooms, visit, getFlow, SECTION);
	const verified = await verifyCode(rooms, visit, flow, form, {
		validation_error: () => t("address.taken"),
	});
	if (verified === "wrong") return redirect(codeAddress(flow.login.id));
	if ("fault" in verified) return codePage(flow, call, verified);
	await leaveNotice(call, { done: "address_changed", email: verified.account.email });
	return redirect("/account/security");
}

async function resend(rooms: PagesRooms, visit: Visit): Promise<PageResult> {
	const { call, flow } = await readFlowForm(rooms, visit, getFlow, SECTION);
	const refused = await resendCode(rooms, visit, flow);
	return refused ? codePage(flow, call, refused) : redirect(`${codeAddress(flow.login.id)}&sent=1`);
}

/** @throws Refusal 410 */
async function getFlow(rooms: PagesRooms, visit: Visit): Promise<OpenFlow> {
	const flow = await findFlow(rooms, visit, "email", SECTION);
	if (flow) return flow;
	throw signInOver(SECTION);
}

async function codePage(
	{ login }: OpenFlow,
	{ rooms, visit, token }: AccountCall,
	said: Partial<FormFault & Wait> & { readonly notice?: Text },
): Promise<Page> {
	const { status = 200, headers = {}, ...shown } = said;
	const query = `?login=${login.id}`;
	const body = (
		<div className="card">
			<h1>{t("address.confirm")}</h1>
			<CodeForm
				{...shown}
				mail={await mailWay(rooms, visit)}
				actions={{ verify: `${SECTION}/code${query}`, resend: `${SECTION}/resend${query}` }}
				restart={{ href: SECTION, label: t("code.other_address") }}
				token={token}
				email={login.email}
				submit={t("address.do")}
			/>
		</div>
	);
	return show(t("address.confirm"), body, { status, headers });
}

/** Shows what the link would do, and does nothing: mail scanners follow links. */
async function askUndo(rooms: PagesRooms, visit: Visit): Promise<Page> {
	const { oldEmail, newEmail, createdMs, undoneMs } = await findAddressChange(rooms.people, visit.params.token ?? "");
	if (undoneMs !== null) return takenBackPage(t("undone"), t("undone.text"));
	return askedPage({
		title: t("undo"),
		path: visit.url.pathname,
		submit: t("undo.do"),
		children: (
			<>
				<p>
					{t("undo.text", {
						moment: <Moment ms={createdMs} />,
						old: <Name>{oldEmail}</Name>,
						new: <Name>{newEmail}</Name>,
					})}
				</p>
				<Alert>{t("undo.effect", { old: <Name>{oldEmail}</Name> })}</Alert>
			</>
		),
	});
}

/** The link is its own proof, and a form from elsewhere is refused. */
async function undo(rooms: PagesRooms, visit: Visit): Promise<PageResult> {
	await readForm(visit, rooms.addresses);
	await undoAddressChange(rooms.people, visit.params.token ?? "", visit.requestId);
	return redirect(visit.url.pathname);
}
