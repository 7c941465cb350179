import type { By } from "@svc/base/actor";
import type { Span } from "@svc/base/cursors";
import type { NewJob } from "@svc/jobs/jobs";
import type { NewMail } from "@svc/mail/mail";
import type { Account } from "@svc/people/people";
import type { GivableRole, Role } from "@svc/people/roles";
import type { KeyReach, Permission } from "./access.ts";
import type { AppKey } from "./app-keys.ts";
import type { LabelCount, MonthUploads, UserUsage } from "./app-usage.ts";
import type { AuditRecord } from "./audit.ts";
import type { Invite, NewInvite } from "./invites.ts";
import type { Member } from "./members.ts";
import type { Membership } from "./memberships.ts";
import type { RedirectUri } from "./redirect-uris.ts";
import type { StorageUsage } from "./usage.ts";

/* What is asked of the world about Apps and their teams; see ports.ts. Lists come newest first, only rows whose pk is below `beforePk`. */

/**
 * Who changes something in an App, and the role that they must still have when it is committed: a demotion in between refuses it as
 * `mandate`.
 */
export interface Mandate {
	readonly appPk: number;
	readonly accountPk: number;
	readonly needs: Role;
	readonly by: By;
}

export interface NewApp {
	readonly id: string;
	readonly name: string;
	readonly nameFold: string;
	readonly storageId: string;
	readonly teamHash: string;
}

export interface AppChanges {
	readonly name?: { readonly shown: string; readonly folded: string } | undefined;
	readonly signIn?: boolean | undefined;
}

export interface AppStore {
	/**
	 * With its Owner, its storage and its counters; `full` when the account owns `max` Apps already, `gone` when it is disabled or being
	 * deleted by now.
	 */
	create(app: NewApp, ownerPk: number, max: number, by: By): Promise<"full" | "gone" | undefined>;
	/** The Apps that an account is a member of; `appPk` limits them to one. */
	list(accountPk: number, appPk: number | null, span: Span): Promise<readonly (Membership & { readonly pk: number })[]>;
	/** What is already so is neither changed nor told of. */
	change(mandate: Mandate, appId: string, changes: AppChanges): Promise<"mandate" | undefined>;
	pause(mandate: Mandate, appId: string): Promise<"mandate" | undefined>;
	resume(mandate: Mandate, appId: string): Promise<"mandate" | undefined>;
	/**
	 * The Owner becomes Admin, the other member Owner; `full` when they own `max` Apps already, `gone` when they are no member by now, or
	 * their account is disabled or being deleted.
	 */
	transfer(
		mandate: Mandate,
		appId: string,
		to: Pick<Member, "pk" | "accountId">,
		max: number,
	): Promise<"mandate" | "gone" | "full" | undefined>;
	/**
	 * Marks the App and its storages, revokes all its keys and starts the job; `renamed` when it is not called `name` any more,
	 * `subscribed` when somebody subscribes to a plan of it, unless that is to end as well.
	 */
	delete(
		mandate: Mandate,
		app: { readonly id: string; readonly name: string; readonly endSubscriptions: boolean },
		job: NewJob,
	): Promise<"mandate" | "renamed" | "subscribed" | undefined>;
}

export interface MemberStore {
	list(appPk: number, span: Span): Promise<readonly Member[]>;
	/** By account id or e-mail address. */
	find(appPk: number, member: string): Promise<Member | undefined>;
	/** Ids of an account's keys of the App that still work. */
	liveKeys(appPk: number, accountPk: number, nowMs: number): Promise<readonly string[]>;
	/** A demotion below Admin revokes the member's keys; `keys` when that is not allowed and there are any that work. */
	changeRole(
		mandate: Mandate,
		member: Member,
		role: GivableRole,
		revokeKeys: boolean,
	): Promise<"mandate" | "owner" | "keys" | undefined>;
	/** Revokes the member's keys as well; `keys` when that is not allowed and there are any that work. */
	remove(mandate: Mandate, member: Member, revokeKeys: boolean): Promise<"mandate" | "owner" | "keys" | undefined>;
}

export interface InviteStore {
	/** Those not accepted, expired ones too. */
	list(appPk: number, span: Span): Promise<readonly Invite[]>;
	/** Accepted ones too. */
	find(appPk: number, id: string): Promise<Invite | undefined>;
	/** By the SHA-256 of its token; only of an App that is not being deleted, and by somebody who may still invite. */
	findByToken(id: string, tokenHash: Uint8Array): Promise<Invite | undefined>;
	/** Replaces an open invite of the same address, and sends the mail. */
	create(
		mandate: Mandate,
		invite: NewInvite,
		mail: NewMail,
		max: number,
	): Promise<"mandate" | "member" | "full" | undefined>;
	/** `gone` when it was deleted or accepted meanwhile. */
	delete(mandate: Mandate, invite: Invite): Promise<"mandate" | "gone" | undefined>;
	/** Makes a member; `spent` when somebody was faster, or it is gone. */
	accept(invite: Invite, account: Pick<Account, "pk" | "id">, by: By): Promise<"spent" | "member" | undefined>;
}

export interface RedirectUriStore {
	list(appPk: number, span: Span): Promise<readonly RedirectUri[]>;
	find(appPk: number, id: string): Promise<RedirectUri | undefined>;
	create(
		mandate: Mandate,
		uri: Pick<RedirectUri, "id" | "uri">,
		max: number,
	): Promise<"mandate" | "full" | "taken" | undefined>;
	delete(mandate: Mandate, uri: RedirectUri): Promise<"mandate" | "gone" | undefined>;
}

export interface NewAppKey {
	readonly id: string;
	readonly name: string;
	readonly reach: KeyReach;
	readonly permissions: ReadonlySet<Permission>;
	readonly secretHash: Uint8Array;
	readonly prefix: string;
	readonly last4: string;
	readonly expiresMs: number | null;
}

export interface AppKeyStore {
	/** App-wide and App-storage keys, revoked ones too; those of users are theirs. */
	list(appPk: number, span: Span): Promise<readonly AppKey[]>;
	find(appPk: number, id: string): Promise<AppKey | undefined>;
	create(mandate: Mandate, key: NewAppKey, max: number): Promise<"mandate" | "full" | undefined>;
	/** `dead` for a key that was revoked or has expired. What is already so is neither changed nor told of. */
	change(
		mandate: Mandate,
		key: AppKey,
		changes: { readonly name?: string | undefined; readonly expiresMs?: number | null | undefined },
	): Promise<"mandate" | "dead" | undefined>;
	/**
	 * The old key works until `endMs`, and no more when that is now; null leaves it as it is. `dead` for a key that was revoked, has
	 * expired, or has a successor that was not revoked.
	 */
	rotate(
		mandate: Mandate,
		old: AppKey,
		successor: NewAppKey,
		endMs: number | null,
		max: number,
	): Promise<"mandate" | "dead" | "full" | undefined>;
	/** A revoked key stays as it is. */
	revoke(mandate: Mandate, key: AppKey): Promise<"mandate" | undefined>;
}

export interface AuditFilter {
	/** Undefined: of all Apps, and of none. */
	readonly appPk: number | undefined;
	readonly actor: string | undefined;
	readonly event: string | undefined;
	readonly sinceMs: number | undefined;
	/** Names operators, and what they noted; an App's team reads `operator` instead. */
	readonly unmasked?: boolean;
}

export interface AuditStore {
	list(filter: AuditFilter, span: Span): Promise<readonly AuditRecord[]>;
}

export interface AppUsageStore {
	/** Counters of all storages of an App together, for the UTC month that `nowMs` lies in. */
	total(appPk: number, nowMs: number): Promise<StorageUsage>;
	/** The App storage and its users', each by itself. */
	byUser(appPk: number, nowMs: number, span: Span): Promise<readonly UserUsage[]>;
	/** Of all storages together; newest month first, `pk` counting months since year 0. */
	byMonth(appPk: number, span: Span): Promise<readonly MonthUploads[]>;
	/** Labels of a storage's servable images in their order; images are counted no further than `max`, and so are labels. */
	labels(storagePk: number, prefix: string, max: number, nowMs: number): Promise<readonly LabelCount[]>;
}
