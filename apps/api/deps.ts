import type { Addresses } from "@svc/core/addresses";
import type { CreateDeps } from "@svc/core/create-image";
import type { Cursors } from "@svc/core/cursors";
import type { KeyStore, Meters, ReductionQueue, SetupStore } from "@svc/core/ports";
import type { RateLimiter } from "@svc/core/rate";
import type { Variant } from "@svc/variants/variant";

/** Everything that the API's routes use; `apps/server` builds it. */
export interface ApiDeps extends CreateDeps {
	readonly keys: KeyStore;
	readonly setup: SetupStore;
	readonly cursors: Cursors;
	readonly reductions: ReductionQueue;
	readonly meters: Meters;
	/** Per key: of all calls, and of creates on top of that. */
	readonly limits: { readonly calls: RateLimiter; readonly creates: RateLimiter };
	readonly variant: Variant;
	readonly addresses: Addresses;
	/** The service's own name, as the API document shows it. */
	readonly name: string;
	/** From when on [C] refuses `public`. */
	readonly publicCutoffMs: number;
	/** Undefined: bootstrapping over the API is off. */
	readonly bootstrapSecret: string | undefined;
	/** The text of `/metrics`. */
	readonly metricsText: () => Promise<string>;
	/** Tries, for real, everything that the service cannot work without; names what failed. */
	readonly readiness: () => Promise<Readiness>;
}

export interface Readiness {
	readonly ready: boolean;
	readonly checks: Readonly<Record<string, "ok" | "failed" | "draining">>;
}
