import { listTokens } from "@svc/apps/tokens";
import type { ListedSession } from "@svc/people/sessions";
import { listSessions } from "@svc/people/sessions";
import { Day, Moment, PostForm } from "../kit/parts.tsx";
import type { AccountCall } from "./account-call.ts";
import { type Section, SectionCard } from "./sections.tsx";

/* Where somebody is signed in, and which programs act for them. */

/** An account has no more of either. */
const SHOWN = 100;

export const sessionsSection: Section = {
	id: "sessions",
	title: "Where you are signed in",
	async show(call) {
		const { rooms, person, token } = call;
		const sessions = await listSessions(rooms.people, person, { limit: SHOWN });
		const others = sessions.length > 1 || (await findTokens(call)).length > 0;
		return (
			<SectionCard id="sessions" title="Where you are signed in">
				<ul className="rows">
					{sessions.map((session) => (
						<SessionRow key={session.id} session={session} current={session.id === person.session.id} token={token} />
					))}
				</ul>
				{others && (
					<PostForm action="/account/sign-out-others" token={token}>
						<label className="choice">
							<input type="checkbox" name="keep_tokens" value="yes" />
							<span>Keep my tokens</span>
						</label>
						<div>
							<button className="quiet slim" type="submit">
								Sign out everywhere else
							</button>
						</div>
					</PostForm>
				)}
			</SectionCard>
		);
	},
};

interface SessionRowProps {
	readonly session: ListedSession;
	readonly current: boolean;
	readonly token: string;
}

function SessionRow({ session, current, token }: SessionRowProps) {
	const device = session.device ?? "A browser";
	return (
		<li>
			<div className="what">
				<h3>
					<bdi>{device}</bdi>
					{current && <span className="tag">this one</span>}
				</h3>
				<p>
					Used <Moment ms={session.lastUsedMs ?? session.createdMs} /> · since <Day ms={session.createdMs} />
					{session.network !== null && (
						<>
							{" · "}
							<bdi>{session.network}</bdi>
						</>
					)}
				</p>
			</div>
			<div className="acts">
				<PostForm action={`/account/sessions/${session.id}/end`} token={token}>
					<button className="quiet slim" type="submit" aria-label={`Sign out ${device}`}>
						Sign out
					</button>
				</PostForm>
			</div>
		</li>
	);
}

export const tokensSection: Section = {
	id: "tokens",
	title: "Tokens",
	async show(call) {
		const tokens = await findTokens(call);
		return (
			<SectionCard id="tokens" title="Tokens">
				<p className="soft">
					{tokens.length === 0
						? "No program acts for you. A token is made with the command line: svc tokens create."
						: "Programs that act for you. Revoke what you do not know, and what you no longer use."}
				</p>
				{tokens.length > 0 && (
					<ul className="rows">
						{tokens.map((listed) => (
							<TokenRow key={listed.id} listed={listed} token={call.token} />
						))}
					</ul>
				)}
			</SectionCard>
		);
	},
};

function findTokens({ rooms, person }: AccountCall): Promise<readonly ListedSession[]> {
	return listTokens(rooms.apps, person, { limit: SHOWN });
}

function TokenRow({ listed, token }: { readonly listed: ListedSession; readonly token: string }) {
	const name = listed.name ?? "";
	return (
		<li>
			<div className="what">
				<h3>
					<bdi>{name}</bdi>
				</h3>
				<p>
					{[...(listed.scopes ?? [])].sort().join(", ")}
					{listed.appId !== null && ", in one App"}
				</p>
				<p>
					Until <Day ms={listed.expiresMs} /> · {listed.lastUsedMs === null ? "never used" : "used "}
					{listed.lastUsedMs !== null && <Moment ms={listed.lastUsedMs} />}
				</p>
			</div>
			<div className="acts">
				<PostForm action={`/account/tokens/${listed.id}/revoke`} token={token}>
					<button className="quiet slim" type="submit" aria-label={`Revoke ${name}`}>
						Revoke
					</button>
				</PostForm>
			</div>
		</li>
	);
}
