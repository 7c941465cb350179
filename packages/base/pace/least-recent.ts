/** A map of so many entries at most: where one more comes, the one that was set or used longest ago goes. */
export class LeastRecent<Key, Value> extends Map<Key, Value> {
	readonly #most: number;

	/** @param most at least 1 */
	constructor(most: number) {
		super();
		this.#most = most;
	}

	/** As the latest of all. */
	override set(key: Key, value: Value): this {
		this.delete(key);
		super.set(key, value);
		if (this.size > this.#most) for (const oldest of this.keys()) return this.#without(oldest);
		return this;
	}

	/** The value, whose entry is the latest from now on; `get` leaves it where it is. */
	use(key: Key): Value | undefined {
		const value = this.get(key);
		if (value !== undefined) this.set(key, value);
		return value;
	}

	#without(key: Key): this {
		this.delete(key);
		return this;
	}
}
