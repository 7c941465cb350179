import type { Access } from "@svc/core/access";
import type { Addresses } from "@svc/core/addresses";
import type { CreateFields } from "@svc/core/create-image";
import type { ImageFacts } from "@svc/core/images";
import type { AppPlan } from "@svc/core/plans";
import type { FileRules } from "@svc/core/ports";
import type { Usage as CountedUsage } from "@svc/core/usage";
import type { Image, Usage } from "@svc/sdk/types";
import type { GenericSchema } from "valibot";

/** When a request came, and from when on the retired `public` is refused. Both in milliseconds. */
export interface Moment {
	readonly nowMs: number;
	readonly publicCutoffMs: number;
}

/** Schemas by field name; what validates a request also describes it in the API document. */
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
	readonly visibility: {
		/**
		 * What becomes of a `public` that was sent: undefined where the field means nothing.
		 * @throws Failure validation_error under `public`
		 */
		decode(sent: unknown, moment: Moment): CreateFields["public"];
	};
	readonly image: {
		encode(image: ImageFacts, addresses: Addresses): Image;
		readonly schema: GenericSchema;
	};
	readonly billing: {
		/** Whether Apps may list what they sell. */
		readonly sellsPlans: boolean;
	};
	readonly usage: {
		encode(usage: CountedUsage, access: Access): Usage;
		readonly schema: GenericSchema;
		/** The `X-Limits-Enforced` header; undefined where the interface has none. */
		limitsEnforced(plan: AppPlan): boolean | undefined;
	};
}
