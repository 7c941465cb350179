import type { Outcome, Visit } from "./visit.ts";

/** A page by its path; HEAD is answered like GET. */
export interface Route {
	readonly path: string;
	readonly get?: (visit: Visit) => Promise<Outcome>;
	readonly post?: (visit: Visit) => Promise<Outcome>;
}
