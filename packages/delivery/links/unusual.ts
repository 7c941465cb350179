import { dayOf } from "@svc/images/usage/daily-usage";
import type { Delivery } from "../room.ts";
import type { BusyApp, ServedOnDay } from "./days-store.ts";

/* A page that many people read, or a machine that asks for every size of every picture, must not be learnt of from the bill. */

/** So many times the usual is worth a letter. */
const FACTOR = 5;
/** Below it nobody is told: a new App grows by more than that in a day, and it costs nearly nothing. */
const FLOOR: ServedOnDay = { bytes: 10_000_000_000, renditions: 10_000 };
const USUAL_DAYS = 14;
const KEPT_DAYS = 30;

/** Tells the teams of Apps of which far more than usual is served today. */
export async function warnOfUnusual({ days, clock, addresses }: Delivery): Promise<void> {
	const nowMs = clock.now();
	const day = dayOf(nowMs);
	for (const app of await days.listBusy(day, FLOOR, USUAL_DAYS)) {
		if (isUnusual(app, "bytes") || isUnusual(app, "renditions"))
			await days.warn(day, app, { web: addresses.web, nowMs });
	}
}

function isUnusual({ today, usual }: BusyApp, kind: keyof ServedOnDay): boolean {
	return today[kind] >= Math.max(FLOOR[kind], FACTOR * usual[kind]);
}

/** Forgets the days that nothing is compared with any more. */
export async function forgetDays({ days, clock }: Delivery): Promise<void> {
	await days.forget(dayOf(clock.now()) - KEPT_DAYS);
}
