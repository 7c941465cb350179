import { connect, createServer, type Server, type Socket } from "node:net";

/* A connection to a service that can be cut in the middle of an upload, as those of phones are. */

export interface CuttingProxy extends AsyncDisposable {
	/** Cuts so many of the next uploads, each after that many bytes. */
	cut(times: number, afterBytes: number): void;
	/** Lets so many of the next uploads arrive, and loses their answers. */
	loseAnswers(times: number): void;
	/** How many were cut, and how many answers were lost. */
	readonly cuts: number;
}

/** Listens at a port of loopback, and passes on to another one. @param begins how the request of an upload begins */
export async function startCuttingProxy(
	port: number,
	target: number,
	begins = "POST /v1/uploads/",
): Promise<CuttingProxy> {
	let [left, after, lost, cuts] = [0, 0, 0, 0];
	const sockets = new Set<Socket>();
	const server: Server = createServer((client) => {
		const upstream = connect(target, "127.0.0.1");
		let uploaded: number | undefined;
		for (const socket of [client, upstream]) {
			sockets.add(socket);
			socket.on("error", () => undefined);
			socket.on("close", () => sockets.delete(socket));
		}
		client.on("data", (chunk) => {
			if (uploaded === undefined && chunk.includes(begins)) uploaded = 0;
			if (uploaded !== undefined) uploaded += chunk.length;
			if (left > 0 && uploaded !== undefined && uploaded > after) {
				[left, cuts] = [left - 1, cuts + 1];
				client.destroy();
				upstream.destroy();
				return;
			}
			upstream.write(chunk);
		});
		upstream.on("data", (chunk) => {
			if (lost > 0 && uploaded !== undefined) {
				[lost, cuts] = [lost - 1, cuts + 1];
				client.destroy();
				upstream.destroy();
				return;
			}
			// What follows on a connection that stays open is another request.
			uploaded = undefined;
			client.write(chunk);
		});
		client.on("close", () => upstream.destroy());
		upstream.on("close", () => client.end());
	});
	await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
	return {
		cut(times, afterBytes) {
			[left, after] = [times, afterBytes];
		},
		loseAnswers(times) {
			lost = times;
		},
		get cuts() {
			return cuts;
		},
		async [Symbol.asyncDispose]() {
			for (const socket of sockets) socket.destroy();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
