import type { BlockReason } from "@svc/base/enumerations";
import { newId } from "@svc/base/ids";
import type { Image } from "@svc/images/images";
import { type ModerationChange, SERVICE, type Similar } from "./deeds.ts";
import type { Moderation } from "./room.ts";

/** What the service itself decides of a picture, without a person. */
export interface Verdict {
	/** A flag only puts the image into the queue; so does a lock, besides. */
	readonly verdict: "flag" | "lock" | "block";
	readonly reason: BlockReason;
	/** Only operators read it. */
	readonly note: string | null;
	/** The blocked image that it is like. */
	readonly similar?: Similar | undefined;
}

/**
 * Carries a verdict out, with the event, the letters and the audit entry that it has from an operator. False where there is nothing to be done: the image is
 * gone, shows another picture by now, or is in that state already.
 */
export async function pronounce(
	room: Moderation,
	{ id, blobKey }: Pick<Image, "id" | "blobKey">,
	{ verdict, ...said }: Verdict,
): Promise<boolean> {
	const by = { actor: SERVICE, requestId: null, nowMs: room.clock.now() };
	if (verdict === "flag") return await room.store.flag({ id, blobKey }, said, by);
	const change: ModerationChange = {
		...{ id: newId("mod"), verb: verdict, ...said, blobKey },
		...{ revision: null, reopensReports: false },
	};
	if ((await room.store.change(id, change, by)) !== undefined) return false;
	if (verdict === "block") await room.images.renditions.purge(blobKey);
	return true;
}
