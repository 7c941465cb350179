import { setImmediate } from "node:timers/promises";

type Bytes = Uint8Array<ArrayBuffer>;
type Read = Awaited<ReturnType<ReadableStreamDefaultReader<Bytes>["read"]>>;

/** What is gathered for one send. Of each answer that a client takes slowly so much is in memory. */
const PIECE_BYTES = 262_144;
/** How long what is there waits for what belongs to the same piece. */
const GATHER_MS = 100;

export interface BodyPiece {
	readonly bytes: Bytes;
	/** Whether it is known to be the last one. */
	readonly isLast: boolean;
}

/** The body of an answer in pieces that are worth a send each. One that is in memory is a single piece. */
export class BodyPieces {
	readonly #reader: ReadableStreamDefaultReader<Bytes>;
	/** A read that did not come in time, or that is for the next piece. */
	#pending: Promise<Read> | undefined;

	constructor(body: ReadableStream<Bytes>) {
		this.#reader = body.getReader();
	}

	/** Undefined at the end. */
	async next(): Promise<BodyPiece | undefined> {
		const first = await this.#read();
		if (first.done) return undefined;
		const parts = [first.value];
		const due = new Due();
		try {
			for (let size = first.value.length; ; ) {
				this.#pending = this.#read();
				const soon = (await Promise.race([this.#pending, setImmediate()])) ?? (await due.before(this.#pending));
				if (soon?.done) return { bytes: joined(parts), isLast: true };
				if (!soon || size >= PIECE_BYTES) return { bytes: joined(parts), isLast: false };
				this.#pending = undefined;
				parts.push(soon.value);
				size += soon.value.length;
			}
		} finally {
			due.clear();
		}
	}

	async cancel(cause?: unknown): Promise<void> {
		await this.#reader.cancel(cause);
	}

	#read(): Promise<Read> {
		const read = this.#pending ?? this.#reader.read();
		this.#pending = undefined;
		// Whoever waits for it learns that it failed; nobody does once the client has gone.
		read.catch(() => undefined);
		return read;
	}
}

/** A time that runs from when it is first asked about. */
class Due {
	#timer: NodeJS.Timeout | undefined;
	#passed: Promise<undefined> | undefined;

	before<T>(work: Promise<T>): Promise<T | undefined> {
		this.#passed ??= new Promise((resolve) => {
			this.#timer = setTimeout(resolve, GATHER_MS, undefined);
		});
		return Promise.race([work, this.#passed]);
	}

	clear(): void {
		clearTimeout(this.#timer);
	}
}

function joined(parts: readonly Bytes[]): Bytes {
	const [first, second] = parts;
	return first && !second ? first : Buffer.concat(parts);
}
