import type { Readiness } from "@svc/api/kit/rooms";
import type { DatabaseHealth } from "@svc/base/database/meta";
import type { BlobStore, Log } from "@svc/base/ports";

interface Probes {
	readonly database: DatabaseHealth;
	readonly blobs: Pick<BlobStore, "probe">;
}

/** Whether the service could take a request now: the database commits and the blob store keeps bytes, tried for real. */
export function readinessOf(probes: Probes, log: Log): { check(): Promise<Readiness>; drain(): void } {
	let draining = false;

	async function attempt(name: keyof Probes): Promise<"ok" | "failed"> {
		try {
			await probes[name].probe();
			return "ok";
		} catch (cause) {
			log.error("a readiness probe failed", { probe: name, cause });
			return "failed";
		}
	}

	return {
		async check() {
			if (draining) return { ready: false, checks: { service: "draining" } };
			const [database, blobs] = await Promise.all([attempt("database"), attempt("blobs")]);
			return { ready: database === "ok" && blobs === "ok", checks: { database, blobs } };
		},
		drain() {
			draining = true;
		},
	};
}
