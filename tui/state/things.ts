import type { AppThing } from "@svc/nouns/app";
import type { AuditThing } from "@svc/nouns/audit";
import type { KeyThing } from "@svc/nouns/key";
import type { ModeratedThing } from "@svc/nouns/moderation";
import type { SubscriptionThing } from "@svc/nouns/subscription";
import type {
	ConnectedUser,
	Event,
	Image,
	ManagedPlan,
	Preset,
	SigningKey,
	TrashedBlob,
	UploadTicket,
	WebhookDelivery,
	WebhookEndpoint,
} from "@svc/sdk/shapes";

/** What was counted on a day. */
export interface Day {
	/** As 2026-11-24, UTC. */
	readonly date: string;
	readonly count: number;
}

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
	/** What was counted on each day, oldest first; only where it is known. */
	readonly days: readonly Day[];
}

/** What came in for subscriptions in a month, in the smallest unit of a currency. */
export interface MonthMoney {
	/** As 2026-11. */
	readonly month: string;
	readonly currency: string;
	readonly paid: number;
	readonly refunded: number;
}

/** What all subscriptions of an App brought in. */
export interface Money {
	readonly id: string;
	readonly object: "money";
	/** Subscriptions that were counted, the newest ones. */
	readonly counted: number;
	/** Whether there are more of them. */
	readonly hasMore: boolean;
	/** Oldest first. */
	readonly months: readonly MonthMoney[];
}

/** Everything that a screen can list. `object` tells them apart. */
export type Thing =
	| ModeratedThing
	| AppThing
	| KeyThing
	| ConnectedUser
	| ManagedPlan
	| AuditThing
	| Gauge
	| Image
	| SubscriptionThing
	| Money
	| TrashedBlob
	| UploadTicket
	| Event
	| WebhookDelivery
	| WebhookEndpoint
	| Preset
	| SigningKey;
