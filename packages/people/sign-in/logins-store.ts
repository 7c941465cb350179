import type { Database } from "@svc/base/database/client";
import { endOfWindow, takeThrottle } from "@svc/base/database/rate-shared";
import { ofRequest } from "@svc/base/database/request-claims";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps } from "@svc/base/database/schema/apps";
import { addressChanges, logins, passkeyOptions, securityLetters, sessions } from "@svc/base/database/schema/people";
import { throttles } from "@svc/base/database/schema/service";
import { statements, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import type { NewMail } from "@svc/mail/mail";
import { mailEntry } from "@svc/mail/mail-entries-store";
import { and, eq, lt, lte, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Addressee } from "../letters/security-letter.ts";
import { changeEmail, confirm, signIn } from "./login-ends-store.ts";
import type { LimitedLogin, LinkedLogin, LoginRecord, NewLogin, OpenLogin, SendLimits } from "./logins.ts";
import { countWrongCode, isLock, requireUnlocked } from "./wrong-codes-store.ts";

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
		async findHolder(emailNorm: string): Promise<Addressee | undefined> {
			return (await database.read(() => finds.address.all({ emailNorm })))[0];
		},
		/** One guarded commit: throttles, login, and the mail, if one goes out by now. */
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
		signIn: signIn.bind(null, database),
		confirm: confirm.bind(null, database),
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
	mail: NewMail | undefined,
	requestId: string | null = null,
): Promise<LimitedLogin | undefined> {
	const { sentMs: nowMs } = login;
	const { refused } = await database.write<string>([
		...takeSends(limits, nowMs),
		{ run: ofRequest(requestId, insertLogin(login)) },
		...leaveRoom(login.id, limits, nowMs),
		...(mail ? [{ run: mailEntry(mail, nowMs) }] : []),
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
	// The first code of a login goes out when it is asked for, be it at once.
	const due = and(eq(logins.id, open.id), or(eq(logins.sends, 1), lte(logins.sentMs, notSinceMs)));
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
	const { secretHash: _, doneMs: __, createdMs: ___, ...kept } = login;
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
