import { imageAnalyses, images } from "@svc/base/database/schema/images";
import { column, columns, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { and, eq, isNull, sql } from "drizzle-orm";
import { unexpired } from "../image-rows-store.ts";
import type { Image, NewImage } from "../images.ts";

/* What the commit of a copy has besides that of any new image. */

/** Refuses where the original was deleted, locked, blocked, moved or given other bytes since it was read. */
export function stillOriginal({ pk, storagePk, blobKey }: Image, nowMs: number): Step<"changed"> {
	const same = and(eq(images.pk, pk), eq(images.storagePk, storagePk), eq(images.blobKey, blobKey));
	const copyable = and(same, eq(images.status, "ready"), isNull(images.lockedMs), unexpired(images, nowMs));
	return updateStep(images, { revision: sql`${images.revision}` }, copyable, "changed");
}

/** What is known of a picture is known of its copy: the bytes are the same. */
export function copiedSteps(original: Image, { id, blobKey }: NewImage): readonly Step[] {
	const { kind, value, foundMs } = imageAnalyses;
	const fields = columns(kind, value, foundMs);
	const sent = column(images.sentSha256);
	return [
		{
			run: sql`UPDATE ${images} SET ${sent} = (SELECT one.${sent} FROM ${images} AS one WHERE one.pk = ${original.pk})
				WHERE ${images.id} = ${id}`,
		},
		{
			run: sql`INSERT INTO ${imageAnalyses} (${column(imageAnalyses.blobKey)}, ${fields})
				SELECT ${blobKey}, ${fields} FROM ${imageAnalyses} WHERE ${imageAnalyses.blobKey} = ${original.blobKey}`,
		},
	];
}
