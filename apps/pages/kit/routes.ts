import type { PageResult, Visit } from "./visit.ts";

/** A page by its path; HEAD is answered like GET. */
export interface Route {
	readonly path: string;
	readonly get?: (visit: Visit) => Promise<PageResult>;
	readonly post?: (visit: Visit) => Promise<PageResult>;
}
