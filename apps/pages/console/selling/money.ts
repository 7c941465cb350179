/* Numbers of forms: amounts as people write them, which the API takes in the smallest unit of their currency. */

/** The digits after the point. What is no code of a currency has two: the API says what is wrong with it. */
function decimalsOf(currency: string): number {
	if (!/^[a-z]{3}$/i.test(currency)) return 2;
	return new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

/** As it stands in a field. */
export function amountField(amount: number, currency: string): string {
	const decimals = decimalsOf(currency);
	return (amount / 10 ** decimals).toFixed(decimals);
}

/** Before the cents stands a point, or in some languages a comma. Undefined for what is no amount of that currency. */
export function readAmount(text: string, currency: string): number | undefined {
	const decimals = decimalsOf(currency);
	const [, whole = "", part = ""] = /^(\d{1,9})(?:[.,](\d{1,3}))?$/.exec(text.trim()) ?? [];
	if (whole === "" || part.length > decimals) return undefined;
	return Number(whole + part.padEnd(decimals, "0"));
}

/** Undefined for an empty field. */
export function readWhole(text: string): number | undefined {
	if (text === "") return undefined;
	return /^-?\d{1,15}$/.test(text) ? Number(text) : UNREAD;
}

/** Less than any field takes: what could not be read is refused by the API, which first says to whom it is open at all. */
export const UNREAD = -1_000_000_000;
