import type { Membership } from "@svc/apps/team";
import { listConnections, type OwnConnection, type OwnStorage } from "@svc/connect/users";
import { Day, pictures } from "../kit/parts.tsx";
import type { AccountCall } from "./account-call.ts";
import { type Section, SectionCard } from "./sections.tsx";

/* Which Apps keep pictures of a person, and which ones they look after with others. */

export const appsSection: Section = {
	id: "apps",
	title: "Connected Apps",
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
				<SectionCard id="apps" title="Connected Apps">
					{connections.length === 0 ? (
						<p className="soft">
							No App is connected to you. Apps that keep their users’ pictures here lead you to a page of ours to
							connect.
						</p>
					) : (
						<ul className="rows">
							{connections.map((connection) => (
								<ConnectionRow key={connection.app.id} {...connection} planPath={planPath(connection.app)} />
							))}
						</ul>
					)}
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

const ROLES = { viewer: "Viewer", editor: "Editor", admin: "Admin", owner: "Owner" };

function TeamsSection({ teams }: { readonly teams: readonly Membership[] }) {
	return (
		<SectionCard id="teams" title="Apps that you look after">
			<ul className="rows">
				{teams.map(({ app, role }) => (
					<li key={app.id}>
						<div className="what">
							<h3>
								<bdi>{app.name}</bdi>
							</h3>
							<p>{ROLES[role]}</p>
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
	return (
		<section className="card" aria-labelledby="own">
			<h2 id="own">Your own storage</h2>
			<p className="soft">
				{images === 0
					? "For pictures of yours that belong to no App. A key lets a program of yours store and read them."
					: `${pictures(images, bytes)}, in no App.`}
			</p>
			<p className="acts">
				<a className="button quiet slim" href="/account/keys" aria-label="Keys for your own storage">
					Keys
				</a>
				{planPath && (
					<a className="button quiet slim" href={planPath} aria-label="Plan of your own storage">
						Plan
					</a>
				)}
			</p>
		</section>
	);
}

function ConnectionRow({ app, state, images, bytes, createdMs, planPath }: OwnConnection & Planned) {
	const path = `/account/apps/${app.id}`;
	return (
		<li>
			<div className="what">
				<h3>
					<bdi>{app.name}</bdi>
				</h3>
				{state === "connected" ? (
					<p>
						Since <Day ms={createdMs} /> · {pictures(images, bytes)}
					</p>
				) : (
					<p>Disconnected; your pictures there are being deleted.</p>
				)}
			</div>
			{state === "connected" && (
				<div className="acts">
					<a className="button quiet slim" href={`${path}/keys`} aria-label={`Keys for ${app.name}`}>
						Keys
					</a>
					{planPath && (
						<a className="button quiet slim" href={planPath} aria-label={`Plan at ${app.name}`}>
							Plan
						</a>
					)}
					<a className="button quiet slim" href={`${path}/disconnect`} aria-label={`Disconnect ${app.name}`}>
						Disconnect…
					</a>
				</div>
			)}
		</li>
	);
}
