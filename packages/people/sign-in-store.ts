import type { Database, Step } from "@svc/base/database/client";
import {
	endOfWindow,
	giveBack,
	hasRoom,
	type Limited,
	type Throttle,
	takeThrottle,
} from "@svc/base/database/rate-shared";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps } from "@svc/base/database/schema/apps";
import { logins } from "@svc/base/database/schema/people";
import type { NewMail } from "@svc/mail/mail";
import { mailEntry } from "@svc/mail/mail-store";
import { eq, type SQL, sql } from "drizzle-orm";
import type { LoginRecord, NewLogin, NewSession, OpenLogin, Proven, SendLimits } from "./logins.ts";

export interface LoginStore {
	/** The address that an account's mail goes to; undefined for an address without an account. */
	findAddress(emailNorm: string): Promise<string | undefined>;
	/** One guarded commit: throttles, login, mail. */
	start(login: NewLogin, limits: SendLimits, mail: NewMail): Promise<Limited | undefined>;
	find(open: OpenLogin): Promise<LoginRecord | undefined>;
	/** Another code for an open login with tries left, last sent at `notSinceMs` or before; the old one is void. */
	resend(
		open: OpenLogin,
		code: Pick<NewLogin, "codeMac" | "sentMs" | "expiresMs"> & { readonly notSinceMs: number },
		limits: SendLimits,
		mail: NewMail,
	): Promise<Limited | "gone" | "early" | undefined>;
	/**
	 * Counts a try before anybody looks whether it is right; "gone" too when the login has had `most` of them, or another code than
	 * this one by now.
	 */
	countTry(
		open: OpenLogin,
		codeMac: Uint8Array<ArrayBuffer>,
		most: number,
		tries: Throttle,
	): Promise<Limited | "gone" | undefined>;
	/** A code proves one address once: the login is done, the account made if it is new, the session made. */
	signIn(proven: Proven, session: NewSession): Promise<"gone" | "inactive" | undefined>;
	/** Makes the session that asked fresh until then. */
	confirm(proven: Proven, freshMs: number): Promise<"gone" | undefined>;
	/** Gives the account that asked its new address, and tells the old one. */
	changeEmail(proven: Proven, mail: NewMail): Promise<"gone" | "taken" | undefined>;
	/** Removes at most `limit` logins, throttles and ended sessions each that nothing asks for any more; returns how many. */
	forget(nowMs: number, limit: number): Promise<number>;
}

export function loginStore(database: Database): LoginStore {
	const { write, read } = database;
	const finds = prepareFinds(database);
	return {
		async findAddress(emailNorm) {
			const [row] = await read(() => finds.address.all({ emailNorm }));
			return row?.email;
		},
		async start(login, limits, mail) {
			const { sentMs: nowMs } = login;
			const { refused } = await write<string>([
				...takeSends(limits, nowMs),
				{ run: insertLogin(database, login) },
				leaveRoom(login.id, limits, nowMs),
				{ run: mailEntry(mail, nowMs) },
			]);
			return refused === undefined ? undefined : await limited(database, refused, nowMs);
		},
		async find(open) {
			const [row] = await read(() => finds.open.all({ ...open }));
			return row && toLogin(row);
		},
		async resend(open, { codeMac, sentMs, expiresMs, notSinceMs }, limits, mail) {
			const { refused } = await write<string>([
				{ run: sql`UPDATE logins SET sends = sends + 1 WHERE ${isOpen(open)}`, guard: "gone" },
				{
					run: sql`UPDATE logins SET code_mac = ${codeMac}, sent_ms = ${sentMs}, expires_ms = ${expiresMs}
						WHERE id = ${open.id} AND sent_ms <= ${notSinceMs}`,
					guard: "early",
				},
				...takeSends(limits, sentMs),
				leaveRoom(open.id, limits, sentMs),
				{ run: mailEntry(mail, sentMs) },
			]);
			if (refused === undefined || refused === "gone" || refused === "early") return refused;
			return await limited(database, refused, sentMs);
		},
		async countTry(open, codeMac, most, tries) {
			const { refused } = await write<string>([
				{
					run: sql`UPDATE logins SET attempts = attempts + 1
						WHERE ${isOpen(open)} AND code_mac = ${codeMac} AND attempts < ${most}`,
					guard: "gone",
				},
				{ run: takeThrottle(tries, open.nowMs), guard: tries.bucket },
			]);
			if (refused === undefined || refused === "gone") return refused;
			return await limited(database, refused, open.nowMs);
		},
		async signIn(proven, session) {
			const { refused } = await write([endLogin(proven), ...signInSteps(proven, session)]);
			// The code was right, so it is spent.
			if (refused === "inactive") await write(spendSteps(proven));
			return refused;
		},
		async confirm(proven, freshMs) {
			const { login, nowMs } = proven;
			const confirmed: Step<"gone"> = {
				run: sql`UPDATE sessions SET fresh_ms = ${freshMs} WHERE ${isLive(login, nowMs)}`,
				guard: "gone",
			};
			const entry = { event: "session.confirmed", target: login.sessionId };
			const audited = { run: auditOf(proven, entry, sql`pk = ${login.accountPk}`) };
			const { refused } = await write([endLogin(proven), confirmed, giveBackTry(proven), audited]);
			return refused;
		},
		async changeEmail(proven, mail) {
			const { refused } = await write([
				endLogin(proven),
				...changeEmailSteps(proven, mail.recipient),
				{ run: mailEntry(mail, proven.nowMs) },
			]);
			if (refused === "taken") await write(spendSteps(proven));
			return refused;
		},
		async forget(nowMs, limit) {
			const { rows } = await write(forgetSteps(nowMs, limit));
			return rows.reduce((sum, removed) => sum + removed.length, 0);
		},
	};
}

function prepareFinds({ queries }: Database) {
	return {
		address: queries
			.select({ email: accounts.email })
			.from(accounts)
			.where(eq(accounts.emailNorm, sql.placeholder("emailNorm")))
			.prepare(),
		open: queries
			.select({ login: logins, app: { pk: apps.pk, id: apps.id, name: apps.name } })
			.from(logins)
			.leftJoin(apps, eq(apps.pk, logins.appPk))
			.where(
				isOpen({
					id: sql.placeholder("id"),
					secretHash: sql.placeholder("secretHash"),
					nowMs: sql.placeholder("nowMs"),
				}),
			)
			.prepare(),
	};
}

function isOpen({ id, secretHash, nowMs }: { readonly [Name in keyof OpenLogin]: unknown }): SQL {
	return sql`${sql.raw("logins.id")} = ${id} AND logins.secret_hash = ${secretHash}
		AND logins.done_ms IS NULL AND logins.expires_ms > ${nowMs}`;
}

interface LoginRow {
	readonly login: typeof logins.$inferSelect;
	readonly app: LoginRecord["app"];
}

function toLogin({ login, app }: LoginRow): LoginRecord {
	const { secretHash: _, sends: __, doneMs: ___, createdMs: ____, ...kept } = login;
	return { ...kept, codeMac: new Uint8Array(login.codeMac), app };
}

function insertLogin({ queries }: Database, login: NewLogin) {
	return queries.insert(logins).values({ ...login, createdMs: login.sentMs });
}

function takeSends({ sends }: SendLimits, nowMs: number): Step<string>[] {
	return sends.map((throttle) => ({ run: takeThrottle(throttle, nowMs), guard: throttle.bucket }));
}

/** A code that nobody could type in any more is not sent. */
function leaveRoom(loginId: string, { tries }: SendLimits, nowMs: number): Step<string> {
	return {
		run: sql`UPDATE logins SET sends = sends WHERE id = ${loginId} AND ${hasRoom(tries, nowMs)}`,
		guard: tries.bucket,
	};
}

async function limited(database: Database, bucket: string, nowMs: number): Promise<Limited> {
	return { untilMs: await endOfWindow(database, bucket, nowMs) };
}

/** Once only, and only with the code that was looked at. */
function endLogin({ login, nowMs }: Proven): Step<"gone"> {
	return {
		run: sql`UPDATE logins SET done_ms = ${nowMs}
			WHERE id = ${login.id} AND code_mac = ${login.codeMac} AND done_ms IS NULL AND expires_ms > ${nowMs}`,
		guard: "gone",
	};
}

function giveBackTry({ triesBucket, nowMs }: Proven): Step {
	return { run: giveBack(triesBucket, nowMs) };
}

function spendSteps(proven: Proven): Step<"gone">[] {
	return [endLogin(proven), giveBackTry(proven)];
}

/** The account is looked up by its address within the commit: two first sign-ins at once make one. */
function signInSteps(proven: Proven, session: NewSession): Step<"inactive">[] {
	const { login, nowMs } = proven;
	const { id, hash, kind, device, addressMac, freshMs, expiresMs, accountId } = session;
	const accountPk = sql`(SELECT pk FROM accounts WHERE email_norm = ${login.emailNorm})`;
	return [
		{
			run: sql`INSERT INTO accounts (id, email, email_norm, status, verified_ms, created_ms)
				VALUES (${accountId}, ${login.email}, ${login.emailNorm}, 'active', ${nowMs}, ${nowMs})
				ON CONFLICT (email_norm) DO UPDATE SET verified_ms = coalesce(verified_ms, excluded.verified_ms)
				WHERE status = 'active'`,
			guard: "inactive",
		},
		{
			run: sql`INSERT INTO sessions (hash, id, account_pk, kind, device, ip_hash, fresh_ms, expires_ms, created_ms)
				VALUES (${hash}, ${id}, ${accountPk}, ${kind}, ${device || null}, ${addressMac}, ${freshMs}, ${expiresMs},
					${afterOthers(accountPk, nowMs)})`,
		},
		giveBackTry(proven),
		{ run: auditOf(proven, { event: "account.created" }, sql`id = ${accountId}`) },
		{ run: auditOf(proven, { event: "session.created", target: id }, sql`pk = ${accountPk}`) },
	];
}

/** When a session of an account was made: no two share a moment, so that it tells their place in lists. */
export function afterOthers(accountPk: SQL | number, nowMs: number): SQL {
	return sql`(SELECT max(${nowMs}, coalesce(max(created_ms) + 1, 0)) FROM sessions WHERE account_pk = ${accountPk})`;
}

function isLive({ accountPk, sessionId }: LoginRecord, nowMs: number): SQL {
	return sql`id = ${sessionId} AND account_pk = ${accountPk} AND revoked_ms IS NULL AND expires_ms > ${nowMs}`;
}

function changeEmailSteps(proven: Proven, oldEmail: string): Step<"gone" | "taken">[] {
	const { login, nowMs } = proven;
	const { accountPk, email, emailNorm } = login;
	return [
		// Whoever has ended the session since may have done so because of this very change.
		{ run: sql`UPDATE sessions SET revoked_ms = NULL WHERE ${isLive(login, nowMs)}`, guard: "gone" },
		{
			run: sql`UPDATE accounts SET verified_ms = verified_ms WHERE pk = ${accountPk}
				AND NOT EXISTS (SELECT 1 FROM accounts AS other WHERE other.email_norm = ${emailNorm} AND other.pk <> ${accountPk})`,
			guard: "taken",
		},
		{
			run: sql`UPDATE accounts SET email = ${email}, email_norm = ${emailNorm}, verified_ms = ${nowMs}
				WHERE pk = ${accountPk} AND status = 'active' AND email = ${oldEmail}`,
			guard: "gone",
		},
		giveBackTry(proven),
		{ run: auditOf(proven, { event: "account.email_changed" }, sql`pk = ${accountPk}`) },
	];
}

/** An account is known by its address or pk only here: its id is looked up. About the account itself where no target is named. */
function auditOf({ requestId, nowMs }: Proven, entry: { event: string; target?: string | null }, which: SQL): SQL {
	return sql`INSERT INTO audit (at_ms, actor, event, target, request_id)
		SELECT ${nowMs}, id, ${entry.event}, coalesce(${entry.target ?? null}, id), ${requestId} FROM accounts WHERE ${which}`;
}

/** An ended session stays for a while, for whoever looks into what it did. */
const SESSION_KEPT_MS = 30 * 86_400_000;

function forgetSteps(nowMs: number, limit: number): Step[] {
	const past = (table: string, key: string, column: string, beforeMs: number): Step => {
		const [from, name, time] = [sql.identifier(table), sql.identifier(key), sql.identifier(column)];
		const old = sql`SELECT ${name} FROM ${from} WHERE ${time} <= ${beforeMs} LIMIT ${limit}`;
		return { run: sql`DELETE FROM ${from} WHERE ${name} IN (${old}) RETURNING 1` };
	};
	return [
		past("logins", "id", "expires_ms", nowMs),
		past("throttles", "bucket", "ends_ms", nowMs),
		past("sessions", "hash", "expires_ms", nowMs - SESSION_KEPT_MS),
	];
}
