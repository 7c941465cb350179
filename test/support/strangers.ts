/* Visitors of the transform host, each from an address of its own: the service believes what a proxy on its own machine says. */

/** By status; what had no answer counts as `none`. */
export type Counts = Readonly<Record<string, number>>;

/** Addresses that are reserved for documents, and so are nobody's. */
export function addressOf(stranger: number): string {
	return `198.51.100.${1 + (stranger % 250)}`;
}

export interface Answered {
	readonly status: string;
	readonly ms: number;
	readonly retryAfterSeconds: number;
}

/** Asks once and reads the whole answer. */
export async function askFrom(address: string, url: string, signal?: AbortSignal): Promise<Answered> {
	const startMs = performance.now();
	const headers = { "X-Forwarded-For": address };
	try {
		const answer = await fetch(url, { headers, ...(signal && { signal }) });
		await answer.arrayBuffer();
		const retryAfterSeconds = Number(answer.headers.get("retry-after") ?? 0);
		return { status: String(answer.status), ms: performance.now() - startMs, retryAfterSeconds };
	} catch {
		return { status: "none", ms: performance.now() - startMs, retryAfterSeconds: 0 };
	}
}

export function countsOf(answers: readonly Answered[]): Counts {
	return Object.fromEntries(
		[...Map.groupBy(answers, ({ status }) => status)].map(([status, all]) => [status, all.length]),
	);
}

export interface Flood {
	readonly connections: number;
	/** The address of each connection. */
	readonly addressOf: (connection: number) => string;
	/** Another one each time. */
	readonly nextUrl: () => string;
	/** Whether it waits as long as it is told to before it asks again; otherwise it asks again at once. */
	readonly polite: boolean;
}

/** Asks without end, until it is stopped. */
export function flood({ connections, addressOf, nextUrl, polite }: Flood): { stop(): Promise<readonly Answered[]> } {
	const stopping = new AbortController();
	const answers: Answered[] = [];
	const loops = Array.from({ length: connections }, async (_, connection) => {
		while (!stopping.signal.aborted) {
			const answer = await askFrom(addressOf(connection), nextUrl(), stopping.signal);
			if (stopping.signal.aborted) return;
			answers.push(answer);
			if (polite && answer.retryAfterSeconds > 0) await pause(answer.retryAfterSeconds * 1_000, stopping.signal);
		}
	});
	return {
		async stop() {
			stopping.abort();
			await Promise.all(loops);
			return answers;
		},
	};
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		const timer = setTimeout(resolve, ms);
		signal.addEventListener("abort", () => {
			clearTimeout(timer);
			resolve();
		});
	});
}

/** The dearest forms that an address can ask for; for tens of thousands no two of them are equal. */
export function dearest(urls: readonly string[], from = 0): () => string {
	let turn = from;
	return () => {
		const form = Math.floor(turn / urls.length / 2);
		const isLarge = Math.floor(turn / urls.length) % 2 === 0;
		const url = urls[turn++ % urls.length];
		if (isLarge) return `${url}?w=${4_000 - (form % 500)}&format=avif&q=${30 + (Math.floor(form / 500) % 60)}`;
		return `${url}?blur=${250 - (form % 200)}&q=${20 + (Math.floor(form / 200) % 70)}`;
	};
}

/** Thumbnails; for millions no two of them are equal. */
export function thumbnails(urls: readonly string[], from = 0): () => string {
	let turn = from;
	return () => {
		const form = Math.floor(turn / urls.length);
		const url = urls[turn++ % urls.length];
		// So high a box bounds nothing, and is another wish all the same.
		const height = 1_000 + (Math.floor(form / 12_000) % 3_000);
		return `${url}?w=${120 + (form % 200)}&h=${height}&q=${30 + (Math.floor(form / 200) % 60)}`;
	};
}
