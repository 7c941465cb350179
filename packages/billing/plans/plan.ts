import type { Interval, PaidAppPlan, PaidOwnPlanKey, TaxBehavior } from "@svc/base/enumerations";

export type NewSoldPlan = PlanFields & Pick<SoldPlan, "id" | "key" | "appPk">;

export type NewPrice = PriceTerms & Pick<PlanPrice, "id">;

/** Why a change was refused; nothing of it was written. */
export type PlanRefusal = "demoted" | "selling_off";

export interface PriceTerms {
	/** The price in the currency's smallest unit. */
	readonly amount: number;
	/** ISO 4217 code in lower case. */
	readonly currency: string;
	readonly interval: Interval;
	/** 0: no trial. */
	readonly trialDays: number;
}

export interface PlanPrice extends PriceTerms {
	readonly pk: number;
	readonly id: string;
	readonly onSale: boolean;
	readonly createdMs: number;
}

export interface PlanFields {
	readonly name: string;
	readonly description: string;
	readonly benefits: readonly string[];
	readonly displayOrder: number;
	/** What the storage of a user with this plan holds; null: any number. */
	readonly imagesLimit: number | null;
	readonly bytesLimit: number | null;
}

export interface SoldPlan extends PlanFields {
	readonly pk: number;
	readonly id: string;
	readonly appPk: number;
	/** Chosen by the App; never changes. */
	readonly key: string;
	readonly archivedMs: number | null;
	/** The prices, oldest first. */
	readonly prices: readonly PlanPrice[];
	/** Rises with every change. */
	readonly revision: number;
	readonly createdMs: number;
}

export interface PlanGrant {
	readonly pk: number;
	readonly id: string;
	readonly appPk: number;
	readonly app: { readonly id: string; readonly name: string };
	readonly connectionPk: number;
	readonly userId: string;
	/** The user is connected, and the App is not being deleted. */
	readonly connected: boolean;
	readonly email: string;
	readonly plan: { readonly key: string; readonly name: string };
	readonly untilMs: number;
	readonly reason: string;
	/** Public id of the account that gave it. */
	readonly grantedBy: string;
	readonly endedMs: number | null;
	readonly createdMs: number;
}

/**
 * What is paid for. `user`: a plan at one of our prices, which an App sells, or the service; a tier is one also where an App pays it for its
 * own storage. `app`: an App's own plan, which has no price row.
 */
export type Bought =
	| {
			readonly subject: "user";
			readonly pricePk: number;
			readonly priceId: string;
			readonly planKey: string;
			readonly planName: string;
			readonly terms: PriceTerms;
			/** Whether the price holds its tax; null where none is taken. It stays what it was when it was bought. */
			readonly taxBehavior: TaxBehavior | null;
	  }
	| { readonly subject: "app"; readonly appPlan: PaidAppPlan };

/** What a payer was sent to the processor to pay for. */
export type ChosenGoods =
	| (Pick<Extract<Bought, { subject: "user" }>, "subject" | "pricePk"> & {
			/** Where an App buys it for itself. */
			readonly appPlan?: PaidOwnPlanKey;
	  })
	| Extract<Bought, { subject: "app" }>;
