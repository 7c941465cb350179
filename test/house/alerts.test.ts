import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { judgeRules, promtoolNote, withoutPromtool } from "../support/promtool.ts";

/* Prometheus's own program evaluates each alert of deploy/watch/alerts.yml over series in which nothing is wrong, and over such in which something is. */

const RULES = fileURLToPath(new URL("../../deploy/watch/alerts.yml", import.meta.url));

interface Rule {
	readonly alert: string;
	readonly labels: Readonly<Record<string, string>>;
	readonly annotations: Readonly<Record<string, string>>;
}

const [group] = (Bun.YAML.parse(readFileSync(RULES, "utf8")) as { groups: { rules: Rule[] }[] }).groups;
const rules = new Map(group?.rules.map((rule) => [rule.alert, rule]));

/** A series' values, one for each step, in promtool's own words: `0x9` is ten times 0, `0+5x9` adds 5 nine times, `_x9` is none. */
type Values = string;

interface Case {
	/** Each series with its values where all is well, and where not. */
	readonly series: Readonly<Record<string, readonly [well: Values, wrong: Values]>>;
	/** When it is looked at. */
	readonly at: string;
	/** Between two values and two evaluations; a minute unless said. */
	readonly step?: string;
	/** What the alert has of the series. */
	readonly labels?: Readonly<Record<string, string>>;
	readonly summary: string;
}

const A = { instance: "a" };
const same = (values: Values) => [values, values] as const;

const CASES: Readonly<Record<string, Case>> = {
	SvcDown: {
		series: { 'up{job="svc",instance="a"}': ["1x10", "0x10"] },
		at: "5m",
		labels: { ...A, job: "svc" },
		summary: "a gives no metrics",
	},
	SvcErrors: {
		series: {
			'svc_requests_total{status="200"}': same("0+80x30"),
			'svc_requests_total{status="503"}': ["0x30", "0+20x30"],
		},
		at: "20m",
		summary: "20% of the answers of API and pages are 5xx",
	},
	SvcPicturesFail: {
		series: {
			'svc_cdn_requests_total{outcome="hit-disk"}': same("0+75x30"),
			'svc_cdn_requests_total{outcome="not-found"}': ["0+25x30", "0x30"],
			'svc_cdn_requests_total{outcome="failed"}': ["0x30", "0+20x30"],
			'svc_cdn_requests_total{outcome="damaged"}': ["0x30", "0+5x30"],
		},
		at: "20m",
		summary: "25% of the pictures fail",
	},
	SvcPicturesRefused: {
		series: { 'svc_cdn_shed_total{instance="a"}': ["0+6x30", "0+120x30"] },
		at: "20m",
		labels: A,
		summary: "a refuses 2 renditions a second: too many are asked for",
	},
	SvcSlow: {
		series: {
			'svc_request_seconds_bucket{le="2.5"}': ["0+100x30", "0+90x30"],
			'svc_request_seconds_bucket{le="5"}': same("0+100x30"),
			'svc_request_seconds_bucket{le="+Inf"}': same("0+100x30"),
		},
		at: "20m",
		summary: "One call in a hundred takes longer than 2.5 s",
	},
	SvcDatabaseErrors: {
		series: { 'svc_database_errors_total{instance="a",operation="commit"}': ["0x9 1x20", "0+12x30"] },
		at: "15m",
		labels: { ...A, operation: "commit" },
		summary: "The database fails commits of a",
	},
	SvcDatabaseStopped: {
		series: { 'svc_database_writes_stalled_seconds{instance="a"}': ["0x20", "0x5 30+60x15"] },
		at: "10m",
		labels: A,
		summary: "The libSQL server has stopped writing, seen by a",
	},
	SvcDatabaseRelaxed: {
		series: { 'svc_database_relaxed{instance="a"}': ["0x20", "1x20"] },
		at: "10m",
		labels: A,
		summary: "A power cut of the libSQL server's machine takes acknowledged changes away, seen by a",
	},
	SvcStoreErrors: {
		series: { 'svc_store_errors_total{instance="a",operation="put"}': ["0x9 1x20", "0+12x30"] },
		at: "15m",
		labels: { ...A, operation: "put" },
		summary: "The store of pictures fails put for a",
	},
	SvcDamagedPictures: {
		series: { 'svc_blobs_damaged{kind="changed"}': ["0x10", "0x3 3x7"] },
		at: "5m",
		labels: { kind: "changed" },
		summary: "3 originals are damaged (changed)",
	},
	SvcScrubLate: {
		series: { svc_scrub_last_complete_seconds: ["1+86400x70", "1x70"] },
		step: "1d",
		at: "61d",
		summary: "The originals were not read through for 60 days",
	},
	SvcBackupLate: {
		series: { svc_backup_last_seconds: ["1+3600x100", "1x100"] },
		step: "1h",
		at: "80h",
		summary: "No backup for three days",
	},
	SvcBackupNever: {
		series: { svc_backup_last_seconds: ["0x60 216000x40", "0x100"] },
		step: "1h",
		at: "80h",
		summary: "No backup has been made in three days, and none before",
	},
	SvcPartFails: {
		series: { 'svc_parts_failing{part="mail"}': ["0x5 1x3 0x30", "0x5 1x30"] },
		at: "20m",
		labels: { part: "mail" },
		summary: "mail fails",
	},
	SvcMailWaits: {
		series: { svc_mail_oldest_seconds: ["300x20", "601x20"] },
		at: "10m",
		summary: "A mail has waited for more than ten minutes; people wait for their codes",
	},
	SvcMailFails: {
		series: {
			'svc_mail_sent_total{outcome="sent"}': same("0+50x60"),
			'svc_mail_sent_total{outcome="failed"}': ["0+5x60", "0+50x60"],
		},
		at: "50m",
		summary: "50% of the mails are given up",
	},
	SvcDeliveriesWait: {
		series: { svc_billing_waiting: ["0x5 2x5 0x30", "0x5 2x30"] },
		at: "25m",
		summary: "2 messages of the payment processor are not worked off",
	},
	SvcJobsWait: {
		series: { svc_jobs_oldest_seconds: ["600x20", "1000x20"] },
		at: "10m",
		summary: "A job has been due for more than 15 minutes",
	},
	SvcJobsFail: {
		series: {
			'svc_jobs_total{kind="backup.make",state="done"}': ["0+1x20", "0x20"],
			'svc_jobs_total{kind="backup.make",state="failed"}': ["0x20", "0x5 1x15"],
		},
		at: "10m",
		labels: { kind: "backup.make" },
		summary: "A job has failed for good (backup.make)",
	},
	SvcWebhooksFail: {
		series: {
			'svc_webhook_attempts_total{result="delivered"}': ["0+80x60", "0+20x60"],
			'svc_webhook_attempts_total{result="timeout"}': ["0+20x60", "0+80x60"],
		},
		at: "50m",
		summary: "80% of the tries to deliver events to Apps fail",
	},
	// A busy service always has some that wait: what matters is for how long.
	SvcPurgesWait: {
		series: { svc_purge_waiting: same("9x60"), svc_purge_oldest_seconds: ["2x60", "0+60x60"] },
		at: "40m",
		summary: "A purge of the cache in front has waited for half an hour; it may show what is deleted",
	},
	SvcDiskFull: {
		series: { 'svc_disk_free_bytes{instance="a"}': ["5e9x20", "1073741824x20"] },
		at: "10m",
		labels: A,
		summary: "a has 1GiB left",
	},
	// Those that rest, and those whose visitors have left, are nothing to react to.
	SvcWorkersDie: {
		series: {
			'svc_worker_deaths_total{instance="a",reason="idle"}': same("0+9x30"),
			'svc_worker_deaths_total{instance="a",reason="abandoned"}': same("0+9x30"),
			'svc_worker_deaths_total{instance="a",reason="memory"}': ["0x9 1x20", "0+3x30"],
		},
		at: "20m",
		labels: { ...A, reason: "memory" },
		summary: "45 processes that open pictures ended (memory)",
	},
	SvcUncaught: {
		series: { 'svc_uncaught_total{instance="a"}': ["2x20", "2x12 3x8"] },
		at: "15m",
		labels: A,
		summary: "An error that no code caught in a",
	},
	SvcConnectionsCut: {
		series: { 'svc_connections_cut_total{instance="a"}': ["0+6x20", "0+120x20"] },
		at: "15m",
		labels: A,
		summary: "a has more connections than it may",
	},
	SvcRateLimited: {
		series: {
			'svc_requests_total{status="200"}': same("0+50x40"),
			'svc_requests_total{status="429"}': ["0+5x40", "0+50x40"],
		},
		at: "30m",
		summary: "50% of the calls are refused as too many",
	},
	SvcEventLoopLate: {
		series: { 'svc_event_loop_lag_seconds{instance="a"}': ["0.01x3 2 0.01x20", "0.5x20"] },
		at: "10m",
		labels: A,
		summary: "a answers everything 0.5 s late",
	},
	// One piece of work that was dear passes.
	SvcRequestsWait: {
		series: { 'svc_request_wait_seconds{instance="a"}': ["0.02x3 4 0.02x20", "3x20"] },
		at: "10m",
		labels: A,
		summary: "Requests at a wait 3 s before they are begun",
	},
	SvcClockSkew: {
		series: { 'svc_clock_skew_seconds{instance="a"}': ["-0.2x20", "-3x20"] },
		at: "10m",
		labels: A,
		summary: "The clock of a is 3 s off",
	},
	// A rolling release has both for a while.
	SvcVersionsDiffer: {
		series: {
			'svc_build_info{instance="a",version="0.1.0"}': ["1x50 _x70", "1x120"],
			'svc_build_info{instance="a",version="0.2.0"}': ["_x30 1x90", "_x120"],
			'svc_build_info{instance="b",version="0.2.0"}': same("1x120"),
		},
		at: "100m",
		summary: "2 versions run beside each other",
	},
	SvcCertificateEnds: {
		series: { 'svc_certificate_expires_seconds{instance="a",server="smtp"}': ["9e6x100", "868200x100"] },
		at: "70m",
		labels: { ...A, server: "smtp" },
		summary: "The certificate of the smtp server ends in 10d 0h 0m 0s",
	},
};

/** As promtool takes it. */
function testsOf(alert: string, { series, at, step = "1m", labels = {}, summary }: Case, rule: Rule): object {
	const seriesOf = (place: 0 | 1) =>
		Object.entries(series).map(([name, values]) => ({ series: name, values: values[place] }));
	const risen = {
		exp_labels: { ...rule.labels, ...labels },
		exp_annotations: { ...rule.annotations, summary },
	};
	const expected = (alerts: readonly object[]) => [{ eval_time: at, alertname: alert, exp_alerts: alerts }];
	return {
		rule_files: [RULES],
		evaluation_interval: step,
		tests: [
			{ name: "all is well", interval: step, input_series: seriesOf(0), alert_rule_test: expected([]) },
			{ name: "something is wrong", interval: step, input_series: seriesOf(1), alert_rule_test: expected([risen]) },
		],
	};
}

test("every alert is tried", () => {
	expect(Object.keys(CASES)).toEqual([...rules.keys()]);
});

describe.skipIf(withoutPromtool)(`where something is wrong, and only there, Prometheus raises${promtoolNote}`, () => {
	test.each(Object.entries(CASES))("%s", async (alert, one) => {
		const rule = rules.get(alert);
		if (!rule) throw new Error(`there is no alert ${alert}`);
		expect(await judgeRules(testsOf(alert, one, rule))).toBe("");
	});

	test("nothing else: a test whose alert does not rise is told", async () => {
		const [[alert, one] = ["", undefined]] = Object.entries(CASES);
		const rule = rules.get(alert);
		if (!one || !rule) throw new Error("there are no alerts");
		const calm = Object.fromEntries(Object.entries(one.series).map(([name, [well]]) => [name, same(well)]));
		expect(await judgeRules(testsOf(alert, { ...one, series: calm }, rule))).toContain("something is wrong");
	});
});
