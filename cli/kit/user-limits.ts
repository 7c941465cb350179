import type { UserLimits } from "@svc/sdk/shapes";
import * as takes from "./line/takes.ts";
import { readLimit } from "./settings.ts";

/** What the storage of one user may hold, as arguments. */
export const USER_LIMIT_ARGS = {
	images: takes.text("Most images of one user; none for any number", "number"),
	bytes: takes.text("Most bytes of one user, such as 1000000000; or none", "number"),
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
