import { auditEach } from "@svc/base/database/audit";
import type { Database, Step } from "@svc/base/database/client";
import { endOfWindow, takeThrottle } from "@svc/base/database/rate-shared";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps } from "@svc/base/database/schema/apps";
import { addressChanges, logins, passkeyOptions, securityLetters, sessions } from "@svc/base/database/schema/people";
import { throttles } from "@svc/base/database/schema/service";
import { column, rowCondition, statements, updateStep } from "@svc/base/database/statements";
import type { NewMail } from "@svc/mail/mail";
import { mailEntry } from "@svc/mail/mail-store";
import { and, eq, gt, isNull, lt, lte, type SQL, sql } from "drizzle-orm";
import { alias, type SQLiteColumn } from "drizzle-orm/sqlite-core";
import { addressChangeEntry, endAllSteps, givenUp } from "./address-changes-store.ts";
import type {
	LimitedLogin,
	LinkedLogin,
	LoginRecord,
	NewAddress,
	NewLogin,
	OpenLogin,
	Proven,
	SendLimits,
	SignInSession,
} from "./logins.ts";
import { isUnended } from "./people-store.ts";
import type { NewLetter, Told } from "./security-letters.ts";
import { letterSteps } from "./security-letters-store.ts";
import { sessionSteps } from "./session-steps-store.ts";
import { countWrongCode, forgiveTry, isLock, requireUnlocked } from "./wrong-codes-store.ts";

export type LoginStore = ReturnType<typeof loginStore>;

export function loginStore(database: Database) {
	const finds = prepareFinds(database);
	return {
		/** The mail address of an account; undefined for an address without an account. */
		async findAddress(emailNorm: string): Promise<string | undefined> {
			const [row] = await database.read(() => finds.address.all({ emailNorm }));
			return row?.email;
		},
		/** The account that has an address now. */
		async findHolder(emailNorm: string): Promise<Told | undefined> {
			return (await database.read(() => finds.address.all({ emailNorm })))[0];
		},
		/** One guarded commit: throttles, login, mail. */
		start: startLogin.bind(null, database),
		async find(open: OpenLogin): Promise<LoginRecord | undefined> {
			const [row] = await database.read(() => finds.open.all({ ...open }));
			return row && toLogin(row);
		},
		/** The App of an open login with this digest; null for one without an App, undefined where there is none. */
		async findLinkedApp(of: LinkedLogin): Promise<LoginRecord["app"] | undefined> {
			const [row] = await database.read(() => finds.linked.all({ ...of }));
			return row?.app;
		},
		/** Replaces the code of an open login that has tries left and was last sent at `notSinceMs` or before; the old code is void. */
		resend: resendCode.bind(null, database),
		/**
		 * Counts a try before the code is checked; "gone" too when the login has had `most` of them, or another code than
		 * this one by now.
		 */
		countTry: countTry.bind(null, database),
		/** A code proves one address once: the login is done, the account made if it is new, the session made. */
		signIn: signIn.bind(null, database),
		/** Makes the caller's session fresh until the given time. */
		confirm: confirm.bind(null, database),
		/** Gives the caller's account its new address, ends all its other sessions and its tokens, and mails the old address. */
		changeEmail: changeEmail.bind(null, database),
		/** Removes at most `limit` each of logins, options of passkeys, throttles and ended sessions that are not needed any more; returns how many. */
		forget: forget.bind(null, database),
	};
}

function prepareFinds({ queries }: Database) {
	const [id, secretHash, nowMs] = ["id", "secretHash", "nowMs"].map((name) => sql.placeholder(name));
	return {
		address: queries
			.select({ pk: accounts.pk, email: accounts.email })
			.from(accounts)
			.where(eq(accounts.emailNorm, sql.placeholder("emailNorm")))
			.prepare(),
		open: queries
			.select({ login: logins, app: { pk: apps.pk, id: apps.id, name: apps.name } })
			.from(logins)
			.leftJoin(apps, eq(apps.pk, logins.appPk))
			.where(isOpen({ id, secretHash, nowMs }))
			.prepare(),
		linked: queries
			.select({ app: { pk: apps.pk, id: apps.id, name: apps.name } })
			.from(logins)
			.leftJoin(apps, eq(apps.pk, logins.appPk))
			.where(sql`${logins.id} = ${id} AND ${logins.codeMac} = ${sql.placeholder("codeMac")} AND ${isUndone(nowMs)}`)
			.prepare(),
	};
}

async function startLogin(
	database: Database,
	login: NewLogin,
	limits: SendLimits,
	mail: NewMail,
): Promise<LimitedLogin | undefined> {
	const { sentMs: nowMs } = login;
	const { refused } = await database.write<string>([
		...takeSends(limits, nowMs),
		{ run: insertLogin(login) },
		...leaveRoom(login.id, limits, nowMs),
		{ run: mailEntry(mail, nowMs) },
	]);
	return refused === undefined ? undefined : await limited(database, refused, nowMs);
}

async function resendCode(
	database: Database,
	open: OpenLogin,
	code: Pick<NewLogin, "codeMac" | "sentMs" | "expiresMs"> & { readonly notSinceMs: number },
	limits: SendLimits,
	mail: NewMail,
): Promise<LimitedLogin | "gone" | "early" | undefined> {
	const { codeMac, sentMs, expiresMs, notSinceMs } = code;
	const due = and(eq(logins.id, open.id), lte(logins.sentMs, notSinceMs));
	const { refused } = await database.write<string>([
		updateStep(logins, { sends: sql`${logins.sends} + 1` }, isOpen(open), "gone"),
		updateStep(logins, { codeMac, sentMs, expiresMs }, due, "early"),
		...takeSends(limits, sentMs),
		...leaveRoom(open.id, limits, sentMs),
		{ run: mailEntry(mail, sentMs) },
	]);
	if (refused === undefined || refused === "gone" || refused === "early") return refused;
	return await limited(database, refused, sentMs);
}

async function countTry(
	database: Database,
	open: OpenLogin,
	codeMac: Uint8Array<ArrayBuffer>,
	most: number,
	tries: string | undefined,
): Promise<LimitedLogin | "gone" | undefined> {
	const count = statements.update(logins).set({ attempts: sql`${logins.attempts} + 1` });
	const { refused } = await database.write<string>([
		{ run: count.where(and(isOpen(open), eq(logins.codeMac, codeMac), lt(logins.attempts, most))), guard: "gone" },
		...(tries === undefined ? [] : [requireUnlocked(open.id, tries, open.nowMs), ...countWrongCode(tries, open.nowMs)]),
	]);
	if (refused === undefined || refused === "gone") return refused;
	return await limited(database, refused, open.nowMs);
}

async function signIn(
	{ write }: Database,
	proven: Proven,
	session: SignInSession,
	letters: readonly NewLetter[],
): Promise<"gone" | "inactive" | undefined> {
	const told = letterSteps(letters, proven.nowMs);
	const { refused } = await write([endLogin(proven), ...signInSteps(proven, session), ...told]);
	// The code was right, so it is spent.
	if (refused === "inactive") await write(spendSteps(proven));
	return refused;
}

async function confirm({ write }: Database, proven: Proven, freshMs: number): Promise<"gone" | undefined> {
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

async function changeEmail(
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

/** An ended session is kept for a while, for investigations of what it did. */
const SESSION_KEPT_MS = 30 * 86_400_000;

async function forget({ write }: Database, nowMs: number, limit: number): Promise<number> {
	const past = (key: SQLiteColumn, time: SQLiteColumn, beforeMs: number): Step => {
		const old = sql`SELECT ${key} FROM ${key.table} WHERE ${time} <= ${beforeMs} LIMIT ${limit}`;
		return { run: sql`DELETE FROM ${key.table} WHERE ${key} IN (${old}) RETURNING 1` };
	};
	const { rows } = await write([
		past(logins.id, logins.expiresMs, nowMs),
		past(passkeyOptions.id, passkeyOptions.expiresMs, nowMs),
		past(throttles.bucket, throttles.endsMs, nowMs),
		past(addressChanges.ref, addressChanges.untilMs, nowMs),
		past(securityLetters.ref, securityLetters.untilMs, nowMs),
		past(sessions.hash, sessions.expiresMs, nowMs - SESSION_KEPT_MS),
	]);
	return rows?.reduce((sum, removed) => sum + removed.length, 0) ?? 0;
}

function isOpen({ id, secretHash, nowMs }: { readonly [Name in keyof OpenLogin]: unknown }): SQL {
	return sql`${logins.id} = ${id} AND ${logins.secretHash} = ${secretHash} AND ${isUndone(nowMs)}`;
}

function isUndone(nowMs: unknown): SQL {
	return sql`${logins.doneMs} IS NULL AND ${logins.expiresMs} > ${nowMs}`;
}

interface FoundLogin {
	readonly login: typeof logins.$inferSelect;
	readonly app: LoginRecord["app"];
}

function toLogin({ login, app }: FoundLogin): LoginRecord {
	const { secretHash: _, sends: __, doneMs: ___, createdMs: ____, ...kept } = login;
	return { ...kept, codeMac: new Uint8Array(login.codeMac), app };
}

/** Every field must be a column: any other would be dropped silently, and does not compile. */
type LoginRow = NewLogin & Record<Exclude<keyof NewLogin, keyof typeof logins.$inferInsert>, never>;

function insertLogin(login: LoginRow) {
	return statements.insert(logins).values({ ...login, createdMs: login.sentMs });
}

function takeSends({ sends }: SendLimits, nowMs: number): Step<string>[] {
	return sends.map((throttle) => ({ run: takeThrottle(throttle, nowMs), guard: throttle.bucket }));
}

/** A code is not sent while wrong ones would have it refused anyway. */
function leaveRoom(loginId: string, { tries }: SendLimits, nowMs: number): Step<string>[] {
	return tries === undefined ? [] : [requireUnlocked(loginId, tries, nowMs)];
}

async function limited(database: Database, bucket: string, nowMs: number): Promise<LimitedLogin> {
	return { untilMs: await endOfWindow(database, bucket, nowMs), locked: isLock(bucket) };
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
function auditOf({ requestId, nowMs }: Proven, { event, target }: AccountEvent, which: SQL): SQL {
	const { id: actor } = accounts;
	const entry = { atMs: nowMs, actor, appPk: null, event, target: target ?? actor, requestId };
	return auditEach(entry, sql`FROM ${accounts} WHERE ${which}`);
}
