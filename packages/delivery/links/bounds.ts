import { referrerCheck } from "@svc/apps/profile/referrers";
import { Failure } from "@svc/base/failure";
import { LeastRecent } from "@svc/base/pace/least-recent";
import type { Clock } from "@svc/base/ports";
import type { AddressApp } from "@svc/images/ports";
import { dayOf } from "@svc/images/usage/daily-usage";
import type { DayStore, ServedOnDay } from "./days-store.ts";

/* What the links of strangers may do with an App's images, and cost it on a day. */

const DAY_MS = 86_400_000;
const KEPT_MAX = 1_000;
const NOTHING: ServedOnDay = { bytes: 0, renditions: 0 };

/** What one App lets links do, and what they have done today as far as this process knows: asked for each request, so it looks nothing up. */
export class LinkBounds {
	readonly #clock: Clock;
	#terms = "";
	#isReferrer: ((address: string) => boolean) | undefined;
	#most: ServedOnDay = NOTHING;
	#day = -1;
	#used: ServedOnDay = NOTHING;
	/** Of that, what this process has counted since {@link mark}. */
	#since: ServedOnDay = NOTHING;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** @param terms as `AddressApp` has them */
	adopt(terms: string): void {
		if (terms === this.#terms) return;
		const [referrers, bytes, renditions] = JSON.parse(terms) as [string[] | null, number | null, number | null];
		this.#terms = terms;
		this.#isReferrer = referrers ? referrerCheck(referrers) : undefined;
		this.#most = { bytes: bytes ?? Number.POSITIVE_INFINITY, renditions: renditions ?? Number.POSITIVE_INFINITY };
	}

	/** Whether another page than the App's referrers shows it. Who names no page is let in: many browsers are told not to. */
	isElsewhere({ headers }: Request): boolean {
		const page = this.#isReferrer && headers.get("referer");
		return Boolean(page) && this.#isReferrer?.(page || "") === false;
	}

	isSpent(kind: keyof ServedOnDay): boolean {
		this.#turn();
		return this.#used[kind] >= this.#most[kind];
	}

	/** @throws Failure `rate_limited` until the day is over */
	requireLeft(kind: keyof ServedOnDay): void {
		if (!this.isSpent(kind)) return;
		const retryAfterSeconds = Math.ceil((DAY_MS - (this.#clock.now() % DAY_MS)) / 1_000);
		const message = `This App has set how much of its images is ${kind === "bytes" ? "served" : "made"} in a day, and that is reached.`;
		throw new Failure("rate_limited", undefined, { message, retryAfterSeconds });
	}

	count(kind: keyof ServedOnDay, more: number): void {
		this.#turn();
		this.#used = { ...this.#used, [kind]: this.#used[kind] + more };
		this.#since = { ...this.#since, [kind]: this.#since[kind] + more };
	}

	/** What was counted before is written to the database from here on. */
	mark(): void {
		this.#since = NOTHING;
	}

	/** What all processes have written. What could not be written is counted on. */
	learn(written: ServedOnDay): void {
		this.#turn();
		const { bytes, renditions } = this.#used;
		this.#used = {
			bytes: Math.max(bytes, written.bytes + this.#since.bytes),
			renditions: Math.max(renditions, written.renditions + this.#since.renditions),
		};
	}

	#turn(): void {
		const day = dayOf(this.#clock.now());
		if (day === this.#day) return;
		this.#day = day;
		this.#used = NOTHING;
		this.#since = NOTHING;
	}
}

/**
 * Keeps the bounds of the Apps that have some. A process counts what it serves itself, and learns of the others' whenever usage is written: so
 * much more than a ceiling may be served.
 */
export class KnownBounds {
	readonly #kept = new LeastRecent<number, LinkBounds>(KEPT_MAX);
	/** Those of which it is read just now what was served of them today. */
	readonly #reading = new Map<LinkBounds, Promise<void>>();
	readonly #days: Pick<DayStore, "find">;
	readonly #clock: Clock;

	constructor(days: Pick<DayStore, "find">, clock: Clock) {
		this.#days = days;
		this.#clock = clock;
	}

	/** Undefined for an App that bounds nothing, as nearly all. Where the database does not say what was served, that counts as nothing. */
	of({ appPk, terms }: AddressApp): LinkBounds | undefined | Promise<LinkBounds> {
		if (!terms) return undefined;
		const kept = this.#kept.use(appPk);
		const bounds = kept ?? new LinkBounds(this.#clock);
		bounds.adopt(terms);
		if (!kept) {
			this.#kept.set(appPk, bounds);
			const read = this.#learn(new Map([[appPk, bounds]])).catch(() => undefined);
			this.#reading.set(
				bounds,
				read.finally(() => this.#reading.delete(bounds)),
			);
		}
		return this.#reading.get(bounds)?.then(() => bounds) ?? bounds;
	}

	/** Around the write of what this process has served. */
	async whileWritten(write: () => Promise<void>): Promise<void> {
		const before = new Map(this.#kept);
		for (const bounds of before.values()) bounds.mark();
		await write();
		if (before.size > 0) await this.#learn(before);
	}

	async #learn(apps: ReadonlyMap<number, LinkBounds>): Promise<void> {
		const found = await this.#days.find(dayOf(this.#clock.now()), [...apps.keys()]);
		for (const [appPk, bounds] of apps) bounds.learn(found.get(appPk) ?? NOTHING);
	}
}
