import type { IncomingMessage } from "node:http";
import { type Origin, startOrigin } from "./origin.ts";

/* A cache in front that is told what to forget, for tests. */

interface PurgeCall {
	readonly method: string;
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
	/** What it names, in the body or in its path. */
	readonly tags: readonly string[];
	readonly atMs: number;
}

export interface PurgeReceiver extends AsyncDisposable {
	readonly origin: Origin;
	readonly calls: PurgeCall[];
	/** How it answers from now on; a status of 0 cuts the connection, undefined answers nothing at all. */
	answer: (call: PurgeCall) => { readonly status: number; readonly headers?: Record<string, string> } | undefined;
	/** The tags of all calls that were answered with 200, each once, sorted. */
	taken(): readonly string[];
}

export async function openPurgeReceiver(): Promise<PurgeReceiver> {
	const calls: PurgeCall[] = [];
	const taken = new Set<string>();
	const origin = await startOrigin(async (request, response) => {
		const call = await callOf(request);
		calls.push(call);
		const answer = receiver.answer(call);
		if (answer?.status === 0) request.socket.destroy();
		if (!answer || answer.status === 0) return;
		if (answer.status < 300) for (const tag of call.tags) taken.add(tag);
		response.writeHead(answer.status, answer.headers).end("{}");
	});
	const receiver: PurgeReceiver = {
		origin,
		calls,
		answer: () => ({ status: 200 }),
		taken: () => [...taken].sort(),
		[Symbol.asyncDispose]: async () => origin.stop(),
	};
	return receiver;
}

async function callOf(request: IncomingMessage): Promise<PurgeCall> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	const { url: path = "", method = "" } = request;
	const headers = request.headers as Readonly<Record<string, string>>;
	const body = Buffer.concat(chunks).toString();
	const sent = body === "" ? { tags: [decodeURIComponent(path.split("/").at(-1) ?? "")] } : JSON.parse(body);
	return { method, path, headers, tags: sent.tags ?? sent.surrogate_keys, atMs: Date.now() };
}
