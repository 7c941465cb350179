import { changeFailure } from "@svc/base/database-error";
import { Failure } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import { closed, refused } from "../create/create-failure.ts";
import type { Image } from "../images.ts";
import type { CallAccess } from "../ports.ts";
import type { Images } from "../room.ts";
import { quotaFailure, underLimits } from "../usage/limits.ts";

/**
 * Brings an image back that was deleted in the last 24 hours, under the same id and addresses, as it was.
 * @throws Failure state_conflict (it is there, or its external id is another's by now), not_found, quota_exceeded, workspace_unavailable, update_failed
 */
export async function restoreImage(room: Images, access: CallAccess, id: string): Promise<Image> {
	if (!isId("img", id)) throw new Failure("not_found");
	const place = { storagePk: access.storage.pk, id };
	const now = room.clock.now();
	const there = () => room.store.find(place.storagePk, id, now);
	const refuseThere = async () => {
		if (await there()) throw Failure.saying("state_conflict", "This image is not deleted.");
	};
	await refuseThere();
	const deleted = await room.deleted.find(place, access.storage.teamHash, now);
	// A database that was brought back from a backup tells of bytes that the backup does not have.
	const bytes = deleted && (await room.blobs.find(deleted.blobKey));
	if (!deleted || bytes?.bytes !== deleted.bytes) {
		// Another one may have brought it back since it was looked for.
		await refuseThere();
		throw new Failure("not_found");
	}
	const restoring = underLimits(access, (known) => room.deleted.restore(deleted, known, now));
	const refusal = await restoring.catch((cause: unknown) => {
		throw changeFailure("update_failed", cause);
	});
	const restored = await there();
	if (refusal === "closed") throw await closed(access);
	if (refusal === "quota") throw await quotaFailure(room, access);
	// Of two at once the other one has brought it back.
	if (refusal === "fenced") throw new Failure(restored ? "state_conflict" : "not_found");
	if (refusal) throw refused(refusal);
	if (!restored) throw new Failure("not_found");
	return restored;
}
