import type { Usage, UsageRow } from "../shapes.js";
import { type Pages } from "../wire/calls.js";
import type { CallOptions } from "../wire/request.js";
import type { Transport } from "../wire/transport.js";
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
export declare function usageOn(transport: Transport): UsageCalls;
