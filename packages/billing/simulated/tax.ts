import type { TaxBehavior } from "@svc/base/enumerations";
import { stepOf } from "../plans/currencies.ts";
import type { InvoiceLine, SimulatedPrice } from "../ports.ts";

/* The tax of the simulated processor: one rate for everybody, so that every page and every invoice shows some. */

const PERCENT = 20;

export interface Taxed {
	/** Without tax. */
	readonly lines: readonly InvoiceLine[];
	/** The sum of the lines. */
	readonly subtotal: number;
	readonly tax: number;
	/** What is paid: subtotal and tax. */
	readonly total: number;
}

/**
 * The sums of an invoice. Tax is rounded once, over the whole, to what can be charged in the currency; half a step goes up, so that what is
 * given back has the tax of what was charged. Lines whose amounts hold the tax are shown without it.
 */
export function taxed(lines: readonly InvoiceLine[], behavior: TaxBehavior | null, currency: string): Taxed {
	const sum = sumOf(lines);
	if (behavior === null) return { lines, subtotal: sum, tax: 0, total: sum };
	const step = stepOf(currency);
	if (behavior === "exclusive") {
		const tax = share(sum, 100, step);
		return { lines, subtotal: sum, tax, total: sum + tax };
	}
	const tax = share(sum, 100 + PERCENT, step);
	return { lines: withoutTax(lines, sum - tax, step), subtotal: sum - tax, tax, total: sum };
}

/** What a term at a price costs. */
export function termOf({
	amount,
	taxBehavior = null,
	currency,
}: SimulatedPrice): Pick<Taxed, "subtotal" | "tax" | "total"> {
	return taxed([{ description: "", quantity: 1, amount, periodStartMs: 0, periodEndMs: 0 }], taxBehavior, currency);
}

/** The rounding that is left over goes to the last line. */
function withoutTax(lines: readonly InvoiceLine[], subtotal: number, step: number): readonly InvoiceLine[] {
	const net = lines.map((line) => ({ ...line, amount: line.amount - share(line.amount, 100 + PERCENT, step) }));
	const rest = subtotal - sumOf(net);
	return net.map((line, place) => (place === net.length - 1 ? { ...line, amount: line.amount + rest } : line));
}

function sumOf(lines: readonly InvoiceLine[]): number {
	return lines.reduce((sum, { amount }) => sum + amount, 0);
}

/** The tax of an amount, in whole steps: twenty of so many parts. Counted in integers alone. */
function share(amount: number, parts: number, step: number): number {
	const steps = Math.floor((2 * Math.abs(amount) * PERCENT + parts * step) / (2 * parts * step));
	return steps === 0 ? 0 : Math.sign(amount) * steps * step;
}
