import { ApiError } from "@svc/sdk/failure";
import type { BlobHealth, ServiceHealth, ServiceUsage, Usage, UsageRow } from "@svc/sdk/shapes";
import type { Day, Gauge } from "../state/things.ts";
import { type Asked, appOf, clientOf, type Page } from "./asked.ts";

const DAY_MS = 86_400_000;
const DAYS = 30;

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, "2026-01-01".length);

/** The last thirty, oldest first; the service says nothing of those on which nothing happened. */
export function everyDay(known: readonly UsageRow[], count: (row: UsageRow) => number, nowMs: number): Day[] {
	const rows = new Map(known.map((row) => [row.date, row]));
	return Array.from({ length: DAYS }, (_, index): Day => {
		const date = dayOf(nowMs - (DAYS - 1 - index) * DAY_MS);
		const row = rows.get(date);
		return { date, count: row === undefined ? 0 : count(row) };
	});
}

/** How much is used, of the App and, for operators, of the service. */
export async function loadUsage(asked: Asked): Promise<Page> {
	const { management, signal, operator, app } = asked;
	const ofApp = async () => {
		if (app === undefined) return [];
		const [total, days] = await Promise.all([totalOf(asked), daysOf(asked)]);
		return total === undefined ? [] : appGauges(total, days);
	};
	const ofService = async () => {
		if (!operator) return [];
		const [totals, { blobs, mail, billing }] = await Promise.all([
			management.operator.usage({ signal }),
			management.operator.health({ signal }),
		]);
		return [...serviceGauges(totals), ...damageGauges(blobs), ...mailGauges(mail), ...billingGauges(billing)];
	};
	if (app === undefined && !operator) appOf(asked);
	const parts = await Promise.all([ofApp(), ofService()]);
	return { things: parts.flat(), nextCursor: undefined };
}

/** Operators need not belong to the App's team. */
async function totalOf(asked: Asked): Promise<Usage | undefined> {
	try {
		return await appOf(asked).usage.total({ signal: asked.signal });
	} catch (error) {
		if (asked.operator && error instanceof ApiError && error.status === 404) return undefined;
		throw error;
	}
}

/** An older service, or interface, counts no days. */
async function daysOf(asked: Asked): Promise<readonly UsageRow[] | undefined> {
	try {
		return (await clientOf(asked).usage.daily.list({ scope: "app", limit: 100, signal: asked.signal })).data;
	} catch (error) {
		if (error instanceof ApiError && (error.status === 404 || error.status === 403)) return undefined;
		throw error;
	}
}

function appGauges({ monthly, totals, limits }: Usage, rows: readonly UsageRow[] | undefined): Gauge[] {
	const { images_stored, storage_limit_bytes, storage_used_bytes } = totals;
	const images = limits?.images;
	const users = limits?.users;
	const by = (count: (row: UsageRow) => number) => (rows === undefined ? [] : everyDay(rows, count, Date.now()));
	return [
		gauge("uploads", "Uploads this month", monthly.uploads, monthly.uploads_limit, { days: by((row) => row.uploads) }),
		gauge("images", "Images", images?.used ?? images_stored, images?.limit ?? null),
		gauge("bytes", "Storage", storage_used_bytes, storage_limit_bytes, { unit: "bytes" }),
		...(users === undefined ? [] : [gauge("users", "Connected users", users.used ?? 0, users.limit)]),
		...(rows === undefined ? [] : dayGauges(by)),
	];
}

function dayGauges(by: (count: (row: UsageRow) => number) => Day[]): Gauge[] {
	const total = (id: string, label: string, count: (row: UsageRow) => number, more?: Partial<Gauge>) => {
		const days = by(count);
		const used = days.reduce((sum, day) => sum + day.count, 0);
		return gauge(id, `${label}, ${DAYS} days`, used, null, { days, ...more });
	};
	return [
		total("served", "Images served", (row) => row.image_requests),
		total("served-bytes", "Bytes served", (row) => row.bytes_served, { unit: "bytes" }),
		total("renditions", "Renditions made", (row) => row.renditions),
		total("requests", "API calls", (row) => row.requests),
	];
}

function gauge(id: string, label: string, used: number, limit: number | null = null, more: Partial<Gauge> = {}): Gauge {
	return { id, object: "gauge", label, used, limit, unit: "count", days: [], ...more };
}

function serviceGauges({ apps, accounts, images, moderation, users }: ServiceUsage): Gauge[] {
	return [
		gauge("all-apps", "Service: Apps", apps.total),
		gauge("all-accounts", "Service: accounts", accounts.total),
		gauge("all-users", "Service: connections", users),
		gauge("all-images", "Service: images", images.stored),
		gauge("all-bytes", "Service: storage", images.bytes, null, { unit: "bytes" }),
		gauge("all-uploads", "Service: uploads this month", images.uploads_this_month),
		gauge("all-reports", "Service: open reports", moderation.open_reports),
		gauge("all-blocked", "Service: blocked images", moderation.blocked),
	];
}

/** Nothing while payments reach the service, and of an older one, which tells nothing of them. */
function billingGauges(billing: ServiceHealth["billing"] | undefined): Gauge[] {
	if (billing?.state !== "failing") return [];
	const waiting = billing.deliveries_waiting + billing.withdrawals_waiting;
	return [gauge("all-billing", "Service: billing is failing; waiting", waiting, null, { wrong: true })];
}

/** An older service tells nothing of its mail. */
function mailGauges(mail: ServiceHealth["mail"] | undefined): Gauge[] {
	if (mail === undefined) return [];
	const waiting = Object.values(mail.waiting).reduce((sum, count) => sum + count, 0);
	const failing = mail.state === "failing";
	const label = failing ? "Service: mail is failing; waiting" : "Service: mails waiting";
	return [gauge("all-mails", label, waiting, null, { wrong: failing })];
}

function damageGauges({ damaged, missing }: BlobHealth): Gauge[] {
	return [
		gauge("all-damaged", "Service: damaged images", damaged, null, { wrong: damaged > 0 }),
		gauge("all-missing", "Service: images without bytes", missing, null, { wrong: missing > 0 }),
	];
}
