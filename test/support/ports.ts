import { createServer } from "node:net";

/*
 * The system gives ports from 32768 on to connections, and to servers that ask for any. Those below stay free between the moment they are
 * chosen and the moment somebody listens there, in a process that may take seconds to start. Each process chooses from a stretch of its own.
 */

const FIRST = 11_000;
const STRETCH = 100;
const STRETCHES = 210;

const first = FIRST + (process.pid % STRETCHES) * STRETCH;
let chosen = 0;

/** Ports of loopback that nobody listens at. @throws Error when all of this process are taken */
export async function freePorts(count: number): Promise<number[]> {
	const ports: number[] = [];
	for (let tries = 0; ports.length < count; tries++) {
		if (tries === STRETCH) throw new Error(`No port from ${first} to ${first + STRETCH - 1} is free.`);
		const port = first + (chosen++ % STRETCH);
		if (await isFree(port)) ports.push(port);
	}
	return ports;
}

function isFree(port: number): Promise<boolean> {
	const server = createServer();
	return new Promise((resolve) => {
		server.once("error", () => resolve(false));
		server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
	});
}
