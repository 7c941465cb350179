import { expect } from "bun:test";
import { connect, type Socket } from "node:net";

/* How many packets the answer to one request takes: the kernel counts them for each connection. */

const ss = Bun.which("ss");

/** For the titles of tests that need it: a run without it says so. */
export const packetsNote = ss ? "" : " (SKIPPED: no ss on the PATH)";

/** True where tests that need it must be skipped. With CI set, a missing one fails instead. */
export const withoutPackets = ss === null && process.env.CI !== "true";

export interface Counted {
	readonly status: number;
	readonly head: string;
	readonly body: Buffer;
	/** With data in them, that the server sent. */
	readonly packets: number;
	/** As many as its bytes need, and three more; an answer above 256 KB may take two fifths more than those. */
	readonly most: number;
}

type Fields = Readonly<Record<string, string>>;

/** A connection on which requests are sent one after another. */
export interface Line extends Disposable {
	/** @param address its path is asked for, and its host is named */
	ask(address: string, headers?: Fields, method?: string): Promise<Counted>;
}

/**
 * @param warming is asked for first, until the connection takes whole packets: its window is small in the beginning
 */
export async function openLine(port: number, warming: string, headers: Fields = {}): Promise<Line> {
	const socket = connect(port, "127.0.0.1");
	let before = 0;
	const ask: Line["ask"] = async (address, fields = {}, method = "GET") => {
		const { host, pathname, search } = new URL(address);
		const received = answerIn(socket, method);
		const lines = Object.entries({ Host: host, ...fields }).map(([name, value]) => `${name}: ${value}\r\n`);
		socket.write(`${method} ${pathname}${search} HTTP/1.1\r\n${lines.join("")}\r\n`);
		const { head, body, bytes } = await received;
		const { sent, mss } = await segmentsOf(port, socket.localPort ?? 0);
		const packets = sent - before;
		before = sent;
		return {
			status: Number(head.slice(9, 12)),
			head,
			body,
			packets,
			most: (bytes / mss) * (bytes > 262_144 ? 1.4 : 1) + 3,
		};
	};
	for (let times = 0; times < 4; times++) await ask(warming, headers);
	return { ask, [Symbol.dispose]: () => socket.destroy() };
}

/** @returns the length that its head says */
export function expectFew({ status, packets, most, head }: Counted, wanted = 200): string | undefined {
	expect({ status, packets, isFew: packets <= most }).toEqual({ status: wanted, packets, isFew: true });
	return /^content-length: (\d+)/im.exec(head)?.[1];
}

/** As the server's side of the connection has it. */
async function segmentsOf(port: number, peer: number) {
	const filter = `( sport = :${port} and dport = :${peer} )`;
	const child = Bun.spawn(["ss", "-tinHO", "state", "established", filter], { stdout: "pipe" });
	const text = await new Response(child.stdout).text();
	const number = (name: string) => Number(new RegExp(`\\b${name}:(\\d+)`).exec(text)?.[1]);
	return { sent: number("data_segs_out"), mss: number("mss") };
}

async function answerIn(socket: Socket, method: string) {
	let all = Buffer.alloc(0);
	// The kernel has no counts any more of a connection that is closed.
	for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
		all = Buffer.concat([all, chunk as Buffer]);
		const end = all.indexOf("\r\n\r\n");
		if (end === -1) continue;
		const head = all.toString("latin1", 0, end);
		const rest = all.subarray(end + 4);
		const isBodiless = method === "HEAD" || /^HTTP\/1.1 (?:204|304) /.test(head);
		const body = isBodiless ? Buffer.alloc(0) : bodyOf(head, rest);
		if (body) return { head, body, bytes: all.length };
	}
	throw new Error(`the connection ended within its answer: ${all.toString("latin1", 0, 200)}`);
}

/** Undefined before it is whole. */
function bodyOf(head: string, rest: Buffer): Buffer | undefined {
	const length = /^content-length: (\d+)/im.exec(head)?.[1];
	if (length !== undefined) return rest.length >= Number(length) ? rest : undefined;
	const parts: Buffer[] = [];
	for (let at = 0; ; ) {
		const end = rest.indexOf("\r\n", at);
		if (end === -1) return undefined;
		const size = Number.parseInt(rest.toString("latin1", at, end), 16);
		if (rest.length < end + 2 + size + 2) return undefined;
		if (size === 0) return Buffer.concat(parts);
		parts.push(rest.subarray(end + 2, end + 2 + size));
		at = end + 2 + size + 2;
	}
}
