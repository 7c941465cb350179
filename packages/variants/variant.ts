import type { Access, Storage } from "@svc/apps/access";
import type { Addresses } from "@svc/base/addresses";
import type { AppPlan } from "@svc/base/enumerations";
import type { Failure } from "@svc/base/failure";
import type { CreateFields } from "@svc/images/create-image";
import type { ImageFacts } from "@svc/images/images";
import type { ListedStatus } from "@svc/images/lists";
import type { FileRules } from "@svc/images/ports";
import type { Allowance, Usage as CountedUsage, QuotaOf, StorageUsage } from "@svc/images/usage";
import type { Image, Usage } from "@svc/sdk/shapes";
import type { LegacyImage } from "@svc/sdk/types";
import type { GenericSchema } from "valibot";
import type { StorageStatus } from "./storage-status.ts";

/** Limits of creates without a key, which all go to one pool and are always public. */
export interface AnonymousRules {
	readonly maxBytes: number;
	/** The ttl, and also the longest that may be requested. */
	readonly ttlSeconds: number;
	/** Creates of one network address in an hour. */
	readonly perHour: number;
}

/** Schemas by field name; a schema that validates a request also describes it in the API document. */
export type FieldSchemas = Readonly<Record<string, GenericSchema<unknown, unknown>>>;

/**
 * Everything that may differ between the interface's documented behaviours. It has no name: code cannot ask which one it serves,
 * only for the behaviour it needs.
 */
export interface Variant {
	/** Interface version, as the API document states it. */
	readonly version: string;
	readonly files: FileRules;
	readonly create: {
		/** Fields of a JSON create besides `url`, and of a multipart create besides `file`. */
		readonly json: FieldSchemas;
		readonly form: FieldSchemas;
		/** Names that are accepted and ignored: the Image's own, which a client may send back. */
		readonly ignored: ReadonlySet<string>;
	};
	readonly update: {
		readonly json: FieldSchemas;
		readonly ignored: ReadonlySet<string>;
	};
	/** Former fields: ignored until the day on which they are refused. */
	readonly retired: ReadonlySet<string>;
	readonly access: {
		/** Whether an image that is public may be read without a key. */
		readonly publicReads: boolean;
		/** Undefined: a create needs a key. */
		readonly anonymousCreates: AnonymousRules | undefined;
		/** Whether people have storages, and keys to them, outside of every App. These keys ignore `X-Svc-User`. */
		readonly personalStorages: boolean;
	};
	readonly visibility: {
		/** Whether images have a visibility, and with it a page of their own. */
		readonly exists: boolean;
		/** The visibility of a new image: as sent, or its storage's default. Null where the field has no meaning. */
		initial(sent: CreateFields["public"], storage: Pick<Storage, "publicByDefault">): boolean | null;
	};
	readonly image: {
		encode(image: ImageFacts, addresses: Addresses): Image | LegacyImage;
		readonly schema: GenericSchema;
		/** The statuses in which lists show an image. */
		readonly listed: readonly ListedStatus[];
	};
	readonly billing: {
		/** Whether Apps may list what they sell. */
		readonly sellsPlans: boolean;
		/** Whether the hosted card sells the tiers of storages, which the service sells, rather than what Apps sell. */
		readonly sellsTiers: boolean;
		/** The billing status of the storage that a call is about; undefined where it shows a user's subscription. */
		readonly storageStatus:
			| {
					encode(usage: Usage, access: Access, addresses: Addresses): StorageStatus;
					readonly schema: GenericSchema;
			  }
			| undefined;
	};
	readonly usage: {
		encode(usage: CountedUsage, access: Access): Usage;
		readonly schema: GenericSchema;
		/** The limits that are shown. */
		allowance(access: Pick<Access, "app" | "storage">): Allowance;
		/** The limits that refuse a create. */
		readonly quota: QuotaOf;
		/** The failure of a create that a limit refused. */
		quotaRefusal(access: Access, counted: StorageUsage, addresses: Addresses): Failure;
		/** Whether an App at its users limit takes no new users. */
		readonly usersLimited: boolean;
		/** The `X-Limits-Enforced` header; undefined where the interface has none. */
		limitsEnforced(plan: AppPlan): boolean | undefined;
	};
}
