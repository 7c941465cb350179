import { NoRoom } from "@svc/base/failure";
import type { Clock } from "@svc/base/ports";
import { FOREVER, LANES, type Lane, type Line, ORDER, type Wish } from "./line.ts";
import type { Price } from "./price.ts";
import { appOf, networkOf, Spending } from "./spending.ts";
import { countBy, least, sum } from "./sums.ts";

export interface FairLineOptions {
	/** How many pieces of work run at once: as many as there are workers. */
	readonly places: number;
	/** What all that runs at once may take of memory. */
	readonly bytes: number;
	/** How many cheap requests may wait; of dear ones a quarter of it. */
	readonly waiting: number;
	/** In milliseconds, and never set back. */
	readonly clock: Clock;
	/** Calls `work` once, after so many milliseconds, unless what it returns is called before. */
	readonly after: (ms: number, work: () => void) => () => void;
}

const LONGEST_RETRY_SECONDS = 30;
/** Cheap work always finds this much memory: dear work may be as large as it likes, and takes long. */
const CHEAP_BYTES = 64 * 1_024 ** 2;
/** A line that has not been empty for this long is one of which the first have given up. */
const STALE_MS = 5_000;
/** The service's own work counts as that of one network and one App. */
const OWN = { network: "", app: "" };

/** A piece of work, and for whom it is. */
interface Piece extends Price {
	readonly lane: Lane;
	readonly network: string;
	readonly app: string;
}

interface Waiter extends Piece {
	readonly cameMs: number;
	/** When its line was empty last. */
	readonly sinceMs: number;
	admit(): void;
	refuse(reason: unknown): void;
	/** To be called once when it waits no more. */
	ended(): void;
}

/** Who can be served. */
type May = (waiter: Waiter) => boolean;

/**
 * A fair line before the workers. What runs at once has a place each, and together no more memory than there is; only what alone is larger
 * than that runs, alone. In each lane the network that has had least lately is next. Nothing waits for ever: who has waited for
 * too long is refused, and lanes that go behind others get their turn after a while.
 */
export class FairLine implements Line {
	readonly #options: FairLineOptions;
	/** Each in order of arrival. */
	readonly #queues: Readonly<Record<Lane, Waiter[]>> = { cheap: [], ingest: [], dear: [], background: [] };
	readonly #running = new Set<Piece>();
	readonly #spending = new Spending();
	/** Whether the one before was served out of order, because it was due. */
	#wasDue = false;
	#shed = 0;
	#abandoned = 0;

	constructor(options: FairLineOptions) {
		this.#options = options;
	}

	get running(): number {
		return this.#running.size;
	}

	get waiting(): number {
		return sum(ORDER, (lane) => this.waitingIn(lane));
	}

	waitingIn(lane: Lane): number {
		return this.#queues[lane].length;
	}

	get shed(): number {
		return this.#shed;
	}

	get abandoned(): number {
		return this.#abandoned;
	}

	/** Admitted bytes. */
	get bytes(): number {
		return sum(this.#running, ({ bytes }) => bytes);
	}

	async run<T>(wish: Wish, work: () => Promise<T>): Promise<T> {
		const piece = await this.#turn(wish);
		try {
			wish.begun?.();
			return await work();
		} finally {
			this.#running.delete(piece);
			this.#serve();
		}
	}

	/** @throws Failure `server_error`, timedOut and with Retry-After; the signal's reason */
	#turn({ lane, price, visitor: { network, app } = OWN, signal }: Wish): Promise<Piece> {
		const piece = { lane, network, app, bytes: price.bytes, cpuMs: price.cpuMs };
		if (signal.aborted || !this.#isFreeFor(piece)) return this.#inLine(piece, signal);
		this.#wasDue = false;
		return Promise.resolve(this.#admit(piece));
	}

	/** Whether nobody has to wait for anything. */
	#isFreeFor(piece: Piece): boolean {
		const isFree = this.#isEmpty && this.#running.size < this.#options.places;
		return isFree && this.#mayRun(piece.lane) && this.#fits(piece);
	}

	get #isEmpty(): boolean {
		return ORDER.every((lane) => this.#queues[lane].length === 0);
	}

	#admit(piece: Piece): Piece {
		this.#running.add(piece);
		this.#spending.charge(piece, this.#options.clock.now());
		return piece;
	}

	#inLine(piece: Piece, signal: AbortSignal): Promise<Piece> {
		const { lane } = piece;
		const { clock, after } = this.#options;
		const { promise, resolve, reject } = Promise.withResolvers<Piece>();
		const queue = this.#queues[lane];
		const cameMs = clock.now();
		const leave = () => {
			if (!this.#remove(waiter)) return;
			this.#abandoned++;
			reject(signal.reason);
			// What it kept others from may be possible now.
			this.#serve();
		};
		const late = () => {
			this.#refuse(waiter);
			this.#serve();
		};
		const alarm = LANES[lane].waitMs === FOREVER ? undefined : after(LANES[lane].waitMs, late);
		const waiter: Waiter = {
			...piece,
			cameMs,
			sinceMs: queue[0]?.sinceMs ?? cameMs,
			admit: () => resolve(waiter),
			refuse: reject,
			ended() {
				signal.removeEventListener("abort", leave);
				alarm?.();
			},
		};
		queue.push(waiter);
		if (signal.aborted) leave();
		else signal.addEventListener("abort", leave, { once: true });
		this.#serve();
		this.#bound(waiter);
		return promise;
	}

	/** Takes it out of its line; false when it does not stand there any more. */
	#remove(waiter: Waiter): boolean {
		const queue = this.#queues[waiter.lane];
		const at = queue.indexOf(waiter);
		if (at < 0) return false;
		queue.splice(at, 1);
		waiter.ended();
		return true;
	}

	/** Who came last may be the one too many: the newest of the network with most in line goes; of those with as many it is that of `own`. */
	#bound({ lane, network: own }: Waiter): void {
		const queue = this.#queues[lane];
		const { share, least } = LANES[lane];
		if (queue.length <= Math.max(least, Math.ceil(this.#options.waiting * share))) return;
		const counts = countBy(queue, ({ network }) => network);
		const most = Math.max(...counts.values());
		const isLargest = (network: string) => counts.get(network) === most;
		const newest = queue.findLast(({ network }) => (isLargest(own) ? network === own : isLargest(network)));
		if (newest) this.#refuse(newest);
	}

	#refuse(waiter: Waiter): void {
		if (!this.#remove(waiter)) return;
		this.#shed++;
		waiter.refuse(tooMuch(waiter.lane, this.#retrySeconds(waiter.lane)));
	}

	/** How long it will take until what stands before is done. */
	#retrySeconds(lane: Lane): number {
		const before = ORDER.slice(0, ORDER.indexOf(lane) + 1).flatMap((one) => this.#queues[one]);
		const cpuMs = sum([...this.#running, ...before], (work) => work.cpuMs);
		const atOnce = LANES[lane].patient ? this.#patientPlaces : this.#options.places;
		return Math.min(LONGEST_RETRY_SECONDS, Math.max(1, Math.ceil(cpuMs / atOnce / 1_000)));
	}

	/** Gives places to whose turn it is, while there are any. */
	#serve(): void {
		while (!this.#isEmpty && this.#running.size < this.#options.places) {
			const nowMs = this.#options.clock.now();
			const next = this.#next(nowMs);
			if (!next) return;
			this.#remove(next);
			this.#admit(next);
			next.admit();
		}
	}

	#next(nowMs: number): Waiter | undefined {
		const due = this.#due(nowMs)
			.map((lane) => this.#candidate(lane, nowMs, anyone))
			.filter((one) => one !== undefined);
		const first = due.find((one) => this.#fits(one));
		if (first && !this.#wasDue) {
			this.#wasDue = true;
			return first;
		}
		const next = this.#inOrder(nowMs, due);
		if (next) this.#wasDue = false;
		return next;
	}

	/** Lanes whose oldest has waited long enough. What is patient gets a place out of turn, and never the only one. */
	#due(nowMs: number): readonly Lane[] {
		return ORDER.filter((lane) => {
			const [oldest] = this.#queues[lane];
			if (!oldest || nowMs - oldest.cameMs < LANES[lane].dueMs) return false;
			return !LANES[lane].patient || (this.#options.places > 1 && this.#patient === 0);
		});
	}

	/** Whoever has less than half of the places goes before whoever has more; the service's own work goes before nobody. */
	#inOrder(nowMs: number, due: readonly Waiter[]): Waiter | undefined {
		const blocked = due.find((one) => !this.#fits(one));
		return (
			this.#firstOf(ORDER.slice(0, -1), nowMs, this.#modest(), blocked) ?? this.#firstOf(ORDER, nowMs, anyone, blocked)
		);
	}

	/** What is due and waits for memory is passed by by nothing but cheap work. */
	#firstOf(lanes: readonly Lane[], nowMs: number, may: May, blocked: Waiter | undefined): Waiter | undefined {
		for (const lane of lanes) {
			const candidate = this.#candidate(lane, nowMs, may);
			if (!candidate || !this.#fits(candidate)) continue;
			if (!blocked || this.#mayPass(candidate, blocked)) return candidate;
		}
		return undefined;
	}

	/** Whose turn it is in a lane: of the network that has had least, and there of the App that has had least; of those with as much, who came first. */
	#candidate(lane: Lane, nowMs: number, may: May): Waiter | undefined {
		if (!this.#mayRun(lane)) return undefined;
		const able = this.#queues[lane].filter(may);
		const network = least(able, (one) => this.#spending.of(networkOf(one), nowMs))?.network;
		const ofNetwork = able.filter((one) => one.network === network);
		const app = least(ofNetwork, (one) => this.#spending.of(appOf(one), nowMs))?.app;
		const ofApp = ofNetwork.filter((one) => one.app === app);
		return ofApp[0] && nowMs - ofApp[0].sinceMs >= STALE_MS ? ofApp.at(-1) : ofApp[0];
	}

	/** What is patient leaves a place to the others. */
	#mayRun(lane: Lane): boolean {
		return !LANES[lane].patient || this.#patient < this.#patientPlaces;
	}

	#fits({ lane, bytes }: Piece): boolean {
		if (this.#running.size === 0) return true;
		const all = this.bytes;
		if (all + bytes > this.#options.bytes) return false;
		return lane === "cheap" || all - this.#cheapBytes + bytes <= this.#options.bytes - CHEAP_BYTES;
	}

	/** Whether it may go before one that is due and waits for memory: nothing but cheap work may. */
	#mayPass({ lane, bytes }: Waiter, blocked: Waiter): boolean {
		if (lane !== "cheap") return false;
		// Only beside nothing is there room for it, and it is soon done.
		if (blocked.lane === "ingest" && blocked.bytes > this.#options.bytes - CHEAP_BYTES) return false;
		return this.#cheapBytes + bytes <= CHEAP_BYTES;
	}

	/** Who has less than half of the places now. */
	#modest(): May {
		const half = Math.max(1, Math.floor(this.#options.places / 2));
		const taken = countBy(
			[...this.#running].flatMap((one) => [networkOf(one), appOf(one)]),
			(name) => name,
		);
		return (one) => (taken.get(networkOf(one)) ?? 0) < half && (taken.get(appOf(one)) ?? 0) < half;
	}

	get #patientPlaces(): number {
		return Math.max(1, this.#options.places - 1);
	}

	get #patient(): number {
		return sum(this.#running, ({ lane }) => (LANES[lane].patient ? 1 : 0));
	}

	get #cheapBytes(): number {
		return sum(this.#running, ({ lane, bytes }) => (lane === "cheap" ? bytes : 0));
	}
}

function anyone(): boolean {
	return true;
}

function tooMuch(lane: Lane, retryAfterSeconds: number): NoRoom {
	const doing = lane === "ingest" ? "uploaded" : "rendered";
	return new NoRoom(`Too much is being ${doing} right now; try again shortly.`, retryAfterSeconds);
}
