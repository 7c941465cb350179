import type { Span } from "@svc/base/cursors";
import { auditBy, auditOnChange } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import { invites, members } from "@svc/base/database/schema/apps";
import { keys } from "@svc/base/database/schema/keys";
import { olderThan, rowCondition, statements, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { foldEmail } from "@svc/base/email";
import type { GivableRole } from "@svc/base/enumerations";
import type { NewMail } from "@svc/mail/mail";
import { mailEntry, mailOnChange } from "@svc/mail/mail-entries-store";
import { and, asc, desc, eq, ne, or, type SQL, sql } from "drizzle-orm";
import { type Authority, isAtLeast } from "../authority.ts";
import { authorityStep } from "../authority-store.ts";
import { isLive, revokeSteps } from "../key-steps-store.ts";
import { withdrawInvites } from "./invites-store.ts";
import type { Member } from "./members.ts";

export function memberStore(database: Database) {
	return {
		list: listMembers.bind(null, database),
		/** Finds a member by account id or e-mail address. */
		find: findMember.bind(null, database),
		/** The Owner of an App; undefined while it is being deleted. */
		async findOwner(appPk: number): Promise<Member | undefined> {
			const owner = and(eq(members.appPk, appPk), eq(members.role, "owner"));
			return (await database.read(() => selectMembers(database).where(owner)))[0];
		},
		/** Lists ids of an account's keys of the App that still work. */
		liveKeys: listLiveKeys.bind(null, database),
		/** A demotion below Admin revokes the member's keys; `keys` when that is not allowed and there are any that work. */
		changeRole: changeRole.bind(null, database),
		/** Revokes the member's keys as well; `keys` when that is not allowed and there are any that work. */
		remove: removeMember.bind(null, database),
	};
}

function selectMembers({ queries }: Database) {
	const { accountPk: pk, role, createdMs } = members;
	return queries
		.select({ pk, accountId: accounts.id, email: accounts.email, role, createdMs })
		.from(members)
		.innerJoin(accounts, eq(accounts.pk, members.accountPk))
		.$dynamic();
}

function listMembers(database: Database, appPk: number, { limit, beforePk }: Span): Promise<readonly Member[]> {
	return database.read(() =>
		selectMembers(database)
			.where(and(eq(members.appPk, appPk), olderThan(members.accountPk, beforePk)))
			.orderBy(desc(members.accountPk))
			.limit(limit),
	);
}

async function findMember(database: Database, appPk: number, member: string): Promise<Member | undefined> {
	const named = or(eq(accounts.id, member), eq(accounts.emailNorm, foldEmail(member)));
	const [found] = await database.read(() => selectMembers(database).where(and(eq(members.appPk, appPk), named)));
	return found;
}

async function listLiveKeys(
	{ queries, read }: Database,
	appPk: number,
	accountPk: number,
	nowMs: number,
): Promise<readonly string[]> {
	const live = and(isTeamKey(appPk, accountPk), isLive(nowMs));
	const rows = await read(() => queries.select({ id: keys.id }).from(keys).where(live).orderBy(asc(keys.pk)));
	return rows.map(({ id }) => id);
}

async function changeRole(
	{ write }: Database,
	authority: Authority,
	member: Member,
	role: GivableRole,
	revokeKeys: boolean,
	mail: NewMail,
): Promise<"demoted" | "owner" | "keys" | undefined> {
	const { appPk, by } = authority;
	const demoted = !isAtLeast(role, "admin");
	const entry = { appPk, event: "member.role_changed", target: member.accountId, changes: { role } };
	const { refused } = await write([
		authorityStep(authority),
		notOwner(appPk, member),
		...(demoted && !revokeKeys ? [withoutKeys(authority, member)] : []),
		updateStep(members, { role }, and(isMember(appPk, member.pk), ne(members.role, role))),
		{ run: auditOnChange(by, entry) },
		{ run: mailOnChange(mail, by.nowMs) },
		...(demoted ? takeBack(authority, member, "creator_demoted") : []),
	]);
	return refused;
}

async function removeMember(
	{ write }: Database,
	authority: Authority,
	member: Member,
	revokeKeys: boolean,
	mail: NewMail | undefined,
): Promise<"demoted" | "owner" | "keys" | undefined> {
	const { appPk, accountPk, by } = authority;
	const event = accountPk === member.pk ? "member.left" : "member.removed";
	const { refused } = await write([
		authorityStep(authority),
		notOwner(appPk, member),
		...(revokeKeys ? [] : [withoutKeys(authority, member)]),
		{ run: statements.delete(members).where(isMember(appPk, member.pk)) },
		{ run: auditBy(by, { appPk, event, target: member.accountId }) },
		...(mail ? [{ run: mailEntry(mail, by.nowMs) }] : []),
		...takeBack(authority, member, "creator_left"),
	]);
	return refused;
}

function isMember(appPk: number, accountPk: number): SQL {
	return sql`${members.appPk} = ${appPk} AND ${members.accountPk} = ${accountPk}`;
}

/** A query of whom notices about an App go to: its Owner and Admins who can sign in. For `mailEach`. */
export function noticedOf(appPk: SQL | number): SQL {
	return sql`SELECT ${accounts.email} AS email, ${accounts.mailLocale} AS locale
		FROM ${members} JOIN ${accounts} ON ${accounts.pk} = ${members.accountPk}
		WHERE ${members.appPk} = ${appPk} AND ${members.role} IN ('owner', 'admin') AND ${accounts.status} = 'active'`;
}

/** A key that a member made for the team; the keys of a member's own storage in that App are no team keys. */
function isTeamKey(appPk: number, accountPk: number): SQL {
	return sql`${keys.appPk} = ${appPk} AND ${keys.creatorPk} = ${accountPk} AND ${keys.reach} <> 'user'`;
}

function notOwner(appPk: number, { pk }: Member): Step<"owner"> {
	return rowCondition(members.createdMs, sql`${isMember(appPk, pk)} AND ${members.role} <> 'owner'`, "owner");
}

function withoutKeys({ appPk, by }: Authority, { pk }: Member): Step<"keys"> {
	const live = sql`SELECT 1 FROM ${keys} WHERE ${isTeamKey(appPk, pk)} AND ${isLive(by.nowMs)}`;
	return rowCondition(members.createdMs, sql`${isMember(appPk, pk)} AND NOT EXISTS (${live})`, "keys");
}

/** A member who is no Admin any more leaves nothing that would let them, or a person they invited, in again. */
function takeBack({ appPk, by }: Authority, { pk }: Member, reason: string): readonly Step[] {
	const theirs = sql`${invites.appPk} = ${appPk} AND ${invites.createdByPk} = ${pk}`;
	return [...revokeSteps(isTeamKey(appPk, pk), reason, by), ...withdrawInvites(theirs, reason, by)];
}
