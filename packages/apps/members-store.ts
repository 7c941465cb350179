import type { Span } from "@svc/base/cursors";
import { auditBy, auditOnChange } from "@svc/base/database/audit";
import type { Database, Step } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import { members } from "@svc/base/database/schema/apps";
import { foldEmail } from "@svc/base/email";
import type { GivableRole } from "@svc/base/enumerations";
import { isAtLeast } from "@svc/people/roles";
import { and, desc, eq, lt, or, type SQL, sql } from "drizzle-orm";
import type { Authority } from "./authority.ts";
import { authorityStep } from "./authority-store.ts";
import { withdrawInvites } from "./invites-store.ts";
import { isLive, revokeSteps } from "./key-steps-store.ts";
import type { Member } from "./members.ts";

export interface MemberStore {
	list(appPk: number, span: Span): Promise<readonly Member[]>;
	/** By account id or e-mail address. */
	find(appPk: number, member: string): Promise<Member | undefined>;
	/** Ids of an account's keys of the App that still work. */
	liveKeys(appPk: number, accountPk: number, nowMs: number): Promise<readonly string[]>;
	/** A demotion below Admin revokes the member's keys; `keys` when that is not allowed and there are any that work. */
	changeRole(
		authority: Authority,
		member: Member,
		role: GivableRole,
		revokeKeys: boolean,
	): Promise<"demoted" | "owner" | "keys" | undefined>;
	/** Revokes the member's keys as well; `keys` when that is not allowed and there are any that work. */
	remove(authority: Authority, member: Member, revokeKeys: boolean): Promise<"demoted" | "owner" | "keys" | undefined>;
}

export function memberStore({ queries, read, write }: Database): MemberStore {
	const select = () =>
		queries
			.select({
				pk: members.accountPk,
				accountId: accounts.id,
				email: accounts.email,
				role: members.role,
				createdMs: members.createdMs,
			})
			.from(members)
			.innerJoin(accounts, eq(accounts.pk, members.accountPk))
			.$dynamic();
	return {
		list: (appPk, { limit, beforePk }) =>
			read(() =>
				select()
					.where(and(eq(members.appPk, appPk), beforePk === undefined ? undefined : lt(members.accountPk, beforePk)))
					.orderBy(desc(members.accountPk))
					.limit(limit),
			),
		async find(appPk, member) {
			const named = or(eq(accounts.id, member), eq(accounts.emailNorm, foldEmail(member)));
			const [found] = await read(() => select().where(and(eq(members.appPk, appPk), named)));
			return found;
		},
		async liveKeys(appPk, accountPk, nowMs) {
			const rows = await read(() =>
				queries.values<[string]>(
					sql`SELECT id FROM keys WHERE ${isTeamKey(appPk, accountPk)} AND ${isLive(nowMs)} ORDER BY pk`,
				),
			);
			return rows.map(([id]) => id);
		},
		async changeRole(authority, member, role, revokeKeys) {
			const { appPk, by } = authority;
			const demoted = !isAtLeast(role, "admin");
			const change = sql`UPDATE members SET role = ${role} WHERE ${isMember(appPk, member.pk)} AND role <> ${role}`;
			const entry = { appPk, event: "member.role_changed", target: member.accountId, changes: { role } };
			const { refused } = await write([
				authorityStep(authority),
				notOwner(appPk, member),
				...(demoted && !revokeKeys ? [withoutKeys(authority, member)] : []),
				{ run: change },
				{ run: auditOnChange(by, entry) },
				...(demoted ? takeBack(authority, member, "creator_demoted") : []),
			]);
			return refused;
		},
		async remove(authority, member, revokeKeys) {
			const { appPk, accountPk, by } = authority;
			const event = accountPk === member.pk ? "member.left" : "member.removed";
			const { refused } = await write([
				authorityStep(authority),
				notOwner(appPk, member),
				...(revokeKeys ? [] : [withoutKeys(authority, member)]),
				{ run: sql`DELETE FROM members WHERE ${isMember(appPk, member.pk)}` },
				{ run: auditBy(by, { appPk, event, target: member.accountId }) },
				...takeBack(authority, member, "creator_left"),
			]);
			return refused;
		},
	};
}

function isMember(appPk: number, accountPk: number): SQL {
	return sql`app_pk = ${appPk} AND account_pk = ${accountPk}`;
}

/** What somebody made for the team; the keys of their own storage in that App are theirs. */
function isTeamKey(appPk: number, accountPk: number): SQL {
	return sql`keys.app_pk = ${appPk} AND keys.creator_pk = ${accountPk} AND keys.reach <> 'user'`;
}

function notOwner(appPk: number, { pk }: Member): Step<"owner"> {
	return {
		run: sql`UPDATE members SET role = role WHERE ${isMember(appPk, pk)} AND role <> 'owner'`,
		guard: "owner",
	};
}

function withoutKeys({ appPk, by }: Authority, { pk }: Member): Step<"keys"> {
	const live = sql`SELECT 1 FROM keys WHERE ${isTeamKey(appPk, pk)} AND ${isLive(by.nowMs)}`;
	return {
		run: sql`UPDATE members SET role = role WHERE ${isMember(appPk, pk)} AND NOT EXISTS (${live})`,
		guard: "keys",
	};
}

/** Whoever is no Admin any more leaves nothing behind that would let them, or somebody of theirs, in again. */
function takeBack({ appPk, by }: Authority, { pk }: Member, reason: string): readonly Step[] {
	return [
		...revokeSteps(isTeamKey(appPk, pk), reason, by),
		...withdrawInvites(sql`app_pk = ${appPk} AND created_by_pk = ${pk}`, reason, by),
	];
}
