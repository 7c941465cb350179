import { ApiError } from "./failure.ts";
import type { CallOptions } from "./request.ts";
import type { BillingStatus } from "./shapes.ts";

/** A billing status, fresh or of last time. */
export interface KeptStatus {
	readonly status: BillingStatus;
	/** Undefined for a fresh one; otherwise nothing new is to be had for so long. */
	readonly retryAfterSeconds: number | undefined;
}

/**
 * The status as it is, or `kept`, the one that was read last, while a renewal is being confirmed: nobody who paid is shut out because
 * their bank takes a minute (specification, "GET /v1/billing/status").
 * @throws ApiError for every other refusal
 */
export async function statusOrKept(
	read: (options: CallOptions) => Promise<BillingStatus>,
	kept: BillingStatus,
	options: CallOptions,
): Promise<KeptStatus> {
	try {
		// The caller has an answer already and need not wait for another.
		return { status: await read({ ...options, retries: 0 }), retryAfterSeconds: undefined };
	} catch (error) {
		const waiting = error instanceof ApiError && error.status === 503 && error.action?.type === "wait";
		if (!waiting) throw error;
		return { status: kept, retryAfterSeconds: error.retryAfterSeconds };
	}
}
