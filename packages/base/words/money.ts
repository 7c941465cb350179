/* Amounts are whole numbers of the currency's smallest unit, which is not a hundredth everywhere (ISO 4217). */

/** Into how many decimal places the currency is divided: 0, 2 or 3; 2 where nobody knows it. */
export function decimalsOf(currency: string): number {
	return formatOf(currency, "en")?.resolvedOptions().maximumFractionDigits ?? 2;
}

/** An amount as people of a language write it; with the code behind it where that is of no currency. */
export function moneyText(amount: number, currency: string, locale: string): string {
	const value = amount / 10 ** decimalsOf(currency);
	return formatOf(currency, locale)?.format(value) ?? `${value} ${currency}`;
}

/** An amount with all digits of its currency and the code behind it, as terminals and scripts have it: `4.99 usd`. */
export function plainMoney(amount: number, currency: string): string {
	const digits = decimalsOf(currency);
	return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`;
}

/** An amount as people write it, in the currency's smallest unit; or why it is none. */
export function minorUnits(text: string, currency: string): number | string {
	const digits = decimalsOf(currency);
	const [, whole = "", part = ""] = /^(\d{1,12})(?:[.,](\d+))?$/.exec(text) ?? [];
	if (whole === "") return "is an amount as 4.99, without its currency";
	if (part.length > digits) return `has at most ${digits} digits behind the point`;
	return Number(whole + part.padEnd(digits, "0"));
}

/** Undefined where the code is not even of three letters. */
function formatOf(currency: string, locale: string): Intl.NumberFormat | undefined {
	if (!/^[a-z]{3}$/i.test(currency)) return undefined;
	return new Intl.NumberFormat(locale, { style: "currency", currency: currency.toUpperCase() });
}
