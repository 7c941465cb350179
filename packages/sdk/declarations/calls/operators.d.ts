import type { Account, App, AppLimits, AuditEntry, BlockReason, Clock, Email, FirstToken, Invoice, Job, LogLine, ManagedSubscription, OperatedApp, OwnPlanKey, ServiceHealth, ServiceUsage, SimulatedOutcome, Simulation, TrashedBlob, TrashRestore } from "../shapes.js";
import type { List, Open } from "../types.js";
import { type Calls } from "../wire/calls.js";
import type { CallOptions, PostOptions } from "../wire/request.js";
import type { Transport } from "../wire/transport.js";
import type { Refund } from "./billing.js";
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
/** Calls for operators, to run the service. */
export interface ReconcileOptions extends PostOptions {
    readonly scrub?: boolean | undefined;
    readonly repair?: boolean | undefined;
}
export interface CollectOptions extends PostOptions {
    /** Without it they are only counted. */
    readonly move?: boolean | undefined;
}
export declare function operatorsOf(transport: Transport, calls: Calls): {
    /** Makes the first operator with `SVC_BOOTSTRAP_SECRET`, signed in or not; `not_found` once there is one. */
    bootstrap: (secret: string, email: string, options?: CallOptions) => Promise<FirstToken>;
    operators: {
        list(options?: (import("../wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<List<Account>>;
        all(options?: (import("../wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<Account, void, undefined>;
        create: (email: string, options?: PostOptions) => Promise<Account>;
        delete: (id: string, options?: CallOptions) => Promise<import("../shapes.js").Tombstone>;
    } & {
        readonly add: (email: string, options?: PostOptions) => Promise<Account>;
        readonly remove: (id: string, options?: CallOptions) => Promise<import("../shapes.js").Tombstone>;
    };
    apps: {
        list(options?: (import("../wire/calls.js").PageOptions & Partial<{
            q: string;
            state: App["state"];
        }>) | undefined): Promise<List<OperatedApp>>;
        all(options?: (import("../wire/calls.js").PageOptions & Partial<{
            q: string;
            state: App["state"];
        }>) | undefined): AsyncGenerator<OperatedApp, void, undefined>;
        get: (id: string, options?: CallOptions) => Promise<OperatedApp>;
        edit: (id: string, { plan, sellingEnabled, limits }: AppTerms, options?: CallOptions) => Promise<OperatedApp>;
        block: (id: string, reason: Open<BlockReason>, note?: string, options?: CallOptions) => Promise<OperatedApp>;
        unblock: (id: string, note?: string, options?: CallOptions) => Promise<OperatedApp>;
    } & {
        readonly update: (id: string, { plan, sellingEnabled, limits }: AppTerms, options?: CallOptions) => Promise<OperatedApp>;
    };
    /** Apps that come from another installation, by a file. */
    appImports: {
        open: (file: import("./moves.js").NewAppImport, options?: CallOptions) => Promise<import("../shapes.js").AppImport>;
        get: (id: string, options?: CallOptions) => Promise<import("../shapes.js").AppImport>;
        addRecords: (id: string, records: readonly object[], options?: CallOptions) => Promise<import("../shapes.js").MissingMasters>;
        addMaster: (id: string, sha256: string, bytes: Blob, options?: CallOptions) => Promise<import("../shapes.js").TakenMaster>;
        finish: (id: string, options?: CallOptions) => Promise<import("../shapes.js").AppImport>;
        delete: (id: string, options?: CallOptions) => Promise<import("../shapes.js").Tombstone>;
    };
    accounts: {
        list(options?: (import("../wire/calls.js").PageOptions & Partial<{
            q: string;
            status: Account["status"];
        }>) | undefined): Promise<List<Account>>;
        all(options?: (import("../wire/calls.js").PageOptions & Partial<{
            q: string;
            status: Account["status"];
        }>) | undefined): AsyncGenerator<Account, void, undefined>;
        /** Refuses their sessions, tokens and keys, and Apps' calls for them, until enabled again. */
        disable: (id: string, options?: CallOptions) => Promise<Account>;
        enable: (id: string, options?: CallOptions) => Promise<Account>;
    };
    jobs: {
        list(options?: (import("../wire/calls.js").PageOptions & Partial<{
            state: Job["state"];
            kind: Job["kind"];
        }>) | undefined): Promise<List<Job>>;
        all(options?: (import("../wire/calls.js").PageOptions & Partial<{
            state: Job["state"];
            kind: Job["kind"];
        }>) | undefined): AsyncGenerator<Job, void, undefined>;
        retry: (id: string, options?: PostOptions) => Promise<Job>;
    };
    emails: import("../wire/calls.js").Pages<Email, Pick<Email, "recipient" | "state" | "template">, List<Email>>;
    audit: import("../wire/calls.js").Pages<AuditEntry, {
        actor: string;
        event: string;
        since: Date | string;
        app: string;
    }, List<AuditEntry>>;
    usage: (options?: CallOptions) => Promise<ServiceUsage>;
    /** The last lines that the process which answers has logged; with `after`, the `latest` of an earlier answer, only those since. */
    logs: ({ after, level, limit, ...options }?: LogOptions) => Promise<LogPage>;
    health: (options?: CallOptions) => Promise<ServiceHealth>;
    /**
     * Counts every storage and App again, and looks at every stored original: at its size, with `scrub` at its bytes. `repair` brings back
     * what the service's own backups hold whole.
     */
    reconcile: ({ scrub, repair, ...options }?: ReconcileOptions) => Promise<Job>;
    backups: {
        /** Copies the database and every image; the job's result tells where. `state_conflict` for a database on a server of its own. */
        create: (options?: PostOptions) => Promise<Job>;
    };
    trash: {
        list(options?: (import("../wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<List<TrashedBlob>>;
        all(options?: (import("../wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<TrashedBlob, void, undefined>;
        /** Takes ids of the list, at most 100. */
        restore: (blobs: readonly string[], options?: PostOptions) => Promise<TrashRestore>;
        /** Looks for stored bytes that no image belongs to; with `move` all of them go to the trash. The job's result counts them. */
        collect: ({ move, ...options }?: CollectOptions) => Promise<Job>;
    };
    subscriptions: {
        list(options?: (import("../wire/calls.js").PageOptions & Partial<{
            app: string;
            state: "live" | "ended";
            email: string;
        }>) | undefined): Promise<List<ManagedSubscription>>;
        all(options?: (import("../wire/calls.js").PageOptions & Partial<{
            app: string;
            state: "live" | "ended";
            email: string;
        }>) | undefined): AsyncGenerator<ManagedSubscription, void, undefined>;
        /** Ends it at once, without a refund, or with its term; its payer reads the reason. */
        cancel: (id: string, at: "now" | "period_end", reason: string, options?: CallOptions) => Promise<ManagedSubscription>;
        /** Moves its end by some days, at most 365, without a charge; its payer reads the reason. */
        extend: (id: string, days: number, reason: string, options?: CallOptions) => Promise<ManagedSubscription>;
        /** Pays an invoice back: all that is left of it, or an amount in the smallest unit; its payer reads the reason. */
        refund: (id: string, { invoice, amount, reason }: Refund, options?: CallOptions) => Promise<Invoice>;
    };
    simulation: {
        /** The service's clock. */
        clock: (options?: CallOptions) => Promise<Clock>;
        /** Moves the service's clock forwards. */
        advanceClock: (to: Date | string, options?: CallOptions) => Promise<Clock>;
        /** Sets how the next payments of a subscription go. */
        decide: (subscription: string, outcome: SimulatedOutcome, options?: PostOptions) => Promise<Simulation>;
    };
};
