/* Made by `npm run generate` from the API document: to change this, change the schemas of the service. */

export const ACCESS_STATUSES = ["inactive", "trialing", "active", "grace"] as const;

export const ACCOUNT_STATUSES = ["active", "disabled", "deleting"] as const;

export const APP_BILLING_STATUSES = ["inactive", "trialing", "active", "grace", "unconfirmed"] as const;

export const APP_CHANGE_EFFECTS = ["now", "at_renewal"] as const;

export const APP_IMPORT_STATES = ["importing", "done"] as const;

export const APP_PLANS = ["free", "pro", "unlimited"] as const;

export const APP_STATES = ["active", "paused", "blocked"] as const;

export const BLOCK_REASONS = ["content_policy", "dmca", "spam", "terms"] as const;

export const CHECK_STATES = [
	"ok",
	"slow",
	"failing",
	"failed",
	"damaged",
	"draining",
	"strong",
	"relaxed",
	"missing",
	"moving",
	"spare",
] as const;

export const CHECKOUT_EFFECTS = ["after_payment", "now", "at_renewal"] as const;

export const CONNECTION_STATES = ["connected", "disconnecting"] as const;

export const DATABASE_KINDS = ["file", "remote"] as const;

export const DELIVERY_POLICIES = ["open", "presets", "signed"] as const;

export const DISPUTE_STATES = ["open", "won", "lost"] as const;

export const EMAIL_STATES = ["queued", "sent", "failed"] as const;

export const EMAIL_TEMPLATES = [
	"sign_in_code",
	"connect_code",
	"sign_in_link",
	"connect_link",
	"step_up_code",
	"email_change_code",
	"email_changed",
	"security_letter",
	"address_given_up",
	"invite",
	"export_ready",
	"role_changed",
	"removed_from_team",
	"image_blocked",
	"report_settled",
	"webhook_failing",
	"webhook_disabled",
	"app_unblocked",
	"app_blocked",
	"delivery_unusual",
	"image_host_lost",
	"part_failing",
	"part_healed",
	"subscription_started",
	"trial_started",
	"trial_ending",
	"not_renewed",
	"plan_by_operator",
	"plan_granted",
	"withdrawn",
	"further_refund",
	"paid_twice",
	"paid_unavailable",
	"plan_paused",
	"plan_resumed",
	"app_plan_started",
	"app_plan_failing",
	"app_plan_locked",
	"app_plan_ended",
	"app_limit",
	"payment_disputed",
	"plan_gone",
] as const;

export const ERROR_ACTION_TYPES = ["wait", "upgrade"] as const;

export const ERROR_CODES = [
	"validation_error",
	"not_found",
	"workspace_unavailable",
	"state_conflict",
	"bad_request",
	"invalid_code",
	"unauthorized",
	"forbidden",
	"media_locked",
	"media_blocked",
	"app_blocked",
	"app_suspended",
	"user_forbidden",
	"rate_limited",
	"quota_exceeded",
	"idempotency_key_conflict",
	"idempotency_key_in_progress",
	"idempotency_recovery_conflict",
	"upload_failed",
	"fetch_failed",
	"import_failed",
	"media_failed",
	"server_error",
	"update_failed",
	"delete_failed",
	"app_context_unavailable",
	"create_outcome_ambiguous",
] as const;

export const ERROR_TYPES = [
	"invalid_request_error",
	"authentication_error",
	"permission_error",
	"rate_limit_error",
	"quota_error",
	"idempotency_error",
	"processing_error",
	"api_error",
] as const;

export const EVENT_TYPES = [
	"image.created",
	"image.updated",
	"image.moved",
	"image.restored",
	"image.locked",
	"image.unlocked",
	"image.blocked",
	"image.unblocked",
	"image.deleted",
	"image.expired",
	"upload_ticket.used",
	"user.connected",
	"user.disconnected",
	"subscription.created",
	"subscription.updated",
	"subscription.ended",
	"key.created",
	"key.revoked",
	"app.paused",
	"app.resumed",
	"app.blocked",
	"app.unblocked",
	"app.delivery_unusual",
	"import.done",
	"webhook_endpoint.disabled",
] as const;

export const GRANTED_ROLES = ["viewer", "editor", "admin"] as const;

export const IMAGE_FORMATS = ["jpg", "png", "webp", "avif", "gif"] as const;

export const IMAGE_HOST_RECORD_TYPES = ["TXT"] as const;

export const IMAGE_HOST_STATES = ["pending", "verified", "lost"] as const;

export const IMAGE_STATUSES = ["ready", "processing", "failed", "blocked"] as const;

export const IMPORT_ITEM_STATES = ["queued", "running", "created", "failed", "cancelled"] as const;

export const INTERVALS = ["month", "year"] as const;

export const JOB_KINDS = [
	"storage.empty",
	"account.delete",
	"account.export",
	"app.delete",
	"app_export",
	"image.process",
	"import",
	"image_job",
	"reconcile",
	"trash.collect",
	"backup.make",
	"webhook.recover",
	"billing.deed",
] as const;

export const JOB_STATES = ["queued", "running", "done", "failed"] as const;

export const KEY_REACHES = ["app", "bucket", "user"] as const;

export const LIKENESS_KINDS = ["same_bytes", "same_pixels", "alike"] as const;

export const LOCALES = ["en", "de", "es", "fr", "ja"] as const;

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

export const MODERATION_STATES = ["reported", "locked", "blocked", "nsfw", "all"] as const;

export const MODERATION_VERBS = ["lock", "unlock", "block", "unblock", "nsfw", "not_nsfw", "delete"] as const;

export const OWN_PLAN_KEYS = ["free", "pro", "unlimited", "scale", "max"] as const;

export const OWN_PLAN_STORAGES = ["app", "user", "personal"] as const;

export const PART_STATES = ["ok", "failing"] as const;

export const PERMISSIONS = ["read", "write"] as const;

export const PLAN_SELLER_KINDS = ["app", "service"] as const;

export const REPORT_OUTCOMES = ["dismissed", "actioned"] as const;

export const REPORT_SOURCES = ["person", "service"] as const;

export const REPORT_STATES = ["open", "resolved"] as const;

export const ROLES = ["viewer", "editor", "admin", "owner"] as const;

export const SCOPES = [
	"apps:read",
	"apps:write",
	"keys:read",
	"keys:write",
	"users:read",
	"users:write",
	"plans:read",
	"plans:write",
	"images:read",
	"images:write",
	"images:delete",
	"events:read",
	"events:write",
	"audit:read",
	"audit:write",
	"moderation:read",
	"moderation:write",
	"operator:read",
	"operator:write",
	"moves:write",
] as const;

export const SESSION_KINDS = ["web", "console"] as const;

export const SIMULATED_OUTCOMES = [
	"pay",
	"decline",
	"bank_confirmation",
	"silent",
	"refund_later",
	"dispute",
	"dispute_won",
	"dispute_lost",
] as const;

export const STORE_STATES = ["ok", "failed", "unknown"] as const;

export const SUBSCRIPTION_STATES = ["live", "ended"] as const;

export const TAX_BEHAVIORS = ["inclusive", "exclusive"] as const;

export const TAX_MODES = ["none", "automatic"] as const;

export const UPLOAD_TICKET_FORMATS = ["jpg", "png", "webp", "avif", "gif", "heic"] as const;

export const UPLOAD_TICKET_STATES = ["open", "used", "expired", "cancelled"] as const;

export const USER_STATES = ["connected", "pending", "disconnecting", "unavailable"] as const;

export const WAITING_CHANGE_EFFECTS = ["at_renewal", "after_payment"] as const;

export const WEBHOOK_ATTEMPT_ERRORS = ["timeout", "connection_failed", "address_not_allowed"] as const;

export const WEBHOOK_DELIVERY_STATES = ["pending", "delivered", "failed"] as const;

export const WEBHOOK_DISABLED_REASONS = ["failing", "gone", "manual"] as const;

export const WEBHOOK_ENDPOINT_STATES = ["enabled", "disabled"] as const;
