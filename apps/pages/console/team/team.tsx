import type { App, GrantedRole, Invite, Member } from "@svc/sdk/shapes";
import { Day } from "../../kit/parts.tsx";
import { type Page, type PageResult, redirect } from "../../kit/visit.ts";
import { screenPage } from "../kit/frame.tsx";
import { Lines } from "../kit/lines.tsx";
import { Pager } from "../kit/pager.tsx";
import { type ConsolePost, type ConsoleVisit, hasRole, type Refused, type Screen } from "../kit/visit.ts";
import { t } from "../messages.ts";
import { InviteLink, Invites, invite, type MadeInvite, withdraw } from "./invites.tsx";
import { type DyingKeys, Leave, MemberActs } from "./member-acts.tsx";

/* Who works on an App, in which role, and who is asked to. */

export const teamScreen: Screen = {
	path: "/:app/team",
	get: (visit, refused) => teamPage(visit, { refused }),
	acts: {
		role: changeRole,
		remove,
		invite: async (post) => await teamPage(post, { made: await invite(post) }),
		withdraw: async (post) => await done(post, await withdraw(post)),
	},
};

interface Answer {
	readonly refused?: Refused | undefined;
	/** An invite that has just been made, with the token of its link. */
	readonly made?: MadeInvite;
}

async function teamPage(visit: ConsoleVisit, { refused, made }: Answer): Promise<Page> {
	const { app: id = "" } = visit.params;
	const cursor = visit.url.searchParams.get("cursor") ?? undefined;
	const app = await visit.api.apps.get(id);
	const isAdmin = hasRole(app, "admin");
	const [members, invites, keys] = await Promise.all([
		visit.api.apps.of(id).members.list({ cursor }),
		isAdmin
			? visit.api.apps
					.of(id)
					.invites.list({ limit: 100 })
					.then(({ data }) => data)
			: [],
		dyingKeys(visit, id, refused),
	]);
	const own = members.data.find(({ account_id }) => account_id === visit.person.id);
	const common = { visit, app, here: teamPath(app), refused };
	const children = (
		<>
			{made && <InviteLink made={made} web={visit.addresses.web} />}
			{isAdmin && <Invites {...common} invites={invites as readonly Invite[]} />}
			<Members {...common} members={members.data} keys={keys} />
			<Pager visit={visit} next={members.pagination.next_cursor} />
			{own && own.role !== "owner" && <Leave {...common} member={own} keys={keys} />}
		</>
	);
	return screenPage(visit, { title: t("team"), app, screen: "team", scripts: ["copy"], children });
}

/** Keys that the change which was refused would end, with their names: it can be sent again on purpose. */
async function dyingKeys({ api }: ConsoleVisit, app: string, refused: Refused | undefined): Promise<DyingKeys> {
	const ids = refused?.error.details?.keys;
	if (ids === undefined) return undefined;
	const { data } = await api.apps.of(app).keys.list({ limit: 100 });
	return ids.map((id) => data.find((key) => key.id === id) ?? { id, name: id });
}

function teamPath({ id }: Pick<App, "id">): string {
	return `/console/${id}/team`;
}

interface MembersProps {
	readonly visit: ConsoleVisit;
	readonly app: App;
	readonly here: string;
	readonly refused: Refused | undefined;
	readonly members: readonly Member[];
	readonly keys: DyingKeys;
}

function Members({ members, ...common }: MembersProps) {
	const { app, visit } = common;
	const lines = members.map((member) => ({
		id: member.id,
		cells: [
			<bdi key="who">{member.email}</bdi>,
			t(`role.${member.role}` as "role.owner"),
			<Day key="since" ms={Date.parse(member.created_at)} />,
			hasRole(app, "admin") && member.role !== "owner" && member.account_id !== visit.person.id && (
				<MemberActs key="acts" {...common} member={member} />
			),
		],
	}));
	const columns = [t("users.email"), t("team.role"), t("team.since"), ""];
	return <Lines caption={t("team")} columns={columns} lines={lines} />;
}

const wished = ({ form }: ConsolePost) => form.get("revoke_keys") === "true";

async function changeRole(post: ConsolePost): Promise<PageResult> {
	const role = (post.form.get("role") ?? "") as GrantedRole;
	await membersOf(post).changeRole(post.form.get("member") ?? "", role, wished(post));
	return await done(post, "saved");
}

/** Whoever leaves has nothing more to see of the App. */
async function remove(post: ConsolePost): Promise<PageResult> {
	const member = post.form.get("member") ?? "";
	await membersOf(post).delete(member, wished(post));
	return member === post.person.id ? await done(post, "left", "/console") : await done(post, "removed");
}

function membersOf({ api, params }: ConsolePost) {
	return api.apps.of(params.app ?? "").members;
}

async function done(post: ConsolePost, what: string, to = teamPath({ id: post.params.app ?? "" })) {
	await post.leave({ what });
	return redirect(to);
}
