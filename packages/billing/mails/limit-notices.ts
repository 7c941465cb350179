import { newMail } from "@svc/mail/mail";
import { attempt } from "../patience.ts";
import type { Billing } from "../room.ts";
import type { LimitCrossing } from "./limit-notices-store.ts";

/*
 * The Owner of an App gets a mail when most of a limit is used, and when all of it is: once each time that it comes so far. Only well below the
 * line it counts as not mailed again, so that an App which goes to and fro around it sends no mail after mail.
 */

const EVERY_MS = 5 * 60_000;
const AT_ONCE = 100;

/** Notes each crossing with its mail; a limit of which less is used again is noted without one. */
export async function tellLimits(room: Billing): Promise<void> {
	const nowMs = room.clock.now();
	if (!room.rounds.due("limits", EVERY_MS, nowMs)) return;
	for (const watched of room.appPlans.watched) {
		for (const one of await room.limits.listCrossings(watched, AT_ONCE)) {
			await attempt(room, () => room.limits.note(one, mailOf(room, one, nowMs), nowMs));
		}
	}
}

function mailOf({ addresses, appPlans }: Billing, crossing: LimitCrossing, nowMs: number) {
	const { appId, app, email, limit, used, most, mailed, percent } = crossing;
	if (percent <= mailed) return undefined;
	const page = `${addresses.web}${appPlans.page({ id: appId })}`;
	const facts = { app, limit, percent, used, most, page };
	return newMail("app_limit", email, facts, `app_limit ${appId} ${limit} ${percent} ${nowMs}`);
}
