import { revokeSteps } from "@svc/apps/key-steps-store";
import type { Actor } from "@svc/base/actor";
import { auditBy, auditOnChange } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { accounts, operators } from "@svc/base/database/schema/accounts";
import { apps, members } from "@svc/base/database/schema/apps";
import { connections } from "@svc/base/database/schema/connect";
import { keys } from "@svc/base/database/schema/keys";
import { passkeys, securityLetters } from "@svc/base/database/schema/people";
import { columns, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import type { NamedConnection } from "@svc/connect/connected-user";
import { usersDisconnected } from "@svc/connect/user-events-store";
import type { NewJob } from "@svc/jobs/jobs";
import { jobEntry } from "@svc/jobs/jobs-store";
import { endAllSteps, restoreSteps } from "@svc/people/address-changes-store";
import type { SentLetter } from "@svc/people/letters/security-letter";
import { removePasskeySteps } from "@svc/people/passkeys/passkeys-store";
import { and, eq, gt, isNull, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { endConnections } from "./erasure-steps-store.ts";

interface TakeBack {
	/** The deed of the letter, or all that it sums up. */
	readonly deeds: readonly SentLetter[];
	readonly disconnected: readonly {
		readonly connection: NamedConnection;
		readonly job: NewJob<"storage.empty">;
		/** What the feed of the App says before it. */
		readonly published: readonly Step<never>[];
	}[];
	/** When the pictures in what is disconnected go. */
	readonly dueMs: number;
}

export function takeBackStore(database: Database) {
	return {
		/** One commit; each deed as far as it still stands. "used" when the link was used before. */
		async takeBack(
			letter: SentLetter,
			{ deeds, disconnected, dueMs }: TakeBack,
			by: Actor,
		): Promise<"used" | undefined> {
			const { ref, accountPk, accountId } = letter;
			const open = and(
				eq(securityLetters.ref, ref),
				isNull(securityLetters.usedMs),
				gt(securityLetters.untilMs, by.nowMs),
			);
			const changes = { deed: letter.deed, subject: letter.subject };
			const { refused } = await database.write([
				updateStep(securityLetters, { usedMs: by.nowMs }, open, "used"),
				...deeds.flatMap((deed) => deedSteps(deed, by)),
				...disconnected.flatMap(({ connection, job, published }) => [
					...published,
					usersDisconnected(by, eq(connections.pk, connection.pk)),
					...endConnections(database, eq(connections.pk, connection.pk), by.nowMs),
					{ run: jobEntry(job, by.nowMs, dueMs) },
					{ run: auditBy({ ...by, actor: connection.userId }, disconnectedEntry(connection)) },
				]),
				endAllSteps(accountPk, by.nowMs),
				{ run: auditBy(by, { appPk: null, event: "account.secured", target: accountId, changes }) },
			]);
			return refused;
		},
	};
}

function disconnectedEntry({ appPk, userId }: NamedConnection) {
	return { appPk, event: "user.disconnected", target: userId };
}

/** A session or token ends with all others. A passkey that was removed cannot come back. */
function deedSteps(letter: SentLetter, by: Actor): readonly Step[] {
	switch (letter.deed) {
		case "key":
			return revokeSteps(eq(keys.id, letter.subject), "not_me", by);
		case "operator":
			return operatorSteps(letter.subject, by);
		case "transfer":
			return transferSteps(letter, by);
		case "address":
			return restoreSteps(letter.subject, letter.accountPk, by);
		case "passkey_added":
		case "passkey_counter":
			return removePasskeySteps(passkeyOf(letter), by);
		default:
			return [];
	}
}

function passkeyOf({ subject, accountPk }: SentLetter): SQL {
	return sql`${passkeys.id} = ${subject} AND ${passkeys.accountPk} = ${accountPk}`;
}

/** The last operator stays. */
function operatorSteps(accountId: string, by: Actor): readonly Step[] {
	const other = alias(accounts, "other");
	const another = sql`EXISTS (SELECT 1 FROM ${operators} AS ${alias(operators, "theirs")}
		JOIN ${accounts} AS ${other} ON ${other.pk} = "theirs"."account_pk"
		WHERE ${other.id} <> ${accountId} AND ${other.status} = 'active')`;
	return [
		{ run: sql`DELETE FROM ${operators} WHERE ${operators.accountPk} = ${pkOf(accountId)} AND ${another}` },
		{ run: auditOnChange(by, { appPk: null, event: "operator.removed", target: accountId }) },
	];
}

/** Only while the App is still whose it became; the former Owner may have been put out of the team meanwhile. */
function transferSteps({ subject, facts }: SentLetter, by: Actor): readonly Step[] {
	const { from = "", to = "", role = "admin" } = facts;
	const appPk = sql<number>`(SELECT ${apps.pk} FROM ${apps} WHERE ${apps.id} = ${subject} AND ${apps.deletingMs} IS NULL)`;
	const active = sql`EXISTS (SELECT 1 FROM ${accounts} WHERE ${accounts.id} = ${from} AND ${accounts.status} = 'active')`;
	const ofApp = sql`${members.appPk} = ${appPk}`;
	const ownerless = sql`${appPk} IS NOT NULL AND NOT EXISTS
		(SELECT 1 FROM ${members} WHERE ${ofApp} AND ${members.role} = 'owner')`;
	const names = columns(members.appPk, members.accountPk, members.role, members.createdMs);
	return [
		{
			run: sql`UPDATE ${members} SET role = ${role} WHERE ${ofApp} AND ${members.accountPk} = ${pkOf(to)}
				AND ${members.role} = 'owner' AND ${active}`,
		},
		{
			run: sql`INSERT INTO ${members} (${names}) SELECT ${appPk}, ${pkOf(from)}, 'viewer', ${by.nowMs}
				WHERE ${ownerless} AND NOT EXISTS
					(SELECT 1 FROM ${members} WHERE ${ofApp} AND ${members.accountPk} = ${pkOf(from)})`,
		},
		{
			run: sql`UPDATE ${members} SET role = 'owner' WHERE ${ofApp} AND ${members.accountPk} = ${pkOf(from)} AND ${ownerless}`,
		},
		{ run: auditOnChange(by, { appPk, event: "app.transferred", target: subject, changes: { owner: from } }) },
	];
}

function pkOf(accountId: string): SQL<number> {
	return sql<number>`(SELECT ${accounts.pk} FROM ${accounts} WHERE ${accounts.id} = ${accountId})`;
}
