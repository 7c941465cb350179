import type { TaxBehavior } from "@svc/base/enumerations";
import type { Recipient } from "../mails/billing-mails.ts";

/** A person connected to an App, as a payer. */
export interface Payer extends Recipient {
	readonly connectionPk: number;
	readonly connectionId: string;
	readonly accountId: string;
	/** The address in the form in which addresses are compared. */
	readonly emailNorm: string;
	/** Whose plans there are to buy: the App's own, or the service's. */
	readonly seller: { readonly pk: number; readonly name: string; readonly selling: boolean } & Sale;
}

/** On what terms a seller sells from now on. */
interface Sale {
	/** Whether prices hold their tax; null where none is taken. */
	readonly taxBehavior: TaxBehavior | null;
	/** Whether payers may enter the processor's own promotion codes. */
	readonly promotionCodes: boolean;
}
