import type { Access } from "./billing-types.ts";
import type {
	ACCOUNT_STATUSES,
	APP_STATES,
	BLOCK_REASONS,
	GRANTED_ROLES,
	JOB_STATES,
	REPORT_OUTCOMES,
	SCOPE_NOUNS,
} from "./lists.ts";
import type { AppReference, Image, Key, Open } from "./types.ts";

/* Objects of the management API, named as on the wire. Times are ISO 8601, UTC. */

export type Role = Open<GrantedRole | "owner">;
/** What a member can be made; ownership is transferred instead. */
export type GrantedRole = (typeof GRANTED_ROLES)[number];
export type AppPlan = Open<"free" | "pro" | "unlimited">;
export type BlockReason = Open<(typeof BLOCK_REASONS)[number]>;

/** With its noun's `:read` or `:write`: what a token may be used for. */
export type Scope = `${(typeof SCOPE_NOUNS)[number]}:${"read" | "write"}`;

export interface Account {
	readonly id: string;
	readonly object: "account";
	readonly email: string;
	readonly verified: boolean;
	readonly operator: boolean;
	readonly status: Open<(typeof ACCOUNT_STATUSES)[number]>;
	readonly created_at: string;
}

/** An e-mail code that is under way. */
export interface Login {
	readonly id: string;
	readonly object: "login";
	/** Needed to verify the code: it binds the code to whoever asked for it. */
	readonly secret: string;
	readonly expires_at: string;
	/** From when on another code may be asked for. */
	readonly resend_after: string;
}

export interface Session {
	readonly id: string;
	readonly object: "session";
	readonly kind: Open<"web" | "console">;
	readonly device: string | null;
	/** Until when operators' destructive calls need no new code; null when never confirmed. */
	readonly fresh_until: string | null;
	readonly expires_at: string;
	readonly last_used_at: string | null;
	readonly created_at: string;
}

/** The answer to a right code. */
export interface VerifiedSession extends Session {
	/** For this device to send with its next login: strangers' wrong codes then do not keep it out. */
	readonly device_token: string;
	readonly account: Account;
}

export interface Token {
	readonly id: string;
	readonly object: "token";
	readonly name: string;
	/** Null: not bound to an App. */
	readonly app_id: string | null;
	readonly scopes: readonly Open<Scope>[];
	readonly expires_at: string;
	readonly last_used_at: string | null;
	readonly created_at: string;
}

/** What an answer adds that makes a secret: it is never shown again. */
export interface WithSecret {
	readonly secret: string;
}

export interface AppLimits {
	/** Null: no limit. */
	readonly images: number | null;
	readonly users: number | null;
}

export interface App {
	readonly id: string;
	readonly object: "app";
	readonly name: string;
	readonly state: Open<(typeof APP_STATES)[number]>;
	readonly paused_at: string | null;
	readonly blocked_at: string | null;
	readonly sign_in_enabled: boolean;
	readonly selling_enabled: boolean;
	readonly plan: AppPlan;
	readonly limits: AppLimits;
	/** The caller's own. */
	readonly role: Role;
	readonly created_at: string;
}

/** A key as its App's team sees it. */
export interface ManagedKey extends Omit<Key, "app"> {
	/** Id of an account. */
	readonly created_by: string;
	readonly revoked_at: string | null;
	readonly revoke_reason: string | null;
	/** Id of the key that a rotation made. */
	readonly replaced_by: string | null;
}

export interface Member {
	/** The account's id. */
	readonly id: string;
	readonly object: "member";
	readonly account_id: string;
	readonly email: string;
	readonly role: Role;
	readonly created_at: string;
}

export interface Invite {
	readonly id: string;
	readonly object: "invite";
	readonly email: string;
	readonly role: Role;
	readonly expires_at: string;
	readonly created_at: string;
}

export interface RedirectUri {
	readonly id: string;
	readonly object: "redirect_uri";
	readonly uri: string;
	readonly created_at: string;
}

export interface ConnectedUser {
	/** What `X-Svc-User` takes. */
	readonly id: string;
	readonly object: "connected_user";
	readonly email: string;
	readonly verified: boolean;
	readonly state: Open<"connected" | "disconnecting" | "unavailable">;
	readonly images: number;
	readonly bytes: number;
	/** Null where the App sells nothing. */
	readonly access: Access | null;
	readonly created_at: string;
}

/** An App that the signed-in person is connected to. */
export interface Connection {
	readonly id: string;
	readonly object: "connection";
	readonly app: AppReference;
	/** What the App knows this person by. */
	readonly user_id: string;
	readonly state: Open<"connected" | "disconnecting">;
	readonly images: number;
	readonly bytes: number;
	readonly created_at: string;
}

/** One storage's share of an App's use. */
export interface UserUsage {
	readonly object: "user_usage";
	/** Null: the App storage. */
	readonly user_id: string | null;
	readonly images: number;
	readonly bytes: number;
	readonly uploads_this_month: number;
}

export interface MonthUsage {
	readonly object: "month_usage";
	/** As 2026-09. */
	readonly month: string;
	readonly uploads: number;
}

export interface LabelCount {
	readonly key: string;
	readonly value: string;
	readonly count: number;
}

/** Labels in the App storage. */
export interface Labels {
	readonly object: "labels";
	readonly data: readonly LabelCount[];
	/** Whether there are more labels than are listed. */
	readonly truncated: boolean;
}

export interface AuditEntry {
	readonly id: string;
	readonly object: "audit_entry";
	/** Id of an account, or what acted on its own. */
	readonly actor: string;
	/** What was done, as `key.revoked`. */
	readonly event: string;
	readonly target: string | null;
	readonly changes: Readonly<Record<string, unknown>> | null;
	readonly request_id: string | null;
	readonly created_at: string;
}

export interface Job {
	readonly id: string;
	readonly object: "job";
	readonly kind: Open<
		"storage.empty" | "account.delete" | "app.delete" | "image.process" | "reconcile" | "backup.make"
	>;
	readonly state: Open<(typeof JOB_STATES)[number]>;
	readonly done: number;
	/** Null until it is known. */
	readonly total: number | null;
	readonly failure: string | null;
	readonly result: Readonly<Record<string, unknown>> | null;
	readonly created_at: string;
	readonly ended_at: string | null;
}

export type ModerationVerb = "lock" | "unlock" | "block" | "unblock" | "nsfw" | "not_nsfw" | "delete";

/** What an operator did to an image, as its App's team sees it. */
export interface ModerationAction {
	readonly id: string;
	readonly object: "moderation_action";
	readonly image_id: string;
	readonly action: Open<ModerationVerb>;
	readonly reason: BlockReason | null;
	readonly actor: string;
	readonly created_at: string;
}

/** The same, as operators see it. */
export interface RecordedAction extends ModerationAction {
	readonly note: string | null;
	readonly actor_email: string | null;
}

export interface Placeholder {
	/** Base64. */
	readonly thumbhash: string;
	/** As #rrggbb. */
	readonly colour: string;
}

export interface ModerationItem {
	/** The image's. */
	readonly id: string;
	readonly object: "moderation_item";
	readonly image: Image & { readonly app_id: string; readonly storage: string };
	/** Changes with the image; sent along, it makes sure that nobody has changed the image since. */
	readonly revision: number;
	/** What may be shown in the picture's place; null until it was looked at. */
	readonly placeholder: Placeholder | null;
	readonly locked: boolean;
	readonly blocked_reason: BlockReason | null;
	/** The open ones, as far as they are shown. */
	readonly reports: readonly Report[];
	/** How many are open. */
	readonly reports_count: number;
	readonly actions: readonly RecordedAction[];
	readonly created_at: string;
}

export interface Report {
	readonly id: string;
	readonly object: "report";
	readonly image_id: string;
	/** Null once the App is gone. */
	readonly app_id: string | null;
	readonly reason: BlockReason;
	readonly note: string | null;
	/** Of whoever reported it. */
	readonly email: string | null;
	readonly outcome: Open<(typeof REPORT_OUTCOMES)[number]> | null;
	readonly resolved_at: string | null;
	readonly resolved_by: string | null;
	readonly created_at: string;
}

/** A report was taken; what became of it is not told to whoever made it. */
export interface TakenReport {
	readonly object: "report";
	readonly created_at: string;
}

/** Who signed in at an App, as its backend learns it in exchange for a code. */
export interface AuthContext {
	readonly object: "auth_context";
	readonly app: AppReference;
	readonly user: { readonly id: string; readonly object: "user"; readonly email: string; readonly verified: boolean };
}
