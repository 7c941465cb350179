/*
 * The lists of words that the tables hold, each written once: types, request schemas, columns and their conditions are made from them.
 * test/http/kit/enumerations.test.ts sends every word that comes in over HTTP to its table and back.
 */

/* Formats */

/** The formats of renditions, and of stored masters in the current variant. */
export const OUTPUT_FORMATS = ["jpg", "png", "webp", "avif", "gif"] as const;

export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** The formats that an uploaded file can be recognised as. */
export const SOURCE_FORMATS = [...OUTPUT_FORMATS, "heic", "svg", "bmp", "ico"] as const;

export type SourceFormat = (typeof SOURCE_FORMATS)[number];

/** Those that an upload ticket may allow: what an App's users have in their hands. */
export const TICKET_FORMATS = [...OUTPUT_FORMATS, "heic"] as const satisfies readonly SourceFormat[];
export type TicketFormat = (typeof TICKET_FORMATS)[number];

/** The formats of a stored image: HEIC becomes a JPEG master when it arrives, a PNG where it is transparent. */
export const IMAGE_FORMATS = [...OUTPUT_FORMATS, "svg", "bmp", "ico"] as const satisfies readonly SourceFormat[];

export type ImageFormat = (typeof IMAGE_FORMATS)[number];

/* Apps and their people */

/** The App's own plan (specification, "Limits", [C]). */
export const APP_PLAN_NAMES = ["free", "pro", "unlimited"] as const;
export type AppPlan = (typeof APP_PLAN_NAMES)[number];

/** The plans that have a price; an App has the other one without paying. */
export const PAID_APP_PLANS = ["pro", "unlimited"] as const satisfies readonly AppPlan[];
export type PaidAppPlan = (typeof PAID_APP_PLANS)[number];

/**
 * Everything that an App can have or pay for itself, whichever interface sold it: a plan, or a tier of its storage. A data directory may
 * change the interface, so that the words of both stay readable in each.
 */
export const OWN_PLAN_KEYS = ["free", "pro", "unlimited", "scale", "max"] as const;
export type OwnPlanKey = (typeof OWN_PLAN_KEYS)[number];

/** Those that have a price. */
export const PAID_OWN_PLAN_KEYS = ["pro", "unlimited", "scale", "max"] as const satisfies readonly OwnPlanKey[];
export type PaidOwnPlanKey = (typeof PAID_OWN_PLAN_KEYS)[number];

/** What an App can run out of: images and users of all of it, bytes of its own storage. */
export const APP_LIMITS = ["images", "users", "bytes"] as const;
export type AppLimit = (typeof APP_LIMITS)[number];

/** Which addresses of an App's images the transform host answers: all, those of a few known forms, those that the App has signed. */
export const DELIVERY_POLICIES = ["open", "presets", "signed"] as const;
export type DeliveryPolicy = (typeof DELIVERY_POLICIES)[number];

/** How an App's own image host stands: its record was not seen yet, was seen, or has been missing for days. */
export const IMAGE_HOST_STATES = ["pending", "verified", "lost"] as const;
export type ImageHostState = (typeof IMAGE_HOST_STATES)[number];

/** The side that paused an App. */
export const PAUSERS = ["owner", "operator"] as const;

/** Lowest first: each may do what those before it may (specification, "Authentication" 7). */
export const ROLES = ["viewer", "editor", "admin", "owner"] as const;
export type Role = (typeof ROLES)[number];

/** The roles that an invite or a change of role may give: there is one Owner, and only a transfer makes another one. */
export const GIVABLE_ROLES = ["viewer", "editor", "admin"] as const satisfies readonly Role[];
export type GivableRole = (typeof GIVABLE_ROLES)[number];

export const ACCOUNT_STATUSES = ["active", "disabled", "deleting"] as const;
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];

export const CONNECTION_STATES = ["connected", "disconnecting", "gone"] as const;
export type ConnectionState = (typeof CONNECTION_STATES)[number];

/** The states of a connection that has not ended. */
export const LIVE_CONNECTION_STATES = ["connected", "disconnecting"] as const satisfies readonly ConnectionState[];
export type LiveConnectionState = (typeof LIVE_CONNECTION_STATES)[number];

/** A browser's session on the hosted pages, a console's, or a named token. */
export const SESSION_KINDS = ["web", "console", "pat"] as const;
export type SessionKind = (typeof SESSION_KINDS)[number];

/** The kinds of session that a sign-in makes. */
export const SIGN_IN_KINDS = ["web", "console"] as const satisfies readonly SessionKind[];
export type SignInKind = (typeof SIGN_IN_KINDS)[number];

/** `console`, `connect` and `account` sign in; `step_up` confirms one's identity, `email` one's new address. */
export const LOGIN_PURPOSES = ["console", "connect", "account", "step_up", "email"] as const;
export type LoginPurpose = (typeof LOGIN_PURPOSES)[number];

/** What a passkey is asked for: to make one, to sign in with one, or to confirm one's identity. */
export const PASSKEY_PURPOSES = ["add", "sign_in", "step_up"] as const;
export type PasskeyPurpose = (typeof PASSKEY_PURPOSES)[number];

/** What a person is told of in a letter by which it can be taken back. `many`: the letter that sums up what had none of its own. */
export const LETTER_DEEDS = [
	"device",
	"token",
	"key",
	"app_connected",
	"operator",
	"transfer",
	"address",
	"passkey_added",
	"passkey_removed",
	"passkey_counter",
	"many",
] as const;
export type LetterDeed = (typeof LETTER_DEEDS)[number];

/* Keys and storages */

/** `app` reaches the App storage and, with a selected user, theirs; `bucket` the App storage; `user` its own. */
export const KEY_REACHES = ["app", "bucket", "user"] as const;
export type KeyReach = (typeof KEY_REACHES)[number];

/** The reaches of the keys that an App's team makes. */
export const APP_KEY_REACHES = ["app", "bucket"] as const satisfies readonly KeyReach[];
export type AppKeyReach = (typeof APP_KEY_REACHES)[number];

/** Stored as bits. */
export const PERMISSIONS = ["read", "write"] as const;
export type Permission = (typeof PERMISSIONS)[number];

/**
 * `app`: the App's own; `user`: a connected user's inside it. Two exist only where the interface has them: `personal`, a person's own
 * outside of every App, and `anonymous`, the pool of creates without a key.
 */
export const STORAGE_KINDS = ["app", "user", "personal", "anonymous"] as const;
export type StorageKind = (typeof STORAGE_KINDS)[number];

export const STORAGE_STATES = ["active", "deleting"] as const;
export type StorageState = (typeof STORAGE_STATES)[number];

/** The size limits of a storage, where the interface sells storages rather than Apps (specification, "Limits", [L]). */
export const TIER_NAMES = ["free", "pro", "scale", "max"] as const;
export type Tier = (typeof TIER_NAMES)[number];

/* Images */

export const IMAGE_STATUSES = ["ready", "processing", "failed", "blocked"] as const;
export type ImageStatus = (typeof IMAGE_STATUSES)[number];

export const BLOB_STATES = ["pending", "live", "dead"] as const;

/** What can be wrong with the stored bytes of an image: there are more or fewer of them, they are others, or there are none. */
export const DAMAGE_KINDS = ["size", "digest", "missing"] as const;
export type DamageKind = (typeof DAMAGE_KINDS)[number];

/** The progress of a create under an Idempotency-Key. */
export const KEPT_CREATE_STATES = ["claimed", "stored", "done"] as const;

/** Of an upload ticket. One whose time is over, or whose maker may not upload any more, reads so before its row says it. */
export const TICKET_STATES = ["open", "used", "expired", "cancelled"] as const;
export type TicketState = (typeof TICKET_STATES)[number];

/** Whose authority an upload ticket has: that of a key, or of a member of the App's team by a session or token. */
export const TICKET_MAKERS = ["key", "session"] as const;

/** The kinds of facts about a picture. */
export const ANALYSIS_KINDS = [
	"faces",
	"focus",
	"content",
	"subject",
	"thumbhash",
	"colour",
	"colours",
	"taken",
	"header",
	"every_face",
	"mends",
	"likeness",
	"pixels",
] as const;
export type AnalysisKind = (typeof ANALYSIS_KINDS)[number];

/** What is kept of a picture: the facts, and which of its renditions are asked for often. */
export const KEPT_FACTS = [...ANALYSIS_KINDS, "compact"] as const;

/* Events */

/** What can happen to an image, as an App's feed names it. */
export const IMAGE_EVENT_TYPES = [
	"image.created",
	"image.updated",
	"image.moved",
	"image.restored",
	"image.locked",
	"image.unlocked",
	"image.blocked",
	"image.unblocked",
] as const;
export type ImageEventType = (typeof IMAGE_EVENT_TYPES)[number];

/** What becomes of an address of an import. */
export const IMPORT_ITEM_STATES = ["queued", "running", "created", "failed", "cancelled"] as const;
export type ImportItemState = (typeof IMPORT_ITEM_STATES)[number];

/** Every type of event in an App's feed; the part before the dot names the object. */
export const EVENT_TYPES = [
	...IMAGE_EVENT_TYPES,
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
export type EventType = (typeof EVENT_TYPES)[number];
type NounOf<Type> = Type extends `${infer Noun}.${string}` ? Noun : never;
/** What events are about: the part of a type before the dot. */
export type EventNoun = NounOf<EventType>;

export const ENDPOINT_STATES = ["enabled", "disabled"] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];

/** Why an endpoint gets nothing: deliveries failed for days, it said that it is gone, or its team said so. */
export const DISABLED_REASONS = ["failing", "gone", "manual"] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

export const WEBHOOK_DELIVERY_STATES = ["pending", "delivered", "failed"] as const;
export type WebhookDeliveryState = (typeof WEBHOOK_DELIVERY_STATES)[number];

/** Why a try of a delivery got no answer. */
export const ATTEMPT_ERRORS = ["timeout", "connection_failed", "address_not_allowed"] as const;
export type AttemptError = (typeof ATTEMPT_ERRORS)[number];

/** An App that comes from another installation: its items arrive, and then it is there. */
export const APP_IMPORT_STATES = ["importing", "done"] as const;
export type AppImportState = (typeof APP_IMPORT_STATES)[number];

/* Moderation */

/**
 * Why an image is reported, and an image or an App is blocked. A new reason needs its texts for the report page and for mails as well:
 * `apps/pages/moderation/messages` and `reason` in `packages/mail/messages`. `npm run generate` brings it to clients.
 */
export const BLOCK_REASONS = ["content_policy", "dmca", "spam", "terms"] as const;
export type BlockReason = (typeof BLOCK_REASONS)[number];

/** Who filed a report: a person, or the service itself for what it has locked or flagged. */
export const REPORT_SOURCES = ["person", "service"] as const;
export type ReportSource = (typeof REPORT_SOURCES)[number];

/** How a picture is like a blocked one. */
export const LIKENESS_KINDS = ["same_bytes", "same_pixels", "alike"] as const;
export type LikenessKind = (typeof LIKENESS_KINDS)[number];

export const REPORT_OUTCOMES = ["dismissed", "actioned"] as const;
export type ReportOutcome = (typeof REPORT_OUTCOMES)[number];

/** The actions of operators on images, as the history names them. */
export const MODERATION_VERBS = ["lock", "unlock", "block", "unblock", "nsfw", "not_nsfw", "delete"] as const;
export type ModerationVerb = (typeof MODERATION_VERBS)[number];

/** What a judge of the operator's own says of a picture. */
export const SCAN_VERDICTS = ["pass", "flag", "lock", "block"] as const;
export type ScanWord = (typeof SCAN_VERDICTS)[number];

/* Money */

export const INTERVALS = ["month", "year"] as const;
export type Interval = (typeof INTERVALS)[number];

/** `app` buys the App's own plan, `user` one that the App sells, or a tier. */
export const SUBSCRIPTION_SUBJECTS = ["app", "user"] as const;

/** Why a person has no more trial in an App. */
export const TRIAL_REASONS = ["trial", "withdrawal"] as const;
export type TrialReason = (typeof TRIAL_REASONS)[number];

/** Whether tax is added to what an App sells. */
export const TAX_MODES = ["none", "automatic"] as const;
export type TaxMode = (typeof TAX_MODES)[number];

/** Whether an App's prices hold the tax, or it comes on top. */
export const TAX_BEHAVIORS = ["inclusive", "exclusive"] as const;
export type TaxBehavior = (typeof TAX_BEHAVIORS)[number];

/** How a payment stands that the payer's bank asked back. */
export const DISPUTE_STATES = ["open", "won", "lost"] as const;
export type DisputeState = (typeof DISPUTE_STATES)[number];

/** The kinds of objects that the simulated processor stores. */
export const SIM_KINDS = ["price", "checkout", "subscription", "event"] as const;
export type SimKind = (typeof SIM_KINDS)[number];

/* The service */

/** The parts whose failing operators hear of by mail. */
export const WATCHED_PARTS = ["mail", "billing", "store", "backup", "scan"] as const;
export type WatchedPart = (typeof WATCHED_PARTS)[number];

/** The languages of pages and mails, by their codes; the first is spoken where no other is known. A new one: docs/languages.md. */
export const LOCALES = ["en", "de", "es", "fr", "ja"] as const;
export type Locale = (typeof LOCALES)[number];

export const JOB_STATES = ["queued", "running", "done", "failed"] as const;
export type JobState = (typeof JOB_STATES)[number];
