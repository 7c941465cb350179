import type { FakeAnswer } from "../../fake-world.ts";

const READY = { ready: true, checks: { database: "ok", blobs: "ok" } };

const HEALTH = {
	object: "health",
	...READY,
	version: "0.1.0",
	interface_version: "4.6.0",
	started_at: "2026-01-01T00:00:00.000Z",
	uptime_seconds: 60,
	database: "file",
	queues: { jobs_queued: 0, jobs_failed: 0 },
	counts: { apps: 1, images: 2 },
};

const JOB = {
	id: "job_1",
	object: "job",
	kind: "reconcile",
	state: "done",
	done: 2,
	total: 2,
	failure: null,
	result: { differed: [] },
	created_at: "2026-01-01T00:00:00.000Z",
	ended_at: "2026-01-01T00:00:01.000Z",
};

const BACKUP = { path: "/srv/svc/backups/20260101-000000-a1b2c3d4", images: 2, files: 3, bytes: 4096, damaged: 0 };

/** A service that is well. */
export const SERVER_ANSWERS: readonly FakeAnswer[] = [
	["GET", /^\/healthz$/, () => new Response("ok\n", { headers: { date: "Thu, 01 Jan 2026 00:00:00 GMT" } })],
	["GET", /^\/readyz$/, () => READY],
	["GET", /^\/v1\/operator\/health$/, () => HEALTH],
	["POST", /^\/v1\/operator\/reconcile$/, () => JOB],
	["POST", /^\/v1\/operator\/backups$/, () => ({ ...JOB, kind: "backup.make", result: BACKUP })],
];
