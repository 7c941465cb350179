import { loopMs } from "../support/thread-clock.ts";
import { answerParent } from "./child.ts";

/* Asks two addresses in turn and tells for how long each waited, in a process of its own: whoever sends the load is too busy to read an answer in time. */

export interface Waits {
	readonly pid: number;
	readonly urls: readonly string[];
	readonly headers: Readonly<Record<string, string>>;
	readonly looks: number;
}

/** Of each address the longest wait, in milliseconds of the loop's own time. @throws Error for an answer that is not 200 */
async function longestWaits({ pid, urls, headers, looks }: Waits): Promise<readonly number[]> {
	const longest = urls.map(() => 0);
	for (let look = 0; look < looks; look++) {
		for (const [place, url] of urls.entries()) {
			const before = await loopMs(pid);
			const answer = await fetch(url, { headers });
			await answer.arrayBuffer();
			if (!answer.ok) throw new Error(`${answer.status} for ${url}`);
			longest[place] = Math.max(longest[place] ?? 0, (await loopMs(pid)) - before);
		}
	}
	return longest;
}

answerParent(longestWaits);
