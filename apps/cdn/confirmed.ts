import { Failure } from "@svc/base/failure";
import { LeastRecent } from "@svc/base/pace/least-recent";
import { inTime } from "@svc/base/pace/patience";
import type { Clock } from "@svc/base/ports";
import type { Image } from "@svc/images/images";
import type { Addressed, ImageStore } from "@svc/images/ports";

/** A request that the database does not answer is answered by us within two seconds. */
const LOOKUP_MS = 1_500;
/** As long as other caches may show an image that was deleted meanwhile. */
const CONFIRMED_MS = 300_000;
const RETRY_SECONDS = 2;
/** Half a kilobyte each. */
const CONFIRMED_MAX = 10_000;
const GONE_MAX = 10_000;

/** What an address leads to. */
export interface Sighted extends Addressed {
	/** True where the database could not be asked: then it was there a few minutes ago. */
	readonly stale: boolean;
}

/** An image that may be served. */
export interface Servable extends Pick<Sighted, "stale"> {
	readonly image: Image;
}

interface Confirmation {
	readonly found: Addressed & { readonly image: Image };
	readonly atMs: number;
}

interface ConfirmedImagesDeps {
	readonly images: Pick<ImageStore, "findAddressed">;
	/** How long a look-up may take, in milliseconds: less in tests only. */
	readonly lookupMs?: number;
	readonly clock: Clock;
}

/**
 * Looks images up, and remembers which were there, for the minutes in which the database is away or slow. What was seen to be gone
 * is forgotten at once, also where an older question is answered after that.
 */
export class ConfirmedImages {
	readonly #deps: ConfirmedImagesDeps;
	readonly #lookupMs: number;
	/** The least recently confirmed first. */
	readonly #confirmed = new LeastRecent<string, Confirmation>(CONFIRMED_MAX);
	/** The question that found an image gone; the oldest first. */
	readonly #gone = new LeastRecent<string, number>(GONE_MAX);
	#questions = 0;

	constructor(deps: ConfirmedImagesDeps) {
		this.#deps = deps;
		this.#lookupMs = deps.lookupMs ?? LOOKUP_MS;
	}

	/**
	 * Undefined where no storage has such addresses. `limitMs`: less where the request has waited for another image already.
	 * @throws Failure `server_error`, timedOut, when the database does not answer in time and the image was not there lately
	 */
	async find(teamHash: string, id: string, limitMs = this.#lookupMs): Promise<Sighted | undefined> {
		try {
			const found = await inTime(this.#ask(teamHash, id), limitMs, unanswered);
			return found && { ...found, stale: false };
		} catch (failure) {
			const found = this.#recall(`${teamHash}/${id}`);
			if (found) return { ...found, stale: true };
			throw failure;
		}
	}

	/** The same, where what was there lately is not enough. */
	async findNow(teamHash: string, id: string): Promise<Image | undefined> {
		return (await inTime(this.#ask(teamHash, id), this.#lookupMs, unanswered))?.image;
	}

	async #ask(teamHash: string, id: string): Promise<Addressed | undefined> {
		const { images, clock } = this.#deps;
		const question = this.#questions++;
		const atMs = clock.now();
		const found = await images.findAddressed(teamHash, id, atMs);
		const key = `${teamHash}/${id}`;
		if (found?.image) this.#confirm(key, question, { found: { ...found, image: found.image }, atMs });
		else this.#forget(key, question);
		return found;
	}

	#confirm(key: string, question: number, confirmation: Confirmation): void {
		if ((this.#gone.get(key) ?? -1) > question) return;
		this.#confirmed.set(key, confirmation);
	}

	#forget(key: string, question: number): void {
		this.#confirmed.delete(key);
		this.#gone.set(key, question);
	}

	#recall(key: string): Addressed | undefined {
		const { found, atMs } = this.#confirmed.get(key) ?? {};
		const nowMs = this.#deps.clock.now();
		if (!found || atMs === undefined || nowMs - atMs > CONFIRMED_MS) return undefined;
		const { expiresMs } = found.image;
		return expiresMs === null || expiresMs > nowMs ? found : undefined;
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
