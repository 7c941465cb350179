import type { AuditEntry, ConnectedUser, Grant, GrantedRole, Invite, Job, Labels, ManagedKey, Member, ModerationAction, MonthUsage, Permission, RedirectUri, Usage, UserUsage } from "../shapes.js";
import type { Open, WithSecret } from "../types.js";
import { type Calls } from "../wire/calls.js";
import type { CallOptions, PostOptions } from "../wire/request.js";
import type { Transport } from "../wire/transport.js";
import type { LabelOptions } from "./image-lists.js";
export interface NewKey {
    readonly name: string;
    /** `app`: App-wide; `bucket`: the App storage alone. */
    readonly reach: "app" | "bucket";
    readonly permissions: readonly Open<Permission>[];
    /** At most 365 days from now. Default: until revoked. */
    readonly expiresAt?: Date | string | undefined;
}
export interface KeyChanges {
    readonly name?: string | undefined;
    /** Null: until revoked. */
    readonly expiresAt?: Date | string | null | undefined;
}
export declare function keysOf(transport: Transport, calls: Calls, appId: string): {
    list(options?: (import("../wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("../types.js").List<ManagedKey>>;
    all(options?: (import("../wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<ManagedKey, void, undefined>;
    get: (id: string, options?: CallOptions) => Promise<ManagedKey>;
    create: ({ expiresAt, ...key }: NewKey, options?: PostOptions) => Promise<ManagedKey & WithSecret>;
    edit: (id: string, { name, expiresAt }: KeyChanges, options?: CallOptions) => Promise<ManagedKey>;
    /** Makes a successor. The old key works until it is revoked, or for `oldExpiresIn`: seconds, or a duration such as `1h`. */
    rotate: (id: string, oldExpiresIn?: string | number, options?: CallOptions) => Promise<ManagedKey & WithSecret>;
    delete: (id: string, options?: CallOptions) => Promise<import("../shapes.js").Tombstone>;
} & {
    readonly update: (id: string, { name, expiresAt }: KeyChanges, options?: CallOptions) => Promise<ManagedKey>;
    readonly revoke: (id: string, options?: CallOptions) => Promise<import("../shapes.js").Tombstone>;
};
export declare function membersOf(transport: Transport, calls: Calls, appId: string): {
    list(options?: (import("../wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("../types.js").List<Member>>;
    all(options?: (import("../wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<Member, void, undefined>;
    /** @throws ApiError `state_conflict` naming the keys that would die, unless `revokeKeys` */
    changeRole: (id: string, role: GrantedRole, revokeKeys?: boolean, options?: CallOptions) => Promise<Member>;
    /** One's own id: leaves the team. @throws ApiError `state_conflict` naming the keys that would die, unless `revokeKeys` */
    delete: (id: string, revokeKeys?: boolean, options?: CallOptions) => Promise<import("../shapes.js").Tombstone>;
} & {
    readonly remove: (id: string, revokeKeys?: boolean, options?: CallOptions) => Promise<import("../shapes.js").Tombstone>;
};
export declare function invitesOf(transport: Transport, calls: Calls, appId: string): {
    list(options?: (import("../wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("../types.js").List<Invite>>;
    all(options?: (import("../wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<Invite, void, undefined>;
    /** The token is also sent by mail; `token` is shown this once. */
    create: (email: string, role: GrantedRole, options?: PostOptions) => Promise<Invite & {
        readonly token: string;
    }>;
    delete: (id: string, options?: CallOptions) => Promise<import("../shapes.js").Tombstone>;
} & {
    readonly withdraw: (id: string, options?: CallOptions) => Promise<import("../shapes.js").Tombstone>;
};
export declare function redirectUrisOf(transport: Transport, calls: Calls, appId: string): {
    list(options?: (import("../wire/calls.js").PageOptions & Partial<{}>) | undefined): Promise<import("../types.js").List<RedirectUri>>;
    all(options?: (import("../wire/calls.js").PageOptions & Partial<{}>) | undefined): AsyncGenerator<RedirectUri, void, undefined>;
    create: (uri: string, options?: CallOptions) => Promise<RedirectUri>;
    delete: (id: string, options?: CallOptions) => Promise<import("../shapes.js").Tombstone>;
} & {
    readonly add: (uri: string, options?: CallOptions) => Promise<RedirectUri>;
    readonly remove: (id: string, options?: CallOptions) => Promise<import("../shapes.js").Tombstone>;
};
export interface NewGrant {
    readonly planKey: string;
    /** At most a year ahead. */
    readonly until: Date | string;
    /** The user reads it. */
    readonly reason: string;
}
export declare function usersOf(transport: Transport, calls: Calls, appId: string): {
    list(options?: (import("../wire/calls.js").PageOptions & Partial<{
        email: string;
    }>) | undefined): Promise<import("../types.js").List<ConnectedUser>>;
    all(options?: (import("../wire/calls.js").PageOptions & Partial<{
        email: string;
    }>) | undefined): AsyncGenerator<ConnectedUser, void, undefined>;
    get: (id: string, options?: CallOptions) => Promise<ConnectedUser>;
    /** Gives a plan of the App for nothing, for at most a year; what they pay for goes before it. */
    grant: (id: string, { planKey, until, reason }: NewGrant, options?: CallOptions) => Promise<Grant>;
    /** Takes back what they were given. */
    ungrant: (id: string, options?: CallOptions) => Promise<Grant>;
    /** Deletes all images that the App keeps for this person. */
    disconnect: (id: string, options?: CallOptions) => Promise<Job>;
};
export declare function usageOf(transport: Transport, calls: Calls, appId: string): {
    total: (options?: CallOptions) => Promise<Usage>;
    byUser: import("../wire/calls.js").Pages<UserUsage, {}, import("../types.js").List<UserUsage>>;
    byMonth: import("../wire/calls.js").Pages<MonthUsage, {}, import("../types.js").List<MonthUsage>>;
};
export declare function contentsOf(transport: Transport, calls: Calls, appId: string): {
    /** Labels of the App storage whose key begins with `prefix`; at most `limit`, or 1,000. */
    labels: (prefix?: string, { limit, ...options }?: LabelOptions) => Promise<Labels>;
    audit: import("../wire/calls.js").Pages<AuditEntry, {
        actor: string;
        event: string;
        since: Date | string;
    }, import("../types.js").List<AuditEntry>>;
    /** Moderation actions of operators on the App's images. */
    moderation: import("../wire/calls.js").Pages<ModerationAction, {}, import("../types.js").List<ModerationAction>>;
};
