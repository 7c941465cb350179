import type { Database } from "@svc/base/database/client";
import { found } from "@svc/base/failure";
import type { Moderation } from "@svc/moderation/room";
import type { Judge } from "@svc/moderation/scan/judge";
import { Scans } from "@svc/moderation/scan/scans";
import { scanStore } from "@svc/moderation/scan/scans-store";
import { type Pictures, pictureDrawer } from "./pictures.ts";

/** The sides of what a judge is shown. */
const SHOWN = { w: "640", h: "640", format: "jpg" };

interface ScanGround {
	readonly database: Database;
	readonly pictures: Pictures;
	readonly leads: () => boolean;
}

/** Undefined where no judge is set: then nothing waits for one. */
export async function openScans(
	judge: Judge | undefined,
	moderation: Moderation,
	{ database, pictures, leads }: ScanGround,
): Promise<Scans | undefined> {
	const store = scanStore(database);
	await store.turn(judge !== undefined);
	if (!judge) return undefined;
	const drawing = pictureDrawer(pictures);
	return new Scans({
		...{ judge, store, moderation, leads },
		async draw({ blobKey, format, width, height }) {
			const blob = found(await moderation.images.masters.findWhole(blobKey));
			return await drawing({ blob, format, width, height }, SHOWN);
		},
	});
}
