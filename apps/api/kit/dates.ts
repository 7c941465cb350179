import { durationSeconds } from "@svc/base/words/durations";

/** A date as it is written on the wire; null for an event that has not happened, or an expiry that never comes. */
export function isoDate(milliseconds: number): string;
export function isoDate(milliseconds: number | null): string | null;
export function isoDate(milliseconds: number | null): string | null {
	return milliseconds === null ? null : new Date(milliseconds).toISOString();
}

import { text } from "@svc/variants/bounds";
import * as v from "valibot";

const DURATION_MAX = 100;

interface Bounds {
	readonly minSeconds: number;
	readonly maxSeconds: number;
}

/** Seconds, sent as a whole number of them or as a duration such as `90d`. */
export function duration({ minSeconds, maxSeconds }: Bounds) {
	const rule = `must be whole seconds or a duration such as 24h or 90d, from ${minSeconds} to ${maxSeconds} seconds`;
	return v.pipe(
		v.union([text(DURATION_MAX), v.number()], rule),
		v.metadata({
			jsonSchema: {
				oneOf: [
					{ type: "string", pattern: "^[0-9]{1,9}[smhd]?$", examples: ["1h"] },
					{ type: "integer", minimum: minSeconds, maximum: maxSeconds },
				],
				description: rule,
			},
		}),
		v.rawTransform(({ dataset, addIssue, NEVER }) => {
			const seconds = durationSeconds(dataset.value);
			if (seconds !== undefined && seconds >= minSeconds && seconds <= maxSeconds) return seconds;
			addIssue({ message: rule });
			return NEVER;
		}),
	);
}
