import type { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { type ServedTools, toolServer } from "./server.ts";

/** Of what a client sends in one message, in bytes. */
const MAX_MESSAGE_BYTES = 1_048_576;

/** A transport that says when it has ended. */
class EndingTransport extends StdioServerTransport {
	#end: () => void = () => undefined;
	readonly ended = new Promise<void>((resolve) => {
		this.#end = resolve;
	});

	override async close(): Promise<void> {
		await super.close();
		this.#end();
	}
}

/** Serves one client over these streams, until its end of them closes or `signal` aborts. */
export async function serveOverStdio(
	served: ServedTools,
	{ input, output }: { readonly input: Readable; readonly output: Writable },
	signal: AbortSignal,
): Promise<void> {
	const transport = new EndingTransport(input, output, { maxBufferSize: MAX_MESSAGE_BYTES });
	const connection = serveStdio(() => toolServer(served), { transport, maxSubscriptions: 0 });
	const end = () => {
		connection.close().catch(() => undefined);
	};
	signal.addEventListener("abort", end, { once: true });
	if (signal.aborted) end();
	await transport.ended;
}
