/*
 * What goes through the pipe between the service and a worker: JSON, and behind it the bytes that JSON would write as lists of numbers. Its own
 * framing rather than the runtime's messages, because those rebuild objects of any kind from what a worker says, and a worker has read files
 * of strangers.
 */

/** Lengths of the JSON and of the bytes behind it. */
const HEAD_BYTES = 8;
/** Far more than any message has. */
const MOST_BYTES = 512 * 1_024 ** 2;

interface BytesAt {
	/** Where they begin and end behind the JSON. */
	readonly $bytes: readonly [number, number];
}

/** One message; byte arrays may stand anywhere in it. */
export function packed(message: unknown): Uint8Array<ArrayBuffer> {
	const parts: Uint8Array[] = [];
	let length = 0;
	const json = new TextEncoder().encode(
		JSON.stringify(message, function (this: Record<string, unknown>, key: string, value: unknown) {
			// A Buffer has been turned into a list of numbers by now, so what it was is looked up.
			const part = this[key];
			if (!(part instanceof Uint8Array)) return value;
			parts.push(part);
			length += part.length;
			return { $bytes: [length - part.length, length] } satisfies BytesAt;
		}),
	);
	const frame = new Uint8Array(HEAD_BYTES + json.length + length);
	const view = new DataView(frame.buffer);
	view.setUint32(0, json.length);
	view.setUint32(4, length);
	frame.set(json, HEAD_BYTES);
	let at = HEAD_BYTES + json.length;
	for (const part of parts) {
		frame.set(part, at);
		at += part.length;
	}
	return frame;
}

/** The bytes of a message after its head. @throws RangeError where no message is so long */
function lengthOf(head: Uint8Array): { readonly json: number; readonly bytes: number } {
	const view = new DataView(head.buffer, head.byteOffset);
	const [json, bytes] = [view.getUint32(0), view.getUint32(4)];
	if (json + bytes > MOST_BYTES) throw new RangeError(`a message of ${json + bytes} bytes`);
	return { json, bytes };
}

function unpacked(body: Uint8Array<ArrayBuffer>, json: number): unknown {
	const bytes = body.subarray(json);
	return JSON.parse(new TextDecoder().decode(body.subarray(0, json)), (_, value: unknown) =>
		isBytes(value) ? bytes.subarray(...value.$bytes) : value,
	);
}

function isBytes(value: unknown): value is BytesAt {
	return typeof value === "object" && value !== null && Object.hasOwn(value, "$bytes");
}

/** Reads one message through a function that fills an array; undefined where the pipe has ended. */
export function readMessage(fill: (into: Uint8Array) => boolean): unknown {
	const head = new Uint8Array(HEAD_BYTES);
	if (!fill(head)) return undefined;
	const { json, bytes } = lengthOf(head);
	const body = new Uint8Array(json + bytes);
	return fill(body) ? unpacked(body, json) : undefined;
}

/** Takes the parts of a stream as they come, and tells of each message once it is whole. */
export function messageReader(told: (message: unknown) => void): (chunk: Uint8Array) => void {
	let parts: Uint8Array[] = [];
	let held = 0;
	/** How many bytes make the next step: a head, or a whole message. */
	let wanted = HEAD_BYTES;
	return (chunk) => {
		parts.push(chunk);
		held += chunk.length;
		while (held >= wanted) {
			const all = joined(parts, held);
			const { json, bytes } = lengthOf(all);
			wanted = HEAD_BYTES + json + bytes;
			parts = [all];
			if (held < wanted) return;
			const message = unpacked(all.slice(HEAD_BYTES, wanted), json);
			parts = [all.subarray(wanted)];
			held -= wanted;
			wanted = HEAD_BYTES;
			told(message);
		}
	};
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
	const all = new Uint8Array(length);
	let at = 0;
	for (const part of parts) {
		all.set(part, at);
		at += part.length;
	}
	return all;
}
