import type { App, ConnectedUser, ManagedPlan } from "@svc/sdk/shapes";
import { Day, fileSize, numberText } from "../../kit/parts.tsx";
import { type Page, type PageResult, redirect } from "../../kit/visit.ts";
import { ActForm, SelectField, TextField } from "../kit/forms.tsx";
import { screenPage } from "../kit/frame.tsx";
import { type ConsolePost, type ConsoleVisit, hasRole, noneOf, type Refused, type Screen } from "../kit/visit.ts";
import { t } from "../messages.ts";
import { AccessText, LastUse } from "./access.tsx";

/* One person who is connected to an App. */

export const userScreen: Screen = {
	path: "/:app/users/:user",
	get: showUser,
	acts: { grant, ungrant, disconnect },
};

async function showUser(visit: ConsoleVisit, refused?: Refused): Promise<Page> {
	const { app: id = "", user: userId = "" } = visit.params;
	const calls = visit.api.apps.of(id);
	const [app, user, plans] = await Promise.all([
		visit.api.apps.get(id),
		calls.users.get(userId),
		// Not every interface has plans, and not every role sees them.
		calls.plans.list({ limit: 100 }).catch(noneOf("not_found", "forbidden")),
	]);
	const form: FormProps = { visit, user, action: userPath(visit), refused };
	const children = (
		<div className="panels">
			<div className="card">
				<Facts user={user} />
				<p>
					<a href={`/console/${app.id}/images?storage=${user.id}`}>{t("user.images")}</a>
				</p>
			</div>
			{hasRole(app, "owner") && <Grant {...form} plans={plans?.data ?? []} />}
			{hasRole(app, "admin") && user.state === "connected" && <Disconnect {...form} app={app} />}
		</div>
	);
	const heading = (
		<div className="heading">
			<a className="back" href={`/console/${app.id}/users`}>
				← {t("users")}
			</a>
			<h1>
				<bdi>{user.email}</bdi>
			</h1>
		</div>
	);
	return screenPage(visit, { title: user.email, heading, app, screen: "users", children });
}

function userPath({ params: { app = "", user = "" } }: ConsoleVisit): string {
	return `/console/${app}/users/${user}`;
}

function Facts({ user }: { readonly user: ConnectedUser }) {
	const { images, bytes, limits } = user;
	return (
		<dl className="facts">
			<div>
				<dt>{t("images")}</dt>
				<dd>
					{numberText(images)}
					{limits?.images != null && <> / {numberText(limits.images)}</>}
				</dd>
			</div>
			<div>
				<dt>{t("size")}</dt>
				<dd>
					{fileSize(bytes)}
					{limits?.bytes != null && <> / {fileSize(limits.bytes)}</>}
				</dd>
			</div>
			<div>
				<dt>{t("users.access")}</dt>
				<dd>
					<AccessText of={user} />
				</dd>
			</div>
			<div>
				<dt>{t("users.used")}</dt>
				<dd>
					<LastUse of={user} />
				</dd>
			</div>
			<div>
				<dt>{t("users.since")}</dt>
				<dd>
					<Day ms={Date.parse(user.created_at)} />
				</dd>
			</div>
			<div>
				<dt>{t("id")}</dt>
				<dd>
					<code>{user.id}</code>
				</dd>
			</div>
		</dl>
	);
}

interface FormProps {
	readonly visit: ConsoleVisit;
	readonly user: ConnectedUser;
	readonly action: string;
	readonly refused: Refused | undefined;
}

function Grant({ visit, user, action, refused, plans }: FormProps & { readonly plans: readonly ManagedPlan[] }) {
	const given = plans.filter(({ archived_at }) => archived_at === null);
	const common = { act: "grant", refused };
	if (given.length === 0 && user.grant === null) return null;
	return (
		<div className="card">
			<h2>{t("grant.title")}</h2>
			{user.grant && (
				<>
					<p>
						<bdi>{user.grant.plan_name}</bdi>, {t("access.until", { day: <Day ms={Date.parse(user.grant.until)} /> })}:{" "}
						<bdi>{user.grant.reason}</bdi>
					</p>
					<ActForm visit={visit} action={action} act="ungrant" refused={refused}>
						<button className="quiet" type="submit">
							{t("grant.end")}
						</button>
					</ActForm>
				</>
			)}
			<p className="soft">{t("grant.about")}</p>
			<ActForm visit={visit} action={action} act="grant" refused={refused}>
				<SelectField
					{...common}
					name="plan_key"
					label={t("grant.plan")}
					options={given.map(({ key, name }) => ({ value: key, text: name }))}
				/>
				<TextField {...common} name="until" label={t("grant.until")} input={{ type: "date", required: true }} />
				<TextField
					{...common}
					name="reason"
					label={t("grant.reason")}
					hint={t("grant.reason.hint")}
					input={{ required: true, maxLength: 500 }}
				/>
				<button className="primary" type="submit">
					{t("grant")}
				</button>
			</ActForm>
		</div>
	);
}

function Disconnect({ visit, user, action, refused, app }: FormProps & { readonly app: App }) {
	return (
		<div className="card">
			<h2>{t("disconnect.title")}</h2>
			<p>
				{t("disconnect.about", {
					app: <bdi>{app.name}</bdi>,
					images: user.images,
				})}
			</p>
			<ActForm visit={visit} action={action} act="disconnect" refused={refused}>
				<button className="danger" type="submit">
					{t("disconnect")}
				</button>
			</ActForm>
		</div>
	);
}

async function grant(post: ConsolePost): Promise<PageResult> {
	const text = (name: string) => post.form.get(name)?.trim() ?? "";
	const { app = "", user = "" } = post.params;
	const given = { planKey: text("plan_key"), until: text("until"), reason: text("reason") };
	await post.api.apps.of(app).users.grant(user, given);
	await post.leave({ what: "granted" });
	return redirect(userPath(post));
}

async function ungrant(post: ConsolePost): Promise<PageResult> {
	const { app = "", user = "" } = post.params;
	await post.api.apps.of(app).users.ungrant(user);
	await post.leave({ what: "ungranted" });
	return redirect(userPath(post));
}

async function disconnect(post: ConsolePost): Promise<PageResult> {
	const { app = "", user = "" } = post.params;
	await post.api.apps.of(app).users.disconnect(user);
	await post.leave({ what: "disconnected" });
	return redirect(`/console/${app}/users`);
}
