import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Listener, ListenerOptions, RefusedStatus } from "./listener.ts";
import { sendAnswer, sendRaw } from "./node-answer.ts";
import { requestOf } from "./node-request.ts";
import { noteSockets } from "./node-sockets.ts";

/** How often it is looked for requests whose head does not come. */
const LOOK_EVERY_MS = 5_000;
const CLOSE = /(^|,)[ \t]*close[ \t]*(,|$)/i;

/** The server of `node:http`, for Node and Deno. Refuses in our envelope what is no request. */
export async function nodeListener(options: ListenerOptions): Promise<Listener> {
	const { hostname, port, idleSeconds, headMaxBytes } = options;
	const idleMs = idleSeconds * 1_000;
	const server = createServer({
		maxHeaderSize: headMaxBytes,
		headersTimeout: idleMs,
		keepAliveTimeout: idleMs,
		connectionsCheckingInterval: LOOK_EVERY_MS,
		// A large body on a slow line takes as long as it takes; a silent one is ended as idle.
		requestTimeout: 0,
		// Refused in the envelope.
		requireHostHeader: false,
	});
	server.timeout = idleMs;
	server.maxHeadersCount = 0;
	noteSockets(server);
	const exchanges = new Set<Exchange>();
	/** The latest exchange of each connection. */
	const latest = new WeakMap<Socket, Exchange>();
	const running = new WeakMap<Request, Socket>();

	function answer(message: IncomingMessage, response: ServerResponse, awaited = false): void {
		const exchange: Exchange = { message, response, gone: new AbortController(), isRefused: false, isLast: false };
		const before = latest.get(message.socket);
		latest.set(message.socket, exchange);
		exchanges.add(exchange);
		response.once("close", () => {
			exchanges.delete(exchange);
			if (!response.writableFinished) exchange.gone.abort(new DOMException("The connection has closed.", "AbortError"));
		});
		exchangeOf(exchange, awaited, before).catch(() => response.destroy());
	}

	async function exchangeOf(exchange: Exchange, awaited: boolean, before: Exchange | undefined): Promise<void> {
		const { message, response } = exchange;
		// The parser gives whatever has come. What was sent behind the last request of a connection is not carried out (RFC 9112, 9.6).
		if (before && (await isLastOf(before))) return;
		const made = await answerTo(exchange, awaited);
		exchange.isLast = isEnding(message, made);
		if (exchange.isRefused || response.destroyed) await made.body?.cancel().catch(() => undefined);
		else await sendAnswer(response, made, message);
	}

	async function answerTo({ message, response, gone }: Exchange, awaited: boolean): Promise<Response> {
		try {
			const request = requestOf(
				message,
				gone.signal,
				() => awaited && !response.headersSent && response.writeContinue(),
			);
			if (typeof request === "number") return ended(options.refused(request));
			const { socket } = message;
			running.set(request, socket);
			return await options.fetch(request, () => (socket.destroyed ? undefined : socket.remoteAddress));
		} catch (cause) {
			return options.failed(cause);
		}
	}

	server.on("request", (message, response) => answer(message, response));
	// The client is told to send its body when somebody begins to read it.
	server.on("checkContinue", (message, response) => answer(message, response, true));
	server.on("checkExpectation", (message, response) => {
		sendAnswer(response, options.refused(417), message).catch(() => response.destroy());
	});
	server.on("connect", (_, socket) => {
		sendRaw(socket, options.refused(421)).catch(() => socket.destroy());
	});
	const broken = new WeakSet<Duplex>();
	server.on("clientError", (cause: ClientError, socket) => {
		// What comes after the first mistake is none of its own.
		if (broken.has(socket)) return;
		broken.add(socket);
		refuse(cause, socket).catch(() => socket.destroy());
	});

	async function refuse(cause: ClientError, socket: Duplex): Promise<void> {
		const open = [...exchanges].filter(({ message }) => message.socket === socket);
		const cut = open.find(({ message }) => !message.complete);
		if (!socket.writable || cut?.response.headersSent) {
			socket.destroy();
			return;
		}
		if (cut) cut.isRefused = true;
		// Answers to the requests before it go first.
		const before = open.filter((exchange) => exchange !== cut);
		await Promise.all(before.map(({ response }) => new Promise((resolve) => response.once("close", resolve))));
		await sendRaw(socket, options.refused(statusOf(cause)));
		cut?.gone.abort(new DOMException("The body is not framed as HTTP says.", "AbortError"));
	}

	await listening(server, hostname, port);
	return {
		port: (server.address() as AddressInfo).port,
		get pending() {
			return exchanges.size;
		},
		peerOf(request) {
			const socket = running.get(request);
			return socket && { address: socket.remoteAddress ?? "", port: socket.remotePort ?? 0 };
		},
		async stop(cut) {
			const closed = new Promise<void>((resolve) => server.close(() => resolve()));
			if (cut) server.closeAllConnections();
			await closed;
		},
	};
}

interface Exchange {
	readonly message: IncomingMessage;
	readonly response: ServerResponse;
	/** Aborts when the client goes before its answer is whole. */
	readonly gone: AbortController;
	/** An answer has been sent already, past the response. */
	isRefused: boolean;
	/** Nothing that its connection brings afterwards is carried out. */
	isLast: boolean;
}

interface ClientError extends Error {
	readonly code?: string;
	/** What came in last. */
	readonly rawPacket?: Buffer;
}

/** Whether an exchange, when it has ended, was the last of its connection. */
async function isLastOf(exchange: Exchange): Promise<boolean> {
	const { response } = exchange;
	if (!response.writableFinished && !response.destroyed) {
		await new Promise((resolve) => response.once("close", resolve));
	}
	return exchange.isLast || exchange.isRefused || !response.writableFinished;
}

/** Whether one of the two sides has said that the connection ends with this answer. */
function isEnding({ headers }: IncomingMessage, answer: Response): boolean {
	return [headers.connection, answer.headers.get("connection")].some(
		(said) => said !== undefined && said !== null && CLOSE.test(said),
	);
}

/** What is no request as HTTP says is the last of its connection. */
function ended(answer: Response): Response {
	answer.headers.set("Connection", "close");
	return answer;
}

function listening(server: Server, hostname: string, port: number): Promise<void> {
	const { promise, resolve, reject } = Promise.withResolvers<void>();
	server.once("error", reject).listen(port, hostname, () => {
		server.off("error", reject);
		resolve();
	});
	return promise;
}

const STATUSES: Readonly<Record<string, RefusedStatus>> = {
	HPE_HEADER_OVERFLOW: 431,
	HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
	HPE_INVALID_VERSION: 505,
	ERR_HTTP_REQUEST_TIMEOUT: 408,
};

function statusOf({ code = "", rawPacket }: ClientError): RefusedStatus {
	const known = STATUSES[code];
	if (known !== undefined) return known;
	// Deno's parser does not say what is wrong.
	const [, version = "1"] = /^[A-Z]+ [!-~]+ HTTP\/(\d)\.\d\r?\n/.exec(rawPacket?.toString("latin1") ?? "") ?? [];
	return version === "1" ? 400 : 505;
}
