import type { BlobHealth, MonthUsage, ServiceHealth, ServiceUsage, Usage } from "@svc/sdk/shapes";
import { type Asked, appOf, type Page } from "./asked.ts";
import type { Gauge } from "./state/things.ts";

const MONTHS = 12;

/** The last twelve, oldest first; the service says nothing of those without an upload. */
export function everyMonth(known: readonly MonthUsage[], nowMs: number): MonthUsage[] {
	const now = new Date(nowMs);
	return Array.from({ length: MONTHS }, (_, index): MonthUsage => {
		const start = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - (MONTHS - 1 - index));
		const month = new Date(start).toISOString().slice(0, "2026-01".length);
		return known.find((one) => one.month === month) ?? { object: "month_usage", month, uploads: 0 };
	});
}

/** How much is used, of the App and, for operators, of the service. */
export async function loadUsage(asked: Asked): Promise<Page> {
	const { management, signal, operator, app } = asked;
	const ofApp = async () => {
		if (app === undefined) return [];
		const { usage } = appOf(asked);
		const [total, months] = await Promise.all([usage.total({ signal }), usage.byMonth.list({ limit: MONTHS, signal })]);
		return appGauges(total, everyMonth(months.data, Date.now()));
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

function appGauges({ monthly, totals, limits }: Usage, months: readonly MonthUsage[]): Gauge[] {
	const { images_stored, storage_limit_bytes, storage_used_bytes } = totals;
	const images = limits?.images;
	const users = limits?.users;
	return [
		gauge("uploads", "Uploads this month", monthly.uploads, monthly.uploads_limit, { months }),
		gauge("images", "Images", images?.used ?? images_stored, images?.limit ?? null),
		gauge("bytes", "Storage", storage_used_bytes, storage_limit_bytes, { unit: "bytes" }),
		...(users === undefined ? [] : [gauge("users", "Connected users", users.used ?? 0, users.limit)]),
	];
}

function gauge(id: string, label: string, used: number, limit: number | null = null, more: Partial<Gauge> = {}): Gauge {
	return { id, object: "gauge", label, used, limit, unit: "count", months: [], ...more };
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
