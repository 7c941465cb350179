import type { Actor } from "@svc/base/actor";
import type { Span } from "@svc/base/cursors";
import { auditBy } from "@svc/base/database/audit";
import type { Database } from "@svc/base/database/client";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps, storages } from "@svc/base/database/schema/apps";
import { images } from "@svc/base/database/schema/images";
import { moderationActions, reports } from "@svc/base/database/schema/moderation";
import { columns, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import type { ReportOutcome } from "@svc/base/enumerations";
import { mailGathered } from "@svc/mail/mail-entries-store";
import { desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { NewReport, Report } from "./report.ts";

export function reportStore(database: Database) {
	return {
		/** Writes nothing where there is no such visible image, or the same network has an open report of it. */
		create: createReport.bind(null, database),
		find: findReport.bind(null, database),
		list: listReports.bind(null, database),
		/** False when the report has been resolved already, or there is none. */
		resolve: resolveReport.bind(null, database),
		/** Forgets the reporters' addresses of reports that were resolved before a moment; returns of how many. */
		forgetEmails: forgetEmails.bind(null, database),
	};
}

const REPORT_COLUMNS = columns(
	...[reports.id, reports.imageId, reports.appPk, reports.reason],
	...[reports.note, reports.email, reports.locale, reports.ipHash, reports.createdMs],
);

async function createReport({ write }: Database, report: NewReport, nowMs: number): Promise<void> {
	const { id, imageId, teamHash, reason, note, email, locale, addressMac } = report;
	const mine = alias(reports, "mine");
	const inStorage = teamHash === null ? sql`` : sql` AND ${storages.teamHash} = ${teamHash}`;
	await write([
		{
			run: sql`INSERT INTO ${reports} (${REPORT_COLUMNS})
				SELECT ${id}, ${images.id}, ${images.appPk}, ${reason}, ${note}, ${email}, ${locale}, ${addressMac}, ${nowMs}
				FROM ${images} JOIN ${storages}
					ON ${storages.pk} = ${images.storagePk} AND ${storages.state} = 'active'${inStorage}
				WHERE ${images.id} = ${imageId} AND ${images.status} <> 'blocked'
					AND (${images.expiresMs} IS NULL OR ${images.expiresMs} > ${nowMs})
					AND NOT EXISTS (SELECT 1 FROM ${reports} AS ${mine} WHERE ${mine.imageId} = ${images.id}
						AND ${mine.resolvedMs} IS NULL AND ${mine.ipHash} = ${addressMac})`,
		},
	]);
}

async function findReport({ queries, read }: Database, id: string): Promise<Report | undefined> {
	const [report] = await read(() => selectReports(queries).where(eq(reports.id, id)));
	return report;
}

async function listReports(
	{ queries, read }: Database,
	{ open, ...span }: Span & { readonly open: boolean },
): Promise<readonly Report[]> {
	const where = sql`${reports.pk} IN (${chosen(open, span)})`;
	return await read(() => selectReports(queries).where(where).orderBy(desc(reports.pk)));
}

async function resolveReport({ write }: Database, id: string, outcome: ReportOutcome, by: Actor): Promise<boolean> {
	const open = sql`${reports.id} = ${id} AND ${reports.resolvedMs} IS NULL`;
	const { refused } = await write([
		...settledMails(open, outcome, by.nowMs),
		updateStep(reports, { outcome, resolvedMs: by.nowMs, resolvedBy: by.actor }, open, "resolved"),
		// Kept out of the App's own audit: the reporter, and the outcome, concern only the public and the operators.
		{ run: auditBy(by, { appPk: null, event: "report.resolved", target: id, changes: { outcome } }) },
	]);
	return refused === undefined;
}

async function forgetEmails({ queries, write }: Database, beforeMs: number, limit: number): Promise<number> {
	const settled = sql`(SELECT ${reports.pk} FROM ${reports} INDEXED BY reports_contact
		WHERE ${reports.resolvedMs} IS NOT NULL AND ${reports.email} IS NOT NULL AND ${reports.resolvedMs} < ${beforeMs}
		LIMIT ${limit})`;
	const forget = queries.update(reports).set({ email: null }).where(inArray(reports.pk, settled));
	const { rows } = await write([{ run: forget.returning({ forgotten: sql`1` }) }]);
	return rows?.[0]?.length ?? 0;
}

function selectReports(queries: Database["queries"]) {
	return queries.select(reportFields).from(reports).leftJoin(apps, eq(apps.pk, reports.appPk));
}

/** What a query selects to make a {@link Report}; it joins the App. */
export const reportFields = {
	pk: reports.pk,
	id: reports.id,
	imageId: reports.imageId,
	appId: sql<string | null>`${apps.id}`.as("app_id"),
	reason: reports.reason,
	note: reports.note,
	email: reports.email,
	source: reports.source,
	outcome: reports.outcome,
	resolvedMs: reports.resolvedMs,
	resolvedBy: reports.resolvedBy,
	createdMs: reports.createdMs,
};

/** Open reports are few among many, and are sorted; of the others nearly every row matches. */
function chosen(open: boolean, { limit, beforePk }: Span): SQL {
	const before = beforePk === undefined ? sql`` : sql` AND ${reports.pk} < ${beforePk}`;
	const [source, state] = open ? [sql` INDEXED BY reports_open`, sql`IS NULL`] : [sql``, sql`IS NOT NULL`];
	return sql`SELECT ${reports.pk} FROM ${reports}${source} WHERE ${reports.resolvedMs} ${state}${before}
		ORDER BY ${reports.pk} DESC LIMIT ${limit}`;
}

/** What the service itself has found stands in the queue like what people report: once. */
export function serviceReport(
	image: SQL,
	{ id, reason, note }: Pick<NewReport, "id" | "reason" | "note">,
	nowMs: number,
): Step {
	const { ipHash, createdMs, source } = reports;
	const named = columns(
		reports.id,
		reports.imageId,
		reports.appPk,
		reports.reason,
		reports.note,
		ipHash,
		createdMs,
		source,
	);
	const mine = alias(reports, "mine");
	return {
		run: sql`INSERT INTO ${reports} (${named})
			SELECT ${id}, ${images.id}, ${images.appPk}, ${reason}, ${note}, ${new Uint8Array()}, ${nowMs}, 'service'
			FROM ${images} WHERE ${image} AND NOT EXISTS (SELECT 1 FROM ${reports} AS ${mine}
				WHERE ${mine.imageId} = ${images.id} AND ${mine.resolvedMs} IS NULL AND ${mine.source} = 'service')`,
	};
}

/** Must be in the batch that takes back what the service did. */
export function dismissServiceReports(imageId: string, { actor, nowMs }: Actor): Step {
	const open = sql`${reports.imageId} = ${imageId} AND ${reports.resolvedMs} IS NULL AND ${reports.source} = 'service'`;
	return updateStep(reports, { outcome: "dismissed", resolvedMs: nowMs, resolvedBy: actor }, open);
}

/** Must be in the batch that resolves the subject of an image's open reports. */
export function closeReports(imageId: string, { actor, nowMs }: Actor): readonly Step[] {
	const open = sql`${reports.imageId} = ${imageId} AND ${reports.resolvedMs} IS NULL`;
	return [
		...settledMails(open, "actioned", nowMs),
		updateStep(reports, { outcome: "actioned", resolvedMs: nowMs, resolvedBy: actor }, open),
	];
}

/**
 * Opens the reports again that the last block of an image settled, and only those: what operators decided about a report before the
 * block stays decided. The block and what it settled are of one moment and one operator.
 */
export function reopenReports(imageId: string): Step {
	const { actor, createdMs, action, pk } = moderationActions;
	const lastBlock = sql`SELECT ${createdMs}, ${actor} FROM ${moderationActions}
		WHERE ${moderationActions.imageId} = ${imageId} AND ${action} = 'block' ORDER BY ${pk} DESC LIMIT 1`;
	const settled = sql`${reports.imageId} = ${imageId} AND ${reports.outcome} = 'actioned'
		AND (${reports.resolvedMs}, ${reports.resolvedBy}) = (${lastBlock})`;
	return updateStep(reports, { outcome: null, resolvedMs: null, resolvedBy: null }, settled);
}

/** To those who left an address with open reports of one image: an address that reported it twice hears once. */
function settledMails(open: SQL, outcome: ReportOutcome, nowMs: number): readonly Step[] {
	const chosen = sql`(SELECT ${accounts.mailLocale} FROM ${accounts} WHERE ${accounts.emailNorm} = lower(${reports.email}))`;
	const to = sql`SELECT ${reports.email} AS email, coalesce(${chosen}, ${reports.locale}) AS locale,
		${reports.imageId} AS image FROM ${reports} WHERE ${open} AND ${reports.email} IS NOT NULL GROUP BY lower(${reports.email})`;
	return mailGathered({ template: "report_settled", facts: { image: sql`addressee.image`, outcome }, to }, nowMs);
}
