import { connect, createServer, type Server, type Socket } from "node:net";

export interface GatedProxy extends AsyncDisposable {
	/** Lets so many more bytes of what clients send through; from the start none. */
	allow(bytes: number): void;
	/** Lets nothing more through until it is told again. */
	hold(): void;
}

/** Listens at a port of loopback, and passes on to another one as many bytes as it is told, however long that takes. */
export async function startGatedProxy(port: number, target: number): Promise<GatedProxy> {
	const sockets = new Set<Socket>();
	const waiting = new Set<Socket>();
	let allowed = 0;
	const server: Server = createServer((client) => {
		const upstream = connect(target, "127.0.0.1");
		for (const socket of [client, upstream]) {
			sockets.add(socket);
			socket.on("error", () => undefined);
			socket.on("close", () => sockets.delete(socket) && waiting.delete(socket));
		}
		client.on("data", (chunk) => {
			upstream.write(chunk);
			allowed -= chunk.length;
			if (allowed > 0) return;
			client.pause();
			waiting.add(client);
		});
		upstream.on("data", (chunk) => client.write(chunk));
		client.on("close", () => upstream.destroy());
		upstream.on("close", () => client.end());
	});
	await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
	return {
		allow(bytes) {
			allowed += bytes;
			if (allowed <= 0) return;
			for (const socket of waiting) socket.resume();
			waiting.clear();
		},
		hold() {
			allowed = 0;
		},
		async [Symbol.asyncDispose]() {
			for (const socket of sockets) socket.destroy();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
