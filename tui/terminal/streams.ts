import { EventEmitter } from "node:events";

/* The two ends of the terminal that Ink gets: what is typed without all else that a terminal sends, and a way out that keeps order. */

/** Read as soon as it is pushed, so that keys and what the mouse does stay in order. The session holds raw mode, from before the first frame until after the last. */
export class KeyStream extends EventEmitter {
	readonly isTTY = true;
	#held = "";

	constructor() {
		super();
		// What was typed before the first frame is read with it.
		this.on("newListener", (event) => {
			if (event === "readable") queueMicrotask(() => this.push(""));
		});
	}

	push(text: string): void {
		this.#held += text;
		if (this.#held !== "") this.emit("readable");
	}

	read(): string | null {
		const text = this.#held;
		this.#held = "";
		return text === "" ? null : text;
	}

	setRawMode(): void {}
	setEncoding(): void {}
}

interface Size {
	readonly columns: number;
	readonly rows: number;
}

/** Writes at once, by `put`. */
export class ScreenStream extends EventEmitter {
	readonly isTTY = true;
	readonly #size: () => Size;
	readonly #put: (text: string) => void;

	constructor(size: () => Size, put: (text: string) => void) {
		super();
		this.#size = size;
		this.#put = put;
	}

	get columns(): number {
		return this.#size().columns;
	}

	get rows(): number {
		return this.#size().rows;
	}

	write(text: string, ...[done]: readonly unknown[]): boolean {
		this.#put(text);
		if (typeof done === "function") done();
		return true;
	}
}
