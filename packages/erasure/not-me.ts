import { Conflict } from "@svc/base/conflicts";
import { newJob } from "@svc/jobs/jobs";
import type { SentLetter } from "@svc/people/letters/security-letter";
import { findLetter } from "@svc/people/letters/security-letters";
import type { Erasure } from "./room.ts";

/* "This was not me": a deed that a letter tells of is taken back, and all else that is signed in ends with it. */

/** How long the pictures stay that an App keeps, which somebody else connected. */
const PICTURES_KEPT_MS = 7 * 86_400_000;

/** Shows what the link of a letter is about. @throws Failure not_found */
export async function findDeed(room: Erasure, token: string): Promise<SentLetter> {
	return await findLetter(room.people, token);
}

/**
 * Takes back what a letter tells of, as far as it still stands, and ends every session and token of the person. A letter that sums up
 * takes back all that it stands for.
 * @throws Failure not_found; state_conflict for a link that was used
 */
export async function takeBackDeed(room: Erasure, token: string, requestId: string): Promise<void> {
	const nowMs = room.clock.now();
	const letter = await findLetter(room.people, token);
	const deeds = letter.deed === "many" ? await room.people.letters.listSummedUp(letter.ref) : [letter];
	const by = { actor: letter.accountId, requestId, nowMs };
	const disconnected = [];
	for (const { deed, subject } of deeds) {
		if (deed !== "app_connected") continue;
		const connection = await room.connect.users.findConnection({ appId: subject, accountPk: letter.accountPk });
		if (connection?.state !== "connected" || !connection.storage) continue;
		const { id: storageId } = connection.storage;
		const facts = { dedupe: `storage.empty ${storageId}`, startedBy: letter.accountId, appPk: connection.appPk };
		const published = await room.billing.subscriptions.leavingSteps(connection.pk, by);
		disconnected.push({ connection, published, job: newJob("storage.empty", { storageId }, facts) });
	}
	const dueMs = nowMs + PICTURES_KEPT_MS;
	const refused = await room.takeBacks.takeBack(letter, { deeds, disconnected, dueMs }, by);
	if (refused) throw new Conflict("link_used");
}
