import type { UserLimits } from "@svc/sdk/shapes";
import { UsageError } from "./exit.ts";

/** What the storage of one user may hold, as arguments. */
export const USER_LIMIT_ARGS = {
	images: { type: "string", valueHint: "number", description: "Most images of one user; none for any number" },
	bytes: { type: "string", valueHint: "number", description: "Most bytes of one user, such as 1000000000; or none" },
} as const;

interface Args {
	readonly images?: string | undefined;
	readonly bytes?: string | undefined;
}

/** Only those that were given; undefined where none was. @throws UsageError */
export function readUserLimits({ images, bytes }: Args): Partial<UserLimits> | undefined {
	if (images === undefined && bytes === undefined) return undefined;
	return {
		...(images !== undefined && { images: readLimit("--images", images) }),
		...(bytes !== undefined && { bytes: readLimit("--bytes", bytes) }),
	};
}

function readLimit(name: string, text: string): number | null {
	if (text === "none") return null;
	const limit = /^\d+$/.test(text) ? Number(text) : Number.NaN;
	if (Number.isSafeInteger(limit)) return limit;
	throw new UsageError(`${name} takes a whole number, or none for any number; not "${text}".`);
}

/** `images=20 bytes=none`. An older service knows no limits. */
export function userLimitsText(limits: UserLimits | undefined): string | undefined {
	return limits && `images=${limits.images ?? "none"} bytes=${limits.bytes ?? "none"}`;
}
