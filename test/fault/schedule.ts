import type { BlobStore, Clock, Log, Staged, Ticker } from "@svc/base/ports";

/* A world that moves one step at a time, in an order that a seed decides. */

/** mulberry32: small, and the same everywhere. */
function randomOf(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

type Step = () => Promise<void>;

/** What a call may meet: an answer that is lost, with or without its effect, or an effect that comes after the caller gave up. */
const FAULTS = ["lost_answer", "lost_request", "late"] as const;

interface Beat {
	dueMs: number;
	readonly everyMs: number;
	readonly work: () => Promise<void>;
}

/** One program of the world. A crash leaves its calls unanswered for ever, as a killed process does. */
export interface Actor {
	readonly bornMs: number;
	steps: Step[];
	beats: Set<Beat>;
	crashed: boolean;
	over: boolean;
}

export class Schedule {
	readonly random: () => number;
	readonly clock: Clock & { nowMs: number };
	readonly actors = new Set<Actor>();
	/** What an actor threw: a promise that was not kept. */
	broken: unknown;
	/** Effects on their way whose caller has given up. */
	#late: Step[] = [];
	#faults = true;

	constructor(seed: number, startMs: number) {
		this.random = randomOf(seed);
		this.clock = {
			nowMs: startMs,
			now() {
				return this.nowMs;
			},
		};
	}

	below(limit: number): number {
		return Math.floor(this.random() * limit);
	}

	start(work: (actor: Actor) => Promise<void>): void {
		const actor: Actor = { bornMs: this.clock.nowMs, steps: [], beats: new Set(), crashed: false, over: false };
		this.actors.add(actor);
		const over = () => {
			actor.over = true;
		};
		work(actor).then(over, (cause: unknown) => {
			this.broken = cause;
			over();
		});
	}

	crash(actor: Actor): void {
		actor.crashed = true;
		actor.steps = [];
		actor.beats.clear();
		this.actors.delete(actor);
	}

	/** The same port, each call of which waits for its turn. `lossy`: over a network, where answers get lost. */
	stepped<T extends object>(actor: Actor, port: T, lossy: boolean): T {
		return new Proxy(port, {
			get: (target, name) => {
				const method = Reflect.get(target, name) as (...given: unknown[]) => Promise<unknown>;
				return (...given: unknown[]) => this.#call(actor, () => method.apply(target, given), lossy);
			},
		});
	}

	tickerOf(actor: Actor): Ticker {
		return {
			every: (everyMs, work) => {
				const beat = { dueMs: this.clock.nowMs + everyMs, everyMs, work };
				actor.beats.add(beat);
				return () => {
					actor.beats.delete(beat);
				};
			},
		};
	}

	#call<T>(actor: Actor, work: () => Promise<T>, lossy: boolean): Promise<T> {
		const { promise, resolve, reject } = Promise.withResolvers<T>();
		const answer: Step = () => work().then(resolve, reject);
		if (!actor.crashed) actor.steps.push(() => this.#meet(this.#faultFor(lossy), work, answer, reject));
		return promise;
	}

	#faultFor(lossy: boolean): (typeof FAULTS)[number] | undefined {
		return lossy && this.#faults && this.random() < 0.03 ? FAULTS[this.below(FAULTS.length)] : undefined;
	}

	async #meet<T>(
		fault: (typeof FAULTS)[number] | undefined,
		work: () => Promise<T>,
		answer: Step,
		reject: (cause: Error) => void,
	): Promise<void> {
		if (fault === undefined) return answer();
		const effect = () =>
			work().then(
				() => undefined,
				() => undefined,
			);
		if (fault === "lost_answer") await effect();
		if (fault === "late") this.#late.push(effect);
		reject(new Error(fault));
	}

	/** Lets one thing happen that can; false when nothing can. */
	async step(): Promise<boolean> {
		const ready = [...this.actors].filter((actor) => actor.steps.length > 0 || this.#dueBeat(actor));
		const choice = this.below(ready.length + this.#late.length);
		const actor = ready[choice];
		if (actor) await this.#move(actor);
		else await this.#late.splice(choice - ready.length, 1)[0]?.();
		await settled();
		if (actor?.over && actor.steps.length === 0) this.actors.delete(actor);
		return actor !== undefined || ready.length + this.#late.length > 0;
	}

	async #move(actor: Actor): Promise<void> {
		const beat = this.#dueBeat(actor);
		if (beat && (actor.steps.length === 0 || this.random() < 0.5)) {
			beat.dueMs = this.clock.nowMs + beat.everyMs;
			void beat.work();
			return;
		}
		await actor.steps.splice(this.below(actor.steps.length), 1)[0]?.();
	}

	#dueBeat(actor: Actor): Beat | undefined {
		return [...actor.beats].find(({ dueMs }) => dueMs <= this.clock.nowMs);
	}

	/** No more faults, and everything runs to its end. */
	async calm(): Promise<void> {
		this.#faults = false;
		while (await this.step());
	}
}

/** Everything that follows from what was just answered has happened: it all runs in microtasks, which come first. */
function settled(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}

/** Files without a disk; only their sizes matter. */
export function memoryBlobs(): { readonly blobs: BlobStore; readonly files: ReadonlyMap<string, number> } {
	const files = new Map<string, number>();
	const unused = () => Promise.reject(new Error("not part of this world"));
	const blobs: BlobStore = {
		local: true,
		stage: unused,
		async put(key, { bytes }) {
			if (files.has(key)) throw new Error(`the blob key ${key} is taken`);
			files.set(key, bytes);
		},
		replace: unused,
		async find(key) {
			const bytes = files.get(key);
			return bytes === undefined
				? undefined
				: {
						...{ bytes, stamp: key, checksum: undefined, path: undefined },
						...{ read: unused, digest: unused, stream: () => new ReadableStream() },
					};
		},
		async remove(key) {
			files.delete(key);
		},
		list: unused,
		probe: unused,
		sweepStaged: async () => 0,
	};
	return { blobs, files };
}

export function stagedFile(): Staged {
	return { path: "/", bytes: 100, sha256: new Uint8Array(32), discard: async () => undefined };
}

const quiet = () => undefined;
export const SILENT: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
