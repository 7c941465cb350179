import type { Loss } from "../failures.ts";
import type { Child, End } from "./child.ts";
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
	readonly lost: (reason: Loss | "idle" | "abandoned", why: string) => void;
	/** Something about its process failed that should not have, so that nobody waits for it. */
	readonly failed: (cause: unknown) => void;
}

/** The place of one worker: the process in it changes. */
export class Slot {
	readonly index: number;
	readonly #options: SlotOptions;
	#child: Child | undefined;
	/** Whether the process has answered an order. */
	#hasWorked = false;
	#taken = false;
	/** Whether there is to be a process at all times. */
	#kept = false;
	#closed = false;
	#resting = false;
	#reason: Loss | "idle" | "abandoned" = "crash";
	#idle: ReturnType<typeof setTimeout> | undefined;
	#long: ReturnType<typeof setTimeout> | undefined;
	#waiting: ReturnType<typeof setTimeout> | undefined;

	constructor(options: SlotOptions) {
		this.index = options.index;
		this.#options = options;
	}

	get isTaken(): boolean {
		return this.#taken;
	}

	get isStarted(): boolean {
		return this.#child !== undefined;
	}

	/** Whether an order can have it now: not while its next process has to wait for its start. */
	get isFree(): boolean {
		return !this.#taken && this.#waiting === undefined;
	}

	get pid(): number | undefined {
		return this.#child?.pid;
	}

	get rssBytes(): number {
		return this.#child?.usage()?.rssBytes ?? 0;
	}

	take(): void {
		this.#taken = true;
		this.#resting = false;
		this.#forgetIdling();
	}

	/** Its process, ready for an order; undefined when that did not start. */
	async started(): Promise<Child | undefined> {
		this.#child ??= this.#start();
		const child = this.#child;
		const timer = setTimeout(child.kill, START_MS);
		const isUp = await child.started.finally(() => clearTimeout(timer));
		return isUp ? child : undefined;
	}

	/** It has answered; `last` when it ends by itself now. */
	worked(last: boolean): void {
		this.#hasWorked = true;
		this.#options.starts.worked();
		if (!last) return;
		this.#child = undefined;
		if (this.#kept) this.#child = this.#start();
	}

	/** Ends its process in the middle of what it does. */
	end(reason: Loss | "abandoned"): void {
		this.#reason = reason;
		this.#child?.kill();
	}

	release(): void {
		this.#taken = false;
		this.#idle = setTimeout(() => this.#replaceLarge(IDLE_BYTES), IDLE_MS);
		this.#long = setTimeout(() => this.#goToRest(), this.#options.restMs ?? REST_MS);
		this.#idle.unref();
		this.#long.unref();
		this.#options.freed();
	}

	keep(): void {
		this.#kept = true;
		if (this.#waiting === undefined) this.#child ??= this.#start();
	}

	/** Gives its memory to another one, until it is taken again. */
	rest(): void {
		if (this.#taken || !this.#child) return;
		this.#resting = true;
		this.#reason = "idle";
		this.#child.kill();
	}

	/** Has its process again, where it is to have one at all times. */
	wake(): void {
		this.#resting = false;
		if (this.#kept && this.#waiting === undefined) this.#child ??= this.#start();
	}

	close(): void {
		this.#closed = true;
		this.#forgetIdling();
		clearTimeout(this.#waiting);
		this.#child?.kill();
	}

	#start(): Child {
		const child = this.#options.start();
		this.#hasWorked = false;
		child.ended.then((end) => this.#mourn(child, end)).catch(this.#options.failed);
		return child;
	}

	/** A process that could not be started is one that has died: its successors wait longer and longer. */
	#mourn(child: Child, { why, wasUp }: End): void {
		if (this.#child !== child) return;
		this.#child = undefined;
		if (this.#closed) return;
		const { starts, lost } = this.#options;
		lost(this.#reason === "crash" && !wasUp ? "start" : this.#reason, why);
		const nowMs = performance.now();
		if (!this.#hasWorked && this.#reason === "crash") starts.died(nowMs);
		this.#reason = "crash";
		this.#waitForStart(starts.waitMs(nowMs));
	}

	#waitForStart(waitMs: number): void {
		if (waitMs === 0) {
			if (this.#kept && !this.#resting) this.#child ??= this.#start();
			return;
		}
		this.#waiting = setTimeout(() => {
			this.#waiting = undefined;
			if (this.#kept) this.#child ??= this.#start();
			this.#options.freed();
		}, waitMs);
		this.#waiting.unref();
	}

	#forgetIdling(): void {
		clearTimeout(this.#idle);
		clearTimeout(this.#long);
	}

	/** The first worker is there for the next visitor; the others start when several come at once. */
	#goToRest(): void {
		if (this.index > 0) this.rest();
		else this.#replaceLarge(RESTED_BYTES);
	}

	#replaceLarge(mostBytes: number): void {
		if (this.#taken || this.rssBytes <= mostBytes) return;
		this.#reason = "idle";
		this.#child?.kill();
	}
}
