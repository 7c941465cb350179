import { LOCALES, type Locale } from "../enumerations.ts";

/* Which of the service's languages a person reads. */

/** Each language as its own speakers call it. */
export const LANGUAGE_NAMES = {
	en: "English",
	de: "Deutsch",
	es: "Español",
	fr: "Français",
	ja: "日本語",
} satisfies Record<Locale, string>;

/** The first of these tags (BCP 47, the dearest first) that is one of the service's languages: `de-AT` finds `de`. */
export function findLocale(tags: readonly string[]): Locale | undefined {
	for (const tag of tags) {
		const [language] = tag.trim().toLowerCase().split(/[-_]/, 1);
		const found = LOCALES.find((locale) => locale === language);
		if (found) return found;
	}
	return undefined;
}

/** The tags of an Accept-Language header (RFC 9110, 12.5.4) in the order of their weights; what has the weight 0 is left out. */
export function acceptedTags(header: string): readonly string[] {
	const weighted = header
		.slice(0, HEADER_MAX)
		.split(",")
		.map((part) => {
			const [tag = "", weight] = part.split(";");
			return { tag: tag.trim(), weight: weightOf(weight) };
		});
	return weighted
		.filter(({ tag, weight }) => tag !== "" && weight > 0)
		.sort((left, right) => right.weight - left.weight)
		.map(({ tag }) => tag);
}

/** More than any browser sends. */
const HEADER_MAX = 1_000;

function weightOf(parameter: string | undefined): number {
	if (parameter === undefined) return 1;
	const weight = Number(/^\s*q=([0-9.]+)\s*$/i.exec(parameter)?.[1]);
	return Number.isNaN(weight) ? 0 : weight;
}
