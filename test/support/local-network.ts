import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, createServer, connect as netConnect, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import type { Dial } from "@svc/import/connection";

/* For tests: an internet on loopback. Addresses that look public lead to local servers, and every connection is written down. */

const CLOSED_PORT = 1;

export interface Host {
	readonly port: number;
	/** The head of each request that arrived, as it was sent. */
	readonly heads: string[];
	/** Connections that are open right now. */
	readonly open: ReadonlySet<Socket>;
	close(): void;
}

type Respond = (socket: Socket, head: string) => void;

/** A server that says on the socket whatever the test wants, valid HTTP or not, once a request's head is in. */
export async function serve(respond: Respond, certificate?: Certificate): Promise<Host> {
	const heads: string[] = [];
	const open = new Set<Socket>();
	const listener = (socket: Socket) => {
		track(socket, open);
		let received = "";
		socket.on("data", (bytes) => {
			received += bytes.toString("latin1");
			if (!received.includes("\r\n\r\n")) return;
			heads.push(received);
			respond(socket, received);
			received = "";
		});
	};
	const server = certificate === undefined ? createServer(listener) : createTlsServer(certificate, listener);
	return listening(server, heads, open);
}

/** A server that speaks, or keeps silent, as soon as somebody connects. */
export async function serveRaw(greet: (socket: Socket) => void): Promise<Host> {
	const open = new Set<Socket>();
	const server = createServer((socket) => {
		track(socket, open);
		socket.resume();
		greet(socket);
	});
	return listening(server, [], open);
}

async function listening(server: Server, heads: string[], open: ReadonlySet<Socket>): Promise<Host> {
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const close = () => {
		server.close();
		for (const socket of open) socket.destroy();
	};
	return { port: (server.address() as AddressInfo).port, heads, open, close };
}

function track(socket: Socket, open: Set<Socket>): void {
	open.add(socket);
	socket.on("close", () => open.delete(socket));
	socket.on("error", () => undefined);
}

export interface Network {
	readonly dial: Dial;
	readonly resolve: (name: string) => Promise<readonly string[]>;
	/** Every `address:port` that was dialled, in order. */
	readonly dialled: string[];
	/** Every name that was looked up, in order. */
	readonly resolved: string[];
	readonly sockets: Socket[];
}

/**
 * @param hosts by `address:port`; any other address refuses connections
 * @param names by name, one list of addresses for each look-up, the last one repeated
 */
export function network(
	hosts: Readonly<Record<string, Host>>,
	names: Readonly<Record<string, readonly (readonly string[])[]>>,
): Network {
	const dialled: string[] = [];
	const resolved: string[] = [];
	const sockets: Socket[] = [];
	const dial: Dial = (address, port) => {
		dialled.push(`${address}:${port}`);
		const socket = netConnect({ host: "127.0.0.1", port: hosts[`${address}:${port}`]?.port ?? CLOSED_PORT });
		Object.defineProperty(socket, "remoteAddress", { value: address });
		sockets.push(socket);
		return socket;
	};
	const resolve = async (name: string) => {
		const answers = names[name] ?? [];
		const before = resolved.filter((one) => one === name).length;
		resolved.push(name);
		const answer = answers[Math.min(before, answers.length - 1)];
		if (answer === undefined) throw new Error("ENOTFOUND");
		return answer;
	};
	return { dial, resolve, dialled, resolved, sockets };
}

export interface Certificate {
	readonly key: string;
	readonly cert: string;
}

const SITE = ["-subj", "/CN=img.example.com", "-addext", "subjectAltName=DNS:img.example.com,IP:93.184.216.34"];

/** A self-signed certificate, for `img.example.com` and 93.184.216.34 unless openssl is told otherwise; undefined where it is missing. */
export function selfSigned(names: readonly string[] = SITE): Certificate | undefined {
	const dir = mkdtempSync(join(tmpdir(), "svc-tls-"));
	const [key, cert] = [join(dir, "key.pem"), join(dir, "cert.pem")];
	const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
	try {
		execFileSync("openssl", ["req", "-x509", ...curve, "-days", "2", ...names, "-keyout", key, "-out", cert], {
			stdio: "ignore",
		});
		return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
	} catch {
		return undefined;
	} finally {
		rmSync(dir, { recursive: true });
	}
}

/** An answer with these header lines; a Content-Length is added unless some framing is among them. */
export function reply(status: string, lines: readonly string[] = [], body = ""): string {
	const isFramed = lines.some((line) => /^(content-length|transfer-encoding):/i.test(line));
	const framing = isFramed ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
	return [`HTTP/1.1 ${status}`, ...lines, ...framing, "", body].join("\r\n");
}

export function redirectTo(location: string): string {
	return reply("302 Found", [`Location: ${location}`]);
}
