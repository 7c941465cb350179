import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { type BodyPiece, BodyPieces } from "./body-pieces.ts";
import { discard } from "./node-request.ts";

/** How long, and how much, a client that has made a mistake may go on sending: it would not see the answer otherwise. */
const LINGER_MS = 2_000;
const LINGER_BYTES = 262_144;
/** How long the rest of a body is read that nobody wants. */
const DISCARD_MS = 10_000;
const BODILESS = new Set([204, 304]);

/** Sends an answer as fast as the client takes it. One whose body fails is cut off, so that nobody takes it for whole. */
export async function sendAnswer(response: ServerResponse, answer: Response, message: IncomingMessage): Promise<void> {
	const isHead = message.method === "HEAD";
	const pieces = answer.body ? new BodyPieces(answer.body) : undefined;
	try {
		const { first, bytes } = await begin(answer, pieces, isHead);
		response.writeHead(answer.status, headersOf(answer, bytes));
		if (pieces && !isHead) await pump(response, pieces, first);
		else await pieces?.cancel();
		const isLast = answer.headers.get("connection") === "close";
		if (!message.complete && !response.chunkedEncoding) await readRest(message, isLast);
		response.end();
	} catch (cause) {
		response.destroy();
		await pieces?.cancel(cause).catch(() => undefined);
	}
}

/**
 * Throws away the rest of a body that nobody wants, for a while. A client that is still sending it reads the answer afterwards, and would find
 * its connection broken instead. Where the answer is the last of its connection, as of a body that is cut off, that is little.
 */
async function readRest(message: IncomingMessage, isLast: boolean): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	const timer = setTimeout(resolve, isLast ? LINGER_MS : DISCARD_MS);
	timer.unref();
	let left = isLast ? LINGER_BYTES : Number.POSITIVE_INFINITY;
	message.once("close", resolve).once("end", resolve);
	await discard(message);
	message.on("data", ({ length }: Uint8Array) => {
		left -= length;
		if (left < 0) resolve();
	});
	await promise;
	clearTimeout(timer);
}

/** Answers past the server, which has given the connection up, and ends it. */
export async function sendRaw(socket: Duplex, answer: Response): Promise<void> {
	const body = new Uint8Array(await answer.arrayBuffer());
	const lines = [`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ""}`];
	for (const [name, value] of answer.headers) lines.push(`${name}: ${value}`);
	lines.push(`date: ${new Date().toUTCString()}`, `content-length: ${body.length}`, "connection: close", "", "");
	if (!socket.writable) {
		socket.destroy();
		return;
	}
	socket.on("error", () => undefined);
	socket.end(Buffer.concat([Buffer.from(lines.join("\r\n"), "latin1"), body]));
	socket.resume();
	const timer = setTimeout(() => socket.destroy(), LINGER_MS);
	timer.unref();
	socket.once("close", () => clearTimeout(timer));
}

interface Begun {
	readonly first?: BodyPiece | undefined;
	/** Of the whole body, where it is known so soon. */
	readonly bytes?: number;
}

/** The length of a body that is in memory can be said; one that is made as it is sent cannot be waited for. */
async function begin({ status, headers }: Response, pieces: BodyPieces | undefined, isHead: boolean): Promise<Begun> {
	if (headers.has("content-length") || BODILESS.has(status)) return {};
	if (!pieces) return { bytes: 0 };
	const next = pieces.next();
	// A HEAD waits for no body: it tells the length that is known, or none.
	const first = await (isHead ? Promise.race([next, setImmediate("later" as const)]) : next);
	if (first === "later") return {};
	if (!first) return { bytes: 0 };
	return { first, ...(first.isLast && { bytes: first.bytes.length }) };
}

function headersOf({ headers }: Response, bytes: number | undefined): string[] {
	const list: string[] = [];
	for (const [name, value] of headers) list.push(name, value);
	if (bytes !== undefined) list.push("content-length", String(bytes));
	return list;
}

async function pump(response: ServerResponse, pieces: BodyPieces, begun: BodyPiece | undefined): Promise<void> {
	for (let piece = begun ?? (await pieces.next()); piece; piece = piece.isLast ? undefined : await pieces.next()) {
		if (!response.write(piece.bytes)) await drained(response);
		// Gone, and with it whoever wanted the rest.
		if (response.destroyed) return await pieces.cancel();
	}
}

function drained(response: ServerResponse): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	const done = () => resolve();
	response.once("drain", done).once("close", done);
	return promise.finally(() => response.off("drain", done).off("close", done));
}
