import type { OwnConnection, OwnStorage } from "@svc/connect/users";
import type { Session } from "@svc/people/people";
import { Alert, count, Day, Name, Notice, PostForm, pictures } from "../kit/parts.tsx";
import { type Page, show } from "../kit/visit.ts";

/* The pages of a person's own account. */

interface AccountProps {
	readonly email: string;
	readonly token: string;
	readonly connections: readonly OwnConnection[];
	/** Undefined where people have no storage of their own. */
	readonly own: OwnStorage | undefined;
	/** Where the plan is of what one has in an App, or in none; null where it has none. */
	readonly planPath: (app: { readonly id: string } | null) => string | null;
	readonly sessions: readonly Session[];
	/** Id of the session that views the page. */
	readonly current: string;
	readonly notice?: string | undefined;
}

export function accountPage({
	email,
	token,
	connections,
	own,
	planPath,
	sessions,
	current,
	notice,
}: AccountProps): Page {
	const body = (
		<>
			<div className="stack">
				<h1>Your account</h1>
				<div className="others">
					<p className="soft">
						Signed in as <Name>{email}</Name>
					</p>
					<PostForm action="/account/sign-out" token={token}>
						<button className="plain" type="submit">
							Sign out
						</button>
					</PostForm>
				</div>
			</div>
			{notice && <Notice answers>{notice}</Notice>}
			<section className="card" aria-labelledby="apps">
				<h2 id="apps">Connected Apps</h2>
				{connections.length === 0 ? (
					<p className="soft">
						No App is connected to you. Apps that keep their users’ pictures here lead you to a page of ours to connect.
					</p>
				) : (
					<ul className="rows">
						{connections.map((connection) => (
							<ConnectionRow key={connection.app.id} {...connection} planPath={planPath(connection.app)} />
						))}
					</ul>
				)}
			</section>
			{own && <OwnSection {...own} planPath={planPath(null)} />}
			<section className="card" aria-labelledby="sessions">
				<h2 id="sessions">Where you are signed in</h2>
				<ul className="rows">
					{sessions.map((session) => (
						<li key={session.id}>
							<div className="what">
								<h3>
									<bdi>{session.device ?? "A browser"}</bdi>
									{session.id === current && <span className="tag">this one</span>}
								</h3>
								<p>
									Since <Day ms={session.createdMs} />
								</p>
							</div>
						</li>
					))}
				</ul>
				{sessions.length > 1 && (
					<PostForm action="/account/sign-out-others" token={token}>
						<div>
							<button className="quiet slim" type="submit">
								Sign out everywhere else
							</button>
						</div>
					</PostForm>
				)}
			</section>
			<section className="card" aria-labelledby="delete">
				<h2 id="delete">Delete your account</h2>
				<p className="soft">Disconnects you from every App and deletes all your pictures there, for good.</p>
				<p>
					<a className="button danger slim" href="/account/delete">
						Delete your account…
					</a>
				</p>
			</section>
		</>
	);
	return show("Your account", body, { wide: true });
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

export function disconnectPage({ app, images, bytes }: OwnConnection, token: string): Page {
	const body = (
		<div className="card">
			<h1>
				Disconnect <bdi>{app.name}</bdi>?
			</h1>
			<Alert>
				{images === 0
					? "It keeps no pictures for you at present."
					: `${pictures(images, bytes)}: everything that it keeps for you is deleted.`}{" "}
				This cannot be undone.
			</Alert>
			<p className="soft">
				<Name>{app.name}</Name> can no longer reach your storage, and your own keys for it stop working. A plan that you
				pay it for ends at once. Should you connect again, you start empty.
			</p>
			<PostForm action={`/account/apps/${app.id}/disconnect`} token={token}>
				<div className="actions">
					<button className="final" type="submit">
						{images === 0 ? "Disconnect" : `Disconnect and delete ${count(images, "picture")}`}
					</button>
					<a className="button quiet" href="/account">
						Stay connected
					</a>
				</div>
			</PostForm>
		</div>
	);
	return show(`Disconnect ${app.name}`, body);
}
