import { readFile, rm } from "node:fs/promises";
import { Failure, WorkLost } from "@svc/base/failure";
import type { Clock, Log, LogFacts, Meters } from "@svc/base/ports";
import type { Asker, Made } from "@svc/images/ports";
import type { ImpossibleForms } from "./impossible-forms.ts";

export interface RendersDeps {
	readonly impossible: ImpossibleForms;
	readonly clock: Clock;
	readonly log: Log;
	readonly meters: Pick<Meters, "observe">;
	/** After this the waiting requests are answered to try again later; what is made meanwhile is kept all the same. */
	readonly timeoutMs: number;
}

export interface Rendered {
	readonly made: Made;
	/** Something was missing for the time being, so that it may come out otherwise when it is made again. */
	readonly provisional: boolean;
}

/** How one rendition is made. */
export interface Recipe {
	/** Said in the log when it fails: what is made, and for which request first. */
	readonly about: LogFacts;
	/** May stop early when the asker's signal aborts. */
	make(asker: Asker): Promise<Rendered>;
	/**
	 * Called once with what was made, unless it is provisional. Requests that come meanwhile still join. Where a file is kept, what is kept
	 * comes back.
	 */
	keep(made: Made): Promise<Blob | undefined>;
}

/** All waiting requests share one blob: it is not copied for each answer. */
export interface RenderedBlob extends Pick<Rendered, "provisional"> {
	readonly blob: Blob;
}

interface Flight {
	readonly result: Promise<RenderedBlob>;
	readonly stop: AbortController;
	/** True until its turn has come, where no request waits for it. */
	isPatient: boolean;
	waiters: number;
}

/** Renders each rendition once, however many ask for it. */
export class Renders {
	readonly #deps: RendersDeps;
	readonly #flights = new Map<string, Flight>();

	constructor(deps: RendersDeps) {
		this.#deps = deps;
	}

	/** Whether a request for this rendition would join another. */
	has(key: string): boolean {
		return this.#flights.get(key)?.isPatient === false;
	}

	/**
	 * Starts or joins a render; it is stopped only when all its clients have gone.
	 * @throws Failure `server_error`: timedOut when there is no room or it takes too long, else when it failed (logged, once); `media_failed` when
	 * it cannot be made; `not_found` when the recipe says so. The signal's reason when the client goes.
	 */
	async run(key: string, client: Asker, recipe: Recipe): Promise<RenderedBlob> {
		const { signal } = client;
		signal.throwIfAborted();
		const flight = this.#joinable(key, client) ?? this.#start(key, client, recipe);
		flight.waiters++;
		const left = Promise.withResolvers<never>();
		const leave = () => {
			left.reject(signal.reason);
			flight.waiters--;
			if (flight.waiters === 0) this.#abandon(key, flight, signal.reason);
		};
		signal.addEventListener("abort", leave);
		try {
			return await Promise.race([flight.result, left.promise]);
		} finally {
			signal.removeEventListener("abort", leave);
		}
	}

	/** A request does not wait behind what nobody waits for: it takes its place. */
	#joinable(key: string, { background }: Asker): Flight | undefined {
		const flight = this.#flights.get(key);
		if (!flight?.isPatient || background) return flight;
		this.#abandon(key, flight, tooSlow());
		return undefined;
	}

	#start(key: string, { visitor, background = false }: Asker, recipe: Recipe): Flight {
		this.#deps.impossible.requirePossible(key);
		const stop = new AbortController();
		const { promise, resolve, reject } = Promise.withResolvers<RenderedBlob>();
		const flight: Flight = { result: promise, stop, isPatient: background, waiters: 0 };
		this.#flights.set(key, flight);
		// All callers may have left by the time it fails; that must not count as an unhandled rejection.
		promise.catch(() => undefined);
		const begun = () => {
			flight.isPatient = false;
		};
		const asker: Asker = { signal: stop.signal, visitor, background, begun };
		const land = async () => {
			try {
				await this.#land(await this.#timed(recipe, asker, reject), recipe, resolve);
				this.#deps.impossible.made(key);
			} catch (error) {
				if (error instanceof WorkLost) this.#deps.impossible.lost(key, error.processes);
				reject(this.#explain(error, stop.signal, recipe.about));
			} finally {
				this.#forget(key, flight);
			}
		};
		land().catch(reject);
		return flight;
	}

	/** Small ones are sent while they are being kept; of large ones the memory has no copy, unless the disk has no room. */
	async #land({ made, provisional }: Rendered, recipe: Recipe, resolve: (blob: RenderedBlob) => void): Promise<void> {
		if (made instanceof Uint8Array) {
			resolve({ blob: new Blob([made]), provisional });
			if (!provisional) await recipe.keep(made);
			return;
		}
		try {
			const kept = provisional ? undefined : await recipe.keep(made);
			resolve({ blob: kept ?? new Blob([await readFile(made.path)]), provisional });
		} finally {
			await rm(made.path, { force: true });
		}
	}

	async #timed(recipe: Recipe, asker: Asker, reject: (reason: Failure) => void): Promise<Rendered> {
		const startedMs = this.#deps.clock.now();
		const timer = setTimeout(() => {
			this.#deps.log.warn("A rendition takes too long", { ...recipe.about, timeoutMs: this.#deps.timeoutMs });
			reject(tooSlow());
		}, this.#deps.timeoutMs);
		try {
			return await recipe.make(asker);
		} finally {
			clearTimeout(timer);
			this.#deps.meters.observe("svc_cdn_render_seconds", (this.#deps.clock.now() - startedMs) / 1000);
		}
	}

	/** The error that all waiting requests get; a bug or a broken file is logged here, once, and not by each of them. */
	#explain(error: unknown, signal: AbortSignal, about: LogFacts): unknown {
		const expected = error instanceof Failure && (error.timedOut || error.code === "not_found");
		if (error instanceof WorkLost) {
			this.#deps.log.error("A rendition cost its worker", { ...about, ...jobOf(error), error });
			const { message, timedOut, retryAfterSeconds = 1 } = error;
			return new Failure("server_error", undefined, { message, timedOut, retryAfterSeconds });
		}
		if (signal.aborted || expected) return error;
		this.#deps.log.error("A rendition could not be made", { ...about, ...jobOf(error), error });
		return new Failure("server_error", undefined, { cause: error });
	}

	/** Removed from the map at once: a new caller must not join a render that is being stopped. */
	#abandon(key: string, flight: Flight, reason: unknown): void {
		this.#forget(key, flight);
		flight.stop.abort(reason);
	}

	#forget(key: string, flight: Flight): void {
		if (this.#flights.get(key) === flight) this.#flights.delete(key);
	}
}

function tooSlow(): Failure {
	return new Failure("server_error", undefined, {
		message: "This rendition takes too long to make right now; try again shortly.",
		timedOut: true,
		retryAfterSeconds: 1,
	});
}

/** No error has more causes. */
const MAX_CAUSES = 5;

/** The process in which it was made and what it was expected to take, where the error, or one that caused it, tells. */
function jobOf(error: unknown): LogFacts {
	let one = error;
	for (let depth = 0; one instanceof Error && depth < MAX_CAUSES; depth++) {
		const { worker, price } = one as { readonly worker?: unknown; readonly price?: unknown };
		if (price !== undefined) return { worker, price };
		one = one.cause;
	}
	return {};
}
