import type { EMAIL_STATES } from "./lists.ts";
import type { Account, App, AppLimits, BlockReason, Token } from "./management-types.ts";
import type { Open } from "./types.ts";

/* What operators alone see, named as on the wire. */

/** An App as operators see it. */
export interface OperatedApp extends Omit<App, "role"> {
	readonly block_reason: BlockReason | null;
	/** What operators set; null: the plan's own. */
	readonly own_limits: AppLimits;
	readonly images: number;
	readonly bytes: number;
	readonly users: number;
	readonly owner: Pick<Account, "id" | "email"> | null;
}

/** The first operator's token: `secret` is shown this once. */
export interface FirstToken extends Pick<Token, "id" | "object" | "name" | "scopes" | "expires_at"> {
	readonly secret: string;
	readonly account: Pick<Account, "id" | "object" | "email" | "operator">;
}

/** Codes are in `text` and `html` only where mail stays inside the service. */
export interface Email {
	readonly id: string;
	readonly object: "email";
	readonly template: Open<
		"sign_in_code" | "connect_code" | "step_up_code" | "email_change_code" | "email_changed" | "invite" | "app_blocked"
	>;
	readonly recipient: string;
	readonly subject: string;
	readonly text: string;
	readonly html: string;
	readonly state: Open<(typeof EMAIL_STATES)[number]>;
	readonly attempts: number;
	readonly failure: string | null;
	readonly sent_at: string | null;
	readonly created_at: string;
}

/** Totals of the whole service. */
export interface ServiceUsage {
	readonly object: "service_usage";
	readonly apps: Readonly<Record<"total" | "active" | "paused" | "blocked", number>>;
	readonly accounts: Readonly<Record<"total" | "active" | "disabled" | "deleting", number>>;
	/** Connections of people to Apps. */
	readonly users: number;
	readonly images: Readonly<Record<"stored" | "bytes" | "uploads_this_month", number>>;
	readonly moderation: Readonly<Record<"locked" | "blocked" | "nsfw" | "open_reports", number>>;
}

type Queue =
	| "jobs_queued"
	| "jobs_running"
	| "jobs_failed"
	| "mails_waiting"
	| "trash"
	| "uploads_waiting"
	| "renders_waiting";

export interface ServiceHealth {
	readonly object: "health";
	readonly ready: boolean;
	readonly checks: Readonly<Record<string, Open<"ok" | "failed" | "draining">>>;
	readonly version: string;
	readonly interface_version: string;
	readonly started_at: string;
	readonly uptime_seconds: number;
	readonly database: Open<"file" | "remote">;
	readonly queues: Readonly<Record<Queue, number>>;
	readonly counts: Readonly<Record<"apps" | "accounts" | "users" | "images", number>>;
}

/** The service's clock, where payments are simulated. */
export interface Clock {
	readonly object: "clock";
	readonly now: string;
}

export type SimulatedOutcome = "pay" | "decline" | "bank_confirmation" | "silent" | "refund_later";

export interface Simulation {
	readonly object: "simulation";
	readonly subscription: string;
	readonly outcome: Open<SimulatedOutcome>;
	/** The subscription's own, as the processor has it now. */
	readonly status: string;
}
