import { LibsqlError } from "@libsql/client/sqlite3";
import { DatabaseError } from "../../database-error.ts";
import type { Batch, BatchResult } from "./hrana.ts";

export interface ServerOptions {
	/** `libsql://`, `https://` or `http://`. */
	readonly url: string;
	readonly token: string | undefined;
}

/** What a connection is asked: it may depend on what earlier requests have left at this connection, by name, and tell what it has left itself. */
export type Asked = Batch | ((kept: Set<string>) => Batch);

/** Connections inside a libSQL server that are kept open from one request to the next: opening one costs it more than most statements. */
export interface ServerStreams {
	/**
	 * Runs a batch on a connection that nobody else uses meanwhile.
	 * @throws DatabaseError where the answer was lost: what the batch was to do may have been done
	 * @throws LibsqlError what the server refused the whole batch for
	 */
	run(batch: Batch): Promise<BatchResult>;
	/** The same; besides, tells when the server is done with it, which may be after the answer was given up. */
	begin(asked: Asked): { readonly answer: Promise<BatchResult>; readonly settled: Promise<void> };
	/** Runs a batch on each connection at rest. */
	runOnRest(batch: Batch): Promise<void>;
	/** Closes the connections at rest: the next request opens a new one. */
	renew(): Promise<void>;
	/** Those at rest; one at work closes itself when it is done. */
	close(): Promise<void>;
}

export interface StreamsOptions extends ServerOptions {
	/** How far this process has seen the database, where it may be read at replicas. */
	readonly progress: Progress;
	/** From the request's turn to its answer. */
	readonly timeoutMs: number;
	/** A request that got no answer in time is left alone for so long before its connection is cut; by default it is cut at once. */
	readonly lingerMs?: number;
}

/**
 * The number of the newest change of the primary that a process knows of. A replica that is asked with it waits until it has that change: nobody
 * reads what is older than what they wrote, or than what they read before.
 */
export class Progress {
	#newest: bigint | undefined;

	note(index: string | null | undefined): void {
		if (index === null || index === undefined) return;
		const known = BigInt(index);
		if (this.#newest === undefined || known > this.#newest) this.#newest = known;
	}

	/** A database that was brought back to an earlier moment counts from there: a replica would wait for ever. */
	forget(): void {
		this.#newest = undefined;
	}

	asked({ steps }: Batch): Batch {
		return { steps, ...(this.#newest !== undefined && { replication_index: String(this.#newest) }) };
	}
}

/** The server closes what was not used for 10 seconds. */
const FRESH_MS = 8_000;
/** More are not kept at rest. */
const KEPT_MAX = 32;

interface Stream {
	/** Names the connection, and changes with each request; undefined before the first. */
	baton: string | undefined;
	base: URL;
	usedMs: number;
	readonly kept: Set<string>;
}

/** The server knows the connection no more: nothing of what was asked was done. */
class StreamGone extends Error {}

class Late extends Error {}

/** An answer of the server that is not about what was asked, but about whether it may be. */
export class Refusal extends Error {
	/** Whoever asks the same again gets the same answer: the token is not the right one. Whatever else may be a proxy's, before the server runs. */
	readonly isFinal: boolean;
	/** What was asked could not be read, or was too large for whoever stands before the server: nothing of it was done. */
	readonly isUnread: boolean;

	constructor(status: number, said: string) {
		super(`The libSQL server answered ${status}: ${said}`);
		this.isFinal = status === 401 || status === 403;
		this.isUnread = status === 400 || status === 413;
	}
}

export function serverStreams({ url, token, progress, timeoutMs, lingerMs = 0 }: StreamsOptions): ServerStreams {
	const base = httpAddress(url);
	const headers = {
		"Content-Type": "application/json",
		// Compressing its answers costs a server that is near more than sending them.
		"Accept-Encoding": "identity",
		...authorization({ url, token }),
	};
	/** The last one used is taken first, so that those that are not needed grow old. */
	const atRest: Stream[] = [];
	let isClosed = false;

	async function exchange(stream: Stream, requests: readonly unknown[]): Promise<readonly StreamResult[]> {
		const response = await fetch(new URL("v3/pipeline", stream.base), {
			method: "POST",
			headers,
			body: JSON.stringify({ baton: stream.baton ?? null, requests }),
			signal: AbortSignal.timeout(timeoutMs + lingerMs),
		});
		if (!response.ok) throw await refusalOf(response);
		const { baton, base_url, results } = (await response.json()) as PipelineAnswer;
		stream.baton = baton ?? undefined;
		if (base_url) stream.base = httpAddress(base_url);
		stream.usedMs = performance.now();
		return results;
	}

	function take(): Stream {
		for (let stream = atRest.pop(); stream; stream = atRest.pop()) {
			if (performance.now() - stream.usedMs < FRESH_MS) return stream;
		}
		return { baton: undefined, base, usedMs: performance.now(), kept: new Set() };
	}

	function putBack(stream: Stream): void {
		if (stream.baton === undefined) return;
		if (isClosed || atRest.length >= KEPT_MAX) end(stream).catch(() => undefined);
		else atRest.push(stream);
	}

	/** The server may have ended it already, or be gone. */
	async function end(stream: Stream): Promise<void> {
		await exchange(stream, [{ type: "close" }]).catch(() => undefined);
	}

	async function runOn(stream: Stream, asked: Asked): Promise<BatchResult> {
		const batch = typeof asked === "function" ? asked(stream.kept) : asked;
		const [result] = await exchange(stream, [{ type: "batch", batch: progress.asked(batch) }]);
		putBack(stream);
		if (result?.type === "ok") {
			progress.note(result.response.result.replication_index);
			return result.response.result;
		}
		throw new LibsqlError(result?.error.message ?? "The server answered nothing.", result?.error.code ?? "UNKNOWN");
	}

	async function runKnown(asked: Asked): Promise<BatchResult> {
		try {
			return await runOn(take(), asked);
		} catch (error) {
			if (!(error instanceof StreamGone)) throw error;
			// The server was started anew, or has closed what was at rest.
			atRest.length = 0;
			return await runOn(take(), asked);
		}
	}

	function begin(asked: Asked) {
		const work = runKnown(asked);
		const answer = within(timeoutMs, work).catch((error: unknown) => {
			if (error instanceof Late) progress.forget();
			// Whatever is no answer of the server is the network's: refused, reset or silent for too long.
			throw error instanceof LibsqlError ? error : new DatabaseError("UNKNOWN", "unknown", error);
		});
		const done = () => undefined;
		return { answer, settled: work.then(done, done) };
	}

	async function renew(): Promise<void> {
		await Promise.all(atRest.splice(0).map(end));
	}

	return {
		begin,
		renew,
		run: (batch) => begin(batch).answer,
		async runOnRest(batch) {
			await Promise.all(atRest.splice(0).map((stream) => runOn(stream, batch)));
		},
		async close() {
			isClosed = true;
			await renew();
		},
	};
}

type StreamResult =
	| { readonly type: "ok"; readonly response: { readonly type: "batch"; readonly result: BatchResult } }
	| { readonly type: "error"; readonly error: { readonly message: string; readonly code: string } };

interface PipelineAnswer {
	readonly baton?: string | null;
	/** Of the machine that has the connection, where the address is that of several. */
	readonly base_url?: string | null;
	readonly results: readonly StreamResult[];
}

/** The version that a libSQL server names, such as `0.24.33`; undefined where it names none within the time. */
export async function askVersion(server: ServerOptions, timeoutMs: number): Promise<string | undefined> {
	const signal = AbortSignal.timeout(timeoutMs);
	const ask = async () => {
		const answer = await fetch(new URL("version", httpAddress(server.url)), { headers: authorization(server), signal });
		// Whatever else answers there may have no end.
		return answer.ok ? (await firstBytes(answer)).match(/^sqld v?(\d+\.\d+\.\d+)/)?.[1] : undefined;
	};
	return await ask().catch(() => undefined);
}

async function firstBytes({ body }: Response): Promise<string> {
	const reader = body?.getReader();
	const { value } = (await reader?.read()) ?? {};
	await reader?.cancel();
	return Buffer.from(value ?? []).toString();
}

function authorization({ url, token }: ServerOptions): Readonly<Record<string, string>> {
	const secret = new URL(url).searchParams.get("authToken") ?? token;
	return secret === undefined ? {} : { Authorization: `Bearer ${secret}` };
}

/** As the driver reads it: `?tls=0` is for a server without a certificate. */
function httpAddress(url: string): URL {
	const isPlain = url.startsWith("libsql:") && new URL(url).searchParams.get("tls") === "0";
	const address = new URL(url.replace(/^libsql:/, isPlain ? "http:" : "https:"));
	address.search = "";
	if (!address.pathname.endsWith("/")) address.pathname += "/";
	return address;
}

const GONE = /STREAM_EXPIRED|invalid baton|baton was closed/;

async function refusalOf(response: Response): Promise<Error> {
	const said = (await response.text()).slice(0, 500);
	if (response.status === 400 && GONE.test(said)) return new StreamGone(said);
	return new Refusal(response.status, said);
}

async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
	const { promise: late, reject } = Promise.withResolvers<never>();
	const timer = setTimeout(() => reject(new Late("The libSQL server said nothing in time.")), limitMs);
	try {
		return await Promise.race([work, late]);
	} finally {
		clearTimeout(timer);
	}
}
