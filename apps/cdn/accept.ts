import { AUTOMATIC, type Automatic } from "@svc/images/transform/automatic";

/** The weight of a type (RFC 9110, section 12.4.2): three decimals at most. */
const WEIGHT = /^\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*$/i;

/**
 * The formats that an `Accept` names with a weight above 0, the best first. Wildcards name nothing: clients that can show neither send them
 * too.
 */
export function acceptedFormats(header: string | null): readonly Automatic[] {
	const weights = new Map<string, number>();
	for (const part of (header ?? "").toLowerCase().split(",")) {
		const [type = "", ...parameters] = part.split(";");
		weights.set(type.trim(), weightOf(parameters));
	}
	const weight = (format: Automatic) => weights.get(`image/${format}`) ?? 0;
	// The order of the list decides among equals.
	return AUTOMATIC.filter((format) => weight(format) > 0).toSorted((a, b) => weight(b) - weight(a));
}

function weightOf(parameters: readonly string[]): number {
	const weight = parameters.find((parameter) => /^\s*q\s*=/i.test(parameter));
	if (weight === undefined) return 1;
	return Number(WEIGHT.exec(weight)?.[1] ?? 0);
}
