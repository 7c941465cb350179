import type { AnalysisKind } from "@svc/base/enumerations";
import { LeastRecent } from "@svc/base/pace/least-recent";
import type { Clock, Log } from "@svc/base/ports";
import type { Analyser, AnalysisStore, Asker, Master } from "@svc/images/ports";
import type { Analysis } from "@svc/images/transform/analysis";
import { analysisNeeded, isSuperfluous } from "@svc/images/transform/analysis-needs";
import type { Transform } from "@svc/images/transform/transform";

export interface AnalysisDeps {
	readonly analysis: AnalysisStore;
	readonly finder: Analyser;
	readonly clock: Clock;
	readonly log: Log;
}

/** The facts for one rendition. */
export interface Resolved {
	readonly analysis: Partial<Analysis>;
	/** False when one of them could not be looked for: later the rendition may come out otherwise. */
	readonly complete: boolean;
}

/** How long a search that failed is not repeated; a rendition without its facts is as good for as long. */
export const RETRY_SECONDS = 60;
/** How many failures are remembered. */
const MAX_FAILURES = 1_000;

/** Who waits for an analysis; a search that others join stays in the turn of whoever began it. */
type SearchAsker = Pick<Asker, "signal" | "visitor">;

interface Sought<K extends AnalysisKind> extends Pick<SearchAsker, "visitor"> {
	readonly master: Master;
	readonly blobKey: string;
	readonly kind: K;
}

interface Search {
	readonly result: Promise<Analysis[AnalysisKind] | undefined>;
	readonly stop: AbortController;
	waiters: number;
}

/** Facts about images: looked up, or found once however many renditions need them, and kept. */
export class AnalysisSearches {
	readonly #deps: AnalysisDeps;
	readonly #searches = new Map<string, Search>();
	/** When it may be tried again. An image that crashes a model must not do so with every request. */
	readonly #failures = new LeastRecent<string, number>(MAX_FAILURES);

	constructor(deps: AnalysisDeps) {
		this.#deps = deps;
	}

	/** Rejects with the signal's reason when it aborts; what has begun by then is finished and kept all the same. */
	async resolve(master: Master, blobKey: string, transform: Transform, asker: SearchAsker): Promise<Resolved> {
		const analysis: Partial<Analysis> = {};
		let complete = true;
		for (const kind of analysisNeeded(transform, master)) {
			if (isSuperfluous(kind, analysis, transform)) continue;
			const found = await this.findFor(transform, master, blobKey, kind, asker);
			if (found === undefined) complete = false;
			else Object.assign(analysis, { [kind]: found });
		}
		return { analysis, complete };
	}

	/** What `findIn` finds, in the frame that is asked for. */
	async findFor<K extends AnalysisKind>(
		{ frame = 0 }: Transform,
		master: Master,
		blobKey: string,
		kind: K,
		asker: SearchAsker,
	): Promise<Analysis[K] | undefined> {
		if (frame === 0) return await this.findIn(master, blobKey, kind, asker);
		// Not kept: no row has such a key.
		return await this.findIn({ ...master, frame }, `${blobKey} ${frame}`, kind, asker);
	}

	/** Undefined: there is no answer now. */
	async findIn<K extends AnalysisKind>(
		master: Master,
		blobKey: string,
		kind: K,
		asker: SearchAsker,
	): Promise<Analysis[K] | undefined> {
		const { signal } = asker;
		signal.throwIfAborted();
		const key = `${kind} ${blobKey}`;
		if ((this.#failures.get(key) ?? 0) > this.#deps.clock.now()) return undefined;
		const search = this.#searches.get(key) ?? this.#start(key, { master, blobKey, kind, visitor: asker.visitor });
		search.waiters++;
		const left = Promise.withResolvers<never>();
		const leave = () => {
			left.reject(signal.reason);
			search.waiters--;
			// It stays in the map: when it has begun it cannot be stopped, and the next caller would begin it a second time.
			if (search.waiters === 0) search.stop.abort(signal.reason);
		};
		signal.addEventListener("abort", leave);
		try {
			const found = await Promise.race([search.result, left.promise]);
			// The callers before had it stopped by leaving, and that is no answer for a caller that came then.
			if (found !== undefined || !search.stop.signal.aborted) return found as Analysis[K] | undefined;
		} finally {
			signal.removeEventListener("abort", leave);
		}
		return await this.findIn(master, blobKey, kind, asker);
	}

	#start<K extends AnalysisKind>(key: string, sought: Sought<K>): Search {
		const stop = new AbortController();
		const run = async () => {
			try {
				return await this.#look(sought, stop.signal);
			} catch (error) {
				if (!stop.signal.aborted || error !== stop.signal.reason) this.#fail(key, sought.kind, error);
				return undefined;
			} finally {
				this.#searches.delete(key);
			}
		};
		// Starts in the next turn, so that the search is in the map before it can end.
		const search: Search = { result: Promise.resolve().then(run), stop, waiters: 0 };
		this.#searches.set(key, search);
		return search;
	}

	/** Runs within the search, so that no caller can look into the store before one search has ended and begin the next after it. */
	async #look<K extends AnalysisKind>(
		{ master, blobKey, kind, visitor }: Sought<K>,
		signal: AbortSignal,
	): Promise<Analysis[K]> {
		const kept = await this.#deps.analysis.find(blobKey, kind);
		if (kept !== undefined) return kept;
		const found = await this.#deps.finder.find(master, kind, { signal, visitor });
		await this.keep(blobKey, { [kind]: found });
		return found;
	}

	/** Finds facts once more, and keeps them in the place of those that were kept. */
	async findAnew(master: Master, blobKey: string, kinds: readonly AnalysisKind[]): Promise<void> {
		const { signal } = new AbortController();
		const found: Partial<Analysis> = {};
		for (const kind of kinds) Object.assign(found, { [kind]: await this.#deps.finder.find(master, kind, { signal }) });
		await this.keep(blobKey, found);
	}

	/** Facts that cannot be stored are found again. */
	async keep(blobKey: string, facts: Partial<Analysis>): Promise<void> {
		const { analysis, clock, log } = this.#deps;
		await analysis.save(blobKey, facts, clock.now()).catch((error: unknown) => {
			log.warn("Facts about a picture could not be kept", { kinds: Object.keys(facts), error });
		});
	}

	#fail(key: string, kind: AnalysisKind, error: unknown): void {
		this.#deps.log.warn("A fact about a picture could not be found", { kind, error });
		this.#failures.set(key, this.#deps.clock.now() + RETRY_SECONDS * 1_000);
	}
}
