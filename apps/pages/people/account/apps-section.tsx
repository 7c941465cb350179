import type { Membership } from "@svc/apps/app-record";
import type { OwnConnection, OwnStorage } from "@svc/connect/connected-user";
import { listConnections } from "@svc/connect/users";
import { Day, pictures } from "../../kit/parts.tsx";
import { usePlain } from "../../kit/text.ts";
import { t } from "../messages.ts";
import type { AccountCall } from "./account-call.ts";
import { type Section, SectionCard } from "./sections.tsx";

/* Which Apps keep pictures of a person, and which ones they look after with others. */

export const appsSection: Section = {
	id: "apps",
	title: t("apps"),
	async show(call) {
		const { rooms, person } = call;
		const [connections, own, teams] = await Promise.all([
			listConnections(rooms.connect, person.account),
			rooms.variant.storages.find(rooms.connect, person.account),
			listTeams(call),
		]);
		const planPath = rooms.variant.billing.card.ownPath;
		return (
			<>
				<SectionCard id="apps" title={t("apps")}>
					{connections.length === 0 ? (
						<p className="soft">{t("apps.none")}</p>
					) : (
						<ul className="rows">
							{connections.map((connection) => (
								<ConnectionRow key={connection.app.id} {...connection} planPath={planPath(connection.app)} />
							))}
						</ul>
					)}
					{rooms.isJudged && <p className="soft">{t("apps.judged", { service: rooms.name })}</p>}
				</SectionCard>
				{own && <OwnSection {...own} planPath={planPath(null)} />}
				{teams.length > 0 && <TeamsSection teams={teams} />}
			</>
		);
	},
};

const TEAMS_SHOWN = 100;

function listTeams({ rooms, person }: AccountCall): Promise<readonly Membership[]> {
	return rooms.apps.store.list(person.account.pk, null, { limit: TEAMS_SHOWN, beforePk: undefined });
}

function TeamsSection({ teams }: { readonly teams: readonly Membership[] }) {
	return (
		<SectionCard id="teams" title={t("teams")}>
			<ul className="rows">
				{teams.map(({ app, role }) => (
					<li key={app.id}>
						<div className="what">
							<h3>
								<bdi>{app.name}</bdi>
							</h3>
							<p>{t(`role.${role}`)}</p>
						</div>
					</li>
				))}
			</ul>
		</SectionCard>
	);
}

interface Planned {
	readonly planPath: string | null;
}

function OwnSection({ images, bytes, planPath }: OwnStorage & Planned) {
	const say = usePlain();
	return (
		<section className="card" aria-labelledby="own">
			<h2 id="own">{t("own")}</h2>
			<p className="soft">{images === 0 ? t("own.empty") : t("own.kept", { pictures: pictures(images, bytes) })}</p>
			<p className="acts">
				<a className="button quiet slim" href="/account/keys" aria-label={say(t("own.keys"))}>
					{t("apps.keys")}
				</a>
				{planPath && (
					<a className="button quiet slim" href={planPath} aria-label={say(t("own.plan"))}>
						{t("apps.plan")}
					</a>
				)}
			</p>
		</section>
	);
}

function ConnectionRow({ app, homepage, state, images, bytes, createdMs, planPath }: OwnConnection & Planned) {
	const say = usePlain();
	const path = `/account/apps/${app.id}`;
	const name = <bdi>{app.name}</bdi>;
	return (
		<li>
			<div className="what">
				<h3>
					{homepage === null ? (
						name
					) : (
						<a href={homepage} rel="noreferrer nofollow">
							{name}
						</a>
					)}
				</h3>
				{state === "connected" ? (
					<p>{t("apps.since", { day: <Day ms={createdMs} />, pictures: pictures(images, bytes) })}</p>
				) : (
					<p>{t("apps.leaving")}</p>
				)}
			</div>
			{state === "connected" && (
				<div className="acts">
					<a className="button quiet slim" href={`${path}/keys`} aria-label={say(t("apps.keys.of", { app: app.name }))}>
						{t("apps.keys")}
					</a>
					{planPath && (
						<a className="button quiet slim" href={planPath} aria-label={say(t("apps.plan.of", { app: app.name }))}>
							{t("apps.plan")}
						</a>
					)}
					<a
						className="button quiet slim"
						href={`${path}/disconnect`}
						aria-label={say(t("disconnect", { app: app.name }))}
					>
						{t("apps.disconnect")}
					</a>
				</div>
			)}
		</li>
	);
}
