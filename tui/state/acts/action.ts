import type { NewGrant, NewKey } from "@svc/sdk/calls/app-team";
import type { NewPlan, NewPrice, PlanDescription, Refund } from "@svc/sdk/calls/billing";
import type { PresetParameters } from "@svc/sdk/calls/delivery";
import type { AppTerms } from "@svc/sdk/calls/operators";
import type { ImageChanges } from "@svc/sdk/client";
import type { AppChanges } from "@svc/sdk/management";
import type { BlockReason, ModerationVerb } from "@svc/sdk/shapes";
import type { Open } from "@svc/sdk/types";

/** With the `revision` that was seen, the service refuses when the image has changed since. */
export interface Target {
	readonly id: string;
	readonly revision: number;
	/** The reason of a block; undefined where none was chosen. */
	readonly reason: Open<BlockReason> | undefined;
}

export type Action =
	| {
			readonly kind: "moderate";
			readonly verb: ModerationVerb;
			readonly targets: readonly Target[];
			readonly isUndo: boolean;
	  }
	| { readonly kind: "app"; readonly verb: "pause" | "resume" | "unblock"; readonly id: string }
	| { readonly kind: "app"; readonly verb: "block"; readonly id: string; readonly reason: Open<BlockReason> }
	| { readonly kind: "key"; readonly verb: "revoke" | "rotate"; readonly app: string; readonly id: string }
	| { readonly kind: "new-app"; readonly verb: "create"; readonly name: string }
	| { readonly kind: "app-settings"; readonly verb: "edit"; readonly id: string; readonly changes: AppChanges }
	| { readonly kind: "app-terms"; readonly verb: "edit"; readonly id: string; readonly terms: AppTerms }
	/** `name` is what the person typed to confirm it. */
	| { readonly kind: "app-removal"; readonly verb: "delete"; readonly id: string; readonly name: string }
	| {
			readonly kind: "new-key";
			readonly verb: "create";
			readonly app: string;
			readonly name: string;
			readonly key: Omit<NewKey, "name">;
	  }
	| { readonly kind: "user"; readonly verb: "disconnect"; readonly app: string; readonly id: string }
	/** A plan for nothing. */
	| {
			readonly kind: "grant";
			readonly verb: "give";
			readonly app: string;
			/** The user's. */
			readonly id: string;
			readonly grant: NewGrant;
	  }
	| { readonly kind: "plan"; readonly verb: "archive"; readonly app: string; readonly id: string }
	| {
			readonly kind: "new-plan";
			readonly verb: "create";
			readonly app: string;
			readonly name: string;
			readonly plan: Omit<NewPlan, "name">;
	  }
	| {
			readonly kind: "plan-words";
			readonly verb: "edit";
			readonly app: string;
			readonly id: string;
			readonly changes: PlanDescription;
	  }
	| {
			readonly kind: "price";
			readonly verb: "add";
			readonly app: string;
			/** The plan's. */
			readonly id: string;
			readonly terms: NewPrice;
	  }
	/** Of these prices of a plan: whether they are on sale. */
	| {
			readonly kind: "prices";
			readonly verb: "edit";
			readonly app: string;
			readonly id: string;
			readonly onSale: Readonly<Record<string, boolean>>;
	  }
	/** They take no upload any more. */
	| { readonly kind: "tickets"; readonly verb: "cancel"; readonly app: string; readonly ids: readonly string[] }
	| {
			readonly kind: "webhook";
			readonly verb: "test" | "enable" | "disable" | "rotate" | "remove";
			readonly app: string;
			readonly id: string;
	  }
	/** An endpoint for events of all types. */
	| { readonly kind: "new-webhook"; readonly verb: "create"; readonly app: string; readonly name: string }
	/** Sends an endpoint what was not delivered since a time. */
	| {
			readonly kind: "recover";
			readonly verb: "recover";
			readonly app: string;
			readonly id: string;
			readonly since: string;
	  }
	| {
			readonly kind: "delivery";
			readonly verb: "redeliver";
			readonly app: string;
			readonly endpoint: string;
			readonly id: string;
	  }
	| {
			readonly kind: "new-preset";
			readonly verb: "create";
			readonly app: string;
			readonly name: string;
			readonly parameters: PresetParameters;
	  }
	/** `parameters` are all that it has from then on. */
	| {
			readonly kind: "preset";
			readonly verb: "edit";
			readonly app: string;
			readonly id: string;
			readonly name: string;
			readonly parameters: PresetParameters;
	  }
	| { readonly kind: "preset"; readonly verb: "remove"; readonly app: string; readonly id: string }
	| { readonly kind: "new-signing-key"; readonly verb: "create"; readonly app: string; readonly name: string }
	| { readonly kind: "signing-key"; readonly verb: "remove"; readonly app: string; readonly id: string }
	/** `user` is whose images they are; undefined for the App's own. They can be brought back for a day. */
	| {
			readonly kind: "images";
			readonly verb: "delete" | "restore";
			readonly app: string;
			readonly user: string | undefined;
			readonly ids: readonly string[];
	  }
	| {
			readonly kind: "image";
			readonly verb: "edit";
			readonly app: string;
			readonly user: string | undefined;
			readonly id: string;
			readonly changes: ImageChanges;
	  }
	/** Operators' alone; the payer reads the reason. */
	| {
			readonly kind: "subscription";
			readonly verb: "extend";
			readonly id: string;
			readonly days: number;
			readonly reason: string;
	  }
	| {
			readonly kind: "subscription";
			readonly verb: "cancel";
			readonly id: string;
			readonly at: "now" | "period_end";
			readonly reason: string;
	  }
	| {
			readonly kind: "refund";
			readonly verb: "refund";
			/** The subscription's. */
			readonly id: string;
			readonly refund: Refund;
	  }
	/** Brings stored bytes back into the store. */
	| { readonly kind: "trash"; readonly verb: "restore"; readonly ids: readonly string[] };
