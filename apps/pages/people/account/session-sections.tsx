import { listTokens } from "@svc/apps/tokens";
import type { ListedSession } from "@svc/people/session";
import { listSessions } from "@svc/people/sessions";
import { deviceText } from "../../kit/device.ts";
import { Day, Moment, PostForm } from "../../kit/parts.tsx";
import { usePlain } from "../../kit/text.ts";
import { t } from "../messages.ts";
import type { AccountCall } from "./account-call.ts";
import { type Section, SectionCard } from "./sections.tsx";

/* Where somebody is signed in, and which programs act for them. */

/** An account has no more of either. */
const SHOWN = 100;

export const sessionsSection: Section = {
	id: "sessions",
	title: t("sessions"),
	async show(call) {
		const { rooms, person, token } = call;
		const sessions = await listSessions(rooms.people, person, { limit: SHOWN });
		const others = sessions.length > 1 || (await findTokens(call)).length > 0;
		return (
			<SectionCard id="sessions" title={t("sessions")}>
				<ul className="rows">
					{sessions.map((session) => (
						<SessionRow key={session.id} session={session} current={session.id === person.session.id} token={token} />
					))}
				</ul>
				{others && (
					<PostForm action="/account/sign-out-others" token={token}>
						<label className="choice">
							<input type="checkbox" name="keep_tokens" value="yes" />
							<span>{t("sessions.keep_tokens")}</span>
						</label>
						<div>
							<button className="quiet slim" type="submit">
								{t("sign_out.others")}
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
	const say = usePlain();
	const device = deviceText(session.device);
	return (
		<li>
			<div className="what">
				<h3>
					<bdi>{device}</bdi>
					{current && <span className="tag">{t("sessions.this")}</span>}
				</h3>
				<p>
					{t("sessions.used", {
						moment: <Moment ms={session.lastUsedMs ?? session.createdMs} />,
						day: <Day ms={session.createdMs} />,
					})}
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
					<button className="quiet slim" type="submit" aria-label={say(t("sign_out.one", { device }))}>
						{t("sign_out")}
					</button>
				</PostForm>
			</div>
		</li>
	);
}

export const tokensSection: Section = {
	id: "tokens",
	title: t("tokens"),
	async show(call) {
		const tokens = await findTokens(call);
		return (
			<SectionCard id="tokens" title={t("tokens")}>
				<p className="soft">{t(tokens.length === 0 ? "tokens.none" : "tokens.about")}</p>
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

export const developerSection: Section = {
	id: "developer",
	title: t("developer"),
	async show(call) {
		const { addresses, name: service } = call.rooms;
		return (
			<div className="parts">
				{await tokensSection.show(call)}
				<p>{t("developer.docs", { service, a: (words) => <a href={`${addresses.base}/docs`}>{words}</a> })}</p>
			</div>
		);
	},
};

function findTokens({ rooms, person }: AccountCall): Promise<readonly ListedSession[]> {
	return listTokens(rooms.apps, person, { limit: SHOWN });
}

function TokenRow({ listed, token }: { readonly listed: ListedSession; readonly token: string }) {
	const say = usePlain();
	const name = listed.name ?? "";
	const scopes = [...(listed.scopes ?? [])].sort().join(", ");
	const day = <Day ms={listed.expiresMs} />;
	return (
		<li>
			<div className="what">
				<h3>
					<bdi>{name}</bdi>
				</h3>
				<p>{listed.appId === null ? scopes : t("tokens.in_app", { scopes })}</p>
				<p>
					{listed.lastUsedMs === null
						? t("tokens.unused", { day })
						: t("tokens.used", { day, moment: <Moment ms={listed.lastUsedMs} /> })}
				</p>
			</div>
			<div className="acts">
				<PostForm action={`/account/tokens/${listed.id}/revoke`} token={token}>
					<button className="quiet slim" type="submit" aria-label={say(t("revoke.one", { name }))}>
						{t("revoke")}
					</button>
				</PostForm>
			</div>
		</li>
	);
}
