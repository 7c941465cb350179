import type { Actor } from "@svc/base/actor";
import type { ImageHost } from "@svc/base/addresses";
import { auditBy, auditOnChange } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { apps, endedImageHosts } from "@svc/base/database/schema/apps";
import { meta } from "@svc/base/database/schema/service";
import { condition, statements, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { mailEach } from "@svc/mail/mail-entries-store";
import { and, eq, isNotNull, isNull, lt, sql } from "drizzle-orm";
import type { WantedHost } from "../app-record.ts";
import { noticedOf } from "../team/members-store.ts";

/** An App with the host that it wants, or has. */
export interface AskedHost extends ImageHost {
	readonly id: string;
	readonly value: string;
	readonly state: "pending" | "verified" | "lost";
	readonly missingMs: number | null;
}

/** What comes of a look at the DNS, and when that was. */
interface Looked {
	readonly by: Actor;
	/** The console's address, for letters. */
	readonly web: string;
}

/** Of the row that counts the changes of what is served where. */
const VERSION = "image_hosts";
/** For how long no other App has the host of one that has ended. */
const ENDED_MS = 30 * 86_400_000;

export function imageHostStore(database: Database) {
	return {
		/** All that are served. */
		listVerified: listVerified.bind(null, database),
		/** Changes with each change of that list. */
		readVersion: readVersion.bind(null, database),
		find: findAsked.bind(null, database),
		/** Those that nobody has looked for since then, longest ago first. */
		listDue: listDue.bind(null, database),
		/** The App that is served at a host by now. */
		findHolder: findHolder.bind(null, database),
		/** No answer, or a record that is not there. */
		noteUnseen: noteUnseen.bind(null, database),
		/** The host is this App's from now on, and not any more the holder's; refused where either is not as it was read. */
		verify: verify.bind(null, database),
		/** It is served at this host no more, and its team is told. */
		lose: lose.bind(null, database),
		async forgetEnded(nowMs: number): Promise<void> {
			await database.write([
				{ run: statements.delete(endedImageHosts).where(lt(endedImageHosts.endedMs, nowMs - ENDED_MS)) },
			]);
		},
	};
}

/** In the batch of each change of what is served where. */
const hostsChanged: Step<never> = { run: nextVersion() };

/** The host that an App asks for from now on; null for none. */
export function wantHostSteps(appPk: number, appId: string, wanted: WantedHost | null, by: Actor): Step<never>[] {
	const { host = null, value = null } = wanted ?? {};
	const state = wanted ? "pending" : null;
	const set = { imageHost: host, imageHostState: state, imageHostValue: value } as const;
	const none = { imageHostMissingMs: null, imageHostAskedMs: wanted && 0 };
	const differs = and(eq(apps.pk, appPk), sql`${apps.imageHost} IS NOT ${host}`);
	const entry = { appPk, event: "app.image_host_changed", target: appId, changes: { imageHost: host } };
	return [updateStep(apps, { ...set, ...none }, differs), { run: auditOnChange(by, entry) }, hostsChanged];
}

/** An App ends: nobody else has its host for a while, in which its name may still lead here. */
export function endHostSteps(appPk: number, nowMs: number): Step<never>[] {
	const kept = sql`INSERT INTO ${endedImageHosts} (host, ended_ms) SELECT ${apps.imageHost}, ${nowMs} FROM ${apps}
		WHERE ${apps.pk} = ${appPk} AND ${apps.imageHostState} IN ('verified', 'lost')
		ON CONFLICT (host) DO UPDATE SET ended_ms = excluded.ended_ms`;
	const none = { imageHost: null, imageHostState: null, imageHostValue: null };
	return [{ run: kept }, updateStep(apps, none, and(eq(apps.pk, appPk), isNotNull(apps.imageHost))), hostsChanged];
}

const asked = {
	appPk: apps.pk,
	id: apps.id,
	host: apps.imageHost,
	value: apps.imageHostValue,
	state: apps.imageHostState,
	missingMs: apps.imageHostMissingMs,
};

/** As text, since only so the index of what is verified is used. */
const VERIFIED = sql`${apps.imageHostState} = 'verified'`;

async function listVerified({ queries, read }: Database): Promise<readonly ImageHost[]> {
	const where = and(isNotNull(apps.imageHost), VERIFIED);
	const rows = await read(() => queries.select({ appPk: apps.pk, host: apps.imageHost }).from(apps).where(where));
	return rows as readonly ImageHost[];
}

async function findAsked({ queries, read }: Database, appPk: number): Promise<AskedHost | undefined> {
	const where = and(eq(apps.pk, appPk), isNotNull(apps.imageHost), isNull(apps.deletingMs));
	const [row] = await read(() => queries.select(asked).from(apps).where(where));
	return row as AskedHost | undefined;
}

async function listDue({ queries, read }: Database, beforeMs: number, limit: number): Promise<readonly AskedHost[]> {
	const due = and(isNotNull(apps.imageHost), lt(apps.imageHostAskedMs, beforeMs));
	const rows = queries.select(asked).from(apps).where(due).orderBy(apps.imageHostAskedMs).limit(limit);
	return (await read(() => rows)) as readonly AskedHost[];
}

async function findHolder({ queries, read }: Database, host: string): Promise<AskedHost | undefined> {
	const [row] = await read(() =>
		queries
			.select(asked)
			.from(apps)
			.where(and(eq(apps.imageHost, host), VERIFIED)),
	);
	return row as AskedHost | undefined;
}

async function noteUnseen(
	{ write }: Database,
	{ appPk, host }: AskedHost,
	isMissing: boolean,
	nowMs: number,
): Promise<void> {
	const missingMs = isMissing ? sql`coalesce(${apps.imageHostMissingMs}, ${nowMs})` : apps.imageHostMissingMs;
	const set = { imageHostMissingMs: sql`${missingMs}`, imageHostAskedMs: nowMs };
	await write([updateStep(apps, set, and(eq(apps.pk, appPk), eq(apps.imageHost, host)))]);
}

async function verify(
	{ write }: Database,
	app: AskedHost,
	holder: AskedHost | undefined,
	looked: Looked,
): Promise<"moved" | "taken" | undefined> {
	const { appPk, id, host } = app;
	const { by } = looked;
	const own = and(eq(apps.pk, appPk), eq(apps.imageHost, host), isNull(apps.deletingMs));
	const others = sql`NOT EXISTS (SELECT 1 FROM ${apps} AS other WHERE other.image_host = ${host}
		AND other.image_host_state = 'verified' AND other.pk <> ${appPk})`;
	const ended = sql`NOT EXISTS (SELECT 1 FROM ${endedImageHosts} WHERE ${endedImageHosts.host} = ${host}
		AND ${endedImageHosts.endedMs} > ${by.nowMs - ENDED_MS})`;
	const set = { imageHostState: "verified", imageHostMissingMs: null, imageHostAskedMs: by.nowMs } as const;
	// What was verified already is only noted as seen.
	if (app.state === "verified") {
		return (await write([updateStep(apps, set, and(own, VERIFIED), "moved")])).refused;
	}
	const entry = { appPk, event: "app.image_host_verified", target: id, changes: { imageHost: host } };
	const { refused } = await write([
		...(holder ? loseSteps(holder, looked) : []),
		condition(appPk, sql`${others} AND ${ended}`, "taken"),
		updateStep(apps, set, own, "moved"),
		{ run: auditBy(by, entry) },
		hostsChanged,
	]);
	return refused;
}

async function lose({ write }: Database, app: AskedHost, looked: Looked): Promise<boolean> {
	return (await write(loseSteps(app, looked))).refused === undefined;
}

function loseSteps({ appPk, id, host }: AskedHost, { by, web }: Looked): readonly Step<"moved">[] {
	const held = and(eq(apps.pk, appPk), eq(apps.imageHost, host), VERIFIED);
	const set = { imageHostState: "lost", imageHostAskedMs: by.nowMs } as const;
	const name = sql`(SELECT ${apps.name} FROM ${apps} WHERE ${apps.pk} = ${appPk})`;
	const facts = { app: name, host, page: `${web}/console/${id}/delivery` };
	return [
		updateStep(apps, set, held, "moved"),
		{ run: auditBy(by, { appPk, event: "app.image_host_lost", target: id, changes: { imageHost: host } }) },
		{ run: mailEach({ template: "image_host_lost", facts, to: noticedOf(appPk) }, by.nowMs) },
		hostsChanged,
	];
}

async function readVersion({ queries, read }: Database): Promise<string> {
	const [row] = await read(() => queries.select({ value: meta.value }).from(meta).where(eq(meta.key, VERSION)));
	return row?.value ?? "";
}

function nextVersion() {
	const known = { target: meta.key, set: { value: sql`CAST(${meta.value} + 1 AS TEXT)` } };
	return statements.insert(meta).values({ key: VERSION, value: "1" }).onConflictDoUpdate(known);
}
