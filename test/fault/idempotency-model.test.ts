import { expect, test } from "bun:test";
import type { Access, KeyRecord } from "@svc/apps/access";
import { Failure } from "@svc/base/failure";
import type { BlobStore, Importer } from "@svc/base/ports";
import type { Erasure } from "@svc/erasure/room";
import { sweep } from "@svc/erasure/sweep";
import type { Created } from "@svc/images/create/claim";
import { createImage } from "@svc/images/create/create-image";
import { RETENTION_MS } from "@svc/images/create/idempotency";
import { deleteImage } from "@svc/images/images";
import type { FileRules, ImageStore, Inspector } from "@svc/images/ports";
import type { Images } from "@svc/images/room";
import { appQuota } from "@svc/images/usage/usage";
import { limitMs } from "../support/limits.ts";
import { libsqlStores } from "./libsql-stores.ts";
import { memoryStores, type Snapshot, type Stores } from "./memory-stores.ts";
import { type Actor, memoryBlobs, Schedule, SILENT, stagedFile } from "./schedule.ts";

/* The product's own create, delete and sweep under random schedules of crashes, sleepers that wake up too late, lost and late
   answers, lost rows, restarts, processes that are taken for dead, rightly or not, and jumps of the clock. SVC_MODEL_SEED=<seed> runs one schedule again, SVC_MODEL_SCHEDULES=<n> more
   or fewer of them. */

const SCHEDULES = Number(process.env.SVC_MODEL_SCHEDULES ?? 4_000);
const LIBSQL_SCHEDULES = 40;
const STEPS = 140;
const START_MS = Date.UTC(2026, 10, 21, 12);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const KEYS = ["a", "b", "c", "d", "e"];
const UNKEYED = "-";
const LIMIT = 3;
/** Pending blobs are left alone for an hour; whoever sleeps longer in the middle of a create may find its blob swept. */
const GRACE_MS = HOUR_MS;

const ACCESS: Access = (() => {
	const app: Access["app"] = {
		pk: 1,
		id: "app_1",
		name: "First",
		plan: "free",
		tier: "free",
		imagesLimit: LIMIT,
		usersLimit: null,
		limitsUsers: false,
		paused: false,
		blocked: false,
	};
	const storage: Access["storage"] = {
		pk: 1,
		id: "sto_1",
		teamHash: "team1",
		kind: "app",
		state: "active",
		tier: "free",
		publicByDefault: false,
	};
	const key: KeyRecord = {
		pk: 1,
		id: "key_1",
		name: "Default",
		reach: "app",
		permissions: new Set(["read", "write"]),
		prefix: "svc_sk_test_",
		last4: "aaaa",
		createdMs: 0,
		lastUsedMs: null,
		expiresMs: null,
		revokedMs: null,
		app,
		storage,
	};
	return { caller: key, app, storage };
})();

const RULES: FileRules = { maxBytes: 1_000, formats: new Set(["png"]) };
/** What a sweep tidies besides images: nothing of it is part of this world. */
const NOTHING_ELSE = {
	mail: { outbox: { tidy: async () => 0 } },
	keys: { replays: { forget: async () => 0 } },
	jobs: { store: { forget: async () => 0 } },
	exports: { clock: { now: () => 0 }, store: { forget: async () => 0 } },
	people: { logins: { forget: async () => 0 } },
	connect: { connections: { forgetCodes: async () => 0 } },
	events: { store: { forget: async () => 0 } },
	imports: { clock: { now: () => 0 }, store: { forget: async () => 0 } },
	moves: { clock: { now: () => 0 }, arrivals: { forget: async () => 0 } },
	tickets: { clock: { now: () => 0 }, store: { endDue: async () => 0, forget: async () => 0 } },
	moderation: { reports: { forgetEmails: async () => 0 }, blocked: { forget: async () => 0 } },
};
const NO_IMPORTS: Importer = { fetch: () => Promise.reject(new Error("not part of this world")) };

interface Body {
	readonly key: string;
	/** What was asked for: two of the same key and another variant are two bodies. */
	readonly variant: string;
}

type Snap = Snapshot["images"][number];

class World {
	readonly schedule: Schedule;
	readonly outcomes: Record<string, number> = {};
	readonly #stores: Stores;
	readonly #disk = memoryBlobs();
	readonly #acknowledged = new Set<string>();
	/** Somebody wanted them gone. */
	readonly #doomed = new Set<string>();
	readonly #expiries = new Map<string, number>();
	/** Blobs that were written after their grace. */
	readonly #overslept = new Set<string>();
	/** When a key was last made to be forgotten: what is said of it by somebody older proves nothing. */
	readonly #lostMs = new Map<string, number>();

	constructor(seed: number, stores: Stores) {
		this.schedule = new Schedule(seed, START_MS);
		this.#stores = stores;
	}

	async run(): Promise<void> {
		for (let step = 0; step < STEPS; step++) {
			this.#passTime();
			await this.#happen();
			await this.schedule.step();
			await this.#check();
		}
		await this.schedule.calm();
		await this.#check();
		await this.#everyRetryIsAnswered();
		await this.#nothingIsLeft();
	}

	#passTime(): void {
		const { schedule } = this;
		const chance = schedule.random();
		if (chance < 0.9) schedule.clock.nowMs += schedule.below(4_000);
		else if (chance < 0.96) schedule.clock.nowMs += 5_000 + schedule.below(40_000);
		else if (chance < 0.996) schedule.clock.nowMs += MINUTE_MS + schedule.below(4 * MINUTE_MS);
		else if (chance < 0.999) schedule.clock.nowMs += HOUR_MS + schedule.below(HOUR_MS);
		else this.#forgetDay();
	}

	#forgetDay(): void {
		this.schedule.clock.nowMs += RETENTION_MS;
		for (const key of KEYS) this.#lostMs.set(key, this.schedule.clock.nowMs);
	}

	async #happen(): Promise<void> {
		const { schedule } = this;
		if (schedule.random() < 0.3 && schedule.actors.size < 6) this.#startCreate();
		if (schedule.random() < 0.06) this.#startSweep();
		if (schedule.random() < 0.04) await this.#startDelete();
		if (schedule.random() < 0.015) await this.#loseRow();
		if (schedule.random() < 0.004) await this.#restart();
		if (schedule.random() < 0.01) await this.#bury();
		for (const actor of schedule.actors) if (schedule.random() < 0.012) schedule.crash(actor);
	}

	#startCreate(): void {
		const key = this.schedule.random() < 0.1 ? UNKEYED : this.#anyKey();
		const variant = this.schedule.random() < 0.9 ? "f" : "x";
		this.schedule.start(async (actor) => {
			try {
				const created = await this.#create(this.#imagesOf(actor), { key, variant });
				await this.#acknowledge(created, { key, variant });
			} catch (cause) {
				await this.#refuse(cause, key, actor);
			}
		});
	}

	#create(room: Images, { key, variant }: Body): Promise<Created> {
		const fields = { caption: `${key}/${variant}`, ttl: key === "e" ? 3_600 : undefined };
		const source = {
			kind: "upload",
			staged: stagedFile(),
			hints: { filename: "a.png", contentType: undefined },
		} as const;
		const hashes = key === UNKEYED ? undefined : { hash: hashOf(key), fingerprint: hashOf(variant) };
		return createImage(room, this.#stores.access, { source, fields, key: hashes }, RULES);
	}

	async #acknowledge({ image, replayed }: Created, { key, variant }: Body): Promise<void> {
		this.#count(replayed ? "201 replayed" : "201");
		if (image.caption !== `${key}/${variant}`) throw new Broken(`${image.caption} was given for ${key}/${variant}`);
		this.#acknowledged.add(image.id);
		// A create that was taken over late may have expired, and been swept, before anybody looked.
		if (image.expiresMs !== null) this.#expiries.set(image.id, image.expiresMs);
	}

	async #refuse(cause: unknown, key: string, actor: Actor): Promise<void> {
		if (cause instanceof Broken || !(cause instanceof Failure)) throw cause;
		this.#count(cause.code);
		if (cause.code !== "idempotency_recovery_conflict" || (this.#lostMs.get(key) ?? 0) >= actor.bornMs) return;
		const { images } = await this.#stores.snapshot();
		const made = images.find((image) => isOf(image, key) && this.#isRemembered(image));
		if (made && !this.#doomed.has(made.id)) throw new Broken("a recovery conflict although the image is there");
	}

	#startSweep(): void {
		this.schedule.start(async (actor) => {
			await this.#sweep(this.#imagesOf(actor)).catch(passLost);
		});
	}

	async #startDelete(): Promise<void> {
		const { images } = await this.#stores.snapshot();
		const image = images[this.schedule.below(images.length)];
		if (!image) return;
		this.#doomed.add(image.id);
		this.schedule.start(async (actor) => {
			await deleteImage(this.#imagesOf(actor), this.#stores.access, image.id).catch(passLost);
		});
	}

	async #loseRow(): Promise<void> {
		const key = this.#anyKey();
		this.#lostMs.set(key, this.schedule.clock.nowMs);
		await this.#stores.loseRow(hashOf(key));
	}

	async #restart(): Promise<void> {
		for (const actor of this.schedule.actors) this.schedule.crash(actor);
		await this.#stores.endLeases(this.schedule.clock.nowMs);
	}

	/** The process that made all claims so far is taken for dead; half of the times it lives and goes on. */
	async #bury(): Promise<void> {
		if (this.schedule.random() < 0.5) for (const actor of this.schedule.actors) this.schedule.crash(actor);
		await this.#stores.bury();
	}

	#sweep(images: Images): Promise<unknown> {
		const { clock } = this.schedule;
		const room = { ...NOTHING_ELSE, images, clock, machineClock: clock, log: SILENT } as unknown as Erasure;
		return sweep(room, async () => undefined);
	}

	#imagesOf(actor?: Actor): Images {
		const { schedule } = this;
		const through = <T extends object>(port: T, lossy: boolean) =>
			actor ? schedule.stepped(actor, port, lossy) : port;
		const inspector: Inspector = {
			inspect: async (master) => {
				if (actor && schedule.random() < 0.05) throw new Failure("validation_error", { file: ["is not an image"] });
				return { master, format: "png", width: 1, height: 1 };
			},
		};
		return {
			// The other methods are not called by a create, a delete or a sweep.
			store: through(this.#stores.images, true) as ImageStore,
			idempotency: through(this.#stores.idempotency, true),
			usage: through(this.#stores.usage, true),
			blobs: through(this.#diskOf(actor), false),
			inspector: through(inspector, false),
			importer: NO_IMPORTS,
			renditions: { purge: async () => undefined },
			shrunkMasters: { stored: async () => undefined },
			quotaOf: appQuota,
			clock: schedule.clock,
			ticker: actor ? schedule.tickerOf(actor) : { every: () => () => undefined },
			log: SILENT,
		} as unknown as Images;
	}

	/** What a sleeper still writes after its blob's row was swept is for whoever looks for files without a row. */
	#diskOf(actor: Actor | undefined): BlobStore {
		const { blobs } = this.#disk;
		return {
			...blobs,
			put: (key, staged) => {
				if (actor && this.schedule.clock.nowMs - actor.bornMs > GRACE_MS) this.#overslept.add(key);
				return blobs.put(key, staged);
			},
		};
	}

	async #check(): Promise<void> {
		if (this.schedule.broken) throw this.schedule.broken;
		const now = await this.#stores.snapshot();
		this.#checkStorage(now);
		this.#checkKeys(now);
	}

	#checkStorage({ images, used, blobs, stored }: Snapshot): void {
		if (used !== images.length) throw new Broken(`usage says ${used}, there are ${images.length}`);
		if (used > LIMIT) throw new Broken("over quota");
		for (const { id, blobKey } of images) {
			if (!this.#disk.files.has(blobKey) || blobs.get(blobKey) !== "live") throw new Broken(`${id} has no blob`);
		}
		for (const { blobKey, leaseMs } of stored) {
			if (leaseMs > this.schedule.clock.nowMs && !this.#disk.files.has(blobKey))
				throw new Broken("a blob was swept under a live lease");
		}
	}

	#checkKeys({ images }: Snapshot): void {
		for (const key of KEYS) {
			const made = images.filter((image) => isOf(image, key) && this.#isRemembered(image));
			if (made.length > 1) throw new Broken(`two images for ${key}`);
		}
		const there = new Set(images.map(({ id }) => id));
		for (const id of this.#acknowledged) {
			if (!there.has(id) && !this.#doomed.has(id) && !this.#mayHaveExpired(id)) throw new Broken(`${id} is lost`);
		}
		for (const image of images) if (image.expiresMs !== null) this.#expiries.set(image.id, image.expiresMs);
	}

	#mayHaveExpired(id: string): boolean {
		return (this.#expiries.get(id) ?? Number.POSITIVE_INFINITY) <= this.schedule.clock.nowMs;
	}

	#isRemembered({ createdMs, expiresMs }: Snap): boolean {
		const now = this.schedule.clock.nowMs;
		return createdMs > now - RETENTION_MS && (expiresMs === null || expiresMs > now);
	}

	/** Once the faults are over and the leases have run out, no key is stuck. */
	async #everyRetryIsAnswered(): Promise<void> {
		this.schedule.clock.nowMs += MINUTE_MS;
		for (const key of KEYS) {
			const outcome = await this.#create(this.#imagesOf(), { key, variant: "f" }).then(
				() => "201",
				(cause: unknown) => (cause instanceof Failure ? cause.code : String(cause)),
			);
			if (!FINAL.has(outcome)) throw new Broken(`${key} is stuck at ${outcome}`);
		}
		await this.#check();
	}

	async #nothingIsLeft(): Promise<void> {
		const images = this.#imagesOf();
		for (let day = 0; day < 3; day++) {
			this.schedule.clock.nowMs += RETENTION_MS + HOUR_MS;
			await this.#sweep(images);
		}
		const { images: kept, blobs, rows } = await this.#stores.snapshot();
		const named = kept.map(({ blobKey }) => blobKey).sort();
		const files = [...this.#disk.files.keys()].filter((key) => blobs.has(key) || !this.#overslept.has(key));
		if (String(files.sort()) !== String(named)) throw new Broken("orphans among the files");
		if (String([...blobs.keys()].sort()) !== String(named)) throw new Broken("orphans among the blob rows");
		if (rows !== 0) throw new Broken("keys are remembered for ever");
	}

	#anyKey(): string {
		return KEYS[this.schedule.below(KEYS.length)] ?? "a";
	}

	#count(outcome: string): void {
		this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1;
	}
}

const FINAL = new Set(["201", "idempotency_key_conflict", "idempotency_recovery_conflict", "quota_exceeded"]);

/** A promise that was not kept. */
class Broken extends Error {}

function hashOf(text: string): Uint8Array<ArrayBuffer> {
	return new Uint8Array(32).fill(text.charCodeAt(0));
}

function isOf({ caption }: Snap, key: string): boolean {
	return caption.startsWith(`${key}/`);
}

/** A sweep or delete that met a fault is simply over; the next one goes on. */
const passLost = (): void => undefined;

async function runSchedules(seeds: Iterable<number>, storesOf: () => Stores | Promise<Stores>) {
	const outcomes: Record<string, number> = {};
	for (const seed of seeds) {
		const world = new World(seed, await storesOf());
		try {
			await world.run();
		} catch (cause) {
			throw new Error(`SVC_MODEL_SEED=${seed}: ${cause instanceof Error ? cause.message : cause}`, { cause });
		}
		for (const [outcome, count] of Object.entries(world.outcomes)) outcomes[outcome] = (outcomes[outcome] ?? 0) + count;
	}
	return outcomes;
}

function* seedsUpTo(count: number): Generator<number> {
	for (let seed = 1; seed <= count; seed++) yield seed;
}

const chosen = process.env.SVC_MODEL_SEED;
const seedsOr = (count: number) => (chosen === undefined ? seedsUpTo(count) : [Number(chosen)]);

/** Every way for a create to end comes up, or the schedules would prove little. */
const ENDINGS = [
	"201",
	"201 replayed",
	"idempotency_key_conflict",
	"idempotency_key_in_progress",
	"idempotency_recovery_conflict",
	"quota_exceeded",
	"validation_error",
	"create_outcome_ambiguous",
	"upload_failed",
];

const ENOUGH_FOR_ALL_ENDINGS = 1_000;
test(
	`${SCHEDULES} random schedules: no double, no loss, no drift, never over quota, no orphan [idem.ambiguous-no-duplicate]`,
	async () => {
		const outcomes = await runSchedules(seedsOr(SCHEDULES), () => memoryStores(ACCESS));
		if (chosen !== undefined || SCHEDULES < ENOUGH_FOR_ALL_ENDINGS) return;
		expect(Object.keys(outcomes).sort()).toEqual(ENDINGS.toSorted());
	},
	limitMs(SCHEDULES, 50),
);

test(
	`the same on the real database, ${LIBSQL_SCHEDULES} schedules: its statements keep what the model promises`,
	async () => {
		await using database = await libsqlStores(LIMIT);
		await runSchedules(seedsOr(LIBSQL_SCHEDULES), database.fresh);
	},
	limitMs(LIBSQL_SCHEDULES, 500),
);
