import { auditEach } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import type { OfRequest } from "@svc/base/database/request-claims";
import { accounts } from "@svc/base/database/schema/accounts";
import { addressChanges, logins, sessions } from "@svc/base/database/schema/people";
import { column, rowCondition, statements, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { mailEntry } from "@svc/mail/mail-entries-store";
import { and, eq, gt, isNull, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { addressChangeEntry, endAllSteps, givenUp } from "../address-changes-store.ts";
import type { NewLetter } from "../letters/security-letter.ts";
import { letterSteps } from "../letters/security-letters-store.ts";
import { isUnended } from "../people-store.ts";
import { sessionSteps } from "../session-steps-store.ts";
import type { LoginRecord, NewAddress, Proven, SignInSession } from "./logins.ts";
import { forgiveTry } from "./wrong-codes-store.ts";

/* What a right code makes true, each in one commit with the end of its login. */

/** A code proves one address once: the login is done, the account made if it is new, the session made. */
export async function signIn(
	{ write }: Database,
	proven: Proven,
	session: SignInSession,
	letters: readonly NewLetter[],
): Promise<"gone" | "inactive" | undefined> {
	const letterEntries = letterSteps(letters, proven.nowMs);
	const { refused } = await write([endLogin(proven), ...signInSteps(proven, session), ...letterEntries]);
	// The code was right, so it is spent.
	if (refused === "inactive") await write(spendSteps(proven));
	return refused;
}

/** Makes the caller's session fresh until the given time. */
export async function confirm({ write }: Database, proven: Proven, freshMs: number): Promise<"gone" | undefined> {
	const { login, nowMs } = proven;
	const entry = { event: "session.confirmed", target: login.sessionId };
	const { refused } = await write([
		endLogin(proven),
		// The code must have gone to the address that the account has now.
		rowCondition(
			accounts.verifiedMs,
			sql`${accounts.pk} = ${login.accountPk} AND ${accounts.emailNorm} = ${login.emailNorm}`,
			"gone",
		),
		updateStep(sessions, { freshMs }, isLive(login, nowMs), "gone"),
		...giveBackTry(proven),
		{ run: auditOf(proven, entry, sql`${accounts.pk} = ${login.accountPk}`) },
	]);
	return refused;
}

/** Gives the caller's account its new address, ends all its other sessions and its tokens, and mails the old address. */
export async function changeEmail(
	{ write }: Database,
	proven: Proven,
	{ change, freshMs, mail, letters }: NewAddress,
): Promise<"gone" | "taken" | undefined> {
	const { login, nowMs } = proven;
	const { refused } = await write([
		endLogin(proven),
		// Before the change: a mail is in the language of the account that its address belongs to.
		{ run: mailEntry(mail, proven.nowMs) },
		...changeEmailSteps(proven, change.oldEmail),
		addressChangeEntry(change),
		endAllSteps(change.accountPk, nowMs, login.sessionId ?? undefined),
		// The code went to the address that the account has now.
		updateStep(sessions, { freshMs }, sql`${sessions.id} = ${login.sessionId}`),
		...letterSteps(letters, nowMs),
	]);
	if (refused === "taken") await write(spendSteps(proven));
	return refused;
}

/** Ends the login once only, and only with the code that was checked. */
function endLogin({ login, nowMs }: Proven): Step<"gone"> {
	const looked = and(eq(logins.id, login.id), eq(logins.codeMac, login.codeMac));
	const open = and(isNull(logins.doneMs), gt(logins.expiresMs, nowMs));
	return updateStep(logins, { doneMs: nowMs }, and(looked, open), "gone");
}

function giveBackTry({ tries, nowMs }: Proven): Step[] {
	return tries === undefined ? [] : forgiveTry(tries, nowMs);
}

function spendSteps(proven: Proven): Step<"gone">[] {
	return [endLogin(proven), ...giveBackTry(proven)];
}

/** The account is looked up by its address within the commit: two first sign-ins at once make one. */
function signInSteps(proven: Proven, session: SignInSession): Step<"inactive" | "gone">[] {
	const { login, locale: mailLocale, nowMs } = proven;
	const { email, emailNorm } = login;
	const { accountId } = session;
	const accountPk = sql`(SELECT ${accounts.pk} FROM ${accounts} WHERE ${accounts.emailNorm} = ${emailNorm})`;
	const known = sql`EXISTS (SELECT 1 FROM ${accounts} WHERE ${accounts.emailNorm} = ${emailNorm})`;
	const makeable = sql`(${known} OR NOT EXISTS (${givenUp(emailNorm, nowMs)}))`;
	return [
		// An address that was given up lately is kept for its account: nobody makes another one with it.
		rowCondition(logins.sends, sql`${logins.id} = ${login.id} AND ${makeable}`, "gone"),
		{
			run: statements
				.insert(accounts)
				.values({ id: accountId, email, emailNorm, status: "active", mailLocale, verifiedMs: nowMs, createdMs: nowMs })
				.onConflictDoUpdate({
					target: accounts.emailNorm,
					set: {
						verifiedMs: sql`coalesce(${accounts.verifiedMs}, excluded.${column(accounts.verifiedMs)})`,
						mailLocale: sql`coalesce(excluded.${column(accounts.mailLocale)}, ${accounts.mailLocale})`,
					},
					setWhere: eq(accounts.status, "active"),
				}),
			guard: "inactive",
		},
		{ run: auditOf(proven, { event: "account.created" }, eq(accounts.id, accountId)) },
		...sessionSteps(session, accountPk, proven),
		...giveBackTry(proven),
	];
}

function isLive({ accountPk, sessionId }: LoginRecord, nowMs: number): SQL {
	return sql`${sessions.id} = ${sessionId} AND ${sessions.accountPk} = ${accountPk} AND ${isUnended(nowMs)}`;
}

function changeEmailSteps(proven: Proven, oldEmail: string): Step<"gone" | "taken">[] {
	const { login, nowMs } = proven;
	const { accountPk, email, emailNorm } = login;
	const asked = sql`${accounts.pk} = ${accountPk}`;
	const other = alias(accounts, "other");
	const others = sql`SELECT 1 FROM ${accounts} AS ${other}
		WHERE ${other.emailNorm} = ${emailNorm} AND ${other.pk} <> ${accountPk}`;
	const kept = sql`${givenUp(emailNorm, nowMs)} AND ${addressChanges.accountPk} <> ${accountPk}`;
	const current = and(asked, eq(accounts.status, "active"), eq(accounts.email, oldEmail));
	return [
		// The session may have been ended meanwhile because of this very change.
		rowCondition(sessions.parent, isLive(login, nowMs), "gone"),
		rowCondition(accounts.verifiedMs, sql`${asked} AND NOT EXISTS (${others}) AND NOT EXISTS (${kept})`, "taken"),
		updateStep(accounts, { email, emailNorm, verifiedMs: nowMs }, current, "gone"),
		...giveBackTry(proven),
		{ run: auditOf(proven, { event: "account.email_changed" }, asked) },
	];
}

interface AccountEvent {
	readonly event: string;
	/** The account itself where no target is named. */
	readonly target?: string | null;
}

/** Here an account is known only by its address or pk: its id is looked up. */
function auditOf({ requestId, nowMs }: Proven, { event, target }: AccountEvent, which: SQL): OfRequest {
	const { id: actor } = accounts;
	const entry = { atMs: nowMs, actor, appPk: null, event, target: target ?? actor, requestId };
	return auditEach(entry, sql`FROM ${accounts} WHERE ${which}`);
}
