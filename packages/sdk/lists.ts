/* The words that the API takes in one place or another. What takes, offers, explains or checks them is made from these lists. */

export const BLOCK_REASONS = ["content_policy", "dmca", "spam", "terms"] as const;

/** What a member can be made; ownership is transferred instead. */
export const GRANTED_ROLES = ["viewer", "editor", "admin"] as const;

/** What tokens are about; each with `:read` and `:write`. */
export const SCOPE_NOUNS = ["apps", "keys", "users", "plans", "images", "audit", "moderation", "operator"] as const;

export const APP_STATES = ["active", "paused", "blocked"] as const;

export const ACCOUNT_STATUSES = ["active", "disabled", "deleting"] as const;

export const JOB_STATES = ["queued", "running", "done", "failed"] as const;

export const EMAIL_STATES = ["queued", "sent", "failed"] as const;

/** Which images are listed to moderate; `reported` are those with open reports. */
export const MODERATION_QUEUES = ["reported", "locked", "blocked", "nsfw", "all"] as const;

export const REPORT_STATES = ["open", "resolved"] as const;

export const REPORT_OUTCOMES = ["dismissed", "actioned"] as const;

/** How often a price is paid. */
export const INTERVALS = ["month", "year"] as const;
