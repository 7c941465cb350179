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

/** Undefined where the code is not even of three letters. */
function formatOf(currency: string, locale: string): Intl.NumberFormat | undefined {
	if (!/^[a-z]{3}$/i.test(currency)) return undefined;
	return new Intl.NumberFormat(locale, { style: "currency", currency: currency.toUpperCase() });
}
