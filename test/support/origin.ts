import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Origin {
	/** `127.0.0.1:port`, for SVC_IMPORT_ALLOW. */
	readonly host: string;
	url(path: string): string;
	/** Paths that were asked for. */
	readonly asked: string[];
	stop(): void;
}

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** A server on loopback that images can be imported from. */
export async function startOrigin(serve: Serve): Promise<Origin> {
	const asked: string[] = [];
	const server: Server = createServer((request, response) => {
		asked.push(request.url ?? "");
		serve(request, response);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		host,
		asked,
		url: (path) => `http://${host}${path}`,
		stop() {
			server.close();
			server.closeAllConnections();
		},
	};
}
