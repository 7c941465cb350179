import type {
	App,
	AuditEntry,
	ConnectedUser,
	Event,
	ManagedKey,
	ManagedPlan,
	ModerationItem,
	MonthUsage,
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
	/** Counts, oldest first; only where they are known. */
	readonly months: readonly MonthUsage[];
}

/** Everything that a screen can list. `object` tells them apart. */
export type Thing =
	| ModerationItem
	| AppThing
	| ManagedKey
	| ConnectedUser
	| ManagedPlan
	| AuditEntry
	| Gauge
	| TrashedBlob
	| UploadTicket
	| Event
	| WebhookDelivery
	| WebhookEndpoint
	| Preset
	| SigningKey;
