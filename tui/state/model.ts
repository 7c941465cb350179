import type { AppThing } from "@svc/nouns/app";
import { BLOCK_REASONS, MODERATION_STATES, UPLOAD_TICKET_STATES, WEBHOOK_DELIVERY_STATES } from "@svc/sdk/lists";
import type { ModerationVerb } from "@svc/sdk/shapes";
import type { CellSize } from "../preview/box.ts";
import type { Drawing } from "../preview/layer.ts";
import type { Input } from "../terminal/input.ts";
import type { Action, Target } from "./acts/action.ts";
import type { Overlay } from "./overlays/overlay.ts";
import type { ScreenName } from "./screens.ts";
import type { Ground, ThemeName } from "./theme.ts";
import type { Thing } from "./things.ts";

/** What a screen lists of its things, where one may choose; the first one is what it begins with. */
export const QUEUES = {
	moderation: MODERATION_STATES,
	tickets: ["all", ...UPLOAD_TICKET_STATES],
	deliveries: ["all", ...WEBHOOK_DELIVERY_STATES],
} as const satisfies Partial<Record<ScreenName, readonly string[]>>;

export type Queues = { readonly [Name in keyof typeof QUEUES]: (typeof QUEUES)[Name][number] };

/** Each reason to block with the key that chooses it. */
export const REASON_KEYS = BLOCK_REASONS.map((reason, index) => ({ key: String(index + 1), reason }));
/** The keys, as texts name them. */
export const REASON_RANGE = `1 to ${BLOCK_REASONS.length}`;

/** The most ids that one batch call takes. */
export const BATCH_LIMIT = 100;

interface Pending {
	readonly seq: number;
	/** The first page anew, the next one, or what has changed since in what is shown. */
	readonly kind: "first" | "more" | "news";
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
	/** What the service was asked to look for; empty for all. */
	readonly search: string;
	readonly marked: ReadonlySet<string>;
	/** What has come since, while the person is at work further down; nothing moves before they ask for it. */
	readonly held: Held | undefined;
	/** Things that the service does not list any more, and that stay because somebody is at work with them. */
	readonly gone: ReadonlySet<string>;
}

/** A list as it will be. */
interface Held {
	readonly things: readonly Thing[];
	readonly nextCursor: string | undefined;
	/** Ids of those that are new. */
	readonly fresh: ReadonlySet<string>;
}

/** How far the feed of the App was read, and the request that waits for more. */
interface Feed {
	/** Id of the last event; undefined before the first one. */
	readonly after: string | undefined;
	/** Undefined while none waits. */
	readonly seq: number | undefined;
}

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

export interface Notice {
	readonly tone: "good" | "warn" | "danger";
	readonly text: string;
}

/** What the service says of itself by the keys that it gives out. */
export type Mode = "live" | "test";

interface Person {
	readonly email: string;
	readonly operator: boolean;
}

export interface AppInView {
	readonly id: string;
	readonly name: string;
	readonly role: string | undefined;
	/** Whether it may sell plans; undefined before that is known. */
	readonly sells?: boolean | undefined;
}

/** The connected user whose images are listed. */
interface UserInView {
	readonly id: string;
	readonly email: string;
}

/** Images that were deleted together, and can be brought back for a day. */
interface Deletion {
	readonly app: string;
	readonly user: string | undefined;
	readonly ids: readonly string[];
}

/** The webhook endpoint whose deliveries are listed. */
interface EndpointInView {
	readonly id: string;
	readonly url: string;
}

/** A command of the CLI, for the palette. */
export interface CommandLine {
	readonly line: string;
	readonly summary: string;
	/** It changes nothing: it can be run here. */
	readonly reads: boolean;
	/** Words that have to follow it. */
	readonly needs: readonly string[];
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
	/** When a key was pressed last. */
	readonly touchedMs: number;
	readonly profile: string;
	readonly readOnly: boolean;
	readonly commands: readonly CommandLine[];
	readonly person: Person | undefined;
	/** Whether real money moves; undefined where nothing tells. */
	readonly mode: Mode | undefined;
	readonly app: AppInView | undefined;
	readonly screen: ScreenName;
	/** The person named the screen to begin with. */
	readonly namesScreen: boolean;
	/** Screens that are not there for this person, or at this service. */
	readonly absent: readonly ScreenName[];
	/** `picture` shows nothing but the picture. */
	readonly pane: "list" | "detail" | "picture";
	/** What the picture was opened from, and leads back to. */
	readonly under: "list" | "detail";
	/** First line of the detail that is shown. */
	readonly scroll: number;
	readonly queues: Queues;
	/** Whether the audit is read again and again. */
	readonly follows: boolean;
	readonly lists: Readonly<Record<ScreenName, List>>;
	readonly endpoint: EndpointInView | undefined;
	/** Undefined while the App's own images are listed. */
	readonly user: UserInView | undefined;
	/** Undefined before the screen of events was opened. */
	readonly feed: Feed | undefined;
	readonly overlay: Overlay | undefined;
	readonly notice: Notice | undefined;
	/** When the notice came. */
	readonly noticeMs: number;
	/** Flagged images whose picture may be shown. */
	readonly revealed: ReadonlySet<string>;
	/** Pictures are not shown, drawn in characters, or drawn as the terminal's own graphics. */
	readonly pictures: "none" | "cells" | "graphics";
	readonly cell: CellSize;
	/** Undefined while the ground decides. */
	readonly theme: ThemeName | undefined;
	readonly ground: Ground;
	readonly preview: Preview | undefined;
	readonly changes: readonly Change[];
	readonly undos: readonly Undo[];
	readonly deletions: readonly Deletion[];
	/** The App that a form waits for, asked for on this screen; undefined while none does. */
	readonly lookUp: { readonly seq: number; readonly screen: ScreenName } | undefined;
	/** Number of the last request. */
	readonly seq: number;
}

export type Event =
	| Input
	| { readonly type: "resize"; readonly columns: number; readonly rows: number }
	| { readonly type: "tick"; readonly nowMs: number }
	| { readonly type: "slow"; readonly screen: ScreenName; readonly seq: number }
	| {
			readonly type: "met";
			readonly person: Person;
			readonly app: AppInView | undefined;
			readonly mode?: Mode | undefined;
			/** Screens that this service has not. */
			readonly absent?: readonly ScreenName[];
	  }
	| {
			readonly type: "page";
			readonly screen: ScreenName;
			readonly seq: number;
			readonly things: readonly Thing[];
			readonly nextCursor: string | undefined;
			/** Of events: the one behind which the feed goes on. */
			readonly after?: string | undefined;
			/** What is under the cursor, as it is now, where the page does not hold it. */
			readonly selected?: Thing | undefined;
			/** Of plans: whether their App may sell them. */
			readonly sells?: boolean | undefined;
	  }
	/** What has happened since, the newest first. */
	| { readonly type: "happened"; readonly seq: number; readonly things: readonly Thing[] }
	| { readonly type: "unheard"; readonly seq: number; readonly message: string }
	| { readonly type: "refused"; readonly screen: ScreenName; readonly seq: number; readonly message: string }
	| {
			readonly type: "acted";
			readonly seq: number;
			/** The things as they are now. */
			readonly things: readonly Thing[];
			readonly gone: readonly string[];
			readonly failures: readonly {
				readonly id: string;
				readonly message: string;
				/** What is wrong with each field, by its name. */
				readonly details?: Readonly<Record<string, readonly string[]>> | undefined;
			}[];
			/** A secret that the service shows only once. */
			readonly secret?: string | undefined;
	  }
	| { readonly type: "ran"; readonly seq: number; readonly lines: readonly string[] }
	| { readonly type: "saved"; readonly file: string }
	/** `where` is the profile's name; without it, `message` says why it was not kept. */
	| { readonly type: "theme-kept"; readonly where?: string; readonly message?: string }
	| { readonly type: "not-saved"; readonly message: string }
	| { readonly type: "opened"; readonly url: string; readonly isOpen: boolean }
	/** An App as operators see it now, for the form that changes it. */
	| { readonly type: "looked-up"; readonly seq: number; readonly app: AppThing }
	| { readonly type: "not-found"; readonly seq: number; readonly message: string }
	| ({ readonly type: "preview" } & Preview);

export type Effect =
	| { readonly type: "meet"; readonly screen: ScreenName; readonly seq: number }
	| {
			readonly type: "load";
			readonly screen: ScreenName;
			readonly seq: number;
			readonly cursor: string | undefined;
			readonly queues: Queues;
			readonly app: string | undefined;
			readonly operator: boolean;
			readonly endpoint: string | undefined;
			/** Of images: whose they are. */
			readonly user: string | undefined;
			readonly search: string;
			/** Of events: the last one that is there. */
			readonly after: string | undefined;
			/** What is under the cursor, where it is wanted as it is now. */
			readonly selected: string | undefined;
	  }
	/** Waits for what happens behind an event. */
	| { readonly type: "listen"; readonly seq: number; readonly app: string; readonly after: string | undefined }
	| { readonly type: "wait"; readonly screen: ScreenName; readonly seq: number; readonly milliseconds: number }
	/** `opening` is the number of the form that it comes from: sent once more from there, it is done once. */
	| { readonly type: "act"; readonly seq: number; readonly act: Action; readonly opening?: number }
	| { readonly type: "look-up"; readonly screen: ScreenName; readonly seq: number; readonly app: string }
	/** Runs a command of the CLI that only reads, for a pane of this size. */
	| {
			readonly type: "run";
			readonly seq: number;
			readonly line: string;
			readonly app: string | undefined;
			readonly columns: number;
			readonly rows: number;
	  }
	| { readonly type: "copy"; readonly text: string }
	/** Saves a picture beside where the program was started. */
	| { readonly type: "save"; readonly url: string; readonly name: string }
	| { readonly type: "open"; readonly url: string }
	| { readonly type: "keep-theme"; readonly theme: ThemeName | undefined }
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
