import { OwnedKeys } from "./owned-keys.ts";

/** The cost of an entry beside its bytes: key, object and map slot. Also bounds the number of empty entries. */
const OVERHEAD_BYTES = 1024;

/** The most recently used small renditions, in memory, under a byte bound. */
export class HotRenditions {
	readonly #maxBytes: number;
	/** The blobs in order of use, the least recent first. */
	readonly #blobs = new Map<string, Blob>();
	readonly #owned = new OwnedKeys();
	#bytes = 0;

	constructor(maxBytes: number) {
		this.#maxBytes = maxBytes;
	}

	get bytes(): number {
		return this.#bytes;
	}

	find(key: string): Blob | undefined {
		const blob = this.#blobs.get(key);
		if (!blob) return undefined;
		this.#blobs.delete(key);
		this.#blobs.set(key, blob);
		return blob;
	}

	put(key: string, blob: Blob): void {
		this.remove(key);
		this.#blobs.set(key, blob);
		this.#owned.add(key);
		this.#bytes += blob.size + OVERHEAD_BYTES;
		for (const oldest of this.#blobs.keys()) {
			if (this.#bytes <= this.#maxBytes) return;
			this.remove(oldest);
		}
	}

	remove(key: string): void {
		const blob = this.#blobs.get(key);
		if (!blob) return;
		this.#blobs.delete(key);
		this.#owned.remove(key);
		this.#bytes -= blob.size + OVERHEAD_BYTES;
	}

	removeAll(owner: string): void {
		for (const key of this.#owned.of(owner)) this.remove(key);
	}
}
