import type { Socket } from "bun";
import { answerParent } from "./child.ts";

/*
 * Asks for one address over and over, on connections that stay open. Answers are counted by their bytes and only the first line of
 * each is looked at: a client that parses HTTP would itself be what is measured.
 */

export interface Load {
	/** On 127.0.0.1. */
	readonly port: number;
	readonly host: string;
	readonly path: string;
	readonly connections: number;
	readonly seconds: number;
	/** Of what the client has already. */
	readonly etag?: string;
}

export interface Served {
	readonly requests: number;
	readonly seconds: number;
}

const STATUSES = { whole: Buffer.from("HTTP/1.1 200 "), known: Buffer.from("HTTP/1.1 304 ") };
const HEAD_END = "\r\n\r\n";

/** Of one whole answer, head and body; every later one of this address is as long. */
async function answerBytes({ port }: Load, request: Buffer, status: Buffer): Promise<number> {
	const { promise, resolve, reject } = Promise.withResolvers<number>();
	let received = Buffer.alloc(0);
	const socket = await Bun.connect({
		hostname: "127.0.0.1",
		port,
		socket: {
			data(_, chunk) {
				received = Buffer.concat([received, chunk]);
				const end = received.indexOf(HEAD_END);
				if (end === -1) return;
				const head = received.toString("latin1", 0, end);
				const isKnown = status === STATUSES.known;
				const length = isKnown ? 0 : /^content-length: (\d+)$/im.exec(head)?.[1];
				if (head.startsWith(status.toString()) && length !== undefined) resolve(end + HEAD_END.length + Number(length));
				else reject(new Error(head));
			},
			error: (_, error) => reject(error),
			close: () => reject(new Error("the server closed the connection")),
		},
	});
	socket.write(request);
	try {
		return await promise;
	} finally {
		socket.end();
	}
}

/** A piece may be as short as a few bytes of the first line. */
function startsWith(piece: Buffer, status: Buffer): boolean {
	const length = Math.min(piece.length, status.length);
	return piece.subarray(0, length).equals(status.subarray(0, length));
}

interface Progress {
	/** Of the answer that is coming in. */
	received: number;
}

async function load(asked: Load): Promise<Served> {
	const known = asked.etag === undefined ? "" : `If-None-Match: ${asked.etag}\r\n`;
	const request = Buffer.from(`GET ${asked.path} HTTP/1.1\r\nHost: ${asked.host}\r\n${known}\r\n`);
	const status = known ? STATUSES.known : STATUSES.whole;
	const bytes = await answerBytes(asked, request, status);
	let [requests, over, fault] = [0, false, ""];

	function take(socket: Socket<Progress>, chunk: Buffer): void {
		const { data } = socket;
		if (data.received === 0 && !startsWith(chunk, status)) fault = chunk.toString("latin1", 0, 200);
		data.received += chunk.length;
		if (data.received > bytes) fault = "an answer is longer than the first one";
		if (data.received < bytes || over) return;
		data.received = 0;
		requests++;
		socket.write(request);
	}

	const sockets = await Promise.all(
		Array.from({ length: asked.connections }, () =>
			Bun.connect<Progress>({
				hostname: "127.0.0.1",
				port: asked.port,
				data: { received: 0 },
				socket: {
					data: take,
					error(_, error) {
						fault = String(error);
					},
				},
			}),
		),
	);
	const startMs = performance.now();
	for (const socket of sockets) socket.write(request);
	await Bun.sleep(asked.seconds * 1_000);
	over = true;
	const seconds = (performance.now() - startMs) / 1_000;
	for (const socket of sockets) socket.end();
	if (fault) throw new Error(fault);
	return { requests, seconds };
}

answerParent(load);
