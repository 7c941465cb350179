import { createSocket, type RemoteInfo } from "node:dgram";

/* A DNS server on loopback, over UDP (RFC 1035). It knows TXT records alone, and answers as it is told to. */

const TXT = 16;
const IN = 1;
const HEADER_BYTES = 12;
const NXDOMAIN = 3;
const SERVFAIL = 2;

export interface Dns {
	/** As `SVC_DNS_SERVER` takes it. */
	readonly address: string;
	/** The names that were asked for, in order and small letters. */
	readonly questions: string[];
	/** From now on a name has these records; none: there is no such name. */
	set(name: string, ...texts: readonly string[]): void;
	/** From now on nothing is answered, every question fails, or all is as it should be. */
	become(how: "silent" | "failing" | "well"): void;
	close(): void;
}

export async function openDns(): Promise<Dns> {
	const socket = createSocket("udp4");
	const records = new Map<string, readonly string[]>();
	const questions: string[] = [];
	let how: Parameters<Dns["become"]>[0] = "well";
	socket.on("message", (sent, { port, address }: RemoteInfo) => {
		const { name, end } = nameIn(sent);
		const isText = sent.readUInt16BE(end) === TXT;
		questions.push(name);
		if (how === "silent") return;
		const found = isText && how === "well" ? (records.get(name) ?? []) : [];
		const code = how === "failing" ? SERVFAIL : records.has(name) ? 0 : NXDOMAIN;
		socket.send(answerTo(sent.subarray(0, end + 4), code, found), port, address);
	});
	await new Promise<void>((resolve) => {
		socket.bind(0, "127.0.0.1", resolve);
	});
	// A test that forgets it does not keep its process.
	socket.unref();
	return {
		address: `127.0.0.1:${socket.address().port}`,
		questions,
		set(name, ...texts) {
			if (texts.length === 0) records.delete(name);
			else records.set(name, texts);
		},
		become(next) {
			how = next;
		},
		close: () => socket.close(),
	};
}

/** The name in the one question of a message, and where it ends. */
function nameIn(message: Buffer): { readonly name: string; readonly end: number } {
	const labels: string[] = [];
	let at = HEADER_BYTES;
	for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
		labels.push(message.toString("latin1", at + 1, at + 1 + length));
		at += 1 + length;
	}
	return { name: labels.join(".").toLowerCase(), end: at + 1 };
}

function answerTo(question: Buffer, code: number, texts: readonly string[]): Buffer {
	const head = Buffer.from(question);
	// An answer, from who is responsible, recursion as it was asked for.
	head.writeUInt16BE(0x8480 | (head.readUInt16BE(2) & 0x0100) | code, 2);
	head.writeUInt16BE(1, 4);
	head.writeUInt16BE(texts.length, 6);
	head.fill(0, 8, HEADER_BYTES);
	return Buffer.concat([head, ...texts.map(recordOf)]);
}

/** A TXT record of the name that was asked for: parts of 255 bytes at most. */
function recordOf(text: string): Buffer {
	const bytes = Buffer.from(text);
	const parts: Buffer[] = [];
	for (let from = 0; from < bytes.length; from += 255) {
		const part = bytes.subarray(from, from + 255);
		parts.push(Buffer.from([part.length]), part);
	}
	const data = Buffer.concat(parts);
	const head = Buffer.alloc(12);
	// The name stands behind the header.
	head.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
	head.writeUInt16BE(TXT, 2);
	head.writeUInt16BE(IN, 4);
	head.writeUInt32BE(0, 6);
	head.writeUInt16BE(data.length, 10);
	return Buffer.concat([head, data]);
}
