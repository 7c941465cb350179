const HOUR_MS = 3_600_000;
/** More refused deliveries in an hour than this are not counted one by one. */
const REFUSED_MAX = 1_000;

/** What this process remembers of deliveries, for operators: those of others remember their own. */
export interface DeliveryLog {
	/** Types that were logged already. */
	readonly logged: Set<string>;
	signed(nowMs: number): void;
	refused(nowMs: number): void;
	/** How many were refused in the last hour, and whether one was signed rightly in it. */
	lastHour(nowMs: number): { readonly refused: number; readonly signed: boolean };
}

export function deliveryLog(): DeliveryLog {
	let signedMs = Number.NEGATIVE_INFINITY;
	let refusals: readonly number[] = [];
	return {
		logged: new Set(),
		signed(nowMs) {
			signedMs = nowMs;
		},
		refused(nowMs) {
			refusals = [...refusals.slice(1 - REFUSED_MAX), nowMs];
		},
		lastHour(nowMs) {
			refusals = refusals.filter((at) => at > nowMs - HOUR_MS);
			return { refused: refusals.length, signed: signedMs > nowMs - HOUR_MS };
		},
	};
}
