import type { Database } from "@svc/base/database/client";
import { images } from "@svc/base/database/schema/images";
import { and, asc, eq, gt, max } from "drizzle-orm";
import { selectImages, toImage, unexpired } from "./image-rows-store.ts";
import type { RecentImages } from "./ports.ts";

export function recentImages(database: Database): RecentImages {
	const { queries, read } = database;
	return {
		async listReadyAfter(pk, nowMs, limit) {
			const due = and(gt(images.pk, pk), eq(images.status, "ready"), unexpired(images, nowMs));
			const rows = await read(() => selectImages(database).where(due).orderBy(asc(images.pk)).limit(limit));
			return rows.map(toImage);
		},
		async newestPk() {
			const [row] = await read(() => queries.select({ newest: max(images.pk) }).from(images));
			return row?.newest ?? 0;
		},
	};
}
