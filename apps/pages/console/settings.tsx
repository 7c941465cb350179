import type { App, Member } from "@svc/sdk/shapes";
import { Moment } from "../kit/parts.tsx";
import { type Page, type PageResult, redirect } from "../kit/visit.ts";
import { Delete, Export, remove } from "./delete-app.tsx";
import { Facts } from "./kit/facts.tsx";
import { ActForm, SelectField, TextField } from "./kit/forms.tsx";
import { screenPage } from "./kit/frame.tsx";
import { type ConsolePost, type ConsoleVisit, hasRole, type Refused, type Screen } from "./kit/visit.ts";
import { t } from "./messages.ts";

/* What an App is called, whether it works, and whose it is. */

export const settingsScreen: Screen = {
	path: "/:app/settings",
	get: showSettings,
	acts: { save, pause, resume, transfer, tax, delete: remove },
};

async function showSettings(visit: ConsoleVisit, refused?: Refused): Promise<Page> {
	const { app: id = "" } = visit.params;
	const calls = visit.api.apps.of(id);
	const [app, members, usage] = await Promise.all([
		visit.api.apps.get(id),
		calls.members.list({ limit: 100 }),
		calls.usage.total(),
	]);
	const owner = members.data.find(({ role }) => role === "owner");
	const form: FormProps = { visit, app, action: `/console/${app.id}/settings`, refused };
	const children = (
		<div className="panels">
			<div className="card">
				<Facts
					facts={[
						[t("id"), <code key="id">{app.id}</code>],
						[t("role.owner"), <bdi key="owner">{owner?.email}</bdi>],
						[t("settings.role"), t(`role.${app.role}` as "role.owner")],
						[t("settings.plan"), app.plan],
						[t("settings.since"), <Moment key="since" ms={Date.parse(app.created_at)} />],
					]}
				/>
			</div>
			{hasRole(app, "admin") && (
				<>
					<Name {...form} />
					<Pause {...form} />
				</>
			)}
			{hasRole(app, "owner") && (
				<>
					<Tax {...form} />
					<Transfer {...form} members={members.data.filter(({ role }) => role !== "owner")} />
				</>
			)}
			<Export app={app} usage={usage} />
			{hasRole(app, "owner") && <Delete {...form} usage={usage} />}
		</div>
	);
	return screenPage(visit, { title: t("settings"), app, screen: "settings", children });
}

interface FormProps {
	readonly visit: ConsoleVisit;
	readonly app: App;
	readonly action: string;
	readonly refused: Refused | undefined;
}

function Name({ visit, app, action, refused }: FormProps) {
	return (
		<div className="card">
			<h2>{t("name")}</h2>
			<ActForm visit={visit} action={action} act="save" refused={refused}>
				<TextField
					act="save"
					name="name"
					label={t("settings.name")}
					value={app.name}
					refused={refused}
					input={{ required: true, maxLength: 100 }}
				/>
				<button className="primary" type="submit">
					{t("save")}
				</button>
			</ActForm>
		</div>
	);
}

function Pause({ visit, app, action, refused }: FormProps) {
	const isPaused = app.paused_at !== null;
	const act = isPaused ? "resume" : "pause";
	return (
		<div className="card">
			<h2>{t("pause")}</h2>
			<p>
				{app.paused_at === null
					? t("settings.pause.about")
					: t("settings.paused.about", { day: <Moment ms={Date.parse(app.paused_at)} /> })}
			</p>
			<ActForm visit={visit} action={action} act={act} refused={refused}>
				<button className={isPaused ? "primary" : "quiet"} type="submit">
					{t(act)}
				</button>
			</ActForm>
		</div>
	);
}

function Tax({ visit, app, action, refused }: FormProps) {
	const common = { act: "tax", refused };
	return (
		<div className="card">
			<h2>{t("tax")}</h2>
			<p className="soft">{t("tax.about")}</p>
			<ActForm visit={visit} action={action} act="tax" refused={refused}>
				<SelectField
					{...common}
					name="mode"
					label={t("tax.mode")}
					value={app.tax.mode}
					options={[
						{ value: "none", text: t("tax.mode.none") },
						{ value: "automatic", text: t("tax.mode.automatic") },
					]}
				/>
				<SelectField
					{...common}
					name="behavior"
					label={t("tax.behavior")}
					value={app.tax.behavior}
					options={[
						{ value: "inclusive", text: t("tax.behavior.inclusive") },
						{ value: "exclusive", text: t("tax.behavior.exclusive") },
					]}
				/>
				<button className="primary" type="submit">
					{t("save")}
				</button>
			</ActForm>
		</div>
	);
}

function Transfer({ visit, action, refused, members }: FormProps & { readonly members: readonly Member[] }) {
	return (
		<div className="card">
			<h2>{t("transfer")}</h2>
			{members.length === 0 ? (
				<p className="soft">{t("transfer.nobody")}</p>
			) : (
				<>
					<p>{t("transfer.about")}</p>
					<ActForm visit={visit} action={action} act="transfer" refused={refused}>
						<SelectField
							act="transfer"
							name="member"
							label={t("transfer.member")}
							refused={refused}
							options={members.map(({ account_id, email }) => ({ value: account_id, text: email }))}
						/>
						<button className="danger" type="submit">
							{t("transfer")}
						</button>
					</ActForm>
				</>
			)}
		</div>
	);
}

async function save(post: ConsolePost): Promise<PageResult> {
	await post.api.apps.edit(appOf(post), { name: post.form.get("name") });
	return await done(post, "saved");
}

async function pause(post: ConsolePost): Promise<PageResult> {
	await post.api.apps.pause(appOf(post));
	return await done(post, "paused");
}

async function resume(post: ConsolePost): Promise<PageResult> {
	await post.api.apps.resume(appOf(post));
	return await done(post, "resumed");
}

async function tax(post: ConsolePost): Promise<PageResult> {
	const [mode, behavior] = [post.form.get("mode"), post.form.get("behavior")] as [
		App["tax"]["mode"],
		App["tax"]["behavior"],
	];
	await post.api.apps.edit(appOf(post), { tax: { mode, behavior } });
	return await done(post, "saved");
}

async function transfer(post: ConsolePost): Promise<PageResult> {
	await post.api.apps.transfer(appOf(post), post.form.get("member") ?? "");
	return await done(post, "transferred");
}

function appOf({ params }: ConsolePost): string {
	return params.app ?? "";
}

async function done(post: ConsolePost, what: string): Promise<PageResult> {
	await post.leave({ what });
	return redirect(`/console/${appOf(post)}/settings`);
}
