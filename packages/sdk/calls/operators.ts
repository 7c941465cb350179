import type {
	Account,
	App,
	AppLimits,
	AuditEntry,
	BlockReason,
	Clock,
	Email,
	FirstToken,
	Invoice,
	Job,
	LogLine,
	ManagedSubscription,
	OperatedApp,
	OwnPlanKey,
	ServiceHealth,
	ServiceUsage,
	SimulatedOutcome,
	Simulation,
	TrashedBlob,
	TrashRestore,
} from "../shapes.ts";
import type { List, Open } from "../types.ts";
import { type Calls, dateText, pagesOf, pathOf, withOldNames } from "../wire/calls.ts";
import type { CallOptions, PostOptions } from "../wire/request.ts";
import type { Transport } from "../wire/transport.ts";
import type { Refund } from "./billing.ts";
import { appImportsOf } from "./moves.ts";

export interface AppTerms {
	/** A grant beside what the App pays for; null ends it. */
	readonly plan?: Open<OwnPlanKey> | null | undefined;
	readonly sellingEnabled?: boolean | undefined;
	/** Null: the plan's own limit. */
	readonly limits?: Partial<AppLimits> | undefined;
}

export interface LogOptions extends CallOptions {
	readonly after?: string | undefined;
	/** Only lines of this level, or of a graver one. */
	readonly level?: LogLine["level"] | undefined;
	/** 1 to 100. Default: 50. */
	readonly limit?: number | undefined;
}

/** `latest` is the `after` with which to read on; null before anything was logged. */
export interface LogPage extends List<LogLine> {
	readonly latest: string | null;
}

const path = (...rest: string[]) => pathOf("operator", ...rest);

/** Calls for operators, to run the service. */
export interface ReconcileOptions extends PostOptions {
	readonly scrub?: boolean | undefined;
	readonly repair?: boolean | undefined;
}

export interface CollectOptions extends PostOptions {
	/** Without it they are only counted. */
	readonly move?: boolean | undefined;
}

export function operatorsOf(transport: Transport, calls: Calls) {
	return {
		/** Makes the first operator with `SVC_BOOTSTRAP_SECRET`, signed in or not; `not_found` once there is one. */
		bootstrap: (secret: string, email: string, options?: CallOptions) =>
			calls.post<FirstToken>(path("bootstrap"), { secret, email }, options),
		operators: withOldNames(
			{
				...pagesOf<Account>(transport, path("operators")),
				create: (email: string, options?: PostOptions) => calls.post<Account>(path("operators"), { email }, options),
				delete: (id: string, options?: CallOptions) => calls.remove("operator", path("operators", id), id, options),
			},
			{
				/** @deprecated It is called `create`. */ add: "create",
				/** @deprecated It is called `delete`. */ remove: "delete",
			},
		),
		apps: operatedAppsOf(transport, calls),
		/** Apps that come from another installation, by a file. */
		appImports: appImportsOf(transport, calls),
		accounts: {
			/** `q` is how an e-mail address begins. */
			...pagesOf<Account, { q: string; status: Account["status"] }>(transport, path("accounts"), {
				filters: ["q", "status"],
			}),
			/** Refuses their sessions, tokens and keys, and Apps' calls for them, until enabled again. */
			disable: (id: string, options?: CallOptions) => calls.assure<Account>(path("accounts", id, "disable"), options),
			enable: (id: string, options?: CallOptions) => calls.assure<Account>(path("accounts", id, "enable"), options),
		},
		jobs: {
			...pagesOf<Job, { state: Job["state"]; kind: Job["kind"] }>(transport, path("jobs"), {
				filters: ["state", "kind"],
			}),
			retry: (id: string, options?: PostOptions) => calls.post<Job>(path("jobs", id, "retry"), undefined, options),
		},
		emails: pagesOf<Email, Pick<Email, "recipient" | "template" | "state">>(transport, path("emails"), {
			filters: ["recipient", "template", "state"],
		}),
		audit: pagesOf<AuditEntry, { actor: string; event: string; since: Date | string; app: string }>(
			transport,
			path("audit"),
			{ filters: ["actor", "event", "since", "app"] },
		),
		usage: (options?: CallOptions) => calls.get<ServiceUsage>(path("usage"), options),
		/** The last lines that the process which answers has logged; with `after`, the `latest` of an earlier answer, only those since. */
		logs: ({ after, level, limit, ...options }: LogOptions = {}) =>
			transport.send("GET", path("logs"), { ...options, query: { after, level, limit } }) as Promise<LogPage>,
		health: (options?: CallOptions) => calls.get<ServiceHealth>(path("health"), options),
		/**
		 * Counts every storage and App again, and looks at every stored original: at its size, with `scrub` at its bytes. `repair` brings back
		 * what the service's own backups hold whole.
		 */
		reconcile: ({ scrub, repair, ...options }: ReconcileOptions = {}) =>
			calls.post<Job>(path("reconcile"), { scrub, repair }, options),
		backups: {
			/** Copies the database and every image; the job's result tells where. `state_conflict` for a database on a server of its own. */
			create: (options?: PostOptions) => calls.post<Job>(path("backups"), undefined, options),
		},
		trash: {
			/** Stored bytes that no image belongs to; they are kept for 30 days. */
			...pagesOf<TrashedBlob>(transport, path("trash")),
			/** Takes ids of the list, at most 100. */
			restore: (blobs: readonly string[], options?: PostOptions) =>
				calls.post<TrashRestore>(path("trash", "restore"), { blobs }, options),
			/** Looks for stored bytes that no image belongs to; with `move` all of them go to the trash. The job's result counts them. */
			collect: ({ move = false, ...options }: CollectOptions = {}) =>
				calls.post<Job>(path("trash", "collect"), { move }, options),
		},
		subscriptions: {
			...pagesOf<ManagedSubscription, { app: string; state: "live" | "ended"; email: string }>(
				transport,
				path("subscriptions"),
				{ filters: ["app", "state", "email"] },
			),
			/** Ends it at once, without a refund, or with its term; its payer reads the reason. */
			cancel: (id: string, at: "now" | "period_end", reason: string, options?: CallOptions) =>
				calls.post<ManagedSubscription>(path("subscriptions", id, "cancel"), { at, reason }, options),
			/** Moves its end by some days, at most 365, without a charge; its payer reads the reason. */
			extend: (id: string, days: number, reason: string, options?: CallOptions) =>
				calls.post<ManagedSubscription>(path("subscriptions", id, "extend"), { days, reason }, options),
			/** Pays an invoice back: all that is left of it, or an amount in the smallest unit; its payer reads the reason. */
			refund: (id: string, { invoice, amount, reason }: Refund, options?: CallOptions) =>
				calls.post<Invoice>(path("subscriptions", id, "refund"), { invoice, amount, reason }, options),
		},
		simulation: simulationOf(calls),
	};
}

function operatedAppsOf(transport: Transport, calls: Calls) {
	const app = (...rest: string[]) => path("apps", ...rest);
	return withOldNames(
		{
			/** `q` is an id, or how a name or the Owner's e-mail address begins. */
			...pagesOf<OperatedApp, { q: string; state: App["state"] }>(transport, app(), { filters: ["q", "state"] }),
			get: (id: string, options?: CallOptions) => calls.get<OperatedApp>(app(id), options),
			edit: (id: string, { plan, sellingEnabled, limits }: AppTerms, options?: CallOptions) =>
				calls.patch<OperatedApp>(app(id), { plan, selling_enabled: sellingEnabled, limits }, options),
			block: (id: string, reason: Open<BlockReason>, note?: string, options?: CallOptions) =>
				calls.post<OperatedApp>(app(id, "block"), { reason, note }, options),
			unblock: (id: string, note?: string, options?: CallOptions) =>
				calls.post<OperatedApp>(app(id, "unblock"), { note }, options),
		},
		{ /** @deprecated It is called `edit`. */ update: "edit" },
	);
}

/** `not_found` everywhere but where payments are simulated. */
function simulationOf(calls: Calls) {
	return {
		/** The service's clock. */
		clock: (options?: CallOptions) => calls.get<Clock>(path("clock"), options),
		/** Moves the service's clock forwards. */
		advanceClock: (to: Date | string, options?: CallOptions) =>
			calls.post<Clock>(path("clock", "advance"), { to: dateText(to) }, options),
		/** Sets how the next payments of a subscription go. */
		decide: (subscription: string, outcome: SimulatedOutcome, options?: PostOptions) =>
			calls.post<Simulation>(path("billing", "simulate"), { subscription, outcome }, options),
	};
}
