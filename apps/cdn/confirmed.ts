import { Failure } from "@svc/base/failure";
import { inTime } from "@svc/base/patience";
import type { Clock } from "@svc/base/ports";
import type { Image } from "@svc/images/images";
import type { ImageStore } from "@svc/images/ports";

/** A request that the database does not answer is answered by us within two seconds. */
const LOOKUP_MS = 1_500;
/** As long as other caches may show an image that was deleted meanwhile. */
const CONFIRMED_MS = 300_000;
const RETRY_SECONDS = 2;
/** Half a kilobyte each. */
const CONFIRMED_MAX = 10_000;
const GONE_MAX = 10_000;

/** An image that may be served. */
export interface Servable {
	readonly image: Image;
	/** True where the database could not be asked: then it was there a few minutes ago. */
	readonly stale: boolean;
}

interface Confirmation {
	readonly image: Image;
	readonly atMs: number;
}

interface ConfirmedImagesDeps {
	readonly images: Pick<ImageStore, "findServable">;
	readonly clock: Clock;
}

/**
 * Looks images up, and remembers which were there, for the minutes in which the database is away or slow. What was seen to be gone
 * is forgotten at once, also where an older question is answered after that.
 */
export class ConfirmedImages {
	readonly #deps: ConfirmedImagesDeps;
	/** The least recently confirmed first. */
	readonly #confirmed = new Map<string, Confirmation>();
	/** The question that found an image gone; the oldest first. */
	readonly #gone = new Map<string, number>();
	#questions = 0;

	constructor(deps: ConfirmedImagesDeps) {
		this.#deps = deps;
	}

	/** @throws Failure `server_error`, timedOut, when the database does not answer in time and the image was not there lately */
	async find(teamHash: string, id: string): Promise<Servable | undefined> {
		try {
			const image = await this.findNow(teamHash, id);
			return image && { image, stale: false };
		} catch (failure) {
			const image = this.#recall(`${teamHash}/${id}`);
			if (image) return { image, stale: true };
			throw failure;
		}
	}

	/** The same, where what was there lately is not enough. */
	findNow(teamHash: string, id: string): Promise<Image | undefined> {
		return inTime(this.#ask(teamHash, id), LOOKUP_MS, unanswered);
	}

	async #ask(teamHash: string, id: string): Promise<Image | undefined> {
		const { images, clock } = this.#deps;
		const question = this.#questions++;
		const atMs = clock.now();
		const image = await images.findServable(teamHash, id, atMs);
		const key = `${teamHash}/${id}`;
		if (image) this.#confirm(key, question, { image, atMs });
		else this.#forget(key, question);
		return image;
	}

	#confirm(key: string, question: number, confirmation: Confirmation): void {
		if ((this.#gone.get(key) ?? -1) > question) return;
		keepLast(this.#confirmed, key, confirmation, CONFIRMED_MAX);
	}

	#forget(key: string, question: number): void {
		this.#confirmed.delete(key);
		keepLast(this.#gone, key, question, GONE_MAX);
	}

	#recall(key: string): Image | undefined {
		const { image, atMs } = this.#confirmed.get(key) ?? {};
		const nowMs = this.#deps.clock.now();
		if (!image || atMs === undefined || nowMs - atMs > CONFIRMED_MS) return undefined;
		return image.expiresMs === null || image.expiresMs > nowMs ? image : undefined;
	}
}

export function unanswered(cause?: unknown): Failure {
	return new Failure("server_error", undefined, {
		message: "The service cannot look this image up right now; try again shortly.",
		timedOut: true,
		retryAfterSeconds: RETRY_SECONDS,
		cause,
	});
}

function keepLast<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
	map.delete(key);
	map.set(key, value);
	if (map.size <= most) return;
	for (const oldest of map.keys()) {
		map.delete(oldest);
		return;
	}
}
