import type {
	BlockReason,
	DeliveryPolicy,
	ImageHostState,
	OwnPlanKey,
	Role,
	TaxBehavior,
	TaxMode,
} from "@svc/base/enumerations";
import type { App, Storage } from "./access.ts";
import type { AppProfile, ProfileChanges } from "./profile/app-profile.ts";

/* What an App is to those who keep it: rules and stores read it here, so that neither has to know the other. */

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
	readonly profile?: ProfileChanges | undefined;
	readonly sale?: SaleChanges | undefined;
	readonly delivery?: DeliveryPolicy | undefined;
	/** Checked; none: every page may show the App's images. */
	readonly referrers?: readonly string[] | undefined;
	readonly deliveryLimits?: DeliveryLimitChanges | undefined;
	readonly freeLimits?: LimitChanges | undefined;
	/** Checked; null: its images are on the service's own host alone. */
	readonly imageHost?: WantedHost | null | undefined;
}

/** A host that an App wants for its images, and what a record there has to say. */
export interface WantedHost {
	readonly host: string;
	readonly value: string;
}

/** What the storage of one user may hold; null: any number. */
export interface UserLimits {
	readonly images: number | null;
	readonly bytes: number | null;
}

/** A limit that is not sent stays. */
export type LimitChanges = { readonly [Limit in keyof UserLimits]?: UserLimits[Limit] | undefined };

/** What is served and made of an App's images on a day; null: any number. */
interface DeliveryLimits {
	readonly bytes: number | null;
	readonly renditions: number | null;
}

export type DeliveryLimitChanges = { readonly [Limit in keyof DeliveryLimits]?: DeliveryLimits[Limit] | undefined };

/** On what terms an App sells from now on; what was bought before keeps its own. */
interface SaleTerms {
	readonly taxMode: TaxMode;
	readonly taxBehavior: TaxBehavior;
	readonly promotionCodes: boolean;
}

type SaleChanges = { readonly [Term in keyof SaleTerms]?: SaleTerms[Term] | undefined };

/** An App with what its team sees besides the fields that decide over a request. */
export interface AppRecord extends App, SaleTerms {
	readonly pausedMs: number | null;
	readonly blockedMs: number | null;
	readonly blockReason: BlockReason | null;
	readonly signIn: boolean;
	readonly selling: boolean;
	/** What operators have granted it; null for nothing. */
	readonly grantedPlan: OwnPlanKey | null;
	readonly profile: AppProfile;
	readonly delivery: DeliveryPolicy;
	readonly deliveryReferrers: readonly string[] | null;
	readonly deliveryBytesLimit: number | null;
	readonly deliveryRenditionsLimit: number | null;
	/** Null where its images are on the service's own host; then the next two are as well. */
	readonly imageHost: string | null;
	readonly imageHostState: ImageHostState | null;
	readonly imageHostValue: string | null;
	/** Of users without a plan. */
	readonly freeImagesLimit: number | null;
	readonly freeBytesLimit: number | null;
	readonly createdMs: number;
}

/** An App as one of its members sees it. */
export interface Membership {
	readonly app: AppRecord;
	readonly role: Role;
	/** The App storage. */
	readonly storage: Storage;
}

/** An App of a list, with what all of its storages hold. */
export interface CountedApp extends Membership {
	readonly pk: number;
	readonly usage: { readonly images: number; readonly bytes: number; readonly users: number };
}
