/** How much of a rendition's key stands for its blob. */
export const OWNER_LENGTH = 32;

/** Keys of renditions by the blob that they are of, so that nothing is walked or listed to find them. */
export class OwnedKeys {
	readonly #keys = new Map<string, Set<string>>();

	add(key: string): void {
		const owner = key.slice(0, OWNER_LENGTH);
		const keys = this.#keys.get(owner);
		if (keys) keys.add(key);
		else this.#keys.set(owner, new Set([key]));
	}

	remove(key: string): void {
		const owner = key.slice(0, OWNER_LENGTH);
		const keys = this.#keys.get(owner);
		keys?.delete(key);
		if (keys?.size === 0) this.#keys.delete(owner);
	}

	/** They may be removed while they are gone through. */
	of(owner: string): readonly string[] {
		return [...(this.#keys.get(owner) ?? [])];
	}
}
