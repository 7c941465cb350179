import { newId } from "@svc/base/ids";
import { shareTurn } from "@svc/base/pace/turns";
import {
	apart,
	bandsOf,
	HASH_BOUND,
	isAlike,
	isDistinct,
	isTellableSize,
	likenessOf,
} from "@svc/images/transform/looks/likeness";
import type { Similar } from "../deeds.ts";
import { SERVICE } from "../deeds.ts";
import type { Moderation } from "../room.ts";
import { pronounce } from "../verdicts.ts";
import type { BlockedPicture } from "./blocked-pictures-store.ts";
import type { QueuedPicture, SeenPicture } from "./picture-queue-store.ts";

/** Pictures that come one after the other are compared together. */
const DELAY_MS = 1_000;
const AT_ONCE = 100;
/** A picture that came longer ago waits for those that come now: of these pictures so many are looked at each time. */
const NEW_MS = 3_600_000;
const OLD_AT_ONCE = 10;
const TRIES = 5;
const AGAIN_MS = 60_000;

/** A blocked picture, and its hash; none for one that is known by its bytes alone. */
interface Known extends BlockedPicture {
	readonly bands: readonly number[] | undefined;
}

/**
 * Compares each picture that comes with those that were blocked. What waits lies in a table, so that a kill loses nothing: a picture leaves it when its verdict
 * has been carried out, and a verdict that was is not carried out twice.
 */
export class Judgements {
	readonly #room: Moderation;
	#known: readonly Known[] = [];
	#mark = "";
	#working: Promise<void> | undefined;
	#timer: ReturnType<typeof setTimeout> | undefined;
	#stopped = false;

	constructor(room: Moderation) {
		this.#room = room;
	}

	/** A picture has come. */
	want(): void {
		if (this.#stopped) return;
		this.#timer ??= setTimeout(() => {
			this.look().catch((cause: unknown) => this.#room.log.warn("Pictures were not compared", { cause }));
		}, DELAY_MS).unref();
	}

	/** Resolves when all that can be compared by now has been; one look at a time. */
	look(): Promise<void> {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		const before = this.#working ?? Promise.resolve();
		const working = before.catch(() => undefined).then(() => this.#look());
		this.#working = working;
		return working;
	}

	async stop(): Promise<void> {
		this.#stopped = true;
		clearTimeout(this.#timer);
		await this.#working?.catch(() => undefined);
	}

	async #look(): Promise<void> {
		for (let more = true; more && !this.#stopped; ) {
			const { queue, clock } = this.#room;
			// Read before what is blocked: whatever is blocked before a picture is there counts for it.
			const queued = await queue.list(clock.now(), AT_ONCE);
			await this.#refresh();
			more = (await this.#judgeAll(queued)) && queued.length === AT_ONCE;
		}
	}

	/** Whether all of them are settled, so that others may follow at once. */
	async #judgeAll(queued: readonly QueuedPicture[]): Promise<boolean> {
		const { queue, clock } = this.#room;
		const settled: SeenPicture[] = [];
		let old = 0;
		for (const picture of queued) {
			const isOld = picture.grey === undefined && picture.image.createdMs < clock.now() - NEW_MS;
			if (this.#stopped || (isOld && ++old > OLD_AT_ONCE)) continue;
			const seen = await this.#judge(picture).catch((cause: unknown) => this.#putOff(picture, cause));
			if (seen !== undefined) settled.push({ image: picture.image, grey: seen });
		}
		if (settled.length > 0) await queue.settle(settled);
		return settled.length === queued.length;
	}

	/** Undefined where it is tried again. */
	async #putOff({ image, tries }: QueuedPicture, cause: unknown): Promise<null | undefined> {
		const { queue, clock, log } = this.#room;
		log.warn("A picture could not be compared", { image: image.id, cause });
		if (tries + 1 >= TRIES) return null;
		await queue.putOff(image.pk, clock.now() + AGAIN_MS * 2 ** tries);
		return undefined;
	}

	/** Resolves with what the picture is found by from now on. */
	async #judge({ image, digests, grey: kept }: QueuedPicture): Promise<Uint8Array | null> {
		const seen = kept === undefined ? await this.#room.images.likenesses.look(image, "likeness") : kept;
		// A blocked spacer must not block every spacer of every App.
		if (seen === null || !isTellableSize(image)) return null;
		const found = this.#sameBytes(digests) ?? (seen && (await this.#mostAlike(image, seen)));
		if (found) {
			const { blocked, ...similar } = found;
			const { similar: wish } = this.#room;
			const verdict = similar.kind === "alike" ? wish : "block";
			if (verdict !== "off") {
				const note = noteOf(blocked, similar);
				await pronounce(this.#room, image, { verdict, reason: blocked.reason, note, similar });
			}
		}
		return seen ?? null;
	}

	#sameBytes(digests: readonly Uint8Array[]): (Similar & { readonly blocked: BlockedPicture }) | undefined {
		const isOne = (digest: Uint8Array | null) => digest && digests.some((one) => Buffer.compare(one, digest) === 0);
		const blocked = this.#known.find(({ sha256, sentSha256 }) => isOne(sha256) || isOne(sentSha256));
		return blocked && { imageId: blocked.imageId, kind: "same_bytes", score: 1, blocked };
	}

	async #mostAlike(
		image: QueuedPicture["image"],
		grey: Uint8Array,
	): Promise<(Similar & { readonly blocked: BlockedPicture }) | undefined> {
		const hash = bandsOf(grey);
		let [blocked, score]: [Known | undefined, number] = [undefined, 0];
		for (const known of this.#known) {
			if (!known.bands || !known.likeness || apart(hash, known.bands) > HASH_BOUND) continue;
			// A comparison takes some milliseconds, and many may be blocked of one picture.
			await shareTurn();
			const alike = likenessOf(known.likeness, grey);
			if (alike.details > score && isAlike(known.likeness, grey, alike)) [blocked, score] = [known, alike.details];
		}
		if (!blocked) return undefined;
		const { imageId, pixels } = blocked;
		const isSame = pixels && (await this.#room.images.likenesses.look(image, "pixels")) === pixels;
		if (isSame) return { imageId, kind: "same_pixels", score: 1, blocked };
		if (!isDistinct(blocked.likeness ?? grey)) return undefined;
		return { imageId, kind: "alike", score: Math.round(score * 1_000) / 1_000, blocked };
	}

	/** Reads what is blocked where that has changed, sees what nobody has seen of it, and frees what was held because of what is not. */
	async #refresh(): Promise<void> {
		const { blocked } = this.#room;
		const mark = await blocked.mark();
		if (mark === this.#mark) return;
		for (const picture of await blocked.list()) if (picture.pixels === null) await this.#see(picture);
		const rows = await blocked.list();
		this.#known = rows.map((row) => ({
			...row,
			bands: row.likeness && row.likeness.length > 0 ? bandsOf(row.likeness) : undefined,
		}));
		await this.#free();
		this.#mark = mark;
	}

	async #see(picture: BlockedPicture): Promise<void> {
		const { images, blocked, log } = this.#room;
		const look = async <Kind extends "likeness" | "pixels">(kind: Kind) =>
			await images.likenesses.look(picture, kind).catch((cause: unknown) => {
				log.warn("A blocked picture could not be looked at", { image: picture.imageId, cause });
			});
		const likeness = picture.likeness ?? (await look("likeness"));
		const isTellable = likeness && likeness.length > 0;
		const pixels = (isTellable && (await look("pixels"))) || "";
		await blocked.see(picture.pk, { likeness: likeness === null ? new Uint8Array() : (likeness ?? null), pixels });
	}

	async #free(): Promise<void> {
		const { blocked, store, clock } = this.#room;
		for (const { imageId, action } of await blocked.listFreed(AT_ONCE)) {
			const by = { actor: SERVICE, requestId: null, nowMs: clock.now() };
			const said = { reason: null, note: "What it was like is not blocked any more.", revision: null };
			const verb = action === "lock" ? "unlock" : "unblock";
			await store.change(imageId, { id: newId("mod"), verb, ...said, reopensReports: false }, by);
		}
	}
}

function noteOf({ imageId, note }: BlockedPicture, { kind, score }: Similar): string {
	const how =
		kind === "alike"
			? `Like ${imageId} (${score})`
			: `The same ${kind === "same_bytes" ? "file" : "picture"} as ${imageId}`;
	return note ? `${how}: ${note}` : how;
}
