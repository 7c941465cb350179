import { connect, createServer, type Server, type Socket } from "node:net";

/** Listens at a port of loopback, and passes on to another one, at most so many bytes a second. */
export async function startSlowProxy(port: number, target: number, bytesPerSecond: number): Promise<AsyncDisposable> {
	const sockets = new Set<Socket>();
	const server: Server = createServer((client) => {
		const upstream = connect(target, "127.0.0.1");
		for (const socket of [client, upstream]) {
			sockets.add(socket);
			socket.on("error", () => undefined);
			socket.on("close", () => sockets.delete(socket));
		}
		client.on("data", (chunk) => {
			upstream.write(chunk);
			client.pause();
			setTimeout(() => client.resume(), (1000 * chunk.length) / bytesPerSecond);
		});
		upstream.on("data", (chunk) => client.write(chunk));
		client.on("close", () => upstream.destroy());
		upstream.on("close", () => client.end());
	});
	await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
	return {
		async [Symbol.asyncDispose]() {
			for (const socket of sockets) socket.destroy();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
