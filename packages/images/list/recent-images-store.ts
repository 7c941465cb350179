import type { Database } from "@svc/base/database/client";
import { images } from "@svc/base/database/schema/images";
import { jobs } from "@svc/base/database/schema/work/jobs";
import { and, asc, desc, eq, gt, gte, inArray, max, sql } from "drizzle-orm";
import { selectImages, toImage, unexpired } from "../image-rows-store.ts";
import type { RecentImages } from "../ports.ts";

export function recentImages(database: Database): RecentImages {
	const { queries, read } = database;
	return {
		async listReadyAfter(pk, nowMs, limit) {
			const due = and(gt(images.pk, pk), eq(images.status, "ready"), unexpired(images, nowMs));
			const rows = await read(() => selectImages(database).where(due).orderBy(asc(images.pk)).limit(limit));
			return rows.map(toImage);
		},
		async listProcessedSince(sinceMs, nowMs, limit) {
			const ended = queries
				.select({ id: sql`json_extract(${jobs.payload}, '$.imageId')` })
				.from(jobs)
				.where(and(gte(jobs.endedMs, sinceMs), eq(jobs.kind, "image.process"), eq(jobs.state, "done")))
				.orderBy(desc(jobs.endedMs))
				.limit(limit);
			const due = and(inArray(images.id, ended), eq(images.status, "ready"), unexpired(images, nowMs));
			return (await read(() => selectImages(database).where(due).orderBy(asc(images.pk)))).map(toImage);
		},
		async newestPk() {
			const [row] = await read(() => queries.select({ newest: max(images.pk) }).from(images));
			return row?.newest ?? 0;
		},
	};
}
