import type { Access } from "@svc/apps/access";
import { type Claim, type KeptCreate, type Lease, RETENTION_MS } from "@svc/images/create/idempotency";
import type { Image, NewImage } from "@svc/images/images";
import type { CommitRefusal, IdempotencyStore, ImageStore } from "@svc/images/ports";
import type { UsageStore } from "@svc/images/usage/usage-store";

/* What a create needs of the database, in memory: the same promises as the real stores', each method one atomic change. */

type Row = {
	fingerprint: Uint8Array;
	imageId: string;
	nonce: string;
	state: KeptCreate["state"];
	leaseMs: number;
	forgottenMs: number;
	isAbandoned: boolean;
	image: NewImage | undefined;
};

interface BlobRow {
	state: "pending" | "live" | "dead";
	sinceMs: number;
}

type Held = NewImage & {
	readonly pk: number;
	readonly appPk: number;
	hash: string | undefined;
	readonly fingerprint: Uint8Array | undefined;
};

type CreateImages = Pick<
	ImageStore,
	| "claimBlob"
	| "commitCreate"
	| "exists"
	| "find"
	| "delete"
	| "takeBack"
	| "listExpired"
	| "listRemovable"
	| "markBlobDead"
	| "forgetBlob"
>;

/** All that the checks look at. */
export interface Snapshot {
	readonly images: readonly Pick<Image, "id" | "blobKey" | "caption" | "createdMs" | "expiresMs">[];
	readonly used: number;
	readonly blobs: ReadonlyMap<string, string>;
	/** Blobs of stored creates, and until when their lease runs. */
	readonly stored: readonly { readonly blobKey: string; readonly leaseMs: number }[];
	readonly rows: number;
}

export interface Stores {
	readonly access: Access;
	readonly images: CreateImages;
	readonly idempotency: IdempotencyStore;
	readonly usage: UsageStore;
	snapshot(): Snapshot | Promise<Snapshot>;
	/** Loses what is remembered of a key. */
	loseRow(keyHash: Uint8Array): Promise<void> | void;
	/** The others take the process for dead that holds the claims, rightly or not. */
	bury(): Promise<void> | void;
	/** What a restart does to leases. */
	endLeases(nowMs: number): Promise<void> | void;
}

const hex = (bytes: Uint8Array) => bytes.toHex();

export function memoryStores(access: Access): Stores {
	const limit = access.app.imagesLimit ?? Number.POSITIVE_INFINITY;
	const rows = new Map<string, Row>();
	const images = new Map<string, Held>();
	const blobs = new Map<string, BlobRow>();
	let used = 0;
	let lastPk = 0;

	const remembered = ({ createdMs, expiresMs }: NewImage, nowMs: number) =>
		createdMs > nowMs - RETENTION_MS && (expiresMs === null || expiresMs > nowMs);
	const carrierOf = (hash: string) => [...images.values()].find((image) => image.hash === hash);

	/** The row, as long as the claim's nonce holds it. */
	function ours({ keyHash, nonce }: Claim): Row | undefined {
		const row = rows.get(hex(keyHash));
		return row && row.nonce === nonce && row.state !== "done" ? row : undefined;
	}

	function dead(claim: Claim, { nonce, leaseMs }: Pick<KeptCreate, "nonce" | "leaseMs">): Row | undefined {
		const row = ours({ ...claim, nonce });
		return row?.leaseMs === leaseMs ? row : undefined;
	}

	function extend(row: Row, lease: Lease): void {
		row.leaseMs = lease.untilMs;
		row.forgottenMs = lease.forgottenMs;
	}

	/** What was long on its way takes nothing back. */
	function hold(row: Row, { untilMs, forgottenMs }: Lease): void {
		row.leaseMs = Math.max(row.leaseMs, untilMs);
		row.forgottenMs = Math.max(row.forgottenMs, forgottenMs);
	}

	function touch(blobKey: string, nowMs: number): boolean {
		const blob = blobs.get(blobKey);
		if (blob?.state !== "pending") return false;
		blob.sinceMs = Math.max(blob.sinceMs, nowMs);
		return true;
	}

	function addBlob(blobKey: string, nowMs: number): void {
		if (blobs.has(blobKey)) throw new Error(`the blob key ${blobKey} is taken`);
		blobs.set(blobKey, { state: "pending", sinceMs: nowMs });
	}

	function refusalOf(image: NewImage, claim: Claim | undefined): CommitRefusal | undefined {
		if (claim && !ours(claim)) return "fenced";
		if (blobs.get(image.blobKey)?.state !== "pending") return "fenced";
		if (used >= limit) return "quota";
		return images.has(image.id) ? "fenced" : undefined;
	}

	/** Undefined when somebody else's image carries the key. */
	function carry(image: NewImage, claim: Claim | undefined): Held | undefined {
		const hash = claim && hex(claim.keyHash);
		const keyedImage = hash && carrierOf(hash);
		if (keyedImage && remembered(keyedImage, image.createdMs)) return undefined;
		if (keyedImage) keyedImage.hash = undefined;
		return { ...image, pk: ++lastPk, appPk: 1, hash, fingerprint: claim?.fingerprint };
	}

	return {
		access,
		images: {
			async claimBlob(blobKey, nowMs) {
				addBlob(blobKey, nowMs);
			},
			async commitCreate(image, _access, { claim } = {}) {
				const refusal = refusalOf(image, claim);
				if (refusal) return refusal;
				const held = carry(image, claim);
				if (!held) return "fenced";
				const row = claim && ours(claim);
				if (row) Object.assign(row, { state: "done", image, forgottenMs: image.createdMs + RETENTION_MS });
				blobs.set(image.blobKey, { state: "live", sinceMs: image.createdMs });
				images.set(image.id, held);
				used++;
				return undefined;
			},
			exists: async (id) => images.has(id),
			async find(_storagePk, id, nowMs) {
				const image = images.get(id);
				return image && (image.expiresMs === null || image.expiresMs > nowMs) ? image : undefined;
			},
			async delete({ id, blobKey }, _actor, nowMs) {
				if (!images.delete(id)) return false;
				blobs.set(blobKey, { state: "dead", sinceMs: nowMs });
				used--;
				return true;
			},
			async takeBack({ id, blobKey }, nowMs) {
				if (!images.delete(id)) return;
				blobs.set(blobKey, { state: "dead", sinceMs: nowMs });
				used--;
			},
			listExpired: async (nowMs) =>
				[...images.values()].filter(({ expiresMs }) => expiresMs !== null && expiresMs <= nowMs),
			listRemovable: async (pendingBeforeMs, deadBeforeMs) =>
				[...blobs]
					.filter(
						([, { state, sinceMs }]) =>
							(state === "pending" && sinceMs < pendingBeforeMs) || (state === "dead" && sinceMs < deadBeforeMs),
					)
					.map(([blobKey]) => blobKey),
			async markBlobDead(blobKey, nowMs, beforeMs = Number.POSITIVE_INFINITY) {
				const blob = blobs.get(blobKey);
				if (!blob || blob.state === "live" || blob.sinceMs >= beforeMs) return false;
				if (blob.state === "pending") blobs.set(blobKey, { state: "dead", sinceMs: nowMs });
				return true;
			},
			async forgetBlob(blobKey) {
				if (blobs.get(blobKey)?.state === "dead") blobs.delete(blobKey);
			},
		},
		idempotency: {
			async find(_storagePk, keyHash, nowMs) {
				const row = rows.get(hex(keyHash));
				if (row && row.forgottenMs > nowMs) return { kept: toKept(row, images, nowMs), keyedImage: undefined };
				const image = carrierOf(hex(keyHash));
				const keyedImage =
					image?.fingerprint && remembered(image, nowMs) ? { image, fingerprint: image.fingerprint } : undefined;
				return { kept: undefined, keyedImage };
			},
			async claim(claim, lease, nowMs) {
				const hash = hex(claim.keyHash);
				const row = rows.get(hash);
				const keyedImage = carrierOf(hash);
				if ((row && row.forgottenMs > nowMs) || (keyedImage && remembered(keyedImage, nowMs))) return false;
				const { fingerprint, imageId, nonce } = claim;
				const times = { leaseMs: lease.untilMs, forgottenMs: lease.forgottenMs };
				const isAbandoned = false;
				rows.set(hash, { fingerprint, imageId, nonce, state: "claimed", isAbandoned, image: undefined, ...times });
				addBlob(claim.blobKey, nowMs);
				return true;
			},
			async takeOver(claim, was, lease, nowMs) {
				const row = dead(claim, was);
				if (!row) return false;
				Object.assign(row, { nonce: claim.nonce, state: "claimed", isAbandoned: false, image: undefined });
				extend(row, lease);
				addBlob(claim.blobKey, nowMs);
				return true;
			},
			async resume(claim, was, lease, nowMs) {
				const row = dead(claim, was);
				if (!row) return "fenced";
				if (!touch(claim.blobKey, nowMs)) return "dead";
				Object.assign(row, { nonce: claim.nonce, isAbandoned: false });
				extend(row, lease);
				return undefined;
			},
			async renew(claim, lease, nowMs) {
				const row = ours(claim);
				if (row && touch(claim.blobKey, nowMs)) hold(row, lease);
			},
			async keep(claim, image, lease, nowMs) {
				const row = ours(claim);
				if (!row || !touch(claim.blobKey, nowMs)) return;
				Object.assign(row, { state: "stored", image });
				hold(row, lease);
			},
			async surrender(claim, nowMs) {
				const row = ours(claim);
				if (row) row.leaseMs = nowMs;
			},
			async release(claim, nowMs) {
				if (!ours(claim)) return false;
				rows.delete(hex(claim.keyHash));
				const blob = blobs.get(claim.blobKey);
				if (blob?.state === "pending") blobs.set(claim.blobKey, { state: "dead", sinceMs: nowMs });
				return true;
			},
			async forget(nowMs) {
				const gone = [...rows].filter(([, row]) => row.forgottenMs <= nowMs);
				for (const [hash] of gone) rows.delete(hash);
				return gone.length;
			},
		},
		usage: {
			read: async () => ({ uploadsThisMonth: 0, images: used, bytes: 0, appImages: used, appUsers: 0 }),
		},
		snapshot: () => ({
			images: [...images.values()],
			used,
			blobs: new Map([...blobs].map(([blobKey, { state }]) => [blobKey, state])),
			stored: [...rows.values()].flatMap(({ state, image, leaseMs }) =>
				state === "stored" && image ? [{ blobKey: image.blobKey, leaseMs }] : [],
			),
			rows: rows.size,
		}),
		loseRow: (keyHash) => void rows.delete(hex(keyHash)),
		bury() {
			for (const row of rows.values()) row.isAbandoned = true;
		},
		endLeases(nowMs) {
			for (const row of rows.values()) if (row.state !== "done") row.leaseMs = Math.min(row.leaseMs, nowMs);
		},
	};
}

function toKept(row: Row, images: ReadonlyMap<string, Held>, nowMs: number): KeptCreate {
	const { fingerprint, imageId, nonce, leaseMs, isAbandoned, state, image } = row;
	const facts = { fingerprint, imageId, nonce, leaseMs, isAbandoned };
	if (state === "claimed" || !image) return { ...facts, state: "claimed" };
	if (state === "stored") return { ...facts, state, image };
	const made = images.get(imageId);
	const exists = made !== undefined && (made.expiresMs === null || made.expiresMs > nowMs);
	return { ...facts, state, image, exists };
}
