import type { TaxBehavior } from "@svc/base/enumerations";
import { withinChange } from "../patience.ts";
import type { ProcessorPrice } from "../ports.ts";
import type { Billing } from "../room.ts";

/** The processor's id of a price of ours, which it learns when it is first needed. */
export async function ensurePriceRef(room: Billing, id: string, price: ProcessorPrice): Promise<string> {
	return await ensureRef(room, id, () => room.processor.ensurePrice(id, price));
}

/** The processor's id of a payer, which it learns when it is first needed. */
export async function ensureCustomerRef(
	room: Billing,
	id: string,
	customer: { readonly email: string; readonly name: string },
): Promise<string> {
	return await ensureRef(room, id, () => room.processor.ensureCustomer(id, customer));
}

async function ensureRef(room: Billing, id: string, ask: () => Promise<string>): Promise<string> {
	const { processor, refs, clock } = room;
	const known = await refs.find(processor.name, id);
	return known ?? (await refs.save(processor.name, id, await withinChange(ask()), clock.now()));
}

/** What names a price of ours at the processor, where the one price is another one for each way in which it is taxed. */
export function priceName(id: string, taxBehavior: TaxBehavior | null): string {
	return taxBehavior === null ? id : `${id}:${taxBehavior}`;
}
