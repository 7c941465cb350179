import type { Access, App, Storage } from "@svc/apps/access";
import type { DeliveryLimitChanges } from "@svc/apps/app-record";
import type { OwnAppStore } from "@svc/apps/own-app-store";
import type { Addresses } from "@svc/base/addresses";
import type { Base } from "@svc/base/base";
import type { SecretPrefix } from "@svc/base/crypto/secrets";
import type { Database } from "@svc/base/database/client";
import type { DeliveryPolicy, ImageHostState, KeyReach } from "@svc/base/enumerations";
import type { Failure } from "@svc/base/failure";
import type { Clock } from "@svc/base/ports";
import type { SellerKind } from "@svc/billing/payers/payers-store";
import type { AppPlans } from "@svc/billing/plans/app-plans";
import type { OwnGoods } from "@svc/billing/plans/bought";
import type { OwnStorage } from "@svc/connect/connected-user";
import type { UsersLimits } from "@svc/connect/connection";
import type { Connect } from "@svc/connect/room";
import type { CreateFields } from "@svc/images/create/create-request";
import type { ImageFacts } from "@svc/images/images";
import type { ListedStatus } from "@svc/images/list/list-filters";
import type { FileRules } from "@svc/images/ports";
import type { Allowance, Usage as CountedUsage, QuotaOf, StorageUsage } from "@svc/images/usage/usage";
import type { Image, Usage } from "@svc/sdk/shapes";
import type { LegacyImage } from "@svc/sdk/types";
import type { GenericSchema } from "valibot";

/* What the rooms and the faces ask of an interface version. Its own routes and pages are in `apps/versions/`, above the faces. */

/** Schemas by field name; a schema that validates a request also describes it in the API document. */
export type FieldSchemas = Readonly<Record<string, GenericSchema<unknown, unknown>>>;

/** What an App's link may choose on the card already. */
export type CardChoiceName = "price_id" | "plan" | "interval";

/** The fields of an App that say which addresses of its images are answered, and how far. */
type DeliveryFields<Host> = {
	readonly delivery: GenericSchema<DeliveryPolicy | undefined>;
	readonly delivery_referrers: GenericSchema<string[] | undefined>;
	readonly delivery_limits: GenericSchema<unknown, DeliveryLimitChanges | undefined>;
	readonly image_host: GenericSchema<Host>;
};

interface ShownImageHost {
	readonly host: string;
	readonly state: ImageHostState;
	readonly record: { readonly type: "TXT"; readonly name: string; readonly value: string };
}

/** What a version is made from: its own stores, and what the deployment sets for it. */
export interface VariantParts {
	readonly database: Database;
	/** The bound of the pool of images that came without a key, in bytes. */
	readonly anonymousMaxBytes: number;
}

interface PrepareParts {
	readonly ownApp: OwnAppStore;
	readonly clock: Clock;
	/** The service's own. */
	readonly name: string;
}

/**
 * Everything that may differ between the interface's documented behaviours. It has no name: code cannot ask which one it serves,
 * only for the behaviour it needs.
 */
/** What may be asked for of an image besides: of the picture itself, an address that shows it, the number of its last change. */
type ImageInclude = "facts" | "preview" | "revision";

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
	/** What this version needs in the database: made at the start, and harmless where it is there. */
	prepare(parts: PrepareParts): Promise<void>;
	/** Whether what its key holders delete can be restored for a day. */
	readonly deletes: "restorable" | "final";
	/** Former fields: ignored until the day on which they are refused. */
	readonly retired: ReadonlySet<string>;
	/** The list of images. Clients of earlier versions were written for one that reads what it knows, and is filtered by labels alone. */
	readonly lists: { readonly unknownParameters: "refused" | "ignored"; readonly filters: "all" | "labels" };
	readonly keys: {
		/** What the secrets of people's own keys begin with. */
		userPrefix(mode: Base["mode"]): SecretPrefix;
		/** The reaches of keys with which X-Svc-User is ignored, rather than a mistake. */
		readonly userIgnored: ReadonlySet<KeyReach>;
	};
	/** The storages that people have outside of every App. */
	readonly storages: {
		/** The pages on which people keep keys to them; null stands for no App. */
		readonly keyrings: readonly { readonly path: string; readonly app: null }[];
		/** What a person has there; undefined where there is no such thing. */
		find(connect: Connect, account: { readonly pk: number }): Promise<OwnStorage | undefined>;
	};
	readonly visibility: {
		/** The visibility of a new image: as sent, or its storage's default. Null where the field has no meaning. */
		initial(sent: CreateFields["public"], storage: Pick<Storage, "publicByDefault">): boolean | null;
	};
	/** What an App says of its delivery policy, and takes; undefined where all addresses of images are answered alike. */
	readonly delivery:
		| {
				readonly shown: DeliveryFields<ShownImageHost | null>;
				readonly sent: DeliveryFields<string | null | undefined>;
		  }
		| undefined;
	readonly image: {
		encode(image: ImageFacts, addresses: Addresses): Image | LegacyImage;
		readonly schema: GenericSchema;
		/** What calls may ask for besides. */
		readonly includes: readonly ImageInclude[];
		/** The statuses in which lists show an image. */
		readonly listed: readonly ListedStatus[];
	};
	readonly billing: {
		/** What of its own the service does not sell, and therefore does not renew. */
		readonly unsold: readonly OwnGoods[];
		/** The own plans of Apps: what there is, and what is sold. */
		readonly appPlans: AppPlans;
		/** The hosted card on which people buy. */
		readonly card: {
			readonly seller: SellerKind;
			/** What an App's link may choose already. */
			readonly choices: readonly CardChoiceName[];
			/** Where people find the card of what they have by themselves, in an App or in none; null where there is no such card. */
			ownPath(app: Pick<App, "id"> | null): string | null;
			/** Where the Owner of an App sees and changes what the App pays for itself; null where there is no such page. */
			ownerPath(app: Pick<App, "id">): string | null;
		};
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
	};
	readonly limits: {
		/** The users that an App may have, by its plan; undefined where it may have any number. */
		readonly users: UsersLimits | undefined;
		/** The headers by which creates and the usage say whether the limits above refuse anything. */
		headers(plan: Allowance["plan"]): Readonly<Record<string, string>>;
	};
}
