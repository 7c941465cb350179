/* Made by `npm run generate` from the API document: to change this, change the schemas of the service. */
/* Named as on the wire. Times are ISO 8601, UTC. */

import type {
	ACCESS_STATUSES,
	ACCOUNT_STATUSES,
	APP_BILLING_STATUSES,
	APP_CHANGE_EFFECTS,
	APP_IMPORT_STATES,
	APP_PLANS,
	APP_STATES,
	BLOCK_REASONS,
	CHECK_STATES,
	CHECKOUT_EFFECTS,
	CONNECTION_STATES,
	DATABASE_KINDS,
	DELIVERY_POLICIES,
	DISPUTE_STATES,
	EMAIL_STATES,
	EMAIL_TEMPLATES,
	ERROR_ACTION_TYPES,
	ERROR_CODES,
	ERROR_TYPES,
	EVENT_TYPES,
	GRANTED_ROLES,
	IMAGE_FORMATS,
	IMAGE_HOST_RECORD_TYPES,
	IMAGE_HOST_STATES,
	IMAGE_STATUSES,
	IMPORT_ITEM_STATES,
	INTERVALS,
	JOB_KINDS,
	JOB_STATES,
	KEY_REACHES,
	LIKENESS_KINDS,
	LOCALES,
	LOG_LEVELS,
	MODERATION_STATES,
	MODERATION_VERBS,
	OWN_PLAN_KEYS,
	OWN_PLAN_STORAGES,
	PART_STATES,
	PERMISSIONS,
	PLAN_SELLER_KINDS,
	REPORT_OUTCOMES,
	REPORT_SOURCES,
	REPORT_STATES,
	ROLES,
	SCOPES,
	SESSION_KINDS,
	SIMULATED_OUTCOMES,
	STORE_STATES,
	SUBSCRIPTION_STATES,
	TAX_BEHAVIORS,
	TAX_MODES,
	UPLOAD_TICKET_FORMATS,
	UPLOAD_TICKET_STATES,
	USER_STATES,
	WAITING_CHANGE_EFFECTS,
	WEBHOOK_ATTEMPT_ERRORS,
	WEBHOOK_DELIVERY_STATES,
	WEBHOOK_DISABLED_REASONS,
	WEBHOOK_ENDPOINT_STATES,
} from "./lists.ts";
import type { Open } from "./types.ts";

/** What a connected user may use of what an App sells. */
export interface Access {
	/** Null without a plan. */
	readonly plan_key: string | null;
	readonly status: Open<AccessStatus>;
	readonly expires_at: string | null;
}

export type AccessStatus = (typeof ACCESS_STATUSES)[number];

export interface Account {
	readonly id: string;
	readonly object: "account";
	readonly email: string;
	readonly verified: boolean;
	readonly operator: boolean;
	readonly locale: Open<Locale> | null;
	readonly status: Open<AccountStatus>;
	readonly created_at: string;
}

export interface AccountCounts {
	readonly total: number;
	readonly active: number;
	readonly disabled: number;
	readonly deleting: number;
}

export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];

export interface Allowance {
	/** Null for a key that a connected user issued for their own storage. */
	readonly used: number | null;
	/** Null: no limit. */
	readonly limit: number | null;
}

export interface App {
	readonly id: string;
	readonly object: "app";
	readonly name: string;
	readonly state: Open<AppState>;
	readonly paused_at: string | null;
	readonly blocked_at: string | null;
	readonly sign_in_enabled: boolean;
	readonly selling_enabled: boolean;
	readonly plan: Open<OwnPlanKey>;
	/** What counts: the plan's, or what operators set. */
	readonly limits: AppLimits;
	/** Of each user who has no plan of the App. */
	readonly free_limits: UserLimits;
	/** Who is behind it, as people see it who sign in and pay. */
	readonly profile: AppProfile;
	/** Of what is bought from now on; what was bought before keeps its own. */
	readonly tax: AppTax;
	/** Whether the processor's checkout takes its own promotion codes. */
	readonly promotion_codes: boolean;
	/** Which addresses of its images the transform host answers. */
	readonly delivery: Open<DeliveryPolicy>;
	/** The hosts whose pages may show its images; `*.example.com` is all below it. Empty: all pages. Requests that name no page are answered. */
	readonly delivery_referrers: readonly string[];
	/** What is served, and made, of its images on a day (UTC) at most; the rest is answered 429 until the next one. */
	readonly delivery_limits: DeliveryLimits;
	/** The App's own host for its images; null: they are on the service's. */
	readonly image_host: ImageHost | null;
	readonly created_at: string;
	/** The caller's own. */
	readonly role: Open<Role>;
	/** In a list, with `include=usage`: what all of its storages hold. */
	readonly usage?: AppHolds;
	/** Of one App, with `include=needs`: what needs somebody. */
	readonly needs?: AppNeeds;
}

/** The App's own plan. */
export interface AppBilling {
	/** The App's. */
	readonly id: string;
	readonly object: "app_billing";
	readonly created_at: string;
	/** The plan in force: the better one of those that it pays for and that operators have granted. */
	readonly plan: Open<OwnPlanKey>;
	/** Null where it pays for none. */
	readonly paid_plan: Open<OwnPlanKey> | null;
	/** What operators have granted; what is paid for goes on beside it. */
	readonly granted_plan: Open<OwnPlanKey> | null;
	/** How often it is paid for; null where nothing is. */
	readonly interval: Open<Interval> | null;
	/** In the currency's smallest unit; null where nothing will be charged. */
	readonly next_charge: NextCharge | null;
	/** While a payment fails: when the plan ends that it is for. */
	readonly locks_at: string | null;
	/** Of the subscription that pays for it; `inactive` where nothing is paid. */
	readonly status: Open<AppBillingStatus>;
	readonly current_period_end: string | null;
	readonly cancel_at_period_end: boolean;
	readonly pending_plan: Open<OwnPlanKey> | null;
	readonly pending_effective_at: string | null;
	readonly plans: readonly AppPlanOffer[];
}

export type AppBillingStatus = (typeof APP_BILLING_STATUSES)[number];

export type AppChangeEffect = (typeof APP_CHANGE_EFFECTS)[number];

export interface AppCheckout {
	readonly object: "app_checkout";
	readonly plan: Open<OwnPlanKey>;
	readonly effective: Open<CheckoutEffect>;
	/** Where to pay; null where nothing is to be paid. */
	readonly url: string | null;
}

export interface AppCounts {
	readonly total: number;
	readonly active: number;
	readonly paused: number;
	readonly blocked: number;
}

export interface AppHolds {
	readonly images: number;
	readonly bytes: number;
	readonly users: number;
}

export type AppImage = Image & {
	/** Why moderation has blocked it; null unless it is blocked. */
	readonly blocked_reason: Open<BlockReason> | null;
	/** Whether moderation keeps it from being changed. */
	readonly locked: boolean;
};

/** An App on its way here: nothing of it is served before it is `done`. */
export interface AppImport {
	readonly id: string;
	readonly object: "app_import";
	/** The id that the App has, and will have here. */
	readonly app: string;
	readonly state: Open<AppImportState>;
	readonly images: AppImportImages;
	readonly created_at: string;
}

/** Records of images: how many the file says, how many are here, and how many of those without their bytes. */
export interface AppImportImages {
	readonly expected: number;
	readonly here: number;
	readonly missing: number;
}

export type AppImportState = (typeof APP_IMPORT_STATES)[number];

export interface AppLimits {
	/** Null: no limit. */
	readonly images: number | null;
	/** Null: no limit. */
	readonly users: number | null;
}

export interface AppNeeds {
	/** The newest key that works; null: a program needs one. */
	readonly newest_key: ManagedKey | null;
	/** Keys that end within 14 days, at most 20. */
	readonly ending_keys: readonly ManagedKey[];
	/** Webhook endpoints that were switched off because nothing could be delivered, at most 20. */
	readonly stopped_endpoints: readonly WebhookEndpoint[];
}

export interface AppOwner {
	readonly id: string;
	readonly email: string;
}

export type AppPlan = (typeof APP_PLANS)[number];

/** What a change of the plan that an App pays for would cost. */
export interface AppPlanChange {
	readonly object: "app_plan_change";
	readonly plan: Open<OwnPlanKey>;
	readonly effective: Open<AppChangeEffect>;
	/** What is charged at once, in the currency's smallest unit. */
	readonly amount_now: number;
	/** What is charged next, in the currency's smallest unit. */
	readonly next_amount: number;
	readonly next_at: string;
	readonly currency: string;
	/** Sent with the checkout within 15 minutes, the change costs just this. */
	readonly at: string;
}

/** One of the plans that an App itself can be on. */
export interface AppPlanOffer {
	readonly object: "app_plan";
	readonly key: Open<OwnPlanKey>;
	readonly limits: AppLimits;
	/** In whole units of its currency. */
	readonly price_per_month: number;
	readonly currency: string;
	readonly monthly_uploads: number;
	readonly storage_bytes: number;
	/** In the currency's smallest unit; none for a plan that cannot be bought. */
	readonly prices: readonly AppPlanPrice[];
}

export interface AppPlanPrice {
	readonly amount: number;
	readonly currency: string;
	readonly interval: Open<Interval>;
}

export interface AppProfile {
	readonly developer: string | null;
	readonly homepage_url: string | null;
	readonly privacy_url: string | null;
	readonly terms_url: string | null;
	readonly support_email: string | null;
	/** An image of the App's own storage. */
	readonly logo_image_id: string | null;
	/** As #rrggbb: of buttons and links where people sign in and pay; made darker or lighter where it could not be read. */
	readonly accent_color: string | null;
}

export interface AppReference {
	readonly id: string;
	readonly object: "app";
	readonly name: string;
}

export type AppState = (typeof APP_STATES)[number];

export interface AppTax {
	readonly mode: Open<TaxMode>;
	readonly behavior: Open<TaxBehavior>;
}

export interface AuditEntry {
	readonly id: string;
	readonly object: "audit_entry";
	/** Id of an account or a key, or the name of a job. */
	readonly actor: string;
	/** What was done, as `key.revoked`. */
	readonly event: string;
	readonly target: string | null;
	readonly changes: Readonly<Record<string, unknown>> | null;
	readonly request_id: string | null;
	readonly created_at: string;
}

/** Who signed in at an App, as its backend learns it in exchange for a code. */
export interface AuthContext {
	readonly object: "auth_context";
	readonly app: AppReference;
	readonly user: SignedInUser;
}

export interface BatchError {
	readonly id: string;
	readonly error: ErrorObject;
}

/** `failing` while deliveries were refused and none was right within the hour, or while something waits for more than ten minutes. */
export interface BillingHealth {
	readonly processor: string;
	readonly state: Open<PartState>;
	readonly last_delivery_at: string | null;
	readonly deliveries_waiting: number;
	/** Deliveries of the last hour that were not signed with the webhook's secret, in this process. */
	readonly refused_signatures_1h: number;
	/** Of which something was not paid back yet. */
	readonly withdrawals_waiting: number;
	readonly disputes_open: number;
	/** In how many things the processor differed when it was compared last; an hour ago at most. */
	readonly drifts: number;
}

/** Where one user of an App stands: `access` says what they may use. */
export interface BillingStatus {
	readonly object: "billing_status";
	readonly app: AppReference;
	readonly purchasing_enabled: boolean;
	readonly trial_eligible: boolean;
	readonly has_subscribed: boolean;
	readonly access: Access;
	readonly subscription: Subscription | null;
	/** Where the user's browser is sent to buy and to manage. */
	readonly billing_url: string;
}

export interface BlobHealth {
	/** Images whose stored bytes are not those that were stored. */
	readonly damaged: number;
	/** Images whose stored bytes are gone. */
	readonly missing: number;
	/** When every stored original had been looked at; null before that. */
	readonly scrubbed_at: string | null;
}

export type BlockReason = (typeof BLOCK_REASONS)[number];

/** What a change to another price would cost now. */
export interface ChangePreview {
	readonly object: "change_preview";
	/** What is charged at once, in the currency's smallest unit. */
	readonly amount_now: number;
	readonly currency: string;
	/** What is left for later invoices once the change is made. */
	readonly credit: number;
	/** In the currency's smallest unit. */
	readonly next_amount: number;
	readonly next_at: string;
	readonly effective_at: string;
	readonly lines: readonly InvoiceLine[];
}

export type CheckState = (typeof CHECK_STATES)[number];

export type CheckoutEffect = (typeof CHECKOUT_EFFECTS)[number];

/** The service's clock, where payments are simulated. */
export interface Clock {
	readonly object: "clock";
	readonly now: string;
}

export interface ConnectedUser {
	/** What `X-Svc-User` takes. */
	readonly id: string;
	readonly object: "connected_user";
	readonly email: string;
	readonly verified: boolean;
	readonly state: Open<UserState>;
	readonly images: number;
	readonly bytes: number;
	/** What they may keep at present: by the plan that they have, or what the App says for users without one. Null in an event alone. */
	readonly limits: UserLimits | null;
	/** What they have bought, as it was read last, or are given; null where the App sells nothing. */
	readonly access: Access | null;
	/** What they are given for nothing at present; what they pay for goes before it. */
	readonly grant: Grant | null;
	/** The last day on which anything was asked of their storage, by them or about them, as 2026-11-22 (UTC); null where nothing was, and in an event. */
	readonly last_used_on: string | null;
	readonly created_at: string;
}

/** An App that the signed-in person is connected to. */
export interface Connection {
	readonly id: string;
	readonly object: "connection";
	readonly app: AppReference;
	/** What the App knows this person by. */
	readonly user_id: string;
	readonly state: Open<ConnectionState>;
	readonly images: number;
	readonly bytes: number;
	readonly created_at: string;
}

export type ConnectionState = (typeof CONNECTION_STATES)[number];

export interface ConsoleTicket {
	readonly object: "console_ticket";
	/** Opens the console in a browser, once; null where the answer is a replay. */
	readonly url: string | null;
	readonly expires_at: string;
}

export type DatabaseKind = (typeof DATABASE_KINDS)[number];

export type DeletedImage = Image & {
	/** Why moderation has blocked it; null unless it is blocked. */
	readonly blocked_reason: Open<BlockReason> | null;
	/** Whether moderation keeps it from being changed. */
	readonly locked: boolean;
	/** When it was deleted; it can be restored for 24 hours from then. */
	readonly deleted_at: string;
};

export interface DeliveryLimits {
	/** Null: any number. */
	readonly bytes: number | null;
	/** Null: any number. */
	readonly renditions: number | null;
}

export type DeliveryPolicy = (typeof DELIVERY_POLICIES)[number];

export interface DeliveryUsage {
	readonly today: ServedOnDay;
	readonly usual: ServedOnDay;
}

/** A payment that the payer's bank asked back; of several the newest. */
export interface Dispute {
	readonly state: Open<DisputeState>;
	readonly amount: number;
	readonly at: string;
}

export type DisputeState = (typeof DISPUTE_STATES)[number];

/** Codes are in `text` and `html` only where mail stays inside the service. */
export interface Email {
	readonly id: string;
	readonly object: "email";
	readonly template: Open<EmailTemplate>;
	readonly recipient: string;
	readonly subject: string;
	readonly text: string;
	readonly html: string;
	readonly state: Open<EmailState>;
	/** It is to a test person, and is not sent. */
	readonly test: boolean;
	readonly attempts: number;
	readonly failure: string | null;
	readonly sent_at: string | null;
	readonly created_at: string;
}

export type EmailState = (typeof EMAIL_STATES)[number];

export type EmailTemplate = (typeof EMAIL_TEMPLATES)[number];

/** How many were ended. */
export interface Ended {
	readonly object: "ended";
	readonly sessions: number;
	readonly tokens: number;
}

export interface ErrorBody {
	readonly error: ErrorObject;
}

export interface ErrorAction {
	readonly type: Open<ErrorActionType>;
	/** Whole seconds; with `wait` only. */
	readonly retry_after?: number;
	readonly label?: string;
	readonly url?: string;
}

export type ErrorActionType = (typeof ERROR_ACTION_TYPES)[number];

export type ErrorCode = (typeof ERROR_CODES)[number];

export interface ErrorObject {
	readonly type: Open<ErrorType>;
	readonly code: Open<ErrorCode>;
	readonly message: string;
	readonly action?: ErrorAction;
	/** By field of the request: what is wrong with it. */
	readonly details?: Readonly<Record<string, readonly string[]>>;
}

export type ErrorType = (typeof ERROR_TYPES)[number];

/** What happened to an App. Readers ignore types and fields that they do not know. */
export interface Event {
	readonly id: string;
	readonly object: "event";
	readonly created_at: string;
	readonly type: Open<EventType>;
	readonly app_id: string;
	/** Null: about the App itself, or its own storage. */
	readonly user_id: string | null;
	/** Of the call that made the change; null where none did. */
	readonly request_id: string | null;
	readonly data: EventData;
}

export interface EventData {
	/** As the change left it; of an erased user's only `id` and `object`. */
	readonly object: EventObject;
	/** On `image.updated` and `image.moved`: the former values of what changed. */
	readonly previous?: Readonly<Record<string, unknown>>;
	/** On `image.locked` and `image.blocked`. */
	readonly reason?: string;
	/** On `app.delivery_unusual`: so far on that day, and on a day of the two weeks before it. */
	readonly usage?: DeliveryUsage;
}

export interface EventObject {
	readonly id?: string;
	readonly object: string;
}

export type EventType = (typeof EVENT_TYPES)[number];

/** What is known of the picture itself. */
export interface Facts {
	/** ThumbHash in base64; null until computed, seconds after the create. */
	readonly thumbhash: string | null;
	/** Up to five, as #rrggbb, most of the picture first; null likewise. */
	readonly colors: readonly string[] | null;
	/** By the EXIF data; read as UTC where that names no offset. */
	readonly taken_at: string | null;
	/** True for a photo with a gain map (Ultra HDR); left out of others, and until it was looked at. */
	readonly hdr?: boolean;
	/** Of the bytes as they were sent or fetched, in hexadecimal. */
	readonly sha256: string;
}

/** The first operator's token: `secret` is shown this once. */
export interface FirstToken {
	readonly id: string;
	readonly object: "token";
	readonly name: string;
	/** Null: not bound to an App. */
	readonly app_id: string | null;
	readonly scopes: readonly Open<Scope>[];
	readonly expires_at: string;
	readonly last_used_at: string | null;
	readonly created_at: string;
	readonly secret: string;
	readonly account: Account;
}

/** A plan that a user of an App is given for nothing; what they pay for goes before it. */
export interface Grant {
	readonly id: string;
	readonly object: "grant";
	readonly user_id: string;
	readonly plan_key: string;
	readonly plan_name: string;
	readonly until: string;
	/** The user reads it. */
	readonly reason: string;
	/** The account that gave it. */
	readonly granted_by: string;
	readonly ended_at: string | null;
	readonly created_at: string;
}

export type GrantedRole = (typeof GRANTED_ROLES)[number];

export interface Image {
	readonly id: string;
	readonly object: "image";
	/** Direct, embeddable address; query parameters transform the picture. */
	readonly url: string;
	/** The same picture with its short side at 320, 640 and 1080 pixels; empty for a source that cannot be transformed. */
	readonly sizes: ImageSizes;
	readonly filename: string;
	readonly format: Open<ImageFormat>;
	/** Pixels. */
	readonly width: number;
	readonly height: number;
	readonly bytes: number;
	readonly status: Open<ImageStatus>;
	/** Lists are ordered by it. */
	readonly published_at: string;
	/** Null: permanent. */
	readonly expires_at: string | null;
	readonly created_at: string;
	/** Empty where none was given. */
	readonly caption: string;
	readonly metadata: Readonly<Record<string, string>>;
	readonly labels: Readonly<Record<string, string>>;
	readonly nsfw: boolean;
	/** The App's own name for it; only where one was given. Only in interface 4.6.0. */
	readonly external_id?: string;
	/** With `include=facts`. Only in interface 4.6.0. */
	readonly facts?: Facts;
	/** With `include=preview`: an address of `size=s` alone that is answered under every delivery policy, for five to ten minutes. Only in interface 4.6.0. */
	readonly preview?: Preview | null;
	/** With `include=revision`: the number of its last change, for `if_revision`. Only in interface 4.6.0. */
	readonly revision?: number;
	/** Only in interface 4.4.0-transition and 4.2.0. */
	readonly page_url?: string;
	/** Only in interface 4.4.0-transition and 4.2.0. */
	readonly public?: boolean;
	/** Only in interface 4.2.0. */
	readonly transformable?: boolean;
}

export interface ImageCounts {
	readonly stored: number;
	readonly bytes: number;
	readonly uploads_this_month: number;
}

export type ImageFormat = (typeof IMAGE_FORMATS)[number];

export interface ImageHost {
	readonly host: string;
	/** `verified`: addresses of its images name this host. `lost`: its record has been missing for three days, or says another App. */
	readonly state: Open<ImageHostState>;
	/** What has to stand in the DNS, for as long as the host is used. */
	readonly record: ImageHostRecord;
}

export interface ImageHostRecord {
	readonly type: Open<ImageHostRecordType>;
	readonly name: string;
	readonly value: string;
}

export type ImageHostRecordType = (typeof IMAGE_HOST_RECORD_TYPES)[number];

export type ImageHostState = (typeof IMAGE_HOST_STATES)[number];

export interface ImageSize {
	readonly url: string;
	/** Pixels. */
	readonly width?: number;
	readonly height?: number;
}

export interface ImageSizes {
	readonly small?: ImageSize;
	readonly medium?: ImageSize;
	readonly large?: ImageSize;
}

export type ImageStatus = (typeof IMAGE_STATUSES)[number];

export interface ImportItem {
	readonly object: "import_item";
	/** Its place in `items` as they were sent, from 0. */
	readonly index: number;
	readonly url: string;
	readonly state: Open<ImportItemState>;
	/** Null unless it was created. */
	readonly image_id: string | null;
	/** What POST /v1/images would have answered; null unless it failed. */
	readonly error: ErrorObject | null;
}

export type ImportItemState = (typeof IMPORT_ITEM_STATES)[number];

export type Interval = (typeof INTERVALS)[number];

export interface Invite {
	readonly id: string;
	readonly object: "invite";
	readonly email: string;
	readonly role: Open<GrantedRole>;
	readonly expires_at: string;
	readonly created_at: string;
}

export interface Invoice {
	readonly id: string;
	readonly object: "invoice";
	readonly created_at: string;
	/** Ends in digits that each seller counts up without gaps. */
	readonly number: string;
	readonly status: string;
	readonly period_start: string;
	readonly period_end: string;
	readonly lines: readonly InvoiceLine[];
	/** In the currency's smallest unit. */
	readonly subtotal: number;
	/** In the currency's smallest unit. */
	readonly tax: number;
	/** With tax and before credit, which may pay some of it. */
	readonly total: number;
	/** In the currency's smallest unit. */
	readonly amount_due: number;
	/** In the currency's smallest unit. */
	readonly amount_paid: number;
	/** In the currency's smallest unit. */
	readonly amount_refunded: number;
	readonly refunds: readonly InvoiceRefund[];
	readonly currency: string;
	readonly paid_at: string | null;
	/** A page for who pays it, and for nobody else. */
	readonly receipt_url: string;
	/** The payment processor's own page of it. */
	readonly processor_url: string | null;
}

/** What an invoice charges for; below zero what it gives back within itself. */
export interface InvoiceLine {
	readonly description: string;
	readonly quantity: number;
	/** In the currency's smallest unit. */
	readonly amount: number;
	readonly period_start: string;
	readonly period_end: string;
}

export interface InvoiceRefund {
	/** In the currency's smallest unit. */
	readonly amount: number;
	readonly at: string;
	readonly reason: string;
}

export interface Job {
	readonly id: string;
	readonly object: "job";
	readonly kind: Open<JobKind>;
	readonly state: Open<JobState>;
	readonly done: number;
	/** Null until it is known. */
	readonly total: number | null;
	readonly failure: string | null;
	readonly result: Readonly<Record<string, unknown>> | null;
	readonly created_at: string;
	readonly ended_at: string | null;
}

export type JobKind = (typeof JOB_KINDS)[number];

export type JobState = (typeof JOB_STATES)[number];

/** An API key as it may be shown: enough to recognise it, not to use it. */
export interface Key {
	readonly id: string;
	readonly object: "key";
	readonly name: string;
	/** `app`: App-wide; `bucket`: the App storage alone; `user`: one connected user's storage. */
	readonly reach: Open<KeyReach>;
	readonly permissions: readonly Open<Permission>[];
	readonly prefix: string;
	readonly last4: string;
	readonly created_at: string;
	readonly last_used_at: string | null;
	/** Null: until revoked. */
	readonly expires_at: string | null;
	readonly app: AppReference;
	/** Where the service's own pages are, on which people sign in and buy. */
	readonly web_url: string;
}

export type KeyReach = (typeof KEY_REACHES)[number];

export interface LabelCount {
	readonly key: string;
	readonly value: string;
	/** Images with this label; counted up to 1,000. */
	readonly count: number;
	/** True where counting stopped: there are more images than `count`. */
	readonly more?: boolean;
}

/** Labels in the App storage. */
export interface Labels {
	readonly object: "labels";
	readonly data: readonly LabelCount[];
	/** Whether there are more labels than are listed. */
	readonly truncated: boolean;
}

export type LikenessKind = (typeof LIKENESS_KINDS)[number];

export type Locale = (typeof LOCALES)[number];

export type LogLevel = (typeof LOG_LEVELS)[number];

/** A line that the process which answers has logged. */
export interface LogLine {
	readonly object: "log_line";
	readonly at: string;
	readonly level: Open<LogLevel>;
	readonly message: string;
	/** What the line is about, without secrets; `request_id` where it is about a call. */
	readonly facts: Readonly<Record<string, unknown>>;
}

/** An e-mail code that is under way. */
export interface Login {
	readonly id: string;
	readonly object: "login";
	/** Needed to verify the code that was mailed: it binds the code to whoever asked for it; null where the answer is a replay under an Idempotency-Key. */
	readonly secret: string | null;
	readonly expires_at: string;
	/** From when on another code may be asked for. */
	readonly resend_after: string;
}

/** `failing` after three failures in a row, or while a code has waited for more than a minute. */
export interface MailHealth {
	readonly state: Open<PartState>;
	readonly waiting: WaitingMails;
	/** How long the oldest mail that waits has done so; 0 where none does. */
	readonly oldest_seconds: number;
	readonly last_sent_at: string | null;
	/** Why the last try that failed did. */
	readonly last_failure: string | null;
}

/** A key as its App's team, or the person whose it is, sees it. */
export interface ManagedKey {
	readonly id: string;
	readonly object: "key";
	readonly name: string;
	/** `app`: App-wide; `bucket`: the App storage alone; `user`: one connected user's storage. */
	readonly reach: Open<KeyReach>;
	readonly permissions: readonly Open<Permission>[];
	readonly prefix: string;
	readonly last4: string;
	readonly created_at: string;
	readonly last_used_at: string | null;
	/** Null: until revoked. */
	readonly expires_at: string | null;
	/** Id of an account; of an App's key only this person changes and rotates it. */
	readonly created_by: string;
	readonly revoked_at: string | null;
	readonly revoke_reason: string | null;
	/** Id of the key that a rotation made. */
	readonly replaced_by: string | null;
}

/** A plan as the App's team sees it, with all of its prices. */
export interface ManagedPlan {
	readonly id: string;
	readonly object: "plan";
	/** What the App's code knows the plan by; never changes. */
	readonly key: string;
	readonly name: string;
	readonly description: string;
	readonly benefits: readonly string[];
	readonly display_order: number;
	/** Of each user who has the plan: paid, in a trial, given, or while a payment is late. */
	readonly limits: UserLimits;
	readonly prices: readonly ManagedPrice[];
	readonly archived_at: string | null;
	readonly created_at: string;
}

/** A price as the App's team sees it: its terms never change. */
export interface ManagedPrice {
	readonly id: string;
	readonly object: "price";
	/** In the currency's smallest unit. */
	readonly amount: number;
	/** ISO 4217, in lower case. */
	readonly currency: string;
	readonly interval: Open<Interval>;
	readonly trial_days: number;
	readonly on_sale: boolean;
	readonly created_at: string;
}

/** A subscription as the team of the App that sold it sees it, and operators. */
export interface ManagedSubscription {
	readonly id: string;
	readonly object: "subscription";
	readonly plan_key: string | null;
	readonly price_id: string;
	/** The payment processor's own. */
	readonly status: string;
	readonly trial_end: string | null;
	readonly current_period_end: string | null;
	readonly cancel_at_period_end: boolean;
	readonly cancel_at: string | null;
	readonly pending_plan_key: string | null;
	readonly pending_effective_at: string | null;
	/** In an App's list the App itself; operators see what the service sold too. */
	readonly seller: PlanSeller;
	readonly price: Price;
	/** Null for an App's own plan, which the service sells. */
	readonly user_id: string | null;
	/** Of this user; null for one who is not connected any more. */
	readonly email: string | null;
	readonly ended_at: string | null;
	readonly dispute: Dispute | null;
	readonly invoices: readonly Invoice[];
	readonly created_at: string;
}

export interface Member {
	/** The account's id. */
	readonly id: string;
	readonly object: "member";
	readonly account_id: string;
	readonly email: string;
	readonly role: Open<Role>;
	readonly created_at: string;
}

export interface MissingMasters {
	readonly object: "missing_masters";
	/** Of bytes that are to be sent. */
	readonly sha256: readonly string[];
}

export type ModeratedImage = Image & {
	readonly app_id: string;
	readonly storage: string;
};

/** What an operator did to an image, as its App's team sees it. */
export interface ModerationAction {
	readonly id: string;
	readonly object: "moderation_action";
	readonly image_id: string;
	readonly action: Open<ModerationVerb>;
	readonly reason: Open<BlockReason> | null;
	readonly actor: string;
	readonly created_at: string;
}

export interface ModerationCounts {
	readonly locked: number;
	readonly blocked: number;
	readonly nsfw: number;
	readonly open_reports: number;
}

export interface ModerationItem {
	/** The image's. */
	readonly id: string;
	readonly object: "moderation_item";
	readonly image: ModeratedImage;
	/** Changes with the image; sent along, it makes sure that nobody has changed the image since. */
	readonly revision: number;
	/** What may be shown in the picture's place; null until it was looked at. */
	readonly placeholder: Placeholder | null;
	readonly locked: boolean;
	readonly blocked_reason: Open<BlockReason> | null;
	/** Null unless the service has done something because of another image. */
	readonly similar: SimilarImage | null;
	/** The open ones, as far as they are shown. */
	readonly reports: readonly Report[];
	/** How many are open. */
	readonly reports_count: number;
	readonly actions: readonly RecordedAction[];
	readonly created_at: string;
}

export type ModerationState = (typeof MODERATION_STATES)[number];

export type ModerationVerb = (typeof MODERATION_VERBS)[number];

export interface MonthUsage {
	readonly object: "month_usage";
	/** As 2026-09. */
	readonly month: string;
	readonly uploads: number;
}

export interface MonthlyUsage {
	readonly uploads: number;
	readonly uploads_limit: number;
	readonly uploads_remaining: number;
	readonly resets_at: string;
}

export interface MoveCounts {
	readonly images: number;
	readonly users: number;
}

/** What an export would hold; nothing was begun. */
export interface MovePlan {
	readonly object: "move_plan";
	readonly counts: MoveCounts;
	/** Of the images, as they are stored. */
	readonly bytes: number;
	/** What the App has and a file never holds, by how many there are: keys and signing keys are secrets, unready images are none yet. */
	readonly left_out: Readonly<Record<string, number>>;
}

/** Records of an App that moves. */
export interface MoveRecords {
	readonly object: "move_records";
	/** The App first, then its users, then its images. */
	readonly records: readonly Readonly<Record<string, unknown>>[];
	/** The `after` of the next page; null on the last one. */
	readonly next: string | null;
}

/** The answer to a right code, or to what a passkey has signed. */
export interface VerifiedSession {
	readonly id: string;
	readonly object: "session";
	readonly kind: Open<SessionKind>;
	readonly device: string | null;
	/** Until when what a thief must not do needs no new code; null when never confirmed. */
	readonly fresh_until: string | null;
	/** Where it was begun: `192.0.2.0/24`, of IPv6 the /48. */
	readonly network: string | null;
	/** Whether it is the one that asks. */
	readonly current: boolean;
	/** After 30 days without use, after 90 in any case. */
	readonly expires_at: string;
	/** To five minutes. */
	readonly last_used_at: string;
	readonly created_at: string;
	/** Of a new session; shown once. */
	readonly secret?: string;
	/** For this device to send with its next login: strangers' wrong codes then do not keep it out. */
	readonly device_token: string;
	readonly account: Account;
}

export interface NextCharge {
	readonly amount: number;
	readonly currency: string;
	readonly at: string;
}

/** An App as operators see it. */
export interface OperatedApp {
	readonly id: string;
	readonly object: "app";
	readonly name: string;
	readonly state: Open<AppState>;
	readonly paused_at: string | null;
	readonly blocked_at: string | null;
	readonly sign_in_enabled: boolean;
	readonly selling_enabled: boolean;
	readonly plan: Open<OwnPlanKey>;
	/** What counts: the plan's, or what operators set. */
	readonly limits: AppLimits;
	/** Of each user who has no plan of the App. */
	readonly free_limits: UserLimits;
	/** Who is behind it, as people see it who sign in and pay. */
	readonly profile: AppProfile;
	/** Of what is bought from now on; what was bought before keeps its own. */
	readonly tax: AppTax;
	/** Whether the processor's checkout takes its own promotion codes. */
	readonly promotion_codes: boolean;
	/** Which addresses of its images the transform host answers. */
	readonly delivery: Open<DeliveryPolicy>;
	/** The hosts whose pages may show its images; `*.example.com` is all below it. Empty: all pages. Requests that name no page are answered. */
	readonly delivery_referrers: readonly string[];
	/** What is served, and made, of its images on a day (UTC) at most; the rest is answered 429 until the next one. */
	readonly delivery_limits: DeliveryLimits;
	/** The App's own host for its images; null: they are on the service's. */
	readonly image_host: ImageHost | null;
	readonly created_at: string;
	readonly block_reason: Open<BlockReason> | null;
	/** What operators set; null: the plan's own. */
	readonly own_limits: AppLimits;
	readonly images: number;
	readonly bytes: number;
	readonly users: number;
	readonly owner: AppOwner | null;
}

/** A plan that one pays for. */
export interface OwnPlan {
	/** The subscription's. */
	readonly id: string;
	readonly object: "own_plan";
	readonly seller: PlanSeller;
	/** What it is for: an App's own storage, what one has in an App, or what one has in none. */
	readonly storage: Open<OwnPlanStorage>;
	/** The App in which it is of use; null for one's own storage. */
	readonly app: PlanPlace | null;
	readonly plan_name: string;
	readonly price: Price;
	readonly access: Access;
	/** The payment processor's own. */
	readonly status: string;
	readonly next_charge: OwnPlanCharge | null;
	/** What later invoices use up, in the currency's smallest unit. */
	readonly credit: number;
	readonly cancel_at: string | null;
	/** Until then everything can be taken back. */
	readonly withdraw_until: string | null;
	readonly waiting_change: WaitingChange | null;
	/** Nothing is charged for now: the App is paused or blocked, or a payment is disputed. */
	readonly paused_collection: boolean;
	/** Until then the plan stays although its payment failed. */
	readonly grace_until: string | null;
	readonly ended_at: string | null;
	readonly created_at: string;
}

export interface OwnPlanCharge {
	/** In the currency's smallest unit. */
	readonly amount: number;
	readonly currency: string;
	readonly at: string;
}

export type OwnPlanKey = (typeof OWN_PLAN_KEYS)[number];

export type OwnPlanStorage = (typeof OWN_PLAN_STORAGES)[number];

export interface Pagination {
	readonly has_more: boolean;
	readonly next_cursor: string | null;
	readonly next_url: string | null;
}

export type PartState = (typeof PART_STATES)[number];

export interface Passkey {
	readonly id: string;
	readonly object: "passkey";
	readonly name: string;
	readonly last_used_at: string | null;
	readonly created_at: string;
}

/** What a browser needs to make or use a passkey: good for 5 minutes, once. */
export interface PasskeyOptions {
	readonly id: string;
	readonly object: "passkey_options";
	/** For the browser: `PublicKeyCredentialCreationOptionsJSON` or `PublicKeyCredentialRequestOptionsJSON` of the WebAuthn standard. */
	readonly publicKey: Readonly<Record<string, unknown>>;
}

/** Where the payment details are changed. */
export interface PaymentMethodPage {
	readonly object: "payment_method";
	readonly url: string;
}

export type Permission = (typeof PERMISSIONS)[number];

export interface Placeholder {
	/** Base64. */
	readonly thumbhash: string;
	/** As #rrggbb. */
	readonly colour: string;
}

/** A plan as an App's backend shows it to buyers, with the prices on sale. */
export interface Plan {
	readonly id: string;
	readonly object: "plan";
	/** What the App's code knows the plan by; never changes. */
	readonly key: string;
	readonly name: string;
	readonly description: string;
	readonly benefits: readonly string[];
	readonly display_order: number;
	readonly prices: readonly Price[];
}

/** The plans on sale, by `display_order` and then by name. */
export interface PlansOnSale {
	readonly object: "list";
	readonly data: readonly Plan[];
	readonly pagination: Pagination;
	readonly app: AppReference;
	/** False: show no buy buttons; subscribers can still manage what they have. */
	readonly purchasing_enabled: boolean;
}

export interface PlanPlace {
	readonly id: string;
	readonly name: string;
}

export interface PlanSeller {
	readonly kind: Open<PlanSellerKind>;
	/** Null for the service itself. */
	readonly id: string | null;
	readonly name: string;
}

export type PlanSellerKind = (typeof PLAN_SELLER_KINDS)[number];

export interface Preset {
	readonly id: string;
	readonly object: "preset";
	readonly created_at: string;
	/** `{url}?preset=<name>` asks for it, under every delivery policy. */
	readonly name: string;
	/** As in an address; others beside `preset` are ignored. */
	readonly parameters: Readonly<Record<string, string>>;
}

export interface Preview {
	readonly url: string;
	readonly expires_at: string;
}

/** A price as buyers see it. */
export interface Price {
	readonly id: string;
	readonly object: "price";
	/** In the currency's smallest unit. */
	readonly amount: number;
	/** ISO 4217, in lower case. */
	readonly currency: string;
	readonly interval: Open<Interval>;
	readonly trial_days: number;
}

export interface ProcessorEvent {
	readonly object: "processor_event";
	readonly received: true;
}

export interface Queues {
	readonly jobs_queued: number;
	readonly jobs_running: number;
	readonly jobs_failed: number;
	readonly mails_waiting: number;
	readonly trash: number;
	readonly uploads_waiting: number;
	readonly renders_waiting: number;
}

/** What an operator did to an image, as operators see it. */
export interface RecordedAction {
	readonly id: string;
	readonly object: "moderation_action";
	readonly image_id: string;
	readonly action: Open<ModerationVerb>;
	readonly reason: Open<BlockReason> | null;
	readonly actor: string;
	readonly created_at: string;
	readonly note: string | null;
	readonly actor_email: string | null;
	/** Id of the blocked image because of which the service did it. */
	readonly similar_to: string | null;
}

export interface RedirectUri {
	readonly id: string;
	readonly object: "redirect_uri";
	readonly uri: string;
	readonly created_at: string;
}

export interface Report {
	readonly id: string;
	readonly object: "report";
	readonly image_id: string;
	/** Null once the App is gone. */
	readonly app_id: string | null;
	readonly reason: Open<BlockReason>;
	readonly note: string | null;
	/** Of whoever reported it. */
	readonly email: string | null;
	/** `service`: nobody has reported it, the service has found it itself. */
	readonly source: Open<ReportSource>;
	readonly outcome: Open<ReportOutcome> | null;
	readonly resolved_at: string | null;
	readonly resolved_by: string | null;
	readonly created_at: string;
}

export type ReportOutcome = (typeof REPORT_OUTCOMES)[number];

export type ReportSource = (typeof REPORT_SOURCES)[number];

export type ReportState = (typeof REPORT_STATES)[number];

export type Role = (typeof ROLES)[number];

export type Scope = (typeof SCOPES)[number];

export interface ServedOnDay {
	readonly bytes: number;
	readonly renditions: number;
}

export interface ServiceCounts {
	readonly apps: number;
	readonly accounts: number;
	readonly users: number;
	readonly images: number;
}

export interface ServiceHealth {
	readonly object: "health";
	readonly ready: boolean;
	/** Something fails, whether or not requests should go elsewhere. */
	readonly degraded: boolean;
	readonly checks: Readonly<Record<string, Open<CheckState>>>;
	readonly version: string;
	readonly interface_version: string;
	readonly started_at: string;
	readonly uptime_seconds: number;
	readonly database: Open<DatabaseKind>;
	readonly processes: readonly ServiceProcess[];
	readonly queues: Queues;
	readonly blobs: BlobHealth;
	readonly mail: MailHealth;
	readonly billing: BillingHealth;
	readonly counts: ServiceCounts;
}

/** A process of the service, as all of them know it. Its times are the database's. */
export interface ServiceProcess {
	readonly version: string;
	readonly host: string;
	readonly started_at: string;
	readonly last_seen_at: string;
	/** It does what needs doing once for all of them. */
	readonly leads: boolean;
	readonly draining: boolean;
	/** Of the database's clock; null where both are one. */
	readonly clock_ahead_ms: number | null;
	/** What it last knew of the store of pictures. */
	readonly store: Open<StoreState>;
}

/** Totals of the whole service. */
export interface ServiceUsage {
	readonly object: "service_usage";
	readonly apps: AppCounts;
	readonly accounts: AccountCounts;
	/** Connections of people to Apps. */
	readonly users: number;
	readonly images: ImageCounts;
	readonly moderation: ModerationCounts;
}

export interface Session {
	readonly id: string;
	readonly object: "session";
	readonly kind: Open<SessionKind>;
	readonly device: string | null;
	/** Until when what a thief must not do needs no new code; null when never confirmed. */
	readonly fresh_until: string | null;
	/** Where it was begun: `192.0.2.0/24`, of IPv6 the /48. */
	readonly network: string | null;
	/** Whether it is the one that asks. */
	readonly current: boolean;
	/** After 30 days without use, after 90 in any case. */
	readonly expires_at: string;
	/** To five minutes. */
	readonly last_used_at: string;
	readonly created_at: string;
}

export type SessionKind = (typeof SESSION_KINDS)[number];

export interface SignedAddress {
	readonly object: "signed_address";
	readonly url: string;
	readonly expires_at: string;
}

export interface SignedInUser {
	readonly id: string;
	readonly object: "user";
	readonly email: string;
	readonly verified: boolean;
}

export interface SigningKey {
	readonly id: string;
	readonly object: "signing_key";
	readonly created_at: string;
	readonly name: string;
	readonly last4: string;
}

/** The blocked image because of which the service itself has locked or blocked another one. */
export interface SimilarImage {
	readonly image_id: string;
	/** Null where it is gone. */
	readonly app_id: string | null;
	/** Why it is blocked; null where it is gone, or not blocked any more. */
	readonly reason: Open<BlockReason> | null;
	readonly kind: Open<LikenessKind>;
	/** From 0 to 1: how alike the two are; 1 for the same. */
	readonly score: number;
	/** Whether that image was deleted, so that it cannot be seen any more. */
	readonly gone: boolean;
}

export type SimulatedOutcome = (typeof SIMULATED_OUTCOMES)[number];

export interface Simulation {
	readonly object: "simulation";
	readonly subscription: string;
	readonly outcome: Open<SimulatedOutcome>;
	/** The subscription's own, as the processor has it now. */
	readonly status: string;
}

export type StoreState = (typeof STORE_STATES)[number];

export interface StoredTotals {
	readonly images_stored: number;
	readonly storage_used_bytes: number;
	readonly storage_limit_bytes: number;
	readonly storage_remaining_bytes: number;
}

export interface Subscription {
	readonly id: string;
	readonly object: "subscription";
	readonly plan_key: string | null;
	readonly price_id: string;
	/** The payment processor's own. */
	readonly status: string;
	readonly trial_end: string | null;
	readonly current_period_end: string | null;
	readonly cancel_at_period_end: boolean;
	readonly cancel_at: string | null;
	readonly pending_plan_key: string | null;
	readonly pending_effective_at: string | null;
}

export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number];

export interface TakenMaster {
	readonly object: "taken_master";
	/** Whether another image waits for the same bytes: send them again. */
	readonly more: boolean;
}

/** A report was taken; what became of it is not told to whoever made it. */
export interface TakenReport {
	readonly object: "report";
	readonly created_at: string;
}

export type TaxBehavior = (typeof TAX_BEHAVIORS)[number];

export type TaxMode = (typeof TAX_MODES)[number];

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

/** What is left of a deleted thing. */
export interface Tombstone {
	readonly id: string;
	/** What it was, as `image`. */
	readonly object: string;
	readonly deleted: boolean;
}

export interface TrashRestore {
	readonly object: "trash_restore";
	/** Those of the keys that were in the trash. */
	readonly restored: readonly string[];
}

/** Stored bytes that no image in the database belongs to. */
export interface TrashedBlob {
	readonly object: "trashed_blob";
	/** The key under which the bytes were stored: an image's id, a slash, a random part. */
	readonly id: string;
	readonly image_id: string;
	readonly bytes: number;
	readonly trashed_at: string;
	/** When it is removed for good. */
	readonly removed_at: string;
	/** Whether the database knows it by now: then it comes back by itself within a day. */
	readonly known: boolean;
}

/** Lets whoever has its address upload one image, without a key. */
export interface UploadTicket {
	readonly id: string;
	readonly object: "upload_ticket";
	readonly created_at: string;
	readonly state: Open<UploadTicketState>;
	/** Where the file is sent, by whoever has this address; null for callers who may not write, and once the secret of the deployment is another one. */
	readonly url: string | null;
	/** The id of the image to be, from the beginning. */
	readonly image_id: string;
	/** Null: the App storage. */
	readonly user_id: string | null;
	readonly max_bytes: number;
	readonly formats: readonly Open<UploadTicketFormat>[];
	/** Null: any. */
	readonly origins: readonly string[] | null;
	/** Of the image to be, as they were sent. */
	readonly fields: Readonly<Record<string, unknown>>;
	readonly expires_at: string;
	readonly used_at: string | null;
	/** Uploads that were judged, the one that made the image included. */
	readonly attempts: number;
	/** Why the last attempt was refused; null before one, and once used. */
	readonly failure: ErrorObject | null;
}

export type UploadTicketFormat = (typeof UPLOAD_TICKET_FORMATS)[number];

export type UploadTicketState = (typeof UPLOAD_TICKET_STATES)[number];

export interface Usage {
	readonly object: "usage";
	readonly monthly: MonthlyUsage;
	readonly totals: StoredTotals;
	/** Treat an unknown plan as a safe default and read `limits`. */
	readonly plan: Open<AppPlan>;
	/** Only in interface 4.6.0 and 4.4.0-transition. */
	readonly limits_enforced?: boolean;
	/** Of the whole App. Only in interface 4.6.0. */
	readonly limits?: UsageLimits;
}

export interface UsageLimits {
	readonly images: Allowance;
	readonly users: Allowance;
}

/** What was uploaded and served on a day, or for a user. */
export interface UsageRow {
	readonly object: "usage_row";
	/** UTC, as 2026-11-22; null by user. */
	readonly date: string | null;
	/** Null by day, and for the App storage. */
	readonly user_id: string | null;
	/** Exact, also of images that are gone. */
	readonly uploads: number;
	/** Calls of the API by callers who were known. */
	readonly requests: number;
	/** Answers of the transform host; what a CDN answered by itself is not among them. */
	readonly image_requests: number;
	/** Of these answers. */
	readonly bytes_served: number;
	/** Made, not found in the cache. */
	readonly renditions: number;
}

/** What the storage of one user may hold. The service holds it where the interface version enforces limits (`X-Limits-Enforced`): beyond it nothing comes in, and nothing is deleted. */
export interface UserLimits {
	/** Null: any number. */
	readonly images: number | null;
	/** Null: any number. */
	readonly bytes: number | null;
}

export type UserState = (typeof USER_STATES)[number];

/** One storage's share of an App's use. */
export interface UserUsage {
	readonly object: "user_usage";
	/** Null: the App storage. */
	readonly user_id: string | null;
	readonly images: number;
	readonly bytes: number;
	readonly uploads_this_month: number;
}

/** What a plan becomes at its renewal, or once that is paid. */
export interface WaitingChange {
	readonly plan_name: string;
	readonly price: Price;
	readonly effective: Open<WaitingChangeEffect>;
	/** What has to be paid first, in the currency's smallest unit. */
	readonly amount_due: number | null;
	readonly at: string | null;
}

export type WaitingChangeEffect = (typeof WAITING_CHANGE_EFFECTS)[number];

export interface WaitingMails {
	readonly code: number;
	readonly security: number;
	readonly billing: number;
	readonly team: number;
	readonly notice: number;
}

export interface WebhookAttempt {
	readonly at: string;
	/** Null without an answer. */
	readonly status: number | null;
	readonly ms: number;
	/** Why there was no answer. */
	readonly error: Open<WebhookAttemptError> | null;
	/** The first 1,024 characters of a public receiver's answer. */
	readonly response: string | null;
}

export type WebhookAttemptError = (typeof WEBHOOK_ATTEMPT_ERRORS)[number];

/** One event on its way to one endpoint. */
export interface WebhookDelivery {
	readonly id: string;
	readonly object: "webhook_delivery";
	readonly created_at: string;
	/** What is sent as `webhook-id`, at every attempt. */
	readonly event_id: string;
	readonly type: string;
	readonly state: Open<WebhookDeliveryState>;
	/** Null: none. */
	readonly next_attempt_at: string | null;
	/** The oldest first. */
	readonly attempts: readonly WebhookAttempt[];
	/** Of one delivery, with `include=request`: what is sent. */
	readonly request?: WebhookRequest;
}

export type WebhookDeliveryState = (typeof WEBHOOK_DELIVERY_STATES)[number];

export type WebhookDisabledReason = (typeof WEBHOOK_DISABLED_REASONS)[number];

/** Where an App's events are sent. */
export interface WebhookEndpoint {
	readonly id: string;
	readonly object: "webhook_endpoint";
	readonly created_at: string;
	readonly url: string;
	/** `*`, `image.*` and the like, or types. */
	readonly types: readonly string[];
	readonly description: string;
	readonly state: Open<WebhookEndpointState>;
	readonly disabled_reason: Open<WebhookDisabledReason> | null;
	readonly disabled_at: string | null;
	readonly last_delivered_at: string | null;
}

export type WebhookEndpointState = (typeof WEBHOOK_ENDPOINT_STATES)[number];

export interface WebhookRequest {
	readonly url: string;
	/** What is signed, byte for byte; it says what is known now. */
	readonly body: string;
}
