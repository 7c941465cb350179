import type { WatchedPart } from "@svc/base/enumerations";
import { newMail } from "@svc/mail/mail";
import type { Operator } from "./room.ts";

/* Operators hear of a part that fails for a while, and when it works again: one letter each, however many processes notice. */

const MAILED_AFTER_MS = 10 * 60_000;

/** Notes how a part is; to be called every minute or more often. */
export async function notePart(room: Operator, part: WatchedPart, isFailing: boolean): Promise<void> {
	const { partHealth, clock } = room;
	const now = clock.now();
	const failing = await partHealth.findFailing(part);
	if (!failing) {
		if (isFailing) await partHealth.noteFailing(part, now);
		return;
	}
	const { sinceMs, mailedMs } = failing;
	const since = new Date(sinceMs).toISOString();
	if (!isFailing) {
		// Who was not told that it fails need not be told that it works.
		const addressees = mailedMs === null ? [] : await partHealth.listOperatorEmails();
		const facts = { part, since, until: new Date(now).toISOString() };
		await partHealth.heal(
			part,
			addressees.map((email) => newMail("part_healed", email, facts)),
			sinceMs,
			now,
		);
	} else if (mailedMs === null && now - sinceMs >= MAILED_AFTER_MS) {
		const emails = await partHealth.listOperatorEmails();
		await partHealth.tell(
			part,
			emails.map((email) => newMail("part_failing", email, { part, since })),
			sinceMs,
			now,
		);
	}
}
