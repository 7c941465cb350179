import type { Context } from "../command.ts";
import { isWatched, openStatusLine } from "./progress.ts";

/** One file on its way out. */
export interface Transfer {
	/** Says how much of it the connection has taken in this try; undefined where nobody watches, so that nothing needs to be measured. */
	readonly moved: ((sentBytes: number) => void) | undefined;
	/** Counts it as done or failed; `bytes` of it have arrived. */
	end(bytes: number): Promise<void>;
}

export interface Transfers {
	begin(): Transfer;
	/** Clears the line, so that other text can be written there; the next change writes it again. */
	clear(): Promise<void>;
	/** Clears it for good. */
	stop(): Promise<void>;
}

/** The rate is that of the last seconds: what is left is sent over the line as it is now. */
const WINDOW_MS = 5_000;
const EVERY_MS = 200;

interface Sample {
	readonly atMs: number;
	readonly bytes: number;
}

/** The state of all transfers together. */
interface Tally {
	readonly done: number;
	readonly files: number;
	readonly sentBytes: number;
	readonly totalBytes: number;
	/** Undefined before anything has moved. */
	readonly bytesPerSecond: number | undefined;
}

/** A line that counts bytes, with a rate and the time that is left; only where a person watches. */
export async function startTransfers(context: Context, files: number, totalBytes: number): Promise<Transfers> {
	if (!isWatched(context)) {
		const nothing = () => Promise.resolve();
		return { begin: () => ({ moved: undefined, end: nothing }), clear: nothing, stop: nothing };
	}
	const { bytesText } = await import("@svc/nouns/words");
	const { process } = context;
	const line = openStatusLine(context);
	const moving = new Map<symbol, number>();
	const samples: Sample[] = [{ atMs: process.now(), bytes: 0 }];
	let [done, arrived] = [0, 0];

	const draw = async () => {
		const sentBytes = arrived + [...moving.values()].reduce((sum, bytes) => sum + bytes, 0);
		const bytesPerSecond = rateOf(samples, { atMs: process.now(), bytes: sentBytes });
		await line.show(transferText({ done, files, sentBytes, totalBytes, bytesPerSecond }, bytesText));
	};
	// A line that stands still is drawn too: its rate falls, and somebody sees why.
	const timer = setInterval(() => void draw(), EVERY_MS);
	timer.unref();

	return {
		begin() {
			const key = Symbol("transfer");
			moving.set(key, 0);
			return {
				moved: (sentBytes) => void moving.set(key, sentBytes),
				async end(bytes) {
					moving.delete(key);
					arrived += bytes;
					done++;
					await draw();
				},
			};
		},
		clear: line.clear,
		async stop() {
			clearInterval(timer);
			await line.clear();
		},
	};
}

/** Bytes a second since the oldest sample of the window; keeps the newest one. */
function rateOf(samples: Sample[], now: Sample): number | undefined {
	while (samples.length > 1 && (samples[1]?.atMs ?? 0) <= now.atMs - WINDOW_MS) samples.shift();
	const { atMs, bytes } = samples[0] ?? now;
	samples.push(now);
	const seconds = (now.atMs - atMs) / 1000;
	return now.bytes > bytes && seconds > 0 ? (now.bytes - bytes) / seconds : undefined;
}

/** `2/5 · 12.3 MB of 40.1 MB · 31% · 2.5 MB/s · 11 s left`; of one file without the count. */
function transferText(tally: Tally, bytesText: (bytes: number) => string): string {
	const { done, files, sentBytes, totalBytes, bytesPerSecond } = tally;
	const counted = files > 1 ? [`${done}/${files}`] : [];
	const amount = `${bytesText(sentBytes)} of ${bytesText(totalBytes)}`;
	if (sentBytes >= totalBytes)
		return [...counted, amount, ...(done < files ? ["waiting for the answer"] : [])].join(" · ");
	const percent = `${Math.floor((100 * sentBytes) / totalBytes)}%`;
	const rate = `${bytesText(bytesPerSecond ?? 0)}/s`;
	const left = bytesPerSecond === undefined ? [] : [`${timeText((totalBytes - sentBytes) / bytesPerSecond)} left`];
	return [...counted, amount, percent, rate, ...left].join(" · ");
}

function timeText(seconds: number): string {
	const whole = Math.max(1, Math.ceil(seconds));
	if (whole < 60) return `${whole} s`;
	const minutes = Math.floor(whole / 60);
	return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
