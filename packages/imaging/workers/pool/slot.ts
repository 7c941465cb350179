import type { Child, End, EndReason } from "./child.ts";
import type { Starts } from "./starts.ts";

/** A worker that idles with more than this is replaced: decoders and WebAssembly do not give everything back. */
const IDLE_BYTES = 250 * 1_024 ** 2;
/** Until then it has tidied up. */
const IDLE_MS = 500;
/** By then a page full of pictures has come: what a worker holds on to is worth less than its memory. */
const REST_MS = 20_000;
/** A fresh one takes a good half of it, most of which it shares with the others. */
const RESTED_BYTES = 80 * 1_024 ** 2;
/** A start takes a tenth of a second; a busy machine takes longer. */
const START_MS = 15_000;

interface SlotOptions {
	readonly index: number;
	readonly starts: Starts;
	readonly start: () => Child;
	/** After how long without an order its memory is given back; default: twenty seconds. */
	readonly restMs?: number | undefined;
	/** The slot may be taken. */
	readonly freed: () => void;
	readonly lost: (reason: EndReason, why: string) => void;
	/** Something about its process failed that should not have, so that nobody waits for it. */
	readonly failed: (cause: unknown) => void;
}

type Timer = ReturnType<typeof setTimeout>;

/** The place of one worker: the process in it changes. */
export class Slot {
	readonly index: number;
	readonly #options: SlotOptions;
	#child: Child | undefined;
	/** `resting`: its memory is lent to another one, until it is taken again or woken. */
	#state: "free" | "taken" | "resting" | "closed" = "free";
	/** Whether there is to be a process at all times. */
	#isKept = false;
	/** Runs while its next process has to wait for its start. */
	#delay: Timer | undefined;
	/** Looks at its memory while it idles. */
	#looks: readonly Timer[] = [];

	constructor(options: SlotOptions) {
		this.index = options.index;
		this.#options = options;
	}

	get isTaken(): boolean {
		return this.#state === "taken";
	}

	get isStarted(): boolean {
		return this.#child !== undefined;
	}

	/** Whether an order can have it now: not while its next process has to wait for its start. */
	get isFree(): boolean {
		return !this.isTaken && this.#delay === undefined;
	}

	get pid(): number | undefined {
		return this.#child?.pid;
	}

	get rssBytes(): number {
		return this.#child?.usage()?.rssBytes ?? 0;
	}

	take(): void {
		this.#become("taken");
	}

	/** Its process, ready for an order; undefined when that did not start. */
	async started(): Promise<Child | undefined> {
		this.#child ??= this.#start();
		const child = this.#child;
		const timer = setTimeout(() => child.kill(), START_MS);
		const isUp = await child.started.finally(() => clearTimeout(timer));
		return isUp ? child : undefined;
	}

	/** It has answered; `last` when it ends by itself now. */
	worked(last: boolean): void {
		this.#options.starts.worked();
		if (!last) return;
		this.#child = undefined;
		this.#startKept();
	}

	release(): void {
		this.#become("free");
		const { index } = this;
		const later = (ms: number, look: () => void) => setTimeout(look, ms).unref();
		this.#looks = [
			later(IDLE_MS, () => this.#replaceLarge(IDLE_BYTES)),
			// The first worker is there for the next visitor; the others start when several come at once.
			later(this.#options.restMs ?? REST_MS, () => (index > 0 ? this.rest() : this.#replaceLarge(RESTED_BYTES))),
		];
		this.#options.freed();
	}

	keep(): void {
		this.#isKept = true;
		this.#startKept();
	}

	/** Gives its memory to another one, until it is taken again. */
	rest(): void {
		if (this.isTaken || !this.#child) return;
		this.#become("resting");
		this.#child.kill("idle");
	}

	/** Has its process again, where it is to have one at all times. */
	wake(): void {
		if (this.#state === "resting") this.#become("free");
		this.#startKept();
	}

	close(): void {
		this.#become("closed");
		clearTimeout(this.#delay);
		this.#child?.kill();
	}

	/** What is closed stays so. */
	#become(state: "free" | "taken" | "resting" | "closed"): void {
		for (const look of this.#looks) clearTimeout(look);
		if (this.#state !== "closed") this.#state = state;
	}

	#start(): Child {
		const child = this.#options.start();
		child.ended.then((end) => this.#mourn(child, end)).catch(this.#options.failed);
		return child;
	}

	#startKept(): void {
		const mayStart = this.#isKept && this.#delay === undefined && this.#state !== "resting" && this.#state !== "closed";
		if (mayStart) this.#child ??= this.#start();
	}

	/** A process that could not be started is one that has died: its successors wait longer and longer. */
	#mourn(child: Child, { reason, why, hasWorked }: End): void {
		if (this.#child !== child) return;
		this.#child = undefined;
		if (this.#state === "closed") return;
		const { starts, lost, freed } = this.#options;
		lost(reason, why);
		const nowMs = performance.now();
		if (!hasWorked && (reason === "crash" || reason === "start")) starts.died(nowMs);
		const waitMs = starts.waitMs(nowMs);
		if (waitMs === 0) {
			this.#startKept();
			return;
		}
		const over = () => {
			this.#delay = undefined;
			this.#startKept();
			freed();
		};
		this.#delay = setTimeout(over, waitMs).unref();
	}

	#replaceLarge(mostBytes: number): void {
		if (!this.isTaken && this.rssBytes > mostBytes) this.#child?.kill("idle");
	}
}
