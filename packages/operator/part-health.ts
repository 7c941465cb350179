import type { WatchedPart } from "@svc/base/enumerations";
import { newMail } from "@svc/mail/mail";
import type { Operator } from "./room.ts";

/* Operators hear of a part that fails for a while, and when it works again: one letter each, however many processes notice. */

const TOLD_AFTER_MS = 10 * 60_000;

/** Notes how a part is; to be called every minute or more often. */
export async function notePart(room: Operator, part: WatchedPart, isFailing: boolean): Promise<void> {
	const { partHealth, clock } = room;
	const now = clock.now();
	const failing = await partHealth.findFailing(part);
	if (!failing) {
		if (isFailing) await partHealth.noteFailing(part, now);
		return;
	}
	const { sinceMs, toldMs } = failing;
	const since = new Date(sinceMs).toISOString();
	if (!isFailing) {
		// Who was not told that it fails need not be told that it works.
		const told = toldMs === null ? [] : await partHealth.listOperatorEmails();
		const facts = { part, since, until: new Date(now).toISOString() };
		await partHealth.heal(
			part,
			told.map((email) => newMail("part_healed", email, facts)),
			sinceMs,
			now,
		);
	} else if (toldMs === null && now - sinceMs >= TOLD_AFTER_MS) {
		const emails = await partHealth.listOperatorEmails();
		await partHealth.tell(
			part,
			emails.map((email) => newMail("part_failing", email, { part, since })),
			sinceMs,
			now,
		);
	}
}
