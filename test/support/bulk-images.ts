import type { Database } from "@svc/base/database/client";
import type { AppPlan, ImageFormat, Tier } from "@svc/base/enumerations";
import { newImageSlot } from "@svc/images/create/image-slot";
import { imageStore } from "@svc/images/images-store";
import type { CommitRefusal, ImageStore } from "@svc/images/ports";
import { UNBOUNDED } from "@svc/images/usage/usage";
import { sql } from "drizzle-orm";
import type { OpenService } from "./service.ts";

/* Images that are stored by the service's own steps, without a request for each. */

export interface StoragePlace {
	readonly pk: number;
	readonly id: string;
	readonly teamHash: string;
	readonly appPk: number;
	/** The limits that hold there, which a commit compares with those that were read. */
	readonly limits: { readonly plan: AppPlan; readonly tier: Tier; readonly imagesLimit: number | null };
}

export async function placeOf({ database }: OpenService, storageId: string): Promise<StoragePlace> {
	const [row] = await database.read(() =>
		database.queries.values<[number, string, number, AppPlan, Tier, number | null]>(
			sql`SELECT storages.pk, team_hash, app_pk, plan, apps.tier, images_limit
				FROM storages JOIN apps ON apps.pk = app_pk WHERE storages.id = ${storageId}`,
		),
	);
	if (!row) throw new Error("there is no such storage");
	const [pk, teamHash, appPk, plan, tier, imagesLimit] = row;
	return { pk, id: storageId, teamHash, appPk, limits: { plan, tier, imagesLimit } };
}

/** Stores the same picture many times. */
export async function addImages(
	service: OpenService,
	storageId: string,
	count: number,
	file: Uint8Array<ArrayBuffer>,
): Promise<void> {
	const place = await placeOf(service, storageId);
	for (let made = 0; made < count; made++) {
		const refused = await storeImage(service, place, file);
		if (refused) throw new Error(`not stored: ${refused}`);
	}
}

/** The last steps of a create into a storage that was looked up some time ago. */
export async function storeImage(
	{ rooms: { images }, database }: OpenService,
	{ pk, id, teamHash, appPk, limits }: StoragePlace,
	file: Uint8Array<ArrayBuffer>,
): Promise<CommitRefusal | undefined> {
	const now = images.clock.now();
	const { imageId, blobKey } = newImageSlot();
	const staged = await images.blobs.stage(once(file), 1_000_000);
	await images.store.claimBlob(blobKey, now);
	await images.blobs.put(blobKey, staged);
	const master = { bytes: staged.bytes, sha256: staged.sha256, blobKey };
	const image = { ...IMAGE, ...master, id: imageId, appPk, storagePk: pk, teamHash, publishedMs: now, createdMs: now };
	return storeOf(database).commitCreate(image, {
		caller: { pk: 0, id: "bulk", reach: "anonymous", permissions: new Set<"read">() },
		app: { ...APP, ...limits, pk: appPk },
		storage: { pk, id, teamHash, kind: "app", state: "active", tier: "free", publicByDefault: false },
	});
}

const stores = new WeakMap<Database, ImageStore>();

/** One for all images: to bind a store, all of its statements are built. */
function storeOf(database: Database): ImageStore {
	const store = stores.get(database) ?? imageStore(database, { quotaOf: () => UNBOUNDED });
	stores.set(database, store);
	return store;
}

const APP = {
	id: "",
	name: "",
	usersLimit: null,
	limitsUsers: false,
	paused: false,
	blocked: false,
} as const;

const IMAGE = {
	status: "ready",
	locked: false,
	blockReason: null,
	nsfw: false,
	public: null,
	filename: "a.png",
	format: "png" as ImageFormat,
	width: 6,
	height: 6,
	sentSha256: null,
	externalId: null,
	expiresMs: null,
	caption: "",
	metadata: {},
	labels: { color: "red" },
	revision: 1,
} as const;

async function* once(file: Uint8Array): AsyncGenerator<Uint8Array> {
	yield file;
}
