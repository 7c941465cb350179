import { answerParent } from "./child.ts";

/* Sends calls to a service, many at once. */

export interface HeavyCall {
	readonly url: string;
	readonly method: string;
	readonly key: string;
	readonly times: number;
	readonly atOnce: number;
	/** A path whose file each call sends. */
	readonly file?: string;
	/** Each call sends another of these, in turn. */
	readonly bodies?: readonly unknown[];
	/** An address that says this once the work is over which the calls have begun. */
	readonly until?: { readonly url: string; readonly says: string };
}

async function sendAll(calls: readonly HeavyCall[]): Promise<void> {
	for (const call of calls) {
		let left = call.times;
		const caller = async () => {
			while (left-- > 0) await sendOne(call, left);
		};
		await Promise.all(Array.from({ length: call.atOnce }, caller));
		const { until } = call;
		while (until && !(await (await fetch(until.url)).text()).includes(until.says)) await Bun.sleep(50);
	}
}

async function sendOne({ url, method, key, file, bodies }: HeavyCall, turn: number): Promise<void> {
	const headers: Record<string, string> = { Authorization: `Bearer ${key}` };
	let body: FormData | string | undefined;
	if (file !== undefined) {
		body = new FormData();
		body.append("file", Bun.file(file), "picture.jpg");
	} else if (bodies) {
		headers["Content-Type"] = "application/json";
		body = JSON.stringify(bodies[turn % bodies.length]);
	}
	const answer = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
	const text = await answer.text();
	if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${text.slice(0, 300)}`);
}

answerParent(sendAll);
