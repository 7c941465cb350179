/* What travels over the wire, named as on the wire. Source: specification, "Resources and their fields". */

/**
 * Known values are completed by the editor, unknown ones are no error: a newer service may add values, and clients must keep
 * working (specification, "Versioning" 6).
 */
export type Open<Known extends string> = Known | (string & Record<never, never>);

export type ImageFormat = Open<"jpg" | "png" | "webp" | "avif" | "gif">;
export type ImageStatus = Open<"ready" | "processing" | "failed" | "blocked">;

export interface ImageSize {
	readonly url: string;
	/** Pixels. Absent only in the legacy interface, while an image is `processing`. */
	readonly width?: number;
	readonly height?: number;
}

export interface ImageSizes {
	readonly small: ImageSize;
	readonly medium: ImageSize;
	readonly large: ImageSize;
}

export type StringMap = Readonly<Record<string, string>>;

export interface Image {
	readonly id: string;
	readonly object: "image";
	/** Direct, embeddable address; query parameters transform it (see `imageUrl`). */
	readonly url: string;
	/** The same picture with its short side at 320, 640 and 1080 pixels. */
	readonly sizes: ImageSizes;
	readonly filename: string;
	readonly format: ImageFormat;
	/** Pixels. */
	readonly width: number;
	readonly height: number;
	readonly bytes: number;
	readonly status: ImageStatus;
	/** ISO 8601, UTC; lists are ordered by it. */
	readonly published_at: string;
	/** Null: permanent. */
	readonly expires_at: string | null;
	readonly created_at: string;
	/** Empty where none was given. */
	readonly caption: string;
	readonly metadata: StringMap;
	readonly labels: StringMap;
	readonly nsfw: boolean;
	/** Transition and legacy interfaces only. */
	readonly page_url?: string;
	readonly public?: boolean;
}

/** What a legacy deployment sends: more formats, and no sizes for a source that cannot be transformed. */
export interface LegacyImage extends Omit<Image, "sizes"> {
	readonly sizes: Partial<ImageSizes>;
	readonly transformable: boolean;
}

/** What is left of a deleted thing. */
export interface Tombstone {
	readonly id: string;
	readonly object: Open<"image">;
	readonly deleted: boolean;
}

export interface Pagination {
	readonly has_more: boolean;
	readonly next_cursor: string | null;
	readonly next_url: string | null;
}

export interface List<T> {
	readonly object: "list";
	readonly data: readonly T[];
	readonly pagination: Pagination;
}

export type ErrorType = Open<
	| "invalid_request_error"
	| "authentication_error"
	| "permission_error"
	| "rate_limit_error"
	| "quota_error"
	| "idempotency_error"
	| "processing_error"
	| "api_error"
>;

export type ErrorCode =
	| "validation_error"
	| "not_found"
	| "workspace_unavailable"
	| "state_conflict"
	| "bad_request"
	| "invalid_code"
	| "unauthorized"
	| "forbidden"
	| "media_locked"
	| "media_blocked"
	| "app_blocked"
	| "app_suspended"
	| "user_forbidden"
	| "rate_limited"
	| "quota_exceeded"
	| "idempotency_key_conflict"
	| "idempotency_key_in_progress"
	| "idempotency_recovery_conflict"
	| "upload_failed"
	| "fetch_failed"
	| "import_failed"
	| "media_failed"
	| "server_error"
	| "update_failed"
	| "delete_failed"
	| "app_context_unavailable"
	| "create_outcome_ambiguous";

export interface ErrorAction {
	readonly type: Open<"wait" | "upgrade">;
	/** Whole seconds; with `wait` only. */
	readonly retry_after?: number;
	readonly label?: string;
	readonly url?: string;
}

/** A field of the request, and what is wrong with it. */
export type ErrorDetails = Readonly<Record<string, readonly string[]>>;

export interface ErrorObject {
	readonly type: ErrorType;
	readonly code: Open<ErrorCode>;
	readonly message: string;
	readonly action?: ErrorAction;
	readonly details?: ErrorDetails;
}

export interface ErrorBody {
	readonly error: ErrorObject;
}

export interface BatchError {
	readonly id: string;
	readonly error: ErrorObject;
}

/** 200 when `errors` is empty, 207 when it is not. */
export interface BatchResult<T = Image | Tombstone> {
	readonly object: "batch_result";
	readonly data: readonly T[];
	readonly errors: readonly BatchError[];
}

export interface MonthlyUsage {
	readonly uploads: number;
	readonly uploads_limit: number;
	readonly uploads_remaining: number;
	readonly resets_at: string;
}

export interface StoredTotals {
	readonly images_stored: number;
	readonly storage_used_bytes: number;
	readonly storage_limit_bytes: number;
	readonly storage_remaining_bytes: number;
}

export interface Allowance {
	/** Null for a key that a connected user issued for their own storage. */
	readonly used: number | null;
	/** Null: no limit. */
	readonly limit: number | null;
}

export interface Usage {
	readonly object: "usage";
	readonly monthly: MonthlyUsage;
	readonly totals: StoredTotals;
	/** Treat an unknown plan as a safe default and read `limits`. */
	readonly plan: Open<"free" | "pro" | "unlimited">;
	/** Absent in the legacy interface. */
	readonly limits_enforced?: boolean;
	/** Current interface only; counts the whole App. */
	readonly limits?: { readonly images: Allowance; readonly users: Allowance };
}

export interface AppReference {
	readonly id: string;
	readonly object: "app";
	readonly name: string;
}

export type KeyReach = Open<"app" | "bucket" | "user">;
export type Permission = Open<"read" | "write">;

/** An API key as it may be shown: enough to recognise it, not to use it. */
export interface Key {
	readonly id: string;
	readonly object: "key";
	readonly name: string;
	readonly reach: KeyReach;
	readonly permissions: readonly Permission[];
	readonly prefix: string;
	readonly last4: string;
	readonly last_used_at: string | null;
	/** Null: until revoked. */
	readonly expires_at: string | null;
	readonly created_at: string;
	readonly revoked_at?: string | null;
	readonly app: AppReference;
}
