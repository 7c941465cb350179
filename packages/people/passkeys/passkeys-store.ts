import type { Actor } from "@svc/base/actor";
import { auditBy, auditEach } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { endOfWindow, type Limited, type Throttle, takeThrottle } from "@svc/base/database/rate-shared";
import { accounts } from "@svc/base/database/schema/accounts";
import { passkeyOptions, passkeys, sessions } from "@svc/base/database/schema/people";
import { columns, olderThan, rowCondition, statements, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { and, desc, eq, gt, type SQL, sql } from "drizzle-orm";
import { freshSteps } from "../fresh-store.ts";
import type { NewLetter } from "../letters/security-letter.ts";
import { letterSteps } from "../letters/security-letters-store.ts";
import type { Person } from "../people.ts";
import { isUnended } from "../people-store.ts";
import type { NewSession } from "../session.ts";
import { sessionSteps } from "../session-steps-store.ts";
import type { KnownCredential, NewPasskey, Passkey, PasskeyHolder, PasskeyOptions, ProvenPasskey } from "./passkey.ts";
import { PASSKEYS_MAX } from "./passkey.ts";

const SHOWN = {
	pk: passkeys.pk,
	id: passkeys.id,
	name: passkeys.name,
	lastUsedMs: passkeys.lastUsedMs,
	createdMs: passkeys.createdMs,
};

export function passkeyStore(database: Database) {
	const { queries, read, write } = database;
	return {
		/** Newest first. */
		list: (
			accountPk: number,
			{ limit, beforePk }: { readonly limit: number; readonly beforePk?: number | undefined },
		) =>
			read(() =>
				queries
					.select(SHOWN)
					.from(passkeys)
					.where(and(eq(passkeys.accountPk, accountPk), olderThan(passkeys.pk, beforePk)))
					.orderBy(desc(passkeys.pk))
					.limit(limit),
			),
		async find(accountPk: number, id: string): Promise<Passkey | undefined> {
			const theirs = and(eq(passkeys.accountPk, accountPk), eq(passkeys.id, id));
			return (await read(() => queries.select(SHOWN).from(passkeys).where(theirs)))[0];
		},
		async listCredentials(accountPk: number): Promise<readonly KnownCredential[]> {
			const { credentialId, transports } = passkeys;
			const theirs = eq(passkeys.accountPk, accountPk);
			const rows = await read(() => queries.select({ credentialId, transports }).from(passkeys).where(theirs));
			return rows.map((row) => ({ ...row, transports: row.transports.split(" ").filter(Boolean) }));
		},
		findHolder: findHolder.bind(null, database),
		/** Keeps options, unless too many were asked for. */
		async start(options: PasskeyOptions, throttles: readonly Throttle[]): Promise<Limited | undefined> {
			const takes = throttles.map((one) => ({ run: takeThrottle(one, options.createdMs), guard: one.bucket }));
			const { refused } = await write<string>([...takes, { run: statements.insert(passkeyOptions).values(options) }]);
			if (refused === undefined) return undefined;
			return { untilMs: await endOfWindow(database, refused, options.createdMs) };
		},
		/** Undefined once they are used or too old. */
		async findOptions(id: string, nowMs: number): Promise<PasskeyOptions | undefined> {
			const open = and(eq(passkeyOptions.id, id), gt(passkeyOptions.expiresMs, nowMs));
			const [row] = await read(() => queries.select().from(passkeyOptions).where(open));
			return row && { ...row, challenge: new Uint8Array(row.challenge) };
		},
		/** Uses options up for which there was no proof. */
		async drop(optionsId: string): Promise<void> {
			await write([{ run: statements.delete(passkeyOptions).where(eq(passkeyOptions.id, optionsId)) }]);
		},
		/** One commit. "gone": the options were used; "ended": the session; "known": somebody has this passkey. */
		add: add.bind(null, database),
		async remove(
			accountPk: number,
			id: string,
			letters: readonly NewLetter[],
			by: Actor,
		): Promise<"gone" | "stale" | undefined> {
			const theirs = and(eq(passkeys.accountPk, accountPk), eq(passkeys.id, id));
			const { refused } = await write([
				{ run: statements.delete(passkeys).where(theirs), guard: "gone" as const },
				...freshSteps(by),
				...letterSteps(letters, by.nowMs),
				{ run: auditBy(by, { appPk: null, event: "passkey.deleted", target: id }) },
			]);
			return refused;
		},
		/** Makes a session. "counter": the passkey has signed more often than it says. */
		signIn: signIn.bind(null, database),
		/** Makes the session fresh that the options were asked for. */
		confirm: confirm.bind(null, database),
		/** Tells the person of a passkey that was refused though its signature was right. */
		async refuse({ options, holder, requestId, nowMs }: ProvenPasskey, letters: readonly NewLetter[]): Promise<void> {
			const by = { actor: holder.account.id, requestId, nowMs };
			await write([
				// Once: a copy of the request that comes a second time finds no options any more.
				spend(options, nowMs),
				...letterSteps(letters, nowMs),
				{ run: auditBy(by, { appPk: null, event: "passkey.refused", target: holder.id }) },
			]);
		},
	};
}

type Unproven = "gone" | "inactive" | "counter" | undefined;

async function findHolder({ queries, read }: Database, credentialId: Uint8Array): Promise<PasskeyHolder | undefined> {
	const { pk, id, email } = accounts;
	const [row] = await read(() =>
		queries
			.select({ id: passkeys.id, name: passkeys.name, publicKey: passkeys.publicKey, account: { pk, id, email } })
			.from(passkeys)
			.innerJoin(accounts, eq(accounts.pk, passkeys.accountPk))
			.where(eq(passkeys.credentialId, credentialId)),
	);
	return row && { ...row, publicKey: new Uint8Array(row.publicKey) };
}

async function add(
	{ write }: Database,
	{ account, session }: Person,
	options: PasskeyOptions,
	passkey: NewPasskey,
	letters: readonly NewLetter[],
	by: Actor,
): Promise<"gone" | "ended" | "known" | "full" | "stale" | undefined> {
	const { id, name, credentialId } = passkey;
	const live = sql`${sessions.id} = ${session.id} AND ${sessions.accountPk} = ${account.pk} AND ${isUnended(by.nowMs)}`;
	const known = sql`SELECT 1 FROM ${passkeys} WHERE ${passkeys.credentialId} = ${credentialId}`;
	const { refused } = await write([
		spend(options, by.nowMs),
		rowCondition(sessions.parent, live, "ended"),
		rowCondition(accounts.verifiedMs, sql`${accounts.pk} = ${account.pk} AND NOT EXISTS (${known})`, "known"),
		{ run: insert(account.pk, passkey), guard: "full" },
		...freshSteps(by),
		...letterSteps(letters, by.nowMs),
		{ run: auditBy(by, { appPk: null, event: "passkey.created", target: id, changes: { name } }) },
	]);
	return refused;
}

async function signIn(
	{ write }: Database,
	proven: ProvenPasskey,
	session: NewSession,
	letters: readonly NewLetter[],
): Promise<Unproven> {
	const { holder, locale, nowMs } = proven;
	const account = eq(accounts.pk, holder.account.pk);
	const { refused } = await write([
		...useSteps(proven),
		...(locale === null ? [] : [updateStep(accounts, { mailLocale: locale }, account)]),
		...sessionSteps(session, sql`${holder.account.pk}`, proven),
		...letterSteps(letters, nowMs),
	]);
	return refused;
}

async function confirm({ write }: Database, proven: ProvenPasskey, freshMs: number): Promise<Unproven> {
	const { options, holder, nowMs, requestId } = proven;
	const { pk, id: actor } = holder.account;
	const live = sql`${sessions.id} = ${options.sessionId} AND ${sessions.accountPk} = ${pk} AND ${isUnended(nowMs)}`;
	const by = { actor, requestId, nowMs };
	const entry = { appPk: null, event: "session.confirmed", target: options.sessionId ?? "" };
	const { refused } = await write([
		...useSteps(proven),
		updateStep(sessions, { freshMs }, live, "gone"),
		{ run: auditBy(by, entry) },
	]);
	return refused;
}

/** Touches no row where the account has as many as it may have. */
function insert(accountPk: number, passkey: NewPasskey): SQL {
	const { id, credentialId, publicKey, counter, transports, name, createdMs } = passkey;
	const names = columns(
		...[passkeys.id, passkeys.accountPk, passkeys.credentialId, passkeys.publicKey, passkeys.counter],
		...[passkeys.transports, passkeys.name, passkeys.createdMs],
	);
	return sql`INSERT INTO ${passkeys} (${names}) SELECT ${id}, ${accountPk}, ${credentialId}, ${publicKey}, ${counter},
		${transports.join(" ")}, ${name}, ${createdMs}
		WHERE (SELECT count(*) FROM ${passkeys} WHERE ${passkeys.accountPk} = ${accountPk}) < ${PASSKEYS_MAX}`;
}

/** Options are good once. */
function spend({ id }: PasskeyOptions, nowMs: number): Step<"gone"> {
	const open = and(eq(passkeyOptions.id, id), gt(passkeyOptions.expiresMs, nowMs));
	return { run: statements.delete(passkeyOptions).where(open), guard: "gone" };
}

/** Authenticators that do not count say 0 each time; all others say more than before. */
function useSteps({
	options,
	holder,
	counter,
	nowMs,
}: ProvenPasskey): readonly Step<"gone" | "inactive" | "counter">[] {
	const active = and(eq(accounts.pk, holder.account.pk), eq(accounts.status, "active"));
	const still = eq(passkeys.id, holder.id);
	const forwards = sql`(${passkeys.counter} < ${counter} OR (${passkeys.counter} = 0 AND ${counter} = 0))`;
	return [
		spend(options, nowMs),
		rowCondition(accounts.verifiedMs, sql`${active}`, "inactive"),
		rowCondition(passkeys.name, sql`${still}`, "gone"),
		updateStep(passkeys, { counter, lastUsedMs: nowMs }, sql`${still} AND ${forwards}`, "counter"),
	];
}

/** Removes passkeys and tells the audit of each; for commits that take back more than these. */
export function removePasskeySteps(
	which: SQL,
	{ actor, requestId, nowMs }: Omit<Actor, "actor"> & { readonly actor: string | SQL },
): readonly Step[] {
	const entry = { atMs: nowMs, actor, appPk: null, event: "passkey.deleted", target: passkeys.id, requestId };
	return [
		{ run: auditEach(entry, sql`FROM ${passkeys} WHERE ${which}`) },
		{ run: statements.delete(passkeys).where(which) },
	];
}
