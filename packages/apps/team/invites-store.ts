import type { Actor } from "@svc/base/actor";
import type { Span } from "@svc/base/cursors";
import { auditBy, auditEach } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps, invites, members } from "@svc/base/database/schema/apps";
import { columns, condition, olderThan, statements } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import type { NewMail } from "@svc/mail/mail";
import { mailEntry } from "@svc/mail/mail-entries-store";
import type { Account } from "@svc/people/people";
import { and, desc, eq, gt, isNull, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { Authority } from "../authority.ts";
import { authorityStep } from "../authority-store.ts";
import type { Invitation, Invite, NewInvite } from "./invites.ts";

export function inviteStore(database: Database) {
	return {
		/** Lists invites that were not accepted, expired ones too. */
		list: listInvites.bind(null, database),
		/** Finds accepted invites too. */
		find: (appPk: number, id: string): Promise<Invite | undefined> =>
			findInvite(database, and(eq(invites.id, id), eq(invites.appPk, appPk))),
		/** Finds an invite by the SHA-256 of its token; only in an App that is not being deleted, and from an inviter who may still invite. */
		findByToken: (id: string, tokenHash: Uint8Array): Promise<Invite | undefined> =>
			findInvite(database, withToken(id, tokenHash)),
		/** As the invited person sees it; by the SHA-256 of its token, and only of an App that is not being deleted. */
		findInvitation: findInvitation.bind(null, database),
		/** Replaces an open invite of the same address, and sends the mail. */
		create: createInvite.bind(null, database),
		/** `gone` when the invite was deleted or accepted meanwhile. */
		delete: deleteInvite.bind(null, database),
		/** Makes a member; `spent` when another request was faster, or the invite is gone. */
		accept: acceptInvite.bind(null, database),
	};
}

const inviter = alias(members, "inviter");
const theirs = alias(accounts, "theirs");

/** The inviter must still have the right to invite: else a disabled Admin could return under another address. */
const standing = sql`EXISTS (SELECT 1 FROM ${members} AS ${inviter}
	JOIN ${accounts} AS ${theirs} ON ${theirs.pk} = ${inviter.accountPk}
	WHERE ${inviter.appPk} = ${invites.appPk} AND ${inviter.accountPk} = ${invites.createdByPk}
	AND ${inviter.role} IN ('admin', 'owner') AND ${theirs.status} = 'active')`;

/** Withdraws all open invites that a condition on `invites` holds for, and audits each. */
export function withdrawInvites(where: SQL, reason: string, { actor, requestId, nowMs }: Actor): readonly Step[] {
	const open = sql`${invites.acceptedMs} IS NULL AND ${where}`;
	const entry = { event: "invite.deleted", appPk: invites.appPk, target: invites.id, changes: { reason } };
	return [
		{ run: auditEach({ atMs: nowMs, actor, requestId, ...entry }, sql`FROM ${invites} WHERE ${open}`) },
		{ run: statements.delete(invites).where(open) },
	];
}

async function listInvites(
	{ queries, read }: Database,
	appPk: number,
	{ limit, beforePk }: Span,
): Promise<readonly Invite[]> {
	const open = and(eq(invites.appPk, appPk), isNull(invites.acceptedMs), olderThan(invites.pk, beforePk));
	const rows = await read(() => queries.select().from(invites).where(open).orderBy(desc(invites.pk)).limit(limit));
	return rows.map(toInvite);
}

async function findInvite({ queries, read }: Database, where: SQL | undefined): Promise<Invite | undefined> {
	const [row] = await read(() =>
		queries.select({ invite: invites }).from(invites).innerJoin(apps, eq(apps.pk, invites.appPk)).where(where),
	);
	return row && toInvite(row.invite);
}

async function findInvitation(
	{ queries, read }: Database,
	inviteId: string,
	tokenHash: Uint8Array,
): Promise<Invitation | undefined> {
	const { id, role, email, expiresMs, acceptedMs } = invites;
	const [row] = await read(() =>
		queries
			.select({ id, appId: apps.id, appName: apps.name, role, email, expiresMs, acceptedMs })
			.from(invites)
			.innerJoin(apps, eq(apps.pk, invites.appPk))
			.where(withToken(inviteId, tokenHash)),
	);
	return row;
}

function withToken(id: string, tokenHash: Uint8Array): SQL | undefined {
	return and(eq(invites.tokenHash, tokenHash), eq(invites.id, id), isNull(apps.deletingMs), standing);
}

async function createInvite(
	{ write }: Database,
	authority: Authority,
	invite: NewInvite,
	mail: NewMail,
	max: number,
): Promise<"demoted" | "member" | "full" | undefined> {
	const { appPk, accountPk, by } = authority;
	const { id, email, emailNorm, role, expiresMs, tokenHash } = invite;
	const isMember = sql`SELECT 1 FROM ${members} JOIN ${accounts} ON ${accounts.pk} = ${members.accountPk}
		WHERE ${members.appPk} = ${appPk} AND ${accounts.emailNorm} = ${emailNorm}`;
	const open = sql`SELECT count(*) FROM ${invites} WHERE ${invites.appPk} = ${appPk} AND ${invites.acceptedMs} IS NULL`;
	const same = sql`${invites.appPk} = ${appPk} AND ${invites.emailNorm} = ${emailNorm}`;
	const row = { id, appPk, email, emailNorm, role, tokenHash, expiresMs, createdByPk: accountPk, createdMs: by.nowMs };
	const { refused } = await write([
		authorityStep(authority),
		condition(appPk, sql`NOT EXISTS (${isMember})`, "member"),
		...withdrawInvites(same, "replaced", by),
		condition(appPk, sql`(${open}) < ${max}`, "full"),
		{ run: statements.insert(invites).values(row) },
		{ run: mailEntry(mail, by.nowMs) },
		{ run: auditBy(by, { appPk, event: "invite.created", target: id, changes: { email, role } }) },
	]);
	return refused;
}

async function deleteInvite(
	{ write }: Database,
	authority: Authority,
	{ pk, id }: Invite,
): Promise<"demoted" | "gone" | undefined> {
	const { appPk, by } = authority;
	const { refused } = await write([
		authorityStep(authority),
		{ run: statements.delete(invites).where(and(eq(invites.pk, pk), isNull(invites.acceptedMs))), guard: "gone" },
		{ run: auditBy(by, { appPk, event: "invite.deleted", target: id }) },
	]);
	return refused;
}

async function acceptInvite(
	{ write }: Database,
	{ pk, id, appPk, role }: Invite,
	account: Pick<Account, "pk" | "id">,
	by: Actor,
): Promise<"spent" | "member" | undefined> {
	const { nowMs } = by;
	const open = and(isNull(invites.acceptedMs), gt(invites.expiresMs, nowMs));
	const appKept = sql`EXISTS (SELECT 1 FROM ${apps} WHERE ${apps.pk} = ${appPk} AND ${apps.deletingMs} IS NULL)`;
	const accept = statements.update(invites).set({ acceptedMs: nowMs });
	const { refused } = await write([
		{ run: accept.where(and(eq(invites.pk, pk), eq(invites.id, id), open, appKept, standing)), guard: "spent" },
		{
			run: sql`INSERT INTO ${members} (${columns(members.appPk, members.accountPk, members.role, members.createdMs)})
				SELECT ${appPk}, ${account.pk}, ${role}, ${nowMs} WHERE NOT EXISTS (
					SELECT 1 FROM ${members} WHERE ${members.appPk} = ${appPk} AND ${members.accountPk} = ${account.pk})`,
			guard: "member",
		},
		{ run: auditBy(by, { appPk, event: "member.joined", target: account.id, changes: { role, invite: id } }) },
	]);
	return refused;
}

function toInvite({ tokenHash: _, createdByPk: __, ...invite }: typeof invites.$inferSelect): Invite {
	return invite;
}
