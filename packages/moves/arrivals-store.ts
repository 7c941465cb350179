import type { Actor } from "@svc/base/actor";
import { auditBy } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { apps, storages } from "@svc/base/database/schema/apps";
import { connections } from "@svc/base/database/schema/connect";
import { blobs, deletedImages, images } from "@svc/base/database/schema/images";
import { appImportRecords, appImports } from "@svc/base/database/schema/work/app-moves";
import { columns, rowCondition, statements, updateStep } from "@svc/base/database/statements";
import type { AppImportState } from "@svc/base/enumerations";
import { markBlobsDead } from "@svc/images/keep/blobs-store";
import { and, asc, eq, inArray, isNull, lt, type SQL, sql } from "drizzle-orm";
import { arrivalSteps } from "./arrival-steps-store.ts";
import type { AppLine, ImageLine, MoveLine } from "./records.ts";

/** An App on its way here. */
export interface Arrival {
	readonly pk: number;
	readonly id: string;
	readonly file: Uint8Array;
	readonly appId: string;
	readonly installation: string;
	/** Records of images that the file says that it has. */
	readonly images: number;
	readonly state: AppImportState;
	readonly touchedMs: number;
	readonly createdMs: number;
}

export type NewArrival = Pick<Arrival, "id" | "file" | "appId" | "installation" | "images">;

/** Of an image whose master is not here. */
export interface Awaited {
	readonly pk: number;
	readonly blobKey: string | null;
	readonly line: ImageLine;
}

/** Where what lives here has an id, or an address, that a file brings along. */
type Taken = "app" | "image" | "user" | "storage";

const ofRecord = appImportRecords;
/** Whether the bytes of a record are here: until the App is, their blob is one that is still being written. */
const isHere = sql`EXISTS (SELECT 1 FROM ${blobs} WHERE ${blobs.blobKey} = ${ofRecord.blobKey} AND ${blobs.state} = 'pending')`;

export function arrivalStore(database: Database) {
	const { queries, read, write } = database;
	const findWhere = async (where: SQL): Promise<Arrival | undefined> => {
		const [row] = await read(() => queries.select().from(appImports).where(where));
		return row;
	};
	return {
		find: (id: string) => findWhere(eq(appImports.id, id)),
		/** Of an App, whichever file it comes from. */
		findOf: (appId: string) => findWhere(eq(appImports.appId, appId)),
		/** Whether the App is here, and nobody has deleted it since. */
		async isThere(appId: string): Promise<boolean> {
			const there = and(eq(apps.id, appId), isNull(apps.deletingMs));
			return (await read(() => queries.select({ pk: apps.pk }).from(apps).where(there))).length > 0;
		},
		/** "taken" where the App lives here; nothing happens where it is on its way already. */
		open: open.bind(null, database),
		/** A record that is here already stays as it came first. */
		async add(
			{ pk }: Arrival,
			lines: readonly MoveLine[],
			accountIds: readonly string[],
		): Promise<"ended" | undefined> {
			const rows = JSON.stringify(lines.map((line, place) => ({ ...line, account: accountIds[place] })));
			const { importPk, kind, id, data, sha256 } = ofRecord;
			const { refused } = await write([
				rowCondition(
					appImports.installation,
					and(eq(appImports.pk, pk), eq(appImports.state, "importing")) ?? sql`0`,
					"ended",
				),
				{
					run: sql`INSERT OR IGNORE INTO ${ofRecord} (${columns(importPk, kind, id, data, sha256)})
						SELECT ${pk}, value ->> 'kind', value ->> 'id', value, unhex(value ->> 'sha256') FROM json_each(${rows})`,
				},
			]);
			return refused;
		},
		findTaken: findTaken.bind(null, database),
		...recordReads(database),
		/** False where another call was faster. */
		async keepMaster({ pk, blobKey }: Awaited, newKey: string): Promise<boolean> {
			const same = sql`${ofRecord.pk} = ${pk} AND ${ofRecord.blobKey} IS ${blobKey}`;
			return (await write([updateStep(ofRecord, { blobKey: newKey }, same, "beaten")])).refused === undefined;
		},
		/** What is here of it counts as young again. */
		async touch({ pk }: Arrival, nowMs: number): Promise<void> {
			const keys = sql`(SELECT ${ofRecord.blobKey} FROM ${ofRecord} WHERE ${ofRecord.importPk} = ${pk} AND ${ofRecord.blobKey} IS NOT NULL)`;
			await write([
				updateStep(appImports, { touchedMs: nowMs }, eq(appImports.pk, pk)),
				updateStep(blobs, { sinceMs: nowMs }, sql`${blobs.blobKey} IN ${keys} AND ${blobs.state} = 'pending'`),
			]);
		},
		/** One commit: from it on the App is here, with all that came along. */
		async finish(arrival: Arrival, app: AppLine, nameFold: string, by: Actor) {
			return (await write(arrivalSteps(arrival, app, nameFold, by))).refused;
		},
		/** What is stored of it goes with the sweep. False once the App is here. */
		async remove({ pk, appId }: Arrival, by: Actor): Promise<boolean> {
			const open = and(eq(appImports.pk, pk), eq(appImports.state, "importing"));
			const { refused } = await write([
				rowCondition(appImports.installation, open ?? sql`0`, "ended"),
				...removeSteps(sql`${pk}`, by.nowMs),
				{ run: auditBy(by, { appPk: null, event: "app.import_cancelled", target: appId }) },
			]);
			return refused === undefined;
		},
		/** Those that nobody went on with, and those that ended, since `beforeMs`. */
		async forget(beforeMs: number, nowMs: number, limit: number): Promise<number> {
			const old = queries
				.select({ pk: appImports.pk })
				.from(appImports)
				.where(lt(appImports.touchedMs, beforeMs))
				.limit(limit);
			const rows = await read(() => old);
			for (const { pk } of rows) await write(removeSteps(sql`${pk}`, nowMs));
			return rows.length;
		},
	};
}

async function open({ write }: Database, arrival: NewArrival, by: Actor): Promise<"taken" | undefined> {
	const { appId, id } = arrival;
	const row = { ...arrival, file: Buffer.from(arrival.file), state: "importing" as const };
	const times = { touchedMs: by.nowMs, createdMs: by.nowMs };
	const { refused } = await write([
		{
			run: statements
				.insert(appImports)
				.values({ ...row, ...times })
				.onConflictDoNothing(),
		},
		rowCondition(
			appImports.installation,
			sql`${appImports.appId} = ${appId} AND NOT EXISTS (SELECT 1 FROM ${apps} WHERE ${apps.id} = ${appId})`,
			"taken",
		),
		{ run: auditBy(by, { appPk: null, event: "app.import_started", target: appId, changes: { import: id } }) },
	]);
	return refused;
}

/** What of an arrival is here. */
function recordReads({ queries, read }: Database) {
	return {
		/** Of these images, the digests of those whose bytes are not here. */
		async listMissing({ pk }: Arrival, ids: readonly string[]): Promise<readonly string[]> {
			const rows = await read(() =>
				queries
					.selectDistinct({ sha256: ofRecord.sha256 })
					.from(ofRecord)
					.where(
						and(
							eq(ofRecord.importPk, pk),
							inArray(ofRecord.id, [...ids]),
							eq(ofRecord.kind, "image"),
							sql`NOT ${isHere}`,
						),
					),
			);
			return rows.map(({ sha256 }) => Buffer.from(sha256 ?? []).toString("hex"));
		},
		/** The first image that waits for these bytes, and how many do. */
		async findAwaited({ pk }: Arrival, sha256: Uint8Array): Promise<{ first: Awaited | undefined; waiting: number }> {
			const waits = and(eq(ofRecord.importPk, pk), eq(ofRecord.sha256, Buffer.from(sha256)), sql`NOT ${isHere}`);
			const rows = await read(() =>
				queries
					.select({ pk: ofRecord.pk, blobKey: ofRecord.blobKey, data: ofRecord.data })
					.from(ofRecord)
					.where(waits)
					.orderBy(asc(ofRecord.pk))
					.limit(2),
			);
			const [row] = rows;
			return { first: row && { ...row, line: JSON.parse(row.data) as ImageLine }, waiting: rows.length };
		},
		async count({ pk }: Arrival): Promise<{ readonly images: number; readonly missing: number }> {
			const mine = and(eq(ofRecord.importPk, pk), eq(ofRecord.kind, "image"));
			const [row] = await read(() =>
				queries
					.select({ images: sql<number>`count(*)`, missing: sql<number>`coalesce(sum(NOT ${isHere}), 0)` })
					.from(ofRecord)
					.where(mine),
			);
			return row ?? { images: 0, missing: 0 };
		},
		async findApp({ pk }: Arrival): Promise<AppLine | undefined> {
			const one = and(eq(ofRecord.importPk, pk), eq(ofRecord.kind, "app"));
			const [row] = await read(() => queries.select({ data: ofRecord.data }).from(ofRecord).where(one));
			return row && (JSON.parse(row.data) as AppLine);
		},
	};
}

function removeSteps(pk: SQL, nowMs: number) {
	const keys = sql`(SELECT ${ofRecord.blobKey} FROM ${ofRecord} JOIN ${blobs} ON ${blobs.blobKey} = ${ofRecord.blobKey}
		WHERE ${ofRecord.importPk} = ${pk} AND ${blobs.state} = 'pending')`;
	return [
		{ run: markBlobsDead(keys, nowMs) },
		{ run: statements.delete(ofRecord).where(sql`${ofRecord.importPk} = ${pk}`) },
		{ run: statements.delete(appImports).where(sql`${appImports.pk} = ${pk}`) },
	];
}

/** Whether any of the ids and addresses of these records lives here. */
async function findTaken({ queries, read }: Database, lines: readonly MoveLine[]): Promise<Taken | undefined> {
	const of = (kind: MoveLine["kind"]) => JSON.stringify(lines.flatMap((line) => (line.kind === kind ? [line.id] : [])));
	const kept = JSON.stringify(
		lines.flatMap((line) => (line.kind === "image" ? [] : [[line.storage.id, line.storage.team_hash]])),
	);
	const each = (json: string) => sql`(SELECT value FROM json_each(${json}))`;
	const part = (place: number) => sql`(SELECT value ->> ${place} FROM json_each(${kept}))`;
	const [found] = await read(() =>
		queries
			.select({
				image: sql<number>`EXISTS (SELECT 1 FROM ${images} WHERE ${images.id} IN ${each(of("image"))})
					OR EXISTS (SELECT 1 FROM ${deletedImages} WHERE ${deletedImages.id} IN ${each(of("image"))})`,
				user: sql<number>`EXISTS (SELECT 1 FROM ${connections} WHERE ${connections.userId} IN ${each(of("user"))})`,
				storage: sql<number>`EXISTS (SELECT 1 FROM ${storages}
					WHERE ${storages.id} IN ${part(0)} OR ${storages.teamHash} IN ${part(1)})`,
			})
			.from(sql`(SELECT 1)`),
	);
	if (found?.image) return "image";
	if (found?.user) return "user";
	return found?.storage ? "storage" : undefined;
}
