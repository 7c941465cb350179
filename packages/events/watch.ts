import { setTimeout as pause } from "node:timers/promises";
import type { Log } from "@svc/base/ports";
import type { EventStore, News } from "./events-store.ts";

/* Tells those who wait for events that some were written, by whichever process. One look at the end of the table serves all who wait. */

const LOOK_EVERY_MS = 250;
const NEWS_MAX = 1_000;

export type IsWanted = (news: News) => boolean;

export interface Watcher extends AsyncDisposable {
	/** Resolves when something that is wanted was written since the watcher was opened or last resolved, when the time is up, or on `signal`. */
	next(withinMs: number, signal: AbortSignal): Promise<void>;
}

interface Waiter {
	readonly isWanted: IsWanted;
	isTold: boolean;
	tell: () => void;
}

/** Nothing is read while nobody waits. */
export function eventWatch(store: Pick<EventStore, "lastPk" | "newsAfter">, log: Log) {
	const waiters = new Set<Waiter>();
	let place: number | undefined;
	let isClosed = false;

	function tell(waiter: Waiter): void {
		waiter.isTold = true;
		waiter.tell();
	}

	async function look(from: number): Promise<void> {
		const news = await store.newsAfter(from, NEWS_MAX);
		place = news.at(-1)?.pk ?? from;
		for (const waiter of waiters) if (news.some(waiter.isWanted)) tell(waiter);
		if (news.length === NEWS_MAX) await look(place);
	}

	async function follow(): Promise<void> {
		while (waiters.size > 0 && place !== undefined) {
			await pause(LOOK_EVERY_MS);
			await look(place).catch((cause: unknown) => log.warn("the feed could not be looked at", { cause }));
		}
		place = undefined;
	}

	return {
		/** From when this resolves nothing that is wanted goes unnoticed. */
		async open(isWanted: IsWanted): Promise<Watcher> {
			const waiter: Waiter = { isWanted, isTold: false, tell: () => undefined };
			waiters.add(waiter);
			if (place === undefined) {
				const last = await store.lastPk();
				if (place === undefined) {
					place = last;
					follow().catch((cause: unknown) => log.warn("the feed is not followed any more", { cause }));
				}
			}
			return {
				next: (withinMs, signal) => (isClosed ? Promise.resolve() : nextOf(waiter, withinMs, signal)),
				[Symbol.asyncDispose]: async () => {
					waiters.delete(waiter);
				},
			};
		},
		/** Ends all waiting, now and later: the process stops. */
		close(): void {
			isClosed = true;
			for (const waiter of waiters) waiter.tell();
		},
		isClosed: () => isClosed,
	};
}

function nextOf(waiter: Waiter, withinMs: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		const end = () => {
			clearTimeout(timer);
			signal.removeEventListener("abort", end);
			waiter.isTold = false;
			waiter.tell = () => undefined;
			resolve();
		};
		const timer = setTimeout(end, withinMs);
		signal.addEventListener("abort", end);
		waiter.tell = end;
		if (waiter.isTold || signal.aborted) end();
	});
}
