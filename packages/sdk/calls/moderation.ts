import type { BlockReason, ModerationItem, ModerationVerb, Report, Tombstone } from "../shapes.ts";
import type { BatchResult, Open } from "../types.ts";
import { type Calls, pagesOf, pathOf } from "../wire/calls.ts";
import type { CallOptions, PostOptions } from "../wire/request.ts";
import type { Transport } from "../wire/transport.ts";

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
export function moderationOf(transport: Transport, calls: Calls) {
	const path = (...rest: string[]) => pathOf("moderation", "images", ...rest);
	const act = (id: string, verb: string, verdict: Release, options?: CallOptions) =>
		calls.post<ModerationItem>(path(id, verb), verdict, options);
	return {
		/** Without a state, lists images with open reports. */
		...pagesOf<ModerationItem, ModeratedFilter>(transport, path(), {
			filters: ["state", "app", "similar_to"],
		}),
		get: (id: string, options?: CallOptions) => calls.get<ModerationItem>(path(id), options),
		/** The picture even if it is blocked or failed: as it is stored or, with a width or height, drawn with at most so many pixels. */
		preview: (id: string, { width, height, format, ...options }: PreviewOptions = {}) =>
			calls.download(path(id, "preview"), { ...options, query: { w: width, h: height, format } }),
		lock: (id: string, verdict: RevisedVerdict = {}, options?: CallOptions) => act(id, "lock", verdict, options),
		unlock: (id: string, verdict: Release = {}, options?: CallOptions) => act(id, "unlock", verdict, options),
		/** Closes the image's open reports. */
		block: (id: string, verdict: RevisedVerdict & WithReason, options?: CallOptions) =>
			act(id, "block", verdict, options),
		unblock: (id: string, verdict: Release = {}, options?: CallOptions) => act(id, "unblock", verdict, options),
		setNsfw: (id: string, nsfw: boolean, verdict: Omit<RevisedVerdict, "reason"> = {}, options?: CallOptions) =>
			calls.patch<ModerationItem>(path(id), { ...verdict, nsfw }, options),
		delete: (id: string, options?: CallOptions) => calls.remove("image", path(id), id, options),
		/** Takes at most 100 images; an item that fails is in `errors`, not thrown. */
		batch: (
			ids: readonly string[],
			action: ModerationVerb,
			verdict: Omit<Release, "revision"> = {},
			options?: PostOptions,
		) =>
			calls.post<BatchResult<ModerationItem | Tombstone>>(
				pathOf("moderation", "batch"),
				{ ...verdict, ids, action },
				options,
			),
		reports: {
			/** Without a state, lists open reports. */
			...pagesOf<Report, { state: Open<"open" | "resolved"> }>(transport, pathOf("moderation", "reports"), {
				filters: ["state"],
			}),
			resolve: (id: string, outcome: "dismissed" | "actioned", options?: CallOptions) =>
				calls.post<Report>(pathOf("moderation", "reports", id, "resolve"), { outcome }, options),
		},
	};
}
