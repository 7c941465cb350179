import { DAMAGE_KINDS, type DamageKind } from "@svc/base/enumerations";
import { Failure } from "@svc/base/failure";
import { LeastRecent } from "@svc/base/pace/least-recent";
import type { BlobDigest, BlobStore, Clock, Log, Meters, StoredBlob } from "@svc/base/ports";
import type { MasterBlob } from "../ports.ts";
import {
	compare,
	compared,
	type Damage,
	type Depth,
	explained,
	looksAtBytes,
	type MasterRecord,
	sha256Of,
} from "./master-damage.ts";
import type { MasterStore } from "./masters-store.ts";

/*
 * The stored original of an image is never handed out unless it is what its row tells of: bytes that a disk has changed, cut short or
 * lost are named, and answered "later", rather than shown and kept by caches.
 */

/** Seconds after which a repair may have happened. */
const RETRY_SECONDS = 60;
/** How many masters are remembered: some hundred bytes each. */
const REMEMBERED_MAX = 20_000;
/** How often a file is looked at that is replaced under our eyes, or that cannot be read. */
const LOOKS = 3;

/** Answered as 503: the image is there, its bytes are not. */
export class DamagedMaster extends Failure {
	readonly kind: DamageKind;

	constructor(kind: DamageKind) {
		super("server_error", undefined, {
			message: "The stored bytes of this image are damaged or missing; its operator has been told.",
			timedOut: true,
			retryAfterSeconds: RETRY_SECONDS,
		});
		this.kind = kind;
	}
}

export interface MastersDeps {
	readonly blobs: Pick<BlobStore, "find" | "expected" | "local">;
	readonly store: MasterStore;
	readonly clock: Clock;
	readonly log: Log;
	readonly meters: Pick<Meters, "gauge">;
}

type DamageCounts = Readonly<Record<DamageKind, number>>;

/** What was found about the bytes that have this stamp. No stamp: there are none. */
interface Finding {
	readonly stamp: string | undefined;
	readonly damage: DamageKind | undefined;
}

/** The masters of all images, compared with what the database tells of them before they are used. */
export class Masters {
	readonly #deps: MastersDeps;
	/** By blob key, the oldest first. */
	readonly #findings = new LeastRecent<string, Finding>(REMEMBERED_MAX);
	/** Examinations under way: a hundred requests for one picture read it once. */
	readonly #examining = new Map<string, Promise<StoredBlob | undefined>>();

	/** As it was counted last. */
	#damaged: DamageCounts = { size: 0, digest: 0, missing: 0 };

	constructor(deps: MastersDeps) {
		this.#deps = deps;
		for (const kind of DAMAGE_KINDS) deps.meters.gauge("svc_blobs_damaged", () => this.#damaged[kind], { kind });
	}

	/** How many masters are known to be damaged, by any process; the metrics tell it from then on. */
	async count(): Promise<DamageCounts> {
		this.#damaged = await this.#deps.store.countDamage();
		return this.#damaged;
	}

	/** The records of all images' masters, in the order of their numbers. */
	list(afterPk: number, limit: number): Promise<readonly MasterRecord[]> {
		return this.#deps.store.list(afterPk, limit);
	}

	/** The number of the newest image; 0 where there is none. */
	lastPk(): Promise<number> {
		return this.#deps.store.lastPk();
	}

	/**
	 * A master, to be sent. Its bytes are read through once for every version of the file that this process meets; otherwise this is one look
	 * at its size and times.
	 * @returns undefined where no image has this blob any more. @throws DamagedMaster
	 */
	async find(blobKey: string): Promise<StoredBlob | undefined> {
		const blob = await this.#deps.blobs.find(blobKey);
		const finding = this.#findings.get(blobKey);
		if (finding === undefined || finding.stamp !== blob?.stamp) return await this.#examineOnce(blobKey, "stored");
		if (finding.damage !== undefined) throw new DamagedMaster(finding.damage);
		return blob;
	}

	/** Before something that was made of a master stands for it: as `find`, where that is no more than a look at the disk. @throws DamagedMaster */
	async requireWhole(blobKey: string): Promise<void> {
		if (this.#deps.blobs.local) await this.find(blobKey);
	}

	/**
	 * A master, for something that is made of it and kept: whoever reads a file compares its bytes with `sha256`, and has others judged; bytes
	 * that lie elsewhere are compared as they come, without a look at them before.
	 * @param isReadNow whether a reader compares all of it at once: then it is not read through before that where this process has not met it yet
	 * @returns undefined where no image has this blob any more. @throws DamagedMaster, also when its bytes are read
	 */
	async findWhole(blobKey: string, isReadNow = false): Promise<(StoredBlob & MasterBlob) | undefined> {
		const { blobs, store } = this.#deps;
		const record = await store.find(blobKey);
		if (!record) return undefined;
		if (blobs.expected) {
			// What was damaged is looked at until it is whole again.
			if (record.known !== null && !(await this.find(blobKey))) return undefined;
			return this.#comparedAs(record, blobs.expected(blobKey, record.bytes));
		}
		const isUnmet = isReadNow && record.known === null && !this.#findings.has(blobKey);
		const blob = (isUnmet ? await blobs.find(blobKey) : undefined) ?? (await this.find(blobKey));
		if (!blob) return undefined;
		if (blob.path !== undefined) return { ...blob, sha256: record.sha256, judge: () => this.#lookAgain(record) };
		return this.#comparedAs(record, blob);
	}

	#comparedAs(record: MasterRecord, blob: StoredBlob): StoredBlob & MasterBlob {
		const judge = (found: BlobDigest) => this.#judge(record, blob, found);
		const why = (cause: unknown) => this.#whyUnread(record, cause);
		return {
			...blob,
			async read() {
				const bytes = await blob.read().catch(async (cause: unknown) => {
					throw await why(cause);
				});
				await judge({ bytes: bytes.length, sha256: await sha256Of(bytes) });
				return bytes;
			},
			stream: (range) => (range ? blob.stream(range) : compared(explained(blob.stream(), why), judge)),
		};
	}

	/** What is to be said about bytes that could not be read: that they are missing, or have another length, or what went wrong. */
	async #whyUnread(record: MasterRecord, cause: unknown): Promise<unknown> {
		// The store is away, and says so.
		if (cause instanceof Failure) return cause;
		const damage = await this.check(record, "size").catch(() => undefined);
		return damage ? new DamagedMaster(damage.kind) : cause;
	}

	/**
	 * Compares a master with its record, and keeps and tells what was found; `between` is awaited between the parts that are read.
	 * @returns undefined for one that is whole, and for one whose image is gone
	 */
	async check(
		record: MasterRecord,
		depth: Depth,
		between?: (bytes: number) => Promise<void>,
	): Promise<Damage | undefined> {
		const { blobKey } = record;
		for (let look = 1; ; look++) {
			const blob = await this.#deps.blobs.find(blobKey);
			const damage = await compare(record, blob, depth, between);
			if (damage === undefined) {
				// A look at the size alone cannot say that bytes are right again.
				if (looksAtBytes(depth, blob)) await this.#acquit(record, blob);
				return undefined;
			}
			if (look === LOOKS || (await this.#isFinal(damage, blobKey, blob)))
				return (await this.#accuse(record, blob, damage)) ? damage : undefined;
		}
	}

	/** A file that was replaced meanwhile, and one that a disk could not read just now, are worth another look. */
	async #isFinal({ kind, found }: Damage, blobKey: string, blob: StoredBlob | undefined): Promise<boolean> {
		if (kind === "digest" && found === undefined) return false;
		return (await this.#deps.blobs.find(blobKey))?.stamp === blob?.stamp;
	}

	/** Reads a master through, whatever was found before; false also where its image is gone. */
	async isWhole(blobKey: string): Promise<boolean> {
		const record = await this.#deps.store.find(blobKey);
		return record !== undefined && (await this.check(record, "stored")) === undefined;
	}

	#examineOnce(blobKey: string, depth: Depth): Promise<StoredBlob | undefined> {
		const key = `${depth} ${blobKey}`;
		const under = this.#examining.get(key);
		if (under) return under;
		const examining = this.#examine(blobKey, depth).finally(() => this.#examining.delete(key));
		this.#examining.set(key, examining);
		return examining;
	}

	async #examine(blobKey: string, depth: Depth): Promise<StoredBlob | undefined> {
		for (let look = 1; look <= LOOKS; look++) {
			const record = await this.#deps.store.find(blobKey);
			if (!record) return undefined;
			const damage = await this.check(record, depth);
			if (damage) throw new DamagedMaster(damage.kind);
			const blob = await this.#deps.blobs.find(blobKey);
			if (blob) return blob;
			// It went while it was looked at: its image has gone as well, or it is missing now.
		}
		throw new DamagedMaster("missing");
	}

	async #lookAgain(record: MasterRecord): Promise<void> {
		const damage = await this.check(record, "all");
		if (damage) throw new DamagedMaster(damage.kind);
	}

	/** @throws DamagedMaster for bytes that are not those of the record, unless its image is gone */
	async #judge(record: MasterRecord, blob: StoredBlob, found: BlobDigest): Promise<void> {
		if (found.sha256 === record.sha256) return;
		const kind = found.bytes === record.bytes ? "digest" : "size";
		// What was read without a look before has not the stamp by which the next request knows it again.
		const { blobs } = this.#deps;
		const seen = blobs.expected ? await blobs.find(record.blobKey).catch(() => undefined) : blob;
		if (await this.#accuse(record, seen, { kind, found })) throw new DamagedMaster(kind);
	}

	async #acquit({ blobKey, imageId, known }: MasterRecord, blob: StoredBlob | undefined): Promise<void> {
		this.#findings.set(blobKey, { stamp: blob?.stamp, damage: undefined });
		if (known === null) return;
		const { store, log } = this.#deps;
		await store.forgetDamage(blobKey);
		await this.count();
		log.info("The stored bytes of an image are whole again", { event: "blob.whole", image: imageId, blob: blobKey });
	}

	/** False where the image is gone meanwhile: then nothing is missing. */
	async #accuse(record: MasterRecord, blob: StoredBlob | undefined, damage: Damage): Promise<boolean> {
		const { store, clock, log } = this.#deps;
		const { blobKey, imageId, bytes, sha256 } = record;
		const { kind, found } = damage;
		const saved = await store.saveDamage(blobKey, damage, clock.now()).catch((cause: unknown) => {
			log.warn("A damaged blob could not be written down", { image: imageId, blob: blobKey, cause });
			return true;
		});
		if (!saved) return false;
		const before = this.#findings.get(blobKey);
		this.#findings.set(blobKey, { stamp: blob?.stamp, damage: kind });
		// Requests come again and again; the log has one line.
		if (before?.damage === kind) return true;
		log.error("The stored bytes of an image are damaged or missing: svc server reconcile --repair brings back a copy", {
			event: "blob.damaged",
			image: imageId,
			blob: blobKey,
			kind,
			expected: { bytes, sha256 },
			found: found ?? null,
		});
		await this.count().catch(() => undefined);
		return true;
	}
}
