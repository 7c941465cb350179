import { rm } from "node:fs/promises";
import type { Made, Shrunk } from "@svc/images/ports";
import type { Overview } from "@svc/images/transform/analysis";

/** Uploads whose copies wait for their image to be there. */
const KEPT_MAX = 32;
/** From the end of an upload's inspection until its image asks for its copies: its bytes are stored meanwhile, and its row. */
const KEPT_MS = 30_000;

interface Kept extends Shrunk {
	readonly timer: ReturnType<typeof setTimeout>;
}

/**
 * Smaller copies that an upload was proven by and what was seen of them, by the digest of its bytes, until its image is there. Those of an upload that was refused, or
 * has none, are removed in the end; they are made again where they are missed.
 */
export class FreshCopies {
	readonly #kept = new Map<string, Kept>();

	add(
		sha256: Uint8Array,
		made: readonly { readonly factor: number; readonly made: Made }[],
		overview?: Overview,
	): void {
		if (made.length === 0) return;
		const key = Buffer.from(sha256).toString("hex");
		this.#drop(key);
		for (const oldest of this.#kept.keys()) {
			if (this.#kept.size < KEPT_MAX) break;
			this.#drop(oldest);
		}
		const timer = setTimeout(() => this.#drop(key), KEPT_MS);
		timer.unref();
		this.#kept.set(key, { copies: new Map(made.map(({ factor, made }) => [factor, made])), overview, timer });
	}

	/** Whoever takes them removes their files. Undefined where one of the factors is not among them. `sha256`: hexadecimal. */
	take(sha256: string | undefined, factors: readonly number[]): Shrunk | undefined {
		const kept = sha256 === undefined ? undefined : this.#kept.get(sha256);
		if (!kept || factors.some((factor) => !kept.copies.has(factor))) return undefined;
		clearTimeout(kept.timer);
		this.#kept.delete(sha256 ?? "");
		return kept;
	}

	#drop(key: string): void {
		const kept = this.#kept.get(key);
		if (!kept) return;
		clearTimeout(kept.timer);
		this.#kept.delete(key);
		// What cannot be removed is found at the next start.
		for (const made of kept.copies.values()) removeFile(made).catch(() => undefined);
	}
}

async function removeFile(made: Made): Promise<void> {
	if (!(made instanceof Uint8Array)) await rm(made.path, { force: true });
}
