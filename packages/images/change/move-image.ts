import { changeFailure } from "@svc/base/database-error";
import { Failure } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import { closed, externalIdTaken } from "../create/create-failure.ts";
import type { Image } from "../images.ts";
import type { CallAccess } from "../ports.ts";
import type { Images } from "../room.ts";
import { quotaFailure, underLimits } from "../usage/limits.ts";
import { refuseUnchangeable } from "./update-image.ts";

/** How often a move starts again because the image changed meanwhile. */
const ATTEMPTS = 20;

/**
 * Moves an image into another storage of the same App, under the same id; its old address is gone at once. Nothing is written where it is
 * there already.
 * @throws Failure not_found, media_locked, state_conflict (its external id is another's there), quota_exceeded, workspace_unavailable, update_failed
 */
export async function moveImage(room: Images, access: CallAccess, target: CallAccess, id: string): Promise<Image> {
	for (let attempts = 0; attempts < ATTEMPTS; attempts++) {
		const now = room.clock.now();
		const image = await changeable(room, access, id, now);
		if (image.storagePk === target.storage.pk) return image;
		const moving = underLimits(target, (known) => room.moves.move(image, access, known, now));
		const refusal = await moving.catch((cause: unknown) => {
			throw changeFailure("update_failed", cause);
		});
		const { pk: storagePk, teamHash } = target.storage;
		if (refusal === undefined) return { ...image, storagePk, teamHash, revision: image.revision + 1 };
		if (refusal === "taken") throw externalIdTaken();
		if (refusal === "quota") throw await quotaFailure(room, target);
		if (refusal === "closed") throw await whyClosed(access, target);
	}
	throw new Error(`The image changed ${ATTEMPTS} times while it was to be moved.`);
}

/**
 * An image that can be changed now.
 * @throws Failure not_found, media_locked
 */
export async function changeable(room: Images, access: CallAccess, id: string, now: number): Promise<Image> {
	const image = isId("img", id) ? await room.store.find(access.storage.pk, id, now) : undefined;
	if (!image || image.status === "failed") throw new Failure("not_found");
	refuseUnchangeable(image);
	return image;
}

/** Either of the two storages may have been closed. */
async function whyClosed(access: CallAccess, target: CallAccess): Promise<Failure> {
	const source = await closed(access);
	return source.code === "app_context_unavailable" ? await closed(target) : source;
}
