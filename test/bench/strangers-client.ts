import { addressOf, askFrom, countsOf, dearest, flood, thumbnails } from "../support/strangers.ts";
import { answerParent } from "./child.ts";

/* One side of an open transform host: strangers who ask without end, or a visitor who looks at thumbnails. In a process of its own. */

export interface Crowd {
	readonly kind: "dearest" | "thumbnails";
	readonly urls: readonly string[];
	readonly connections: number;
	/** How many addresses they come from. */
	readonly networks: number;
	readonly polite: boolean;
	readonly seconds: number;
	/** Forms before this one were asked for by others. */
	readonly from: number;
}

export interface Visit {
	readonly kind: "visit";
	readonly urls: readonly string[];
	readonly address: string;
	readonly seconds: number;
	readonly from: number;
}

export interface Seen {
	/** By status. */
	readonly counts: Readonly<Record<string, number>>;
	/** Milliseconds of all answers of the visitor. */
	readonly times: readonly number[];
}

const LOOK_EVERY_MS = 100;

async function crowd({ kind, urls, connections, networks, polite, seconds, from }: Crowd): Promise<Seen> {
	const nextUrl = kind === "dearest" ? dearest(urls, from) : thumbnails(urls, from);
	const strangers = flood({ connections, addressOf: (one) => addressOf(one % networks), nextUrl, polite });
	await Bun.sleep(seconds * 1_000);
	return { counts: countsOf(await strangers.stop()), times: [] };
}

async function visit({ urls, address, seconds, from }: Visit): Promise<Seen> {
	const nextUrl = thumbnails(urls, from);
	const answers = [];
	for (const endMs = performance.now() + seconds * 1_000; performance.now() < endMs; ) {
		const answer = await askFrom(address, nextUrl());
		answers.push(answer);
		await Bun.sleep(Math.max(0, LOOK_EVERY_MS - answer.ms));
	}
	return { counts: countsOf(answers), times: answers.map(({ ms }) => ms) };
}

answerParent((asked: Crowd | Visit) => (asked.kind === "visit" ? visit(asked) : crowd(asked)));
