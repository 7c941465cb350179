import { answerParent } from "./child.ts";

/* Asks one address again and again, as a load balancer would, and times the answers. In a process of its own: whoever sends the load is
   too busy to tell the time. */

export interface Probe {
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly seconds: number;
}

const PAUSE_MS = 20;

/** Milliseconds of every answer. @throws Error for one that is not 200 */
async function probe({ url, headers, seconds }: Probe): Promise<readonly number[]> {
	const times: number[] = [];
	for (const endMs = performance.now() + seconds * 1_000; performance.now() < endMs; await Bun.sleep(PAUSE_MS)) {
		const startMs = performance.now();
		const answer = await fetch(url, { headers });
		await answer.arrayBuffer();
		times.push(performance.now() - startMs);
		if (!answer.ok) throw new Error(`${answer.status} for ${url}`);
	}
	return times;
}

answerParent(probe);
