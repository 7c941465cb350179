import { Failure } from "@svc/base/failure";
import {
	type BegunConnect,
	beginConnect,
	ConnectFault,
	type ConnectFaultCode,
	callbackUrl,
	connect,
	connectSilently,
} from "@svc/connect/connections";
import type { PagesDeps } from "../kit/deps.ts";
import { flowSecret, formToken, readForm, requireToken } from "../kit/form.ts";
import type { Route } from "../kit/routes.ts";
import { type Outcome, type Page, type Redirect, Refusal, redirect, type Visit } from "../kit/visit.ts";
import {
	type Fault,
	findFlow,
	findSignedIn,
	type OpenFlow,
	resendCode,
	sendCode,
	signInOver,
	verifyCode,
	type Wait,
} from "../people/sign-in.ts";
import { codePage, emailPage } from "./connect-pages.tsx";
import { type ConnectQuery, connectAddress, readConnectQuery } from "./connect-query.ts";

/* Hosted sign-in: from an App's page to its callback (specification, "Hosted sign-in"). */

export function connectRoutes(deps: PagesDeps): Route[] {
	return [
		{
			path: "/connect",
			get: (visit) => refusingFaults(() => begin(deps, visit)),
			post: (visit) => refusingFaults(() => send(deps, visit)),
		},
		{
			path: "/connect/code",
			get: (visit) => showCode(deps, visit),
			post: (visit) => refusingFaults(() => verify(deps, visit)),
		},
		{
			path: "/connect/resend",
			// Where somebody is after asking too soon, and loads the page once more.
			get: async ({ url }) => redirect(`/connect/code${url.search}`),
			post: (visit) => resend(deps, visit),
		},
	];
}

async function begin(deps: PagesDeps, visit: Visit): Promise<Outcome> {
	const query = readConnectQuery(visit.url);
	const begun = await beginConnect(deps, query);
	if (begun.suspended) return back(begun, { error: "temporarily_unavailable" });
	const person = await findSignedIn(deps, visit);
	if (query.prompt !== "none") return askEmail(deps, visit, begun, person?.account.email ?? "");
	const account = person?.account ?? null;
	return back(begun, await connectSilently(deps, { account, appPk: begun.app.pk, redirectUri: begun.redirectUri }));
}

async function send(deps: PagesDeps, visit: Visit): Promise<Outcome> {
	const form = await readForm(visit, deps.addresses);
	const query = readConnectQuery(visit.url);
	await requireToken(form, visit.cookies.read("flow"), connectAddress(query));
	const begun = await beginConnect(deps, query);
	if (begun.suspended) return back(begun, { error: "temporarily_unavailable" });
	const { app, redirectUri, state } = begun;
	const email = form.get("email") ?? "";
	const target = { appPk: app.pk, appName: app.name, redirectUri, state };
	const sent = await sendCode(deps, visit, { purpose: "connect", email, target });
	if ("fault" in sent) return askEmail(deps, visit, begun, email, sent);
	return redirect(codeAddress("/connect/code", sent.id, query));
}

async function showCode(deps: PagesDeps, visit: Visit): Promise<Outcome> {
	const { flow } = await getFlow(deps, visit);
	const notice = visit.url.searchParams.has("sent")
		? "A new code is on its way. Earlier ones no longer work."
		: undefined;
	return askCode(deps, visit, flow, { notice });
}

async function verify(deps: PagesDeps, visit: Visit): Promise<Outcome> {
	const form = await readForm(visit, deps.addresses);
	const { flow, target } = await getFlow(deps, visit);
	const again = connectAddress(readConnectQuery(visit.url));
	await requireToken(form, visit.cookies.read("flow"), again);
	const { appPk, redirectUri } = target;
	try {
		const verified = await verifyCode(deps, visit, flow, form, again);
		if ("fault" in verified) return askCode(deps, visit, flow, verified);
		const { requestId } = visit;
		return back(target, await connect(deps, { person: verified.account, appPk, redirectUri, requestId }));
	} catch (cause) {
		// Known only to whoever holds the code: nobody else learns that an account may not sign in.
		if (cause instanceof Failure && cause.code === "forbidden") return back(target, { error: "access_denied" });
		throw cause;
	}
}

async function resend(deps: PagesDeps, visit: Visit): Promise<Outcome> {
	const form = await readForm(visit, deps.addresses);
	const { flow } = await getFlow(deps, visit);
	const query = readConnectQuery(visit.url);
	await requireToken(form, visit.cookies.read("flow"), connectAddress(query));
	const refused = await resendCode(deps, visit, flow);
	if (refused) return askCode(deps, visit, flow, refused);
	return redirect(`${codeAddress("/connect/code", flow.login.id, query)}&sent=1`);
}

/** The first step; prefilled for who is signed in, who types a code all the same. */
async function askEmail(
	deps: PagesDeps,
	visit: Visit,
	begun: BegunConnect,
	email: string,
	fault?: Fault,
): Promise<Page> {
	return emailPage({
		...(await partsOf(deps, visit, begun)),
		...fault,
		appName: begun.app.name,
		action: connectAddress({ app: begun.app.id, redirectUri: begun.redirectUri, state: begun.state }),
		email,
	});
}

async function askCode(
	deps: PagesDeps,
	visit: Visit,
	{ login }: OpenFlow,
	said: Partial<Fault & Wait> & { readonly notice?: string | undefined },
): Promise<Page> {
	const target = targetOf(login);
	const query = { app: target.appId, redirectUri: target.redirectUri, state: target.state };
	return codePage({
		...(await partsOf(deps, visit, target)),
		...said,
		appName: target.appName,
		email: login.email,
		actions: {
			verify: codeAddress("/connect/code", login.id, query),
			resend: codeAddress("/connect/resend", login.id, query),
		},
		restart: connectAddress(query),
	});
}

interface Caller {
	readonly redirectUri: string;
	readonly state: string | null;
}

async function partsOf(deps: PagesDeps, visit: Visit, caller: Caller) {
	return {
		serviceName: deps.name,
		returnsTo: URL.parse(caller.redirectUri)?.host ?? "",
		cancel: back(caller, { error: "access_denied" }).location,
		token: await formToken(flowSecret(visit)),
	};
}

/** To the App's callback, with the state that it sent and nothing of ours but the result. */
function back(
	{ redirectUri, state }: Caller,
	result: { readonly code: string } | { readonly error: string },
): Redirect {
	return redirect(callbackUrl(redirectUri, { ...result, state }));
}

function codeAddress(path: string, loginId: string, query: ConnectQuery): string {
	return `${connectAddress(query).replace("/connect?", `${path}?login=${loginId}&`)}`;
}

type Target = NonNullable<OpenFlow["login"]["target"]>;

function targetOf({ target }: OpenFlow["login"]): Target {
	if (!target) throw new Error("a login for connecting leads nowhere");
	return target;
}

/** Where it leads is what was asked for when it began, whatever the address says now. @throws Refusal 410 */
async function getFlow(deps: PagesDeps, visit: Visit): Promise<{ readonly flow: OpenFlow; readonly target: Target }> {
	const flow = await findFlow(deps, visit, "connect");
	if (flow) return { flow, target: targetOf(flow.login) };
	throw signInOver(connectAddress(readConnectQuery(visit.url)));
}

const FAULTS: Readonly<Record<ConnectFaultCode, string>> = {
	missing_app: "The link that led you here does not say which App it belongs to.",
	unknown_app: "The link that led you here belongs to no App that we know.",
	missing_redirect_uri: "The link that led you here does not say where you would return to.",
	redirect_uri_not_registered: "The App has not registered the address that you would return to.",
	state_too_long: "The link that led you here carries more than 512 characters of state.",
	sign_in_disabled: "This App does not let people sign in at present.",
};

/** A fault of the link ends on a page of ours: it names nowhere that one could safely be sent. */
async function refusingFaults(act: () => Promise<Outcome>): Promise<Outcome> {
	try {
		return await act();
	} catch (cause) {
		if (!(cause instanceof ConnectFault)) throw cause;
		const message = `${FAULTS[cause.fault]} Go back to the App, and tell the people who run it.`;
		throw new Refusal(400, "This link does not work", message, { faultCode: cause.fault });
	}
}
