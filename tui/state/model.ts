import { BLOCK_REASONS, type MODERATION_STATES } from "@svc/sdk/lists";
import type {
	App,
	AuditEntry,
	BlockReason,
	ConnectedUser,
	ManagedKey,
	ManagedPlan,
	ModerationItem,
	ModerationVerb,
	MonthUsage,
	OperatedApp,
	TrashedBlob,
} from "@svc/sdk/shapes";
import type { Open } from "@svc/sdk/types";
import type { CellSize } from "../preview/box.ts";
import type { Drawing } from "../preview/layer.ts";
import type { Input } from "../terminal/input.ts";

export const SCREENS = ["moderation", "apps", "keys", "users", "plans", "usage", "audit", "trash"] as const;
export type ScreenName = (typeof SCREENS)[number];

/** Which images the moderation screen lists. */
type Queue = (typeof MODERATION_STATES)[number];

/** Each reason to block with the key that chooses it. */
export const REASON_KEYS = BLOCK_REASONS.map((reason, index) => ({ key: String(index + 1), reason }));
/** The keys, as texts name them. */
export const REASON_RANGE = `1 to ${BLOCK_REASONS.length}`;

/** The most ids that one batch call takes. */
export const BATCH_LIMIT = 100;

interface Pending {
	readonly seq: number;
	/** Fetches the next page instead of the first one. */
	readonly more: boolean;
	/** The request has taken long enough to be worth showing. */
	readonly slow: boolean;
}

export interface List {
	readonly things: readonly Thing[];
	readonly nextCursor: string | undefined;
	readonly loaded: boolean;
	readonly pending: Pending | undefined;
	/** The reason for which the list may be stale. */
	readonly error: string | undefined;
	/** Position among the things that the filter shows. */
	readonly cursor: number;
	readonly filter: string;
	readonly marked: ReadonlySet<string>;
}

/** With the `revision` that was seen, the service refuses when the image has changed since. */
export interface Target {
	readonly id: string;
	readonly revision: number;
	/** The reason of a block; undefined where none was chosen. */
	readonly reason: Open<BlockReason> | undefined;
}

export type Action =
	| {
			readonly kind: "moderate";
			readonly verb: ModerationVerb;
			readonly targets: readonly Target[];
			readonly isUndo: boolean;
	  }
	| { readonly kind: "app"; readonly verb: "pause" | "resume" | "unblock"; readonly id: string }
	| { readonly kind: "app"; readonly verb: "block"; readonly id: string; readonly reason: Open<BlockReason> }
	| { readonly kind: "key"; readonly verb: "revoke" | "rotate"; readonly app: string; readonly id: string }
	/** An App-wide key to read and write. */
	| { readonly kind: "new-key"; readonly verb: "create"; readonly app: string; readonly name: string }
	| { readonly kind: "user"; readonly verb: "disconnect"; readonly app: string; readonly id: string }
	| { readonly kind: "plan"; readonly verb: "archive"; readonly app: string; readonly id: string }
	/** Brings stored bytes back into the store. */
	| { readonly kind: "trash"; readonly verb: "restore"; readonly ids: readonly string[] };

/** A change that is shown before the service has answered. */
export interface Change {
	readonly seq: number;
	readonly screen: ScreenName;
	readonly act: Action;
	/** Things by id: the one before the change, and the one shown instead. */
	readonly before: ReadonlyMap<string, { readonly was: Thing; readonly shown: Thing }>;
}

export interface Undo {
	readonly verb: ModerationVerb;
	readonly targets: readonly Target[];
}

export type Overlay =
	| { readonly kind: "filter" }
	/** A block that lacks only its reason: its targets were chosen before the list could change. */
	| {
			readonly kind: "reason";
			readonly of: Extract<Action, { kind: "moderate" }> | { readonly kind: "app"; readonly id: string };
	  }
	| { readonly kind: "name"; readonly typed: string; readonly app: string }
	| { readonly kind: "secret"; readonly secret: string }
	| { readonly kind: "search"; readonly of: "keys" | "palette"; readonly query: string; readonly cursor: number }
	| {
			readonly kind: "confirm";
			readonly question: string;
			readonly expected: string;
			readonly typed: string;
			readonly act: Action;
	  };

interface Notice {
	readonly tone: "good" | "warn" | "danger";
	readonly text: string;
}

interface Person {
	readonly email: string;
	readonly operator: boolean;
}

export interface AppInView {
	readonly id: string;
	readonly name: string;
	readonly role: string | undefined;
}

/** A command of the CLI, for the palette. */
export interface CommandLine {
	readonly line: string;
	readonly summary: string;
}

export interface Preview {
	/** The key is the same for the same picture in the same size. */
	readonly key: string;
	/** Words where there is no picture to show. */
	readonly drawing: Drawing | { readonly kind: "words"; readonly words: string };
}

export interface State {
	readonly columns: number;
	readonly rows: number;
	readonly nowMs: number;
	readonly profile: string;
	readonly readOnly: boolean;
	readonly commands: readonly CommandLine[];
	readonly person: Person | undefined;
	readonly app: AppInView | undefined;
	readonly screen: ScreenName;
	/** `picture` shows nothing but the picture. */
	readonly pane: "list" | "detail" | "picture";
	/** First line of the detail that is shown. */
	readonly scroll: number;
	readonly queue: Queue;
	/** Whether the audit is read again and again. */
	readonly follows: boolean;
	readonly lists: Readonly<Record<ScreenName, List>>;
	readonly overlay: Overlay | undefined;
	readonly notice: Notice | undefined;
	/** Flagged images whose picture may be shown. */
	readonly revealed: ReadonlySet<string>;
	/** Pictures are not shown, drawn in characters, or drawn as the terminal's own graphics. */
	readonly pictures: "none" | "cells" | "graphics";
	readonly cell: CellSize;
	readonly preview: Preview | undefined;
	readonly changes: readonly Change[];
	readonly undos: readonly Undo[];
	/** Number of the last request. */
	readonly seq: number;
}

export type Event =
	| Input
	| { readonly type: "resize"; readonly columns: number; readonly rows: number }
	| { readonly type: "tick"; readonly nowMs: number }
	| { readonly type: "slow"; readonly screen: ScreenName; readonly seq: number }
	| { readonly type: "met"; readonly person: Person; readonly app: AppInView | undefined }
	| {
			readonly type: "page";
			readonly screen: ScreenName;
			readonly seq: number;
			readonly things: readonly Thing[];
			readonly nextCursor: string | undefined;
	  }
	| { readonly type: "refused"; readonly screen: ScreenName; readonly seq: number; readonly message: string }
	| {
			readonly type: "acted";
			readonly seq: number;
			/** The things as they are now. */
			readonly things: readonly Thing[];
			readonly gone: readonly string[];
			readonly failures: readonly { readonly id: string; readonly message: string }[];
			/** A secret that the service shows only once. */
			readonly secret?: string | undefined;
	  }
	| ({ readonly type: "preview" } & Preview);

export type Effect =
	| { readonly type: "meet"; readonly screen: ScreenName; readonly seq: number }
	| {
			readonly type: "load";
			readonly screen: ScreenName;
			readonly seq: number;
			readonly cursor: string | undefined;
			readonly queue: Queue;
			readonly app: string | undefined;
			readonly operator: boolean;
	  }
	| { readonly type: "wait"; readonly screen: ScreenName; readonly seq: number; readonly milliseconds: number }
	| { readonly type: "act"; readonly seq: number; readonly act: Action }
	| { readonly type: "copy"; readonly text: string }
	| { readonly type: "open"; readonly url: string }
	| { readonly type: "quit"; readonly exit: 0 | 130 };

export interface Step {
	readonly state: State;
	readonly effects: readonly Effect[];
}

export function stay(state: State, ...effects: readonly Effect[]): Step {
	return { state, effects };
}

export function say(state: State, tone: Notice["tone"], text: string): State {
	return { ...state, notice: { tone, text } };
}

/** An App, as its team or as an operator sees it. */
export type AppThing = Omit<App, "role"> & Partial<Pick<App, "role"> & Omit<OperatedApp, keyof App>>;

/** A count, often against a limit. */
export interface Gauge {
	readonly id: string;
	readonly object: "gauge";
	readonly label: string;
	readonly unit: "count" | "bytes";
	readonly used: number;
	/** Null means no limit. */
	readonly limit: number | null;
	/** True where it should be nothing, and is not. */
	readonly wrong?: boolean;
	/** Counts, oldest first; only where they are known. */
	readonly months: readonly MonthUsage[];
}

/** Everything that a screen can list. `object` tells them apart. */
export type Thing =
	| ModerationItem
	| AppThing
	| ManagedKey
	| ConnectedUser
	| ManagedPlan
	| AuditEntry
	| Gauge
	| TrashedBlob;
