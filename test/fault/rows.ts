/*
 * The rows of the scoreboard, the most telling ones first: what is broken on purpose, by which test, at which size, and the bar. A new row is an
 * entry in ROWS. A test tells what it tried by `found(…)` of scoreboard.ts.
 */

export interface Row {
	readonly name: string;
	readonly bar: string;
	/** A test file, or a program of test/bench. */
	readonly file: string;
	/** Only tests whose titles match; where all take too long, those of the small size. */
	readonly only?: string;
	readonly quickOnly?: string;
	/** The variable that says the size, and the sizes: the usual one, and that of `--full`. For a bench its arguments. */
	readonly size?: string;
	readonly quick?: string;
	readonly full?: string;
	readonly needs?: "sqld" | "versitygw";
	/** Only with `--full`: it takes longer than the ten minutes leave. */
	readonly slow?: true;
}

const NOTHING_LOST = "lost = doubled = orphaned = 0, usage exact";

export const ROWS: readonly Row[] = [
	{
		name: "kill -9: file",
		bar: NOTHING_LOST,
		file: "test/fault/kill.test.ts",
		only: "kills under load",
		size: "SVC_TEST_KILLS",
		quick: "5",
		full: "500",
	},
	{
		name: "kill -9: remote",
		bar: NOTHING_LOST,
		file: "test/fault/kill.test.ts",
		only: "rows on a libSQL server",
		size: "SVC_TEST_KILLS",
		quick: "3",
		full: "200",
		needs: "sqld",
	},
	{
		name: "kill -9: S3",
		bar: NOTHING_LOST,
		file: "test/fault/kill.test.ts",
		only: "in a bucket",
		size: "SVC_TEST_KILLS",
		quick: "3",
		full: "200",
	},
	{
		name: "kill -9: one of three machines",
		bar: NOTHING_LOST,
		file: "test/fault/kill.test.ts",
		only: "libSQL server and a bucket",
		size: "SVC_TEST_KILLS",
		quick: "3",
		full: "40",
		needs: "sqld",
	},
	{
		name: "kill -9: one of three machines, real servers",
		bar: NOTHING_LOST,
		file: "test/fault/kill.test.ts",
		only: "real S3 server",
		size: "SVC_TEST_KILLS",
		quick: "3",
		full: "40",
		needs: "versitygw",
	},
	{
		name: "three machines",
		bar: "a killed one's keys, its lead and deleted renditions are free or gone in 10 s",
		file: "test/e2e/fleet.test.ts",
		needs: "sqld",
	},
	{
		name: "two releases",
		bar: "the last one goes on beside the next",
		file: "test/e2e/side-by-side.test.ts",
		needs: "sqld",
	},
	{
		name: "every call fails",
		bar: "right in kind, nothing leaks, the next try succeeds",
		file: "test/fault/every-call.test.ts",
		size: "SVC_TEST_EVERY_CALL",
		quick: "5",
		full: "1",
	},
	{
		name: "power loss",
		bar: "what was acknowledged is there, the rest whole or absent",
		file: "test/fault/power-loss.test.ts",
		size: "SVC_TEST_POWER_LOSSES",
		quick: "10",
		full: "1000",
	},
	{
		name: "linearizable",
		bar: "an order explains every answer",
		file: "test/fault/linearizable.test.ts",
		size: "SVC_TEST_HISTORIES",
		quick: "2",
		full: "100",
	},
	{
		name: "writes in bursts: three services",
		bar: "the database never stops writing",
		file: "test/fault/stuck-writes.test.ts",
		size: "SVC_TEST_STUCK_SECONDS",
		quick: "10",
		full: "600",
		needs: "sqld",
	},
	{
		name: "a database that stops writing",
		bar: "503 with Retry-After at once; readyz, metric and log tell; reads go on",
		file: "test/fault/stalled-writes.test.ts",
		needs: "sqld",
	},
	{ name: "the checker of histories", bar: "planted violations are found", file: "test/fault/linear.test.ts" },
	{
		name: "lost authority",
		bar: "nothing is committed after a revocation was acknowledged",
		file: "test/http/images/lost-authority.test.ts",
		quickOnly: "current|own storage|the pool",
	},
	{
		name: "lost answers: creates",
		bar: "0; every 503 resolves on retry",
		file: "test/fault/lost-answers.test.ts",
		size: "SVC_TEST_CREATES",
		quick: "60",
		full: "2000",
		needs: "sqld",
	},
	{
		name: "lost answers: changes",
		bar: "each answer true, or 503 that says how to find out",
		file: "test/http/kit/lost-answers.test.ts",
		quickOnly: "change whose answer|doubled|free again within seconds",
		needs: "sqld",
	},
	{
		name: "lost answers: changes of every kind",
		bar: "each answer true, or 503 that says how to find out",
		file: "test/fault/lost-changes.test.ts",
		size: "SVC_TEST_CHANGES",
		quick: "128",
		full: "2000",
		needs: "sqld",
	},
	{
		name: "several servers",
		bar: "one id per key; a delete is seen by all within 2 s",
		file: "test/e2e/two-services.test.ts",
		size: "SVC_TEST_SHARED_KEYS",
		quick: "25",
		full: "500",
		needs: "sqld",
	},
	{ name: "fsync order", bar: "the order, each time", file: "packages/storage/durability.test.ts" },
	{ name: "disk full", bar: "nothing acknowledged lost; deletes work; recovers", file: "test/fault/full-disk.test.ts" },
	{
		name: "the data directory knows itself",
		bar: "no start beside foreign blobs",
		file: "test/e2e/installation.test.ts",
		quickOnly: "a wrong SVC_DATABASE_URL|another installation|a mark that cannot",
	},
	{
		name: "damaged originals",
		bar: "found at the next read or scrub; none is served",
		file: "test/http/transform-host/damage.test.ts",
		quickOnly: "named in the log|changed places|a hundred requests",
	},
	{ name: "scrub", bar: "every damage is found in one round", file: "test/http/operator/scrub.test.ts" },
	{ name: "database away", bar: "stale or 503 with Retry-After", file: "test/fault/database-away.test.ts" },
	{
		name: "a change over a network",
		bar: "true, or unknown; once",
		file: "test/contract/known-outcomes.test.ts",
		size: "SVC_TEST_LOST_CHANGES",
		quick: "100",
		full: "2000",
		needs: "sqld",
	},
	{
		name: "locked by another process",
		bar: "healthz answers; 503 with Retry-After",
		file: "test/http/kit/locked.test.ts",
	},
	{
		name: "trash",
		bar: "nothing that a row names, or that another database may know, goes",
		file: "test/http/images/orphans.test.ts",
	},
	{ name: "the lease on a bucket", bar: "one holder", file: "test/contract/s3-lease.test.ts" },
	{
		name: "bucket silent or refusing",
		bar: "503 or a repeated call, nothing left over",
		file: "test/http/images/s3-faults.test.ts",
	},
	{
		name: "sizes after an upload",
		bar: "nobody meets a cold one",
		file: "test/fault/warm-sizes.test.ts",
		quickOnly: "first visitor",
	},
	{
		name: "a damaged database",
		bar: "not ready, and named",
		file: "test/e2e/damaged-database.test.ts",
	},
	{
		name: "bucket away from the transform host",
		bar: "503 with Retry-After, in time",
		file: "test/http/transform-host/bucket-away.test.ts",
	},
	{
		name: "workers: kill -9 under load",
		bar: "no other request fails, no upload is lost",
		file: "test/fault/worker-kill.test.ts",
		size: "SVC_TEST_WORKER_KILL_SECONDS",
		quick: "6",
		full: "60",
	},
	{
		name: "bombs, measured",
		bar: "the process tree stays under 1 GiB",
		file: "test/bench/bombs.ts",
		slow: true,
	},
	{
		name: "workers that die, hang or eat memory",
		bar: "each costs its own request at most",
		file: "packages/imaging/workers/pool.test.ts",
	},
	{ name: "strangers", bar: "a visitor's thumbnails ≥ 99 % 200", file: "test/fault/strangers.test.ts" },
	{ name: "few descriptors", bar: "never the client's fault", file: "test/e2e/few-descriptors.test.ts" },
	{ name: "health by any Host", bar: "200, at most one probe a second", file: "test/http/operator/probes.test.ts" },
	{
		name: "model",
		bar: "no divergence",
		file: "test/fault/idempotency-model.test.ts",
		size: "SVC_MODEL_SCHEDULES",
		quick: "5000",
		full: "100000",
	},
	{
		name: "differential",
		bar: "same bodies on file and remote",
		file: "test/fault/differential.test.ts",
		needs: "sqld",
	},
	{ name: "SSRF: forms", bar: "0 reached", file: "packages/import/destination.test.ts" },
	{ name: "SSRF: live", bar: "0 reached, 0 sockets left", file: "packages/import/hostile-servers.test.ts" },
	{
		name: "image fuzz",
		bar: "no crash, 1 s and 1 GB at most",
		file: "test/fault/image-fuzz.test.ts",
		size: "SVC_TEST_MUTATIONS",
		quick: "200",
		full: "100000",
	},
	{
		name: "HTTP abuse: requests",
		bar: "no 5xx, nothing left behind",
		file: "test/fault/malformed.test.ts",
		size: "SVC_TEST_MALFORMED",
		quick: "5000",
		full: "100000",
	},
	{ name: "HTTP abuse: sockets", bar: "no 5xx, nothing left behind", file: "test/fault/sockets.test.ts" },
	{ name: "overload", bar: "200, 503 and 429 only; the rest recovers", file: "test/fault/overload.test.ts" },
	{
		name: "jobs: kill -9",
		bar: "every job ends, counters exact",
		file: "test/fault/jobs-kill.test.ts",
		size: "SVC_TEST_JOB_KILLS",
		quick: "3",
		full: "50",
	},
	{ name: "processing: kill -9", bar: "each ends ready, once", file: "test/fault/processing-kill.test.ts" },
	{ name: "export: kill -9", bar: "one mail, the file is whole", file: "test/fault/export-kill.test.ts" },
	{ name: "mail: kill -9", bar: "every mail arrives, none more than twice", file: "test/fault/mail-kill.test.ts" },
	{
		name: "operators' orders: kill -9",
		bar: "deed, entry and mail once",
		file: "test/fault/operator-deeds-kill.test.ts",
	},
	{
		name: "backup and restore",
		bar: "integrity ok, no blob missing",
		file: "test/fault/backup.test.ts",
		size: "SVC_TEST_BACKUPS",
		quick: "2",
		full: "20",
	},
	{ name: "Stripe faults", bar: "each effect once", file: "test/http/billing/stripe-events.test.ts" },
	{ name: "SMTP faults", bar: "each mail once", file: "test/e2e/smtp.test.ts" },
	{ name: "drain", bar: "none cut", file: "test/e2e/drain.test.ts" },
	{ name: "page of fresh pictures", bar: "100 × 200", file: "test/bench/page.ts", quick: "20", full: "100" },
	{
		name: "strangers, measured",
		bar: "≥ 99 % 200 over ten runs",
		file: "test/bench/strangers.ts",
		full: "10 8",
		slow: true,
	},
	{
		name: "overload, measured",
		bar: "health p99 < 200 ms, work ≥ 0.8 ×",
		file: "test/bench/overload.ts",
		full: "60",
		slow: true,
	},
	{ name: "hostile files, measured", bar: "1.2 GB and 5 s at most", file: "test/bench/hostile.ts", slow: true },
	{ name: "soak", bar: "memory does not grow", file: "test/bench/soak.ts", full: "10000", slow: true },
	{
		name: "real bucket",
		bar: "the blob contract holds",
		file: "test/contract/real-bucket.test.ts",
		needs: "versitygw",
	},
];
