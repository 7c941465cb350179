import { acceptInvite, findInvitation, type Invitation, isInviteToken } from "@svc/apps/team/invites";
import { foldEmail } from "@svc/base/email";
import { Failure } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import type { Person } from "@svc/people/people";
import { flowSecret, formToken, readForm, requireToken } from "../kit/form.ts";
import { Alert, Day, Name, PostForm, strong } from "../kit/parts.tsx";
import type { PagesRooms } from "../kit/rooms.ts";
import { type Page, PageRefusal, type PageResult, type Route, redirect, show, type Visit } from "../kit/visit.ts";
import { leaveNotice } from "../people/notices.ts";
import { EmailForm } from "../people/sign-in-pages.tsx";
import { findSignedIn } from "../people/signed-in.ts";
import { t } from "./messages.ts";

/* Joining an App's team by the link in a mail. */

export function inviteRoutes(rooms: PagesRooms): Route[] {
	return [
		{
			path: "/invites/:id",
			get: (visit) => (visit.url.searchParams.has("token") ? keepToken(visit) : open(rooms, visit)),
			post: (visit) => accept(rooms, visit),
		},
	];
}

/** Leaves the person enough time to sign in. */
const KEPT_SECONDS = 3_600;

/** The token leaves the address at once, so that neither a history nor a link tells it. */
async function keepToken({ url, params, cookies }: Visit): Promise<PageResult> {
	const { id = "" } = params;
	const token = url.searchParams.get("token") ?? "";
	// The id becomes part of a cookie and of where it leads: what is none could write attributes of its own.
	if (!isId("inv", id) || !isInviteToken(token)) throw useless();
	// Lax, because a link in a mail program comes from another site.
	cookies.set(`invite-${id}`, token, { sameSite: "Lax", maxAge: KEPT_SECONDS });
	return redirect(`/invites/${id}`);
}

/** Unknown, revoked, used and expired invites get the same answer. */
function useless(): PageRefusal {
	return new PageRefusal(404, t("useless"), t("useless.text"));
}

async function getInvitation(rooms: PagesRooms, { params, cookies }: Visit) {
	const { id = "" } = params;
	const token = cookies.read(`invite-${id}`) ?? "";
	const invitation = await findInvitation(rooms.apps, id, token);
	if (!invitation) throw useless();
	return { invitation, token };
}

async function open(rooms: PagesRooms, visit: Visit): Promise<Page> {
	const { invitation } = await getInvitation(rooms, visit);
	const person = await findSignedIn(rooms, visit);
	return person && isFor(invitation, person)
		? acceptPage(invitation, await formToken(visit.cookies.read("session") ?? ""))
		: signInPage(invitation, person, await formToken(flowSecret(visit)));
}

function isFor({ email }: Invitation, { account }: Person): boolean {
	return foldEmail(email) === foldEmail(account.email);
}

/** Whoever joins arrives among the pictures of the App. */
async function accept(rooms: PagesRooms, visit: Visit): Promise<PageResult> {
	const form = await readForm(visit, rooms.addresses);
	const { invitation, token } = await getInvitation(rooms, visit);
	const person = await findSignedIn(rooms, visit);
	await requireToken(form, person ? visit.cookies.read("session") : null, visit.url.pathname);
	if (!person) throw useless();
	const by = { actor: person.account.id, requestId: visit.requestId, nowMs: rooms.clock.now() };
	try {
		await acceptInvite(rooms.apps, person, invitation.id, token, by);
	} catch (cause) {
		if (cause instanceof Failure && cause.code === "not_found") throw useless();
		throw cause;
	}
	visit.cookies.clear(`invite-${invitation.id}`);
	await leaveNotice({ rooms, person }, { done: "console", what: "joined" });
	return redirect(`/console/${invitation.appId}/images`);
}

function Invited({ appName, role, email }: Invitation) {
	return (
		<div className="stack">
			<h1>{t("join", { app: <bdi>{appName}</bdi> })}</h1>
			<p className="soft">{t(`invited.${role}`, { email: <Name>{email}</Name>, strong })}</p>
		</div>
	);
}

function acceptPage(invitation: Invitation, token: string): Page {
	const body = (
		<div className="card">
			<Invited {...invitation} />
			<PostForm action={`/invites/${invitation.id}`} token={token}>
				<div className="actions">
					<button className="primary" type="submit">
						{t("accept")}
					</button>
					<a className="button quiet" href="/account">
						{t("later")}
					</a>
				</div>
			</PostForm>
			<p className="fine">{t("until", { day: <Day ms={invitation.expiresMs} /> })}</p>
		</div>
	);
	return show(t("join", { app: invitation.appName }), body);
}

function signInPage(invitation: Invitation, person: Person | undefined, token: string): Page {
	const body = (
		<div className="card">
			<Invited {...invitation} />
			{person && <Alert>{t("other", { email: <bdi>{person.account.email}</bdi> })}</Alert>}
			<EmailForm action={`/account/sign-in?invite=${invitation.id}`} token={token} email={invitation.email} />
		</div>
	);
	return show(t("join", { app: invitation.appName }), body);
}
