import { expect, test } from "bun:test";
import type { Position } from "@svc/base/cursors";
import { migratedDatabase, NOW, newImage, seedApp } from "@svc/test/support/scratch";
import { imageStore } from "../images-store.ts";
import type { ListedStatus, ListQuery } from "./list-filters.ts";

const STATUSES = ["ready", "processing", "failed", "blocked", "ready", "processing"] as const;
const COUNT = 120;

/** Images of every status, many of them of the same moment; every fifth has expired. */
async function world(listed: readonly ListedStatus[]) {
	const scratch = await migratedDatabase();
	const access = await seedApp(scratch.database);
	const images = imageStore(scratch.database, { listed });
	const made = Array.from({ length: COUNT }, (_, place) =>
		newImage(access, place, {
			status: STATUSES[(place * 7) % STATUSES.length] ?? "ready",
			publishedMs: NOW + ((place * 13) % 11),
			expiresMs: place % 5 === 0 ? NOW : null,
			labels: { album: `v${place % 3}`, ...(place % 4 === 0 && { odd: "x" }) },
		}),
	);
	for (const image of made) {
		await images.claimBlob(image.blobKey, NOW);
		expect(await images.commitCreate(image, access)).toBeUndefined();
	}
	const walk = async (query: Pick<ListQuery, "ids" | "labels">, limit: number) => {
		const seen: string[] = [];
		let after: Position | undefined;
		for (;;) {
			const page = await images.list(access.storage.pk, { ...query, limit, after }, NOW);
			seen.push(...page.slice(0, limit).map(({ id }) => id));
			after = page[limit - 1];
			if (page.length <= limit || after === undefined) return seen;
		}
	};
	const wanted = (allowed: (image: (typeof made)[number]) => boolean) =>
		made
			.map((image, pk) => ({ image, pk }))
			.filter(({ image }) => (listed as readonly string[]).includes(image.status) && image.expiresMs === null)
			.filter(({ image }) => allowed(image))
			.sort((one, two) => two.image.publishedMs - one.image.publishedMs || two.pk - one.pk)
			.map(({ image }) => image.id);
	return { scratch, walk, wanted, made };
}

test.each([[["ready"]], [["ready", "processing"]], [["processing"]]] as const)(
	"whole walks over images that are %p agree with a naive filter, whatever filters them",
	async (listed) => {
		const { scratch, walk, wanted, made } = await world(listed);
		const ids = made.map(({ id }) => id).slice(10, 100);
		for (const limit of [1, 7, 100]) {
			expect(await walk({ ids: undefined, labels: [] }, limit)).toEqual(wanted(() => true));
			expect(await walk({ ids, labels: [] }, limit)).toEqual(wanted(({ id }) => ids.includes(id)));
			expect(await walk({ ids: undefined, labels: [{ key: "album", values: ["v0", "v2"] }] }, limit)).toEqual(
				wanted(({ labels }) => labels.album !== "v1"),
			);
			expect(await walk({ ids: undefined, labels: [{ key: "odd", absent: true }] }, limit)).toEqual(
				wanted(({ labels }) => labels.odd === undefined),
			);
			const both = [
				{ key: "album", values: ["v1"] },
				{ key: "odd", values: ["x"] },
			];
			expect(await walk({ ids: undefined, labels: both }, limit)).toEqual(
				wanted(({ labels }) => labels.album === "v1" && labels.odd === "x"),
			);
		}
		await scratch[Symbol.asyncDispose]();
	},
);
