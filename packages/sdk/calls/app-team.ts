import type {
	AuditEntry,
	ConnectedUser,
	Grant,
	GrantedRole,
	Invite,
	Job,
	Labels,
	ManagedKey,
	Member,
	ModerationAction,
	MonthUsage,
	Permission,
	RedirectUri,
	Usage,
	UserUsage,
} from "../shapes.ts";
import type { Open, WithSecret } from "../types.ts";
import { type Calls, dateText, pagesOf, pathOf, withOldNames } from "../wire/calls.ts";
import type { CallOptions, PostOptions } from "../wire/request.ts";
import type { Transport } from "../wire/transport.ts";
import type { LabelOptions } from "./image-lists.ts";

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

export function keysOf(transport: Transport, calls: Calls, appId: string) {
	const path = (...rest: string[]) => pathOf("apps", appId, "keys", ...rest);
	return withOldNames(
		{
			...pagesOf<ManagedKey>(transport, path()),
			get: (id: string, options?: CallOptions) => calls.get<ManagedKey>(path(id), options),
			create: ({ expiresAt, ...key }: NewKey, options?: PostOptions) =>
				calls.post<ManagedKey & WithSecret>(path(), { ...key, expires_at: dateText(expiresAt) }, options),
			edit: (id: string, { name, expiresAt }: KeyChanges, options?: CallOptions) =>
				calls.patch<ManagedKey>(path(id), { name, expires_at: dateText(expiresAt) }, options),
			/** Makes a successor. The old key works until it is revoked, or for `oldExpiresIn`: seconds, or a duration such as `1h`. */
			rotate: (id: string, oldExpiresIn?: string | number, options?: CallOptions) =>
				calls.post<ManagedKey & WithSecret>(path(id, "rotate"), { old_expires_in: oldExpiresIn }, options),
			delete: (id: string, options?: CallOptions) => calls.remove("key", path(id), id, options),
		},
		{
			/** @deprecated It is called `edit`. */ update: "edit",
			/** @deprecated It is called `delete`. */ revoke: "delete",
		},
	);
}

export function membersOf(transport: Transport, calls: Calls, appId: string) {
	const path = (...rest: string[]) => pathOf("apps", appId, "members", ...rest);
	const own = {
		...pagesOf<Member>(transport, path()),
		/** @throws ApiError `state_conflict` naming the keys that would die, unless `revokeKeys` */
		changeRole: (id: string, role: GrantedRole, revokeKeys = false, options?: CallOptions) =>
			calls.patch<Member>(path(id), { role, ...(revokeKeys && { revoke_keys: true }) }, options),
		/** One's own id: leaves the team. @throws ApiError `state_conflict` naming the keys that would die, unless `revokeKeys` */
		delete: (id: string, revokeKeys = false, options?: CallOptions) =>
			calls.remove("member", path(id), id, { ...options, ...(revokeKeys && { query: { revoke_keys: true } }) }),
	};
	return withOldNames(own, { /** @deprecated It is called `delete`. */ remove: "delete" });
}

export function invitesOf(transport: Transport, calls: Calls, appId: string) {
	const path = (...rest: string[]) => pathOf("apps", appId, "invites", ...rest);
	return withOldNames(
		{
			...pagesOf<Invite>(transport, path()),
			/** The token is also sent by mail; `token` is shown this once. */
			create: (email: string, role: GrantedRole, options?: PostOptions) =>
				calls.post<Invite & { readonly token: string }>(path(), { email, role }, options),
			delete: (id: string, options?: CallOptions) => calls.remove("invite", path(id), id, options),
		},
		{ /** @deprecated It is called `delete`. */ withdraw: "delete" },
	);
}

export function redirectUrisOf(transport: Transport, calls: Calls, appId: string) {
	const path = (...rest: string[]) => pathOf("apps", appId, "redirect_uris", ...rest);
	return withOldNames(
		{
			...pagesOf<RedirectUri>(transport, path()),
			create: (uri: string, options?: CallOptions) => calls.post<RedirectUri>(path(), { uri }, options),
			delete: (id: string, options?: CallOptions) => calls.remove("redirect_uri", path(id), id, options),
		},
		{
			/** @deprecated It is called `create`. */ add: "create",
			/** @deprecated It is called `delete`. */ remove: "delete",
		},
	);
}

export interface NewGrant {
	readonly planKey: string;
	/** At most a year ahead. */
	readonly until: Date | string;
	/** The user reads it. */
	readonly reason: string;
}

export function usersOf(transport: Transport, calls: Calls, appId: string) {
	const path = (...rest: string[]) => pathOf("apps", appId, "users", ...rest);
	return {
		...pagesOf<ConnectedUser, { email: string }>(transport, path(), { filters: ["email"] }),
		get: (id: string, options?: CallOptions) => calls.get<ConnectedUser>(path(id), options),
		/** Gives a plan of the App for nothing, for at most a year; what they pay for goes before it. */
		grant: (id: string, { planKey, until, reason }: NewGrant, options?: CallOptions) =>
			calls.put<Grant>(path(id, "grant"), { plan_key: planKey, until: dateText(until), reason }, options),
		/** Takes back what they were given. */
		ungrant: (id: string, options?: CallOptions) => calls.start<Grant>(path(id, "grant"), options),
		/** Deletes all images that the App keeps for this person. */
		disconnect: (id: string, options?: CallOptions) => calls.start<Job>(path(id), options),
	};
}

export function usageOf(transport: Transport, calls: Calls, appId: string) {
	const path = pathOf("apps", appId, "usage");
	return {
		total: (options?: CallOptions) => calls.get<Usage>(path, { ...options, query: { by: "total" } }),
		byUser: pagesOf<UserUsage>(transport, path, { fixed: { by: "user" } }),
		byMonth: pagesOf<MonthUsage>(transport, path, { fixed: { by: "month" } }),
	};
}

export function contentsOf(transport: Transport, calls: Calls, appId: string) {
	return {
		/** Labels of the App storage whose key begins with `prefix`; at most `limit`, or 1,000. */
		labels: (prefix?: string, { limit, ...options }: LabelOptions = {}) =>
			calls.get<Labels>(pathOf("apps", appId, "labels"), { ...options, query: { prefix, limit } }),
		audit: pagesOf<AuditEntry, { actor: string; event: string; since: Date | string }>(
			transport,
			pathOf("apps", appId, "audit"),
			{ filters: ["actor", "event", "since"] },
		),
		/** Moderation actions of operators on the App's images. */
		moderation: pagesOf<ModerationAction>(transport, pathOf("apps", appId, "moderation")),
	};
}
