import type {
	App,
	AuditEntry,
	ConnectedUser,
	Event,
	ManagedKey,
	ManagedPlan,
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
