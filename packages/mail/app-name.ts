import { nameLine } from "./clean.ts";

/** Characters of a name that a mail repeats. */
export const NAME_MAX = 80;

/** The name of an App, or of what it sells, as it stands in quotation marks, which it must not be able to end. */
export function appName(name: string): string {
	return nameLine(name, NAME_MAX).replace(/[“”]/g, '"') || "(no name)";
}
