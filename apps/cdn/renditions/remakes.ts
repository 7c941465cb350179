import { LeastRecent } from "@svc/base/pace/least-recent";
import type { Clock, Log, Meters } from "@svc/base/ports";

/** What came of a look at something that was made by an earlier release. */
export type Remade = "made" | "noted" | "unaltered";

export interface RemakesDeps {
	readonly clock: Clock;
	readonly log: Log;
	readonly meters: Pick<Meters, "count" | "gauge">;
}

/** Beyond this nothing more is noted: who is asked for it again notes it again. */
const WAITING_MAX = 1_000;
/** How long what failed is not tried again, and how many of those are remembered. */
const RETRY_MS = 600_000;
const FAILED_MAX = 10_000;

/** Makes anew what earlier releases made otherwise, one thing at a time: what they made is served meanwhile, and nothing waits for it. */
export class Remakes {
	readonly #deps: RemakesDeps;
	readonly #waiting = new Map<string, () => Promise<Remade>>();
	/** When it may be tried again, what failed first before the rest. */
	readonly #failed = new LeastRecent<string, number>(FAILED_MAX);
	#working = false;

	constructor(deps: RemakesDeps) {
		this.#deps = deps;
		deps.meters.gauge("svc_cdn_remakes_waiting", () => this.#waiting.size);
	}

	/** Only takes note, so that the caller does not wait. */
	want(key: string, remake: () => Promise<Remade>): void {
		if (this.#waiting.size >= WAITING_MAX || this.#waiting.has(key)) return;
		if ((this.#failed.get(key) ?? 0) > this.#deps.clock.now()) return;
		this.#waiting.set(key, remake);
		if (!this.#working) this.#work().catch((error: unknown) => this.#fail(key, error));
	}

	async #work(): Promise<void> {
		this.#working = true;
		for (const [key, remake] of this.#waiting) {
			const outcome = await remake().catch((error: unknown) => this.#fail(key, error));
			this.#deps.meters.count("svc_cdn_remakes_total", { outcome });
			// It stays noted until then, so that nobody notes it a second time.
			this.#waiting.delete(key);
		}
		this.#working = false;
	}

	#fail(key: string, error: unknown): "failed" {
		const { log, clock } = this.#deps;
		log.warn("What an earlier release made could not be made anew", { error });
		this.#failed.set(key, clock.now() + RETRY_MS);
		return "failed";
	}
}
