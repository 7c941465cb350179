import { rm } from "node:fs/promises";
import type { Made, MadeCopies, Stripped } from "@svc/images/ports";

/** Uploads whose results wait for their image to be there. */
const KEPT_MAX = 32;
/** From the end of an upload's inspection until its image asks for them: its bytes are stored meanwhile, and its row. */
const KEPT_MS = 30_000;

interface Kept<T> {
	readonly value: T;
	readonly timer: ReturnType<typeof setTimeout>;
}

/**
 * What an inspection made of an upload on the way, by the digest of its bytes, until its image is there. That of an upload that was refused, or
 * has none, is removed in the end; it is made again where it is missed.
 */
class Fresh<T> {
	readonly #kept = new Map<string, Kept<T>>();
	readonly #filesOf: (value: T) => Iterable<Made>;

	constructor(filesOf: (value: T) => Iterable<Made>) {
		this.#filesOf = filesOf;
	}

	add(sha256: Uint8Array, value: T): void {
		const key = Buffer.from(sha256).toString("hex");
		this.#drop(key);
		for (const oldest of this.#kept.keys()) {
			if (this.#kept.size < KEPT_MAX) break;
			this.#drop(oldest);
		}
		const timer = setTimeout(() => this.#drop(key), KEPT_MS);
		timer.unref();
		this.#kept.set(key, { value, timer });
	}

	/** Whoever takes it removes its files. `sha256`: hexadecimal. */
	take(sha256: string, isWanted: (value: T) => boolean = () => true): T | undefined {
		const kept = this.#kept.get(sha256);
		if (!kept || !isWanted(kept.value)) return undefined;
		clearTimeout(kept.timer);
		this.#kept.delete(sha256);
		return kept.value;
	}

	#drop(key: string): void {
		const kept = this.#kept.get(key);
		if (!kept) return;
		clearTimeout(kept.timer);
		this.#kept.delete(key);
		// What cannot be removed is found at the next start.
		for (const made of this.#filesOf(kept.value)) removeFile(made).catch(() => undefined);
	}
}

async function removeFile(made: Made): Promise<void> {
	if (!(made instanceof Uint8Array)) await rm(made.path, { force: true });
}

/** Smaller copies that an upload was proven by, and the upload as it is served without parameters. */
export class FreshCopies {
	readonly #copies = new Fresh<MadeCopies>((copies) => copies.values());
	readonly #stripped = new Fresh<Stripped>(({ made, smallest }) =>
		[made, smallest].filter((file) => file !== undefined),
	);

	add(sha256: Uint8Array, copies: MadeCopies): void {
		if (copies.size > 0) this.#copies.add(sha256, copies);
	}

	/** Whoever takes them removes their files. Undefined where one of the factors is not among them. `sha256`: hexadecimal. */
	take(sha256: string | undefined, factors: readonly number[]): MadeCopies | undefined {
		return this.#copies.take(sha256 ?? "", (copies) => factors.every((factor) => copies.has(factor)));
	}

	addStripped(sha256: Uint8Array, stripped: Stripped): void {
		this.#stripped.add(sha256, stripped);
	}

	/** Whoever takes it removes its file. */
	takeStripped(sha256: Uint8Array): Stripped | undefined {
		return this.#stripped.take(Buffer.from(sha256).toString("hex"));
	}
}
