import type { BlockReason, ModerationItem, ModerationVerb, Report, Tombstone } from "../shapes.js";
import type { BatchResult, Open } from "../types.js";
import { type Calls } from "../wire/calls.js";
import type { CallOptions, PostOptions } from "../wire/request.js";
import type { Transport } from "../wire/transport.js";
export interface Verdict {
    readonly reason?: Open<BlockReason> | null | undefined;
    /** A note that other operators read. */
    readonly note?: string | null | undefined;
}
export interface RevisedVerdict extends Verdict {
    /** The item's revision: a `state_conflict` when the image has been changed since. */
    readonly revision?: number | null | undefined;
}
/** Of what takes an action back. */
export interface Release extends RevisedVerdict {
    /** Opens the reports again that the action settled. */
    readonly reopen_reports?: boolean | undefined;
}
export interface PreviewOptions extends CallOptions {
    /** The width in pixels, up to 2,048. */
    readonly width?: number | undefined;
    readonly height?: number | undefined;
    /** Of a picture with a width or height. Default: `png`. */
    readonly format?: "png" | "jpg" | undefined;
}
export interface WithReason {
    readonly reason: Open<BlockReason>;
}
type ModeratedFilter = {
    state: Open<"reported" | "locked" | "blocked" | "nsfw" | "all">;
    app: string;
    /** Id of an image: others of all Apps that look like it, in any state. */
    similar_to: string;
};
/** Moderation of images, for operators. */
export declare function moderationOf(transport: Transport, calls: Calls): {
    list(options?: (import("../wire/calls.js").PageOptions & Partial<ModeratedFilter>) | undefined): Promise<import("../types.js").List<ModerationItem>>;
    all(options?: (import("../wire/calls.js").PageOptions & Partial<ModeratedFilter>) | undefined): AsyncGenerator<ModerationItem, void, undefined>;
    get: (id: string, options?: CallOptions) => Promise<ModerationItem>;
    /** The picture even if it is blocked or failed: as it is stored or, with a width or height, drawn with at most so many pixels. */
    preview: (id: string, { width, height, format, ...options }?: PreviewOptions) => Promise<Blob>;
    lock: (id: string, verdict?: RevisedVerdict, options?: CallOptions) => Promise<ModerationItem>;
    unlock: (id: string, verdict?: Release, options?: CallOptions) => Promise<ModerationItem>;
    /** Closes the image's open reports. */
    block: (id: string, verdict: RevisedVerdict & WithReason, options?: CallOptions) => Promise<ModerationItem>;
    unblock: (id: string, verdict?: Release, options?: CallOptions) => Promise<ModerationItem>;
    setNsfw: (id: string, nsfw: boolean, verdict?: Omit<RevisedVerdict, "reason">, options?: CallOptions) => Promise<ModerationItem>;
    delete: (id: string, options?: CallOptions) => Promise<Tombstone>;
    /** Takes at most 100 images; an item that fails is in `errors`, not thrown. */
    batch: (ids: readonly string[], action: ModerationVerb, verdict?: Omit<Release, "revision">, options?: PostOptions) => Promise<BatchResult<ModerationItem | Tombstone>>;
    reports: {
        list(options?: (import("../wire/calls.js").PageOptions & Partial<{
            state: Open<"open" | "resolved">;
        }>) | undefined): Promise<import("../types.js").List<Report>>;
        all(options?: (import("../wire/calls.js").PageOptions & Partial<{
            state: Open<"open" | "resolved">;
        }>) | undefined): AsyncGenerator<Report, void, undefined>;
        resolve: (id: string, outcome: "dismissed" | "actioned", options?: CallOptions) => Promise<Report>;
    };
};
export {};
