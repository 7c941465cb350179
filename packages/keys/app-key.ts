import type { KeyRecord } from "@svc/apps/access";
import type { MintedSecret } from "@svc/base/crypto/secrets";
import type { AppKeyReach, Permission } from "@svc/base/enumerations";

/** A key as the App's team sees it. */
export interface AppKey extends Omit<KeyRecord, "app" | "storage"> {
	readonly creatorPk: number;
	/** Account id of the creator. */
	readonly createdBy: string;
	readonly revokeReason: string | null;
	/** Id of the successor that a rotation made. */
	readonly replacedBy: string | null;
}

export interface KeyRequest {
	readonly name: string;
	readonly reach: AppKeyReach;
	readonly permissions: ReadonlySet<Permission>;
	/** Null: until revoked. */
	readonly expiresMs: number | null;
}

export interface NewAppKey extends KeyRequest, Omit<MintedSecret, "secret"> {
	readonly id: string;
}
