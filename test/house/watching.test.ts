import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { METERS } from "@svc/base/pace/meters";

/* The board and the alerts in deploy/watch name metrics of the service, and labels that those have. */

const read = (name: string) => readFileSync(new URL(`../../deploy/watch/${name}`, import.meta.url), "utf8");
const OURS = /\b(?:svc|process)_[a-z_]+\b/g;
/** Labels that Prometheus adds. */
const ADDED = ["instance", "job", "le"];

interface Alert {
	readonly alert: string;
	readonly expr: string;
	readonly annotations: { readonly summary?: string; readonly action?: string };
}

const alerts = (Bun.YAML.parse(read("alerts.yml")) as { groups: { rules: Alert[] }[] }).groups.flatMap(
	({ rules }) => rules,
);
const board = JSON.parse(read("grafana.json")) as { panels: { title: string; targets?: { expr: string }[] }[] };
const queries = [
	...alerts.map(({ alert, expr }) => [alert, expr] as const),
	...board.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
];

function meterOf(name: string) {
	const own = name.replace(/_(?:bucket|sum|count)$/, "");
	if (own !== name && METERS[own as keyof typeof METERS]?.kind === "histogram")
		return METERS[own as keyof typeof METERS];
	return METERS[name as keyof typeof METERS];
}

const labelsIn = (expr: string) => [
	...[...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside = ""]) =>
		[...inside.matchAll(/(\w+)\s*(?:=~|!~|=|!=)/g)].map(([, name = ""]) => name),
	),
	...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, inside = ""]) => inside.split(/,\s*/)),
];

describe("a query of the board or of an alert", () => {
	test.each(queries)("%s: %s", (_, expr) => {
		const names = (expr.match(OURS) ?? []).filter((name) => !labelsIn(expr).includes(name));
		for (const name of names) expect(meterOf(name), `${name} is no metric`).toBeDefined();
		const known = names.flatMap((name) => {
			const meter = meterOf(name);
			return meter ? [...meter.labels] : [];
		});
		for (const label of labelsIn(expr)) expect([...known, ...ADDED]).toContain(label);
	});
});

test("every metric is on the board", () => {
	const shown = new Set(
		board.panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => expr.match(OURS) ?? [])),
	);
	const names = [...shown].map((name) => name.replace(/_bucket$/, ""));
	for (const name of Object.keys(METERS)) expect(names).toContain(name);
});

test("every alert says what has happened and what to do", () => {
	expect(alerts.length).toBeGreaterThanOrEqual(10);
	for (const { alert, annotations } of alerts) {
		expect([alert, annotations.summary?.length ?? 0, annotations.action?.length ?? 0].every((one) => one !== 0)).toBe(
			true,
		);
	}
});

test("a metric, or a label, that there is not is found", () => {
	expect(meterOf("svc_nothing_total")).toBeUndefined();
	expect(labelsIn('sum by (color) (rate(svc_requests_total{shade="x"}[5m]))')).toEqual(["shade", "color"]);
});

test.each([
	["mail that is given up", "SvcMailFails", "svc_mail_sent_total"],
	["mail that waits", "SvcMailWaits", "svc_mail_oldest_seconds"],
	["messages of the payment processor", "SvcDeliveriesWait", "svc_billing_waiting"],
	["events that Apps do not take", "SvcWebhooksFail", "svc_webhook_attempts_total"],
	["purges of a cache in front", "SvcPurgesWait", "svc_purge_oldest_seconds"],
	["damaged originals", "SvcDamagedPictures", "svc_blobs_damaged"],
	["an old backup", "SvcBackupLate", "svc_backup_last_seconds"],
	["no backup at all", "SvcBackupNever", "svc_backup_last_seconds"],
	["certificates near their end", "SvcCertificateEnds", "svc_certificate_expires_seconds"],
	["a full disk", "SvcDiskFull", "svc_disk_free_bytes"],
	["a database that is away", "SvcDatabaseErrors", "svc_database_errors_total"],
	["writes that stand still", "SvcDatabaseStopped", "svc_database_writes_stalled_seconds"],
	["clocks that differ", "SvcClockSkew", "svc_clock_skew_seconds"],
	["jobs that fail", "SvcJobsFail", "svc_jobs_total"],
	["jobs that wait", "SvcJobsWait", "svc_jobs_oldest_seconds"],
	["calls refused as too many", "SvcRateLimited", "svc_requests_total"],
	["versions that differ between machines", "SvcVersionsDiffer", "svc_build_info"],
])("an operator hears of %s: %s", (_, name, metric) => {
	expect(alerts.find(({ alert }) => alert === name)?.expr).toContain(metric);
});
