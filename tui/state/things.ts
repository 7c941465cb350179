import type {
	App,
	AuditEntry,
	ConnectedUser,
	Event,
	Image,
	ManagedKey,
	ManagedPlan,
	ManagedSubscription,
	ModerationItem,
	OperatedApp,
	Preset,
	SigningKey,
	TrashedBlob,
	UploadTicket,
	WebhookDelivery,
	WebhookEndpoint,
} from "@svc/sdk/shapes";

/** An App, as its team or as an operator sees it. */
export type AppThing = Omit<App, "role"> & Partial<Pick<App, "role"> & Omit<OperatedApp, keyof App>>;

/** An older service sells tiers: they limit uploads and bytes, and no images and users. */
export function hasTiers({ plan, limits }: Pick<App, "plan" | "limits">): boolean {
	return plan !== "unlimited" && limits.images === null && limits.users === null;
}

/** With what people call who did it, and what it was about; undefined where only the id is known. */
export type AuditThing = AuditEntry & {
	readonly actor_name?: string | undefined;
	readonly target_name?: string | undefined;
};

/** With the name of the App that the image belongs to. */
export type ModeratedThing = ModerationItem & { readonly app_name?: string | undefined };

/** With the address of who made it. */
export type KeyThing = ManagedKey & { readonly creator_name?: string | undefined };

/** With the address of who pays. */
export type SubscriptionThing = ManagedSubscription & { readonly user_email?: string | undefined };

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
