import type { Kept } from "@svc/events/snapshots-store";
import type { HELD_STATUSES } from "../subscription.ts";

/** Where a user stands with what an App sells, as its event has it. */
export interface PublishedStatus {
	readonly app: { readonly id: string; readonly name: string };
	readonly purchasingEnabled: boolean;
	readonly trialEligible: boolean;
	readonly hasSubscribed: boolean;
	readonly access: {
		readonly planKey: string | null;
		readonly status: "inactive" | (typeof HELD_STATUSES)[number];
		readonly expiresMs: number | null;
	};
	/** Null without one, and where the access is given. */
	readonly subscription: {
		readonly id: string;
		readonly planKey: string;
		readonly priceId: string;
		readonly status: string;
		readonly trialEndMs: number | null;
		readonly periodEndMs: number;
		readonly cancelAtPeriodEnd: boolean;
		readonly cancelAtMs: number | null;
		readonly pendingPlanKey: string | null;
		readonly pendingMs: number | null;
	} | null;
}

/** The status of its event. It is no row of a table: its writer names each member. */
export function readStatusEvent(kept: Kept): PublishedStatus {
	const { shown, ...facts } = kept as unknown as Omit<PublishedStatus, "access" | "subscription"> & {
		readonly shown: Pick<PublishedStatus, "access" | "subscription">;
	};
	return { ...facts, ...shown };
}
