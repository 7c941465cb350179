import { damaged } from "./damage.ts";
import type { Dice } from "./seed.ts";

/* Requests as bytes, for what no HTTP client would put on a connection. */

type Bytes = Uint8Array<ArrayBuffer>;

export interface Where {
	readonly host: string;
	readonly key: string;
}

type Written = (where: Where) => string;

const CREATE = "POST /v1/images HTTP/1.1\r\n";

function common({ host, key }: Where): string {
	return `Host: ${host}\r\nAuthorization: Bearer ${key}\r\n`;
}

/** A request that would be answered with the App's own images; hidden in the body of another one. */
function hidden(where: Where): string {
	return `GET /v1/images HTTP/1.1\r\n${common(where)}\r\n`;
}

function json(where: Where, framing: string, body: string): string {
	return `${CREATE}${common(where)}Content-Type: application/json\r\n${framing}\r\n${body}`;
}

/** Forms on which two readers of HTTP have disagreed where a request ends. */
export const SMUGGLING: readonly (readonly [string, Written])[] = [
	[
		"length and chunks",
		(at) => json(at, "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", `0\r\n\r\n${hidden(at)}`),
	],
	[
		"chunks and length",
		(at) => json(at, "Transfer-Encoding: chunked\r\nContent-Length: 6\r\n", `0\r\n\r\n${hidden(at)}`),
	],
	["two lengths", (at) => json(at, "Content-Length: 2\r\nContent-Length: 40\r\n", `{}${hidden(at)}`)],
	["a list of lengths", (at) => json(at, "Content-Length: 2, 40\r\n", `{}${hidden(at)}`)],
	["a negative length", (at) => json(at, "Content-Length: -1\r\n", hidden(at))],
	["a signed length", (at) => json(at, "Content-Length: +2\r\n", `{}${hidden(at)}`)],
	["a length in hexadecimal", (at) => json(at, "Content-Length: 0x2\r\n", `{}${hidden(at)}`)],
	["a length past 64 bits", (at) => json(at, "Content-Length: 18446744073709551618\r\n", `{}${hidden(at)}`)],
	["an unknown coding", (at) => json(at, "Transfer-Encoding: x\r\n", hidden(at))],
	[
		"chunked before another coding",
		(at) => json(at, "Transfer-Encoding: chunked, identity\r\n", `0\r\n\r\n${hidden(at)}`),
	],
	[
		"chunked behind a tab",
		(at) => json(at, "Transfer-Encoding:\tchunked\r\nContent-Length: 5\r\n", `0\r\n\r\n${hidden(at)}`),
	],
	[
		"a space before the colon",
		(at) => json(at, "Transfer-Encoding : chunked\r\nContent-Length: 5\r\n", `0\r\n\r\n${hidden(at)}`),
	],
	[
		"a folded header",
		(at) => json(at, "Transfer-Encoding:\r\n chunked\r\nContent-Length: 5\r\n", `0\r\n\r\n${hidden(at)}`),
	],
	[
		"a bare line feed",
		(at) => json(at, "X: y\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n", `0\r\n\r\n${hidden(at)}`),
	],
	[
		"a size past 64 bits",
		(at) => json(at, "Transfer-Encoding: chunked\r\n", `10000000000000002\r\n{}\r\n0\r\n\r\n${hidden(at)}`),
	],
	["a size that is none", (at) => json(at, "Transfer-Encoding: chunked\r\n", `0x2\r\n{}\r\n0\r\n\r\n${hidden(at)}`)],
	["a chunk longer than its size", (at) => json(at, "Transfer-Encoding: chunked\r\n", `2\r\n{}${hidden(at)}0\r\n\r\n`)],
	["a body of a GET", (at) => `GET /v1/usage HTTP/1.1\r\n${common(at)}Content-Length: 3\r\n\r\nabc`],
];

const filled = (length: number) => "x".repeat(length);

/** Forms that a server may refuse or answer, but must survive. */
export const ODD: readonly (readonly [string, Written])[] = [
	["no Host", () => "GET /v1/usage HTTP/1.1\r\n\r\n"],
	["two Hosts", (at) => `GET /v1/usage HTTP/1.1\r\nHost: evil.example\r\n${common(at)}\r\n`],
	["HTTP/1.0", (at) => `GET /v1/usage HTTP/1.0\r\n${common(at)}\r\n`],
	["HTTP/0.9", () => "GET /\r\n"],
	["HTTP/2", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
	["TLS", () => "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
	["an absolute address", (at) => `GET http://evil.example/v1/usage HTTP/1.1\r\n${common(at)}\r\n`],
	["another scheme", (at) => `GET file:///etc/passwd HTTP/1.1\r\n${common(at)}\r\n`],
	["an asterisk", (at) => `OPTIONS * HTTP/1.1\r\n${common(at)}\r\n`],
	["an asterisk to GET", (at) => `GET * HTTP/1.1\r\n${common(at)}\r\n`],
	["TRACE", (at) => `TRACE / HTTP/1.1\r\n${common(at)}\r\n`],
	["a path without a slash", (at) => `GET v1/usage HTTP/1.1\r\n${common(at)}\r\n`],
	["a question mark alone", (at) => `GET ? HTTP/1.1\r\n${common(at)}\r\n`],
	["no path", (at) => `GET  HTTP/1.1\r\n${common(at)}\r\n`],
	["two slashes", (at) => `GET //evil.example/v1/usage HTTP/1.1\r\n${common(at)}\r\n`],
	["dot segments", (at) => `GET /../../v1/./usage/..%2f.. HTTP/1.1\r\n${common(at)}\r\n`],
	["raw bytes in the path", (at) => `GET /v1/images/\xff\xfe\x80 HTTP/1.1\r\n${common(at)}\r\n`],
	["a fragment", (at) => `GET /v1/usage#x HTTP/1.1\r\n${common(at)}\r\n`],
	["brackets in the Host", ({ key }) => `GET /v1/usage HTTP/1.1\r\nHost: [::1\r\nAuthorization: Bearer ${key}\r\n\r\n`],
	["a path in the Host", (at) => `GET /v1/usage HTTP/1.1\r\nHost: ${at.host}/x?y#z@\r\n\r\n`],
	["U+0000 in a header", (at) => `GET /v1/usage HTTP/1.1\r\n${common(at)}X: a\0b\r\n\r\n`],
	["a header without a name", (at) => `GET /v1/usage HTTP/1.1\r\n${common(at)}: x\r\n\r\n`],
	["a long method", (at) => `${filled(5_000)} / HTTP/1.1\r\n${common(at)}\r\n`],
	["a long path", (at) => `GET /${filled(60_000)} HTTP/1.1\r\n${common(at)}\r\n`],
	["a long query", (at) => `GET /v1/images?${filled(12_000)} HTTP/1.1\r\n${common(at)}\r\n`],
	["a long header", (at) => `GET /v1/usage HTTP/1.1\r\n${common(at)}X: ${filled(200_000)}\r\n\r\n`],
	["many headers", (at) => `GET /v1/usage HTTP/1.1\r\n${common(at)}${"X: y\r\n".repeat(20_000)}\r\n`],
	["headers without an end", (at) => `GET /v1/usage HTTP/1.1\r\n${common(at)}${"X: y\r\n".repeat(20_000)}`],
	["Expect", (at) => json(at, "Expect: 100-continue\r\nContent-Length: 2\r\n", "{}")],
	["an upgrade", (at) => `GET /v1/usage HTTP/1.1\r\n${common(at)}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`],
	["a body that never comes", (at) => json(at, "Content-Length: 100\r\n", "{")],
	["a chunk that never comes", (at) => json(at, "Transfer-Encoding: chunked\r\n", "ff\r\n{")],
	["requests on end", (at) => hidden(at).repeat(50)],
];

/** Requests that are the last of their connections, whoever says so: what is sent behind them is nobody's (RFC 9112, 9.6). */
export const LAST: readonly (readonly [string, Written])[] = [
	["the client's own last word", (at) => `GET /v1/usage HTTP/1.1\r\n${common(at)}Connection: close\r\n\r\n`],
	["a coding that is not understood", (at) => json(at, "Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n")],
	["two Hosts", (at) => `GET /v1/usage HTTP/1.1\r\nHost: ${at.host}\r\n${common(at)}\r\n`],
	["a JSON body that is cut off", (at) => json(at, "Content-Length: 600000\r\n", `{"url":"${"x".repeat(599_990)}"`)],
	[
		"a form that is cut off",
		(at) =>
			`${CREATE}${common(at)}Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 60000000\r\n\r\n--b\r\n--b\r\n`,
	],
];

/** What nobody should carry out, as the metrics count it by its method. */
export function behind({ host }: Pick<Where, "host">): string {
	return `PATCH /v1/usage HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\n\r\n`;
}

/** Of these no address can be made: a target of CONNECT has no path. */
export const CONNECTS: readonly (readonly [string, Written])[] = [
	["a name", (at) => `CONNECT evil.example HTTP/1.1\r\n${common(at)}\r\n`],
	["an asterisk", (at) => `CONNECT * HTTP/1.1\r\n${common(at)}\r\n`],
	["a port alone", (at) => `CONNECT :443 HTTP/1.1\r\n${common(at)}\r\n`],
];

/** One of the smuggling or odd forms, damaged; now and then noise. */
export function rawRequest(dice: Dice, where: Where): Bytes {
	if (dice.chance(0.05)) return dice.bytes(dice.below(400));
	const [, written] = dice.pick([...SMUGGLING, ...ODD]);
	const bytes = Uint8Array.from(written(where).slice(0, 30_000), (letter) => letter.charCodeAt(0));
	return damaged(bytes, dice);
}
