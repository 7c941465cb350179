import type { Usage, UsageRow } from "../shapes.ts";
import { type Pages, pagesOf } from "../wire/calls.ts";
import type { CallOptions } from "../wire/request.ts";
import type { Transport } from "../wire/transport.ts";

/** What daily usage is asked for. */
export type DailyFilter = {
	/** The first day, as `2026-11-01`, UTC. Default: 30 days ago. */
	readonly from: string;
	/** The day after the last, at most 366 later. Default: tomorrow. */
	readonly to: string;
	/** `app`: the App storage and all users', for App-wide keys. Default: the selected storage. */
	readonly scope: "storage" | "app";
	/** `user`: a row for each storage, with the scope `app`. Default: a row for each day. */
	readonly by: "day" | "user";
};

export interface UsageCalls {
	/** Counters of the selected storage, and the limits of the whole App. What one user may keep is `limits` of `users.get(id)`. */
	get(options?: CallOptions): Promise<Usage>;
	/** What was uploaded and served on each day. Uploads are exact; the rest is at most a minute late. */
	readonly daily: Pages<UsageRow, DailyFilter>;
	/** The same as CSV, all rows. */
	dailyCsv(options?: CallOptions & Partial<DailyFilter>): Promise<ReadableStream<Uint8Array>>;
}

const DAILY_PATH = "/v1/usage/daily";

export function usageOn(transport: Transport): UsageCalls {
	return {
		get: (options = {}) => transport.send("GET", "/v1/usage", options) as Promise<Usage>,
		daily: pagesOf<UsageRow, DailyFilter>(transport, DAILY_PATH, { filters: ["from", "to", "scope", "by"] }),
		dailyCsv({ from, to, scope, by, ...call } = {}) {
			return transport.stream(DAILY_PATH, { ...call, query: { from, to, scope, by, format: "csv" } });
		},
	};
}
