import type { Actor } from "@svc/base/actor";
import type { Span } from "@svc/base/cursors";
import { auditBy } from "@svc/base/database/audit";
import type { Database, Step } from "@svc/base/database/client";
import { apps, invites } from "@svc/base/database/schema/apps";
import type { NewMail } from "@svc/mail/mail";
import { mailEntry } from "@svc/mail/mail-store";
import type { Account } from "@svc/people/people";
import { and, desc, eq, isNull, lt, type SQL, sql } from "drizzle-orm";
import type { Authority } from "./authority.ts";
import { authorityStep, condition } from "./authority-store.ts";
import type { Invite, NewInvite } from "./invites.ts";

export interface InviteStore {
	/** Those not accepted, expired ones too. */
	list(appPk: number, span: Span): Promise<readonly Invite[]>;
	/** Accepted ones too. */
	find(appPk: number, id: string): Promise<Invite | undefined>;
	/** By the SHA-256 of its token; only of an App that is not being deleted, and by somebody who may still invite. */
	findByToken(id: string, tokenHash: Uint8Array): Promise<Invite | undefined>;
	/** Replaces an open invite of the same address, and sends the mail. */
	create(
		authority: Authority,
		invite: NewInvite,
		mail: NewMail,
		max: number,
	): Promise<"demoted" | "member" | "full" | undefined>;
	/** `gone` when it was deleted or accepted meanwhile. */
	delete(authority: Authority, invite: Invite): Promise<"demoted" | "gone" | undefined>;
	/** Makes a member; `spent` when somebody was faster, or it is gone. */
	accept(invite: Invite, account: Pick<Account, "pk" | "id">, by: Actor): Promise<"spent" | "member" | undefined>;
}

/** Whoever invited is still one who may: else a disabled Admin would come in again as somebody else. */
export const standing = sql`EXISTS (SELECT 1 FROM members AS inviter JOIN accounts AS theirs ON theirs.pk = inviter.account_pk
	WHERE inviter.app_pk = invites.app_pk AND inviter.account_pk = invites.created_by_pk
	AND inviter.role IN ('admin', 'owner') AND theirs.status = 'active')`;

export function inviteStore({ queries, read, write }: Database): InviteStore {
	return {
		async list(appPk, { limit, beforePk }) {
			const before = beforePk === undefined ? undefined : lt(invites.pk, beforePk);
			const rows = await read(() =>
				queries
					.select()
					.from(invites)
					.where(and(eq(invites.appPk, appPk), isNull(invites.acceptedMs), before))
					.orderBy(desc(invites.pk))
					.limit(limit),
			);
			return rows.map(toInvite);
		},
		async find(appPk, id) {
			const [row] = await read(() =>
				queries
					.select()
					.from(invites)
					.where(and(eq(invites.id, id), eq(invites.appPk, appPk))),
			);
			return row && toInvite(row);
		},
		async findByToken(id, tokenHash) {
			const [row] = await read(() =>
				queries
					.select({ invite: invites })
					.from(invites)
					.innerJoin(apps, eq(apps.pk, invites.appPk))
					.where(and(eq(invites.tokenHash, tokenHash), eq(invites.id, id), isNull(apps.deletingMs), standing)),
			);
			return row && toInvite(row.invite);
		},
		async create(authority, invite, mail, max) {
			const { appPk, accountPk, by } = authority;
			const { id, email, emailNorm, role, expiresMs, tokenHash } = invite;
			const isMember = sql`SELECT 1 FROM members JOIN accounts ON accounts.pk = members.account_pk
				WHERE members.app_pk = ${appPk} AND accounts.email_norm = ${emailNorm}`;
			const open = sql`(SELECT count(*) FROM invites WHERE app_pk = ${appPk} AND accepted_ms IS NULL)`;
			const { refused } = await write([
				authorityStep(authority),
				condition(appPk, sql`NOT EXISTS (${isMember})`, "member"),
				...withdrawInvites(sql`app_pk = ${appPk} AND email_norm = ${emailNorm}`, "replaced", by),
				condition(appPk, sql`${open} < ${max}`, "full"),
				{
					run: queries.insert(invites).values({
						...{ id, appPk, email, emailNorm, role, tokenHash, expiresMs },
						createdByPk: accountPk,
						createdMs: by.nowMs,
					}),
				},
				{ run: mailEntry(mail, by.nowMs) },
				{ run: auditBy(by, { appPk, event: "invite.created", target: id, changes: { email, role } }) },
			]);
			return refused;
		},
		async delete(authority, { pk, id }) {
			const { appPk, by } = authority;
			const { refused } = await write([
				authorityStep(authority),
				{ run: sql`DELETE FROM invites WHERE pk = ${pk} AND accepted_ms IS NULL`, guard: "gone" },
				{ run: auditBy(by, { appPk, event: "invite.deleted", target: id }) },
			]);
			return refused;
		},
		async accept({ pk, id, appPk, role }, account, by) {
			const { nowMs } = by;
			const { refused } = await write([
				{
					run: sql`UPDATE invites SET accepted_ms = ${nowMs}
						WHERE pk = ${pk} AND id = ${id} AND accepted_ms IS NULL AND expires_ms > ${nowMs}
						AND EXISTS (SELECT 1 FROM apps WHERE pk = ${appPk} AND deleting_ms IS NULL) AND ${standing}`,
					guard: "spent",
				},
				{
					run: sql`INSERT INTO members (app_pk, account_pk, role, created_ms)
						SELECT ${appPk}, ${account.pk}, ${role}, ${nowMs} WHERE NOT EXISTS (
							SELECT 1 FROM members WHERE app_pk = ${appPk} AND account_pk = ${account.pk})`,
					guard: "member",
				},
				{ run: auditBy(by, { appPk, event: "member.joined", target: account.id, changes: { role, invite: id } }) },
			]);
			return refused;
		},
	};
}

/** Takes back all open invites that a condition on `invites` holds for, and tells of each. */
export function withdrawInvites(where: SQL, reason: string, { actor, requestId, nowMs }: Actor): readonly Step[] {
	const open = sql`accepted_ms IS NULL AND ${where}`;
	return [
		{
			run: sql`INSERT INTO audit (at_ms, actor, app_pk, event, target, changes, request_id)
				SELECT ${nowMs}, ${actor}, app_pk, 'invite.deleted', id, json_object('reason', ${reason}), ${requestId}
				FROM invites WHERE ${open}`,
		},
		{ run: sql`DELETE FROM invites WHERE ${open}` },
	];
}

function toInvite({ tokenHash: _, createdByPk: __, ...invite }: typeof invites.$inferSelect): Invite {
	return invite;
}
