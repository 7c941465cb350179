import { listAudit } from "@svc/apps/activity/audit";
import { startBackup } from "@svc/operator/backups/backups";
import { about, integer as count, dateTime, named, oneOf } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { AUDIT_FILTERS, auditSchema, encodeAudit, readSince } from "../apps/audit.ts";
import { accepted, jobSchema } from "../jobs/jobs.ts";
import { ok } from "../kit/call.ts";
import { isoDate } from "../kit/dates.ts";
import { operatorRoute } from "../kit/person.ts";
import { type ApiRooms, CHECK_STATES, type CheckState } from "../kit/rooms.ts";
import { list, query, route } from "../kit/route.ts";

const usageSchema = named(
	"ServiceUsage",
	v.object({
		object: v.literal("service_usage"),
		apps: named("AppCounts", v.object({ total: count, active: count, paused: count, blocked: count })),
		accounts: named("AccountCounts", v.object({ total: count, active: count, disabled: count, deleting: count })),
		users: about(count, "Connections of people to Apps."),
		images: named("ImageCounts", v.object({ stored: count, bytes: count, uploads_this_month: count })),
		moderation: named(
			"ModerationCounts",
			v.object({ locked: count, blocked: count, nsfw: count, open_reports: count }),
		),
	}),
	"Totals of the whole service.",
);

const mailSchema = named(
	"MailHealth",
	v.object({
		state: oneOf("PartState", ["ok", "failing"]),
		waiting: named(
			"WaitingMails",
			v.object({ code: count, security: count, billing: count, team: count, notice: count }),
		),
		oldest_seconds: about(count, "How long the oldest mail that waits has done so; 0 where none does."),
		last_sent_at: v.nullable(dateTime),
		last_failure: about(v.nullable(v.string()), "Why the last try that failed did."),
	}),
	"`failing` after three failures in a row, or while a code has waited for more than a minute.",
);

const billingSchema = named(
	"BillingHealth",
	v.object({
		processor: v.string(),
		state: oneOf("PartState", ["ok", "failing"]),
		last_delivery_at: v.nullable(dateTime),
		deliveries_waiting: count,
		refused_signatures_1h: about(
			count,
			"Deliveries of the last hour that were not signed with the webhook's secret, in this process.",
		),
		withdrawals_waiting: about(count, "Of which something was not paid back yet."),
		disputes_open: count,
		drifts: about(count, "In how many things the processor differed when it was compared last; an hour ago at most."),
	}),
	"`failing` while deliveries were refused and none was right within the hour, or while something waits for more than ten minutes.",
);

const processSchema = named(
	"ServiceProcess",
	v.object({
		version: v.string(),
		host: v.string(),
		started_at: dateTime,
		last_seen_at: dateTime,
		leads: about(v.boolean(), "It does what needs doing once for all of them."),
		draining: v.boolean(),
		clock_ahead_ms: about(v.nullable(count), "Of the database's clock; null where both are one."),
		store: about(oneOf("StoreState", ["ok", "failed", "unknown"]), "What it last knew of the store of pictures."),
	}),
	"A process of the service, as all of them know it. Its times are the database's.",
);

const healthSchema = named(
	"ServiceHealth",
	v.object({
		object: v.literal("health"),
		ready: v.boolean(),
		degraded: about(v.boolean(), "Something fails, whether or not requests should go elsewhere."),
		checks: v.record(v.string(), oneOf("CheckState", CHECK_STATES)),
		version: v.string(),
		interface_version: v.string(),
		started_at: dateTime,
		uptime_seconds: count,
		database: oneOf("DatabaseKind", ["file", "remote"]),
		processes: v.array(processSchema),
		queues: named(
			"Queues",
			v.object({
				jobs_queued: count,
				jobs_running: count,
				jobs_failed: count,
				mails_waiting: count,
				trash: count,
				uploads_waiting: count,
				renders_waiting: count,
			}),
		),
		blobs: named(
			"BlobHealth",
			v.object({
				damaged: about(count, "Images whose stored bytes are not those that were stored."),
				missing: about(count, "Images whose stored bytes are gone."),
				scrubbed_at: about(v.nullable(dateTime), "When every stored original had been looked at; null before that."),
			}),
		),
		mail: mailSchema,
		billing: billingSchema,
		counts: named("ServiceCounts", v.object({ apps: count, accounts: count, users: count, images: count })),
	}),
);

const FAULTS: ReadonlySet<CheckState> = new Set(["failing", "failed", "damaged"]);

/** Routes about the service as a whole. */
export function operatorOverview(app: Elysia, rooms: ApiRooms): void {
	route(app, "GET", "/v1/operator/usage", operatorRoute(rooms, "operator:read"), {
		operationId: "getServiceUsage",
		summary: "What the whole service holds",
		tags: ["operator"],
		answers: { 200: usageSchema },
		run: () => usage(rooms),
	});
	list(app, rooms, "/v1/operator/audit", operatorRoute(rooms, "operator:read"), {
		operationId: "listServiceAudit",
		summary: "What was done in the whole service, and by whom",
		tags: ["operator"],
		filters: [...AUDIT_FILTERS, "app"].map((name) => query(name)),
		of: auditSchema,
		/** Unlike an App's team, operators read the names of operators. */
		async find({ filters: { app, actor, event, since }, ...span }) {
			const sinceMs = readSince(since);
			const found = app === undefined ? undefined : await rooms.operator.apps.find(app);
			if (app !== undefined && !found) return [];
			return await listAudit(rooms.apps, { appPk: found?.pk, actor, event, sinceMs, unmasked: true }, span);
		},
		encode: encodeAudit,
	});
	route(app, "GET", "/v1/operator/health", operatorRoute(rooms, "operator:read"), {
		operationId: "getServiceHealth",
		summary: "Whether the service works, tried for real, and what waits in it",
		tags: ["operator"],
		answers: { 200: healthSchema },
		run: () => health(rooms),
	});
}

async function usage(rooms: ApiRooms) {
	const { apps, accounts, users, images, bytes, uploadsThisMonth, moderation } = await rooms.operator.totals.read(
		rooms.clock.now(),
	);
	const { openReports, ...states } = moderation;
	return ok<v.InferOutput<typeof usageSchema>>({
		object: "service_usage",
		apps: { total: sum(apps), ...apps },
		accounts: { total: sum(accounts), ...accounts },
		users,
		images: { stored: images, bytes, uploads_this_month: uploadsThisMonth },
		moderation: { ...states, open_reports: openReports },
	});
}

async function health(rooms: ApiRooms) {
	const {
		clock,
		operator: { instance, images },
	} = rooms;
	const now = clock.now();
	const [mail, readiness, queues, totals, damaged, scrub] = [
		await rooms.mail.health.read(),
		await rooms.readiness(),
		await rooms.operator.totals.queues(),
		await rooms.operator.totals.read(now),
		await images.masters.count(),
		await images.scrubPlace.find(),
	];
	const billing = await rooms.billing.health.read();
	const processes = await instance.processes();
	const leader = processes.find(({ draining }) => !draining);
	const waiting = instance.waiting();
	return ok<v.InferOutput<typeof healthSchema>>({
		object: "health",
		...readiness,
		degraded: damaged.size + damaged.digest > 0 || Object.values(readiness.checks).some((state) => FAULTS.has(state)),
		version: instance.version,
		interface_version: rooms.variant.version,
		started_at: isoDate(instance.startedMs),
		uptime_seconds: Math.max(0, Math.floor((now - instance.startedMs) / 1_000)),
		database: instance.database,
		processes: processes.map((one) => ({
			version: one.version,
			host: one.host,
			started_at: isoDate(one.startedMs),
			last_seen_at: isoDate(one.beatMs),
			leads: one === leader,
			draining: one.draining,
			clock_ahead_ms: one.skewMs,
			store: one.blobsWork === null ? "unknown" : one.blobsWork ? "ok" : "failed",
		})),
		queues: {
			jobs_queued: queues.jobsQueued,
			jobs_running: queues.jobsRunning,
			jobs_failed: queues.jobsFailed,
			mails_waiting: queues.mailsWaiting,
			trash: queues.trash,
			uploads_waiting: waiting.uploads,
			renders_waiting: waiting.renders,
		},
		blobs: {
			damaged: damaged.size + damaged.digest,
			missing: damaged.missing,
			scrubbed_at: isoDate(scrub?.completedMs ?? null),
		},
		mail: {
			state: mail.state,
			waiting: mail.waiting,
			oldest_seconds: mail.oldestSeconds,
			last_sent_at: isoDate(mail.lastSentMs),
			last_failure: mail.lastFailure,
		},
		billing: {
			processor: billing.processor,
			state: billing.state,
			last_delivery_at: isoDate(billing.lastDeliveryMs),
			deliveries_waiting: billing.deliveriesWaiting,
			refused_signatures_1h: billing.refusedSignatures,
			withdrawals_waiting: billing.withdrawalsWaiting,
			disputes_open: billing.disputesOpen,
			drifts: billing.drifts,
		},
		counts: { apps: sum(totals.apps), accounts: sum(totals.accounts), users: totals.users, images: totals.images },
	});
}

function sum(parts: Readonly<Record<string, number>>): number {
	return Object.values(parts).reduce((total, part) => total + part, 0);
}

export function operatorBackups(app: Elysia, rooms: ApiRooms): void {
	route(app, "POST", "/v1/operator/backups", operatorRoute(rooms, "operator:write"), {
		operationId: "createBackup",
		summary: "Backs up the database and every image; the job's result tells where the folder is",
		description:
			"The folder lies in `backups` of the service's data directory, or in a bucket. While one backup is being made, its job is answered. A database on a server of its own is backed up there: 409.",
		tags: ["operator"],
		answers: { 202: jobSchema },
		run: async ({ by }) => accepted(await startBackup(rooms.operator, by)),
	});
}
