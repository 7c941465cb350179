import type { ManagedPrice } from "@svc/sdk/shapes";

/** Digits behind the point of an amount; a currency that nobody knows has two. */
function digitsOf(currency: string): number {
	try {
		const format = new Intl.NumberFormat("en", { style: "currency", currency });
		return format.resolvedOptions().maximumFractionDigits ?? 2;
	} catch {
		return 2;
	}
}

/** An amount as people write it, in the currency's smallest unit; or why it is none. */
export function minorUnits(text: string, currency: string): number | string {
	const digits = digitsOf(currency);
	const [, whole = "", part = ""] = /^(\d{1,12})(?:[.,](\d+))?$/.exec(text) ?? [];
	if (whole === "") return "is an amount as 4.99, without its currency";
	if (part.length > digits) return `has at most ${digits} digits behind the point`;
	return Number(whole + part.padEnd(digits, "0"));
}

/** Amounts are in the currency's smallest unit, which is not a hundredth everywhere. */
export function priceText({
	amount,
	currency,
	interval,
}: Pick<ManagedPrice, "amount" | "currency" | "interval">): string {
	return `${amountText(amount, currency)} a ${interval}`;
}

export function amountText(amount: number, currency: string): string {
	const value = amount / 10 ** digitsOf(currency);
	try {
		return new Intl.NumberFormat("en", { style: "currency", currency }).format(value);
	} catch {
		// What the payment processor names may be no code of three letters.
		return `${value} ${currency}`;
	}
}
