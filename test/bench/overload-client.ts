import { answerParent } from "./child.ts";

/* Asks for many addresses, each once, and times every answer from the moment it was due. */

export interface Asked {
	/** Addresses without a query. */
	readonly urls: readonly string[];
	/** Where in the row of distinct forms to begin; forms that were asked for before come from the cache. */
	readonly from: number;
	readonly seconds: number;
	/** Requests per second, whatever becomes of them; undefined: `connections` at a time, each waiting for its answer. */
	readonly perSecond?: number;
	readonly connections?: number;
	/** Of all requests; these leave before long. */
	readonly aborted?: number;
}

export interface Answered {
	/** Milliseconds. */
	readonly accepted: readonly number[];
	/** Those of them that were asked for after the first two seconds. */
	readonly later: readonly number[];
	readonly refused: readonly number[];
	/** Requests that left. */
	readonly left: number;
	/** What was neither 200 nor 503 with Retry-After, by what it was. */
	readonly others: Readonly<Record<string, number>>;
	/** Where the next row begins. */
	readonly next: number;
	readonly seconds: number;
}

const WIDTHS = 160;
const QUALITIES = 80;
/** Requests are sent in groups this far apart: timers are no finer. */
const TICK_MS = 2;
const BEGINNING_MS = 2_000;
/** As long as a visitor looks at a page without pictures. */
const LEAVING_MS = 3_000;

/** Widths around 640 and all usable qualities, on one picture after the other. */
function addressAt(urls: readonly string[], place: number): string {
	const form = Math.floor(place / urls.length);
	if (form >= WIDTHS * QUALITIES) throw new Error("there are no more distinct addresses");
	return `${urls[place % urls.length]}?w=${560 + (form % WIDTHS)}&q=${20 + Math.floor(form / WIDTHS)}`;
}

async function ask({ urls, from, seconds, perSecond, connections = 1, aborted = 0 }: Asked): Promise<Answered> {
	const accepted: number[] = [];
	const later: number[] = [];
	const refused: number[] = [];
	const others: Record<string, number> = {};
	let left = 0;
	let place = from;
	const startMs = performance.now();

	async function one(dueMs: number): Promise<void> {
		const outcome = await outcomeOf(addressAt(urls, place++), Math.random() < aborted);
		const tookMs = performance.now() - dueMs;
		if (outcome === "accepted") {
			accepted.push(tookMs);
			if (dueMs - startMs > BEGINNING_MS) later.push(tookMs);
		} else if (outcome === "refused") refused.push(tookMs);
		else if (outcome === "left") left++;
		else others[outcome] = (others[outcome] ?? 0) + 1;
	}

	const endMs = startMs + seconds * 1_000;
	if (perSecond === undefined) {
		const loop = async () => {
			while (performance.now() < endMs) await one(performance.now());
		};
		await Promise.all(Array.from({ length: connections }, loop));
	} else {
		const sent: Promise<void>[] = [];
		for (let nowMs = startMs; nowMs < endMs; nowMs = performance.now()) {
			const due = ((nowMs - startMs) / 1_000) * perSecond;
			while (sent.length < due) sent.push(one(performance.now()));
			await Bun.sleep(TICK_MS);
		}
		await Promise.all(sent);
	}
	return { accepted, later, refused, left, others, next: place, seconds: (performance.now() - startMs) / 1_000 };
}

async function outcomeOf(address: string, leaves: boolean): Promise<string> {
	const leaving = new AbortController();
	if (leaves) setTimeout(() => leaving.abort(), Math.random() * LEAVING_MS);
	try {
		const answer = await fetch(address, { signal: leaving.signal });
		await answer.arrayBuffer();
		if (answer.status === 200) return "accepted";
		const comesBack = Number(answer.headers.get("retry-after")) > 0;
		return answer.status === 503 && comesBack
			? "refused"
			: `${answer.status}${comesBack ? "" : " without Retry-After"}`;
	} catch (error) {
		return leaving.signal.aborted ? "left" : String(error);
	}
}

answerParent(ask);
