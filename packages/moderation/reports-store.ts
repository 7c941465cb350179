import type { By } from "@svc/base/actor";
import { auditBy } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { apps } from "@svc/base/database/schema/apps";
import { reports } from "@svc/base/database/schema/moderation";
import type { ReportOutcome } from "@svc/base/enumerations";
import { desc, eq, type SQL, sql } from "drizzle-orm";
import type { NewReport, Report } from "./reports.ts";

export interface Span {
	readonly limit: number;
	/** Undefined: from the newest. */
	readonly beforePk: number | undefined;
}

export interface ReportStore {
	/** Keeps nothing where there is no such image to be seen, or the same network has an open report of it. */
	create(report: NewReport, nowMs: number): Promise<void>;
	find(id: string): Promise<Report | undefined>;
	list(query: Span & { readonly open: boolean }): Promise<readonly Report[]>;
	/** False when it has been resolved already, or there is none. */
	resolve(id: string, outcome: ReportOutcome, by: By): Promise<boolean>;
	/** Forgets who sent reports that were settled before a moment; returns of how many. */
	forgetEmails(beforeMs: number, limit: number): Promise<number>;
}

export function reportStore(database: Database): ReportStore {
	const { queries, read, write } = database;
	const select = () => queries.select(reportFields).from(reports).leftJoin(apps, eq(apps.pk, reports.appPk));
	return {
		async create(report, nowMs) {
			const { id, imageId, teamHash, reason, note, email, addressMac } = report;
			const inStorage = teamHash === null ? sql`` : sql`AND storages.team_hash = ${teamHash}`;
			await write([
				{
					run: sql`INSERT INTO reports (id, image_id, app_pk, reason, note, email, ip_hash, created_ms)
						SELECT ${id}, images.id, images.app_pk, ${reason}, ${note}, ${email}, ${addressMac}, ${nowMs}
						FROM images JOIN storages ON storages.pk = images.storage_pk AND storages.state = 'active' ${inStorage}
						WHERE images.id = ${imageId} AND images.status <> 'blocked'
						AND (images.expires_ms IS NULL OR images.expires_ms > ${nowMs})
						AND NOT EXISTS (SELECT 1 FROM reports AS mine WHERE mine.image_id = images.id AND mine.resolved_ms IS NULL
							AND mine.ip_hash = ${addressMac})`,
				},
			]);
		},
		async find(id) {
			const [report] = await read(() => select().where(eq(reports.id, id)));
			return report;
		},
		async list({ open, limit, beforePk }) {
			return await read(() =>
				select()
					.where(sql`${reports.pk} IN (${chosen(open, limit, beforePk)})`)
					.orderBy(desc(reports.pk)),
			);
		},
		async resolve(id, outcome, by) {
			const { refused } = await write([
				{
					run: sql`UPDATE reports SET outcome = ${outcome}, resolved_ms = ${by.nowMs}, resolved_by = ${by.actor}
						WHERE id = ${id} AND resolved_ms IS NULL`,
					guard: "resolved",
				},
				// Not among the App's own entries: who reports, and what becomes of it, is between the public and the operators.
				{ run: auditBy(by, { appPk: null, event: "report.resolved", target: id, changes: { outcome } }) },
			]);
			return refused === undefined;
		},
		async forgetEmails(beforeMs, limit) {
			const settled = sql`SELECT pk FROM reports INDEXED BY reports_contact
				WHERE resolved_ms IS NOT NULL AND email IS NOT NULL AND resolved_ms < ${beforeMs} LIMIT ${limit}`;
			const { rows } = await write([
				{ run: sql`UPDATE reports SET email = NULL WHERE pk IN (${settled}) RETURNING 1 AS forgotten` },
			]);
			return rows[0]?.length ?? 0;
		},
	};
}

/** What a query selects to make a {@link Report}; it joins the App. */
export const reportFields = {
	pk: reports.pk,
	id: reports.id,
	imageId: reports.imageId,
	appId: sql<string | null>`${apps.id}`.as("app_id"),
	reason: sql<Report["reason"]>`${reports.reason}`.as("reason"),
	note: reports.note,
	email: reports.email,
	outcome: reports.outcome,
	resolvedMs: reports.resolvedMs,
	resolvedBy: reports.resolvedBy,
	createdMs: reports.createdMs,
};

/** There are few open ones among many, and they are sorted; of the others nearly every row is one. */
function chosen(open: boolean, limit: number, beforePk: number | undefined): SQL {
	const before = beforePk === undefined ? sql`` : sql`AND pk < ${beforePk}`;
	return open
		? sql`SELECT pk FROM reports INDEXED BY reports_open WHERE resolved_ms IS NULL ${before} ORDER BY pk DESC LIMIT ${limit}`
		: sql`SELECT pk FROM reports WHERE resolved_ms IS NOT NULL ${before} ORDER BY pk DESC LIMIT ${limit}`;
}

/** Belongs into the batch that settles what the open reports of an image are about. */
export function settleReports(imageId: string, actor: string, nowMs: number): SQL {
	return sql`UPDATE reports SET outcome = 'actioned', resolved_ms = ${nowMs}, resolved_by = ${actor}
		WHERE image_id = ${imageId} AND resolved_ms IS NULL`;
}
