import { EventEmitter } from "node:events";
import { createLayer, type Placed } from "../preview/layer.ts";

/* Ink's frames on their way to the terminal, each together with the picture that belongs to it: nothing flickers between the two. */

const BEGIN = "\u001b[?2026h";
const END = "\u001b[?2026l";
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are Ink's own marks of a frame.
const MARKS = /\u001b\[\?2026[hl]/g;

interface Around {
	/** The size in cells, as it is now. */
	readonly size: { readonly columns: number; readonly rows: number };
	/** The output that belongs to the frame drawn last. */
	picture(): Placed | undefined;
	put(text: string): void;
}

export interface Frames {
	/** The stream that Ink gets in place of the terminal. */
	readonly stream: NodeJS.WriteStream;
	/** Called when Ink has drawn a frame, or found that it would be the same. */
	drawn(): void;
	/** The screen was cleared and may have another size: Ink draws into it at once. */
	resized(): void;
	/** Stops listening to Ink, and removes the picture. */
	end(): void;
}

export function createFrames({ size, picture, put }: Around): Frames {
	// Pictures of other programs in the same terminal have other numbers.
	const layer = createLayer(process.pid);
	let held = "";
	let hasEnded = false;
	let due: ReturnType<typeof setImmediate> | undefined;

	const drawn = () => {
		clearImmediate(due);
		due = undefined;
		if (hasEnded) return;
		const frame = held.replace(MARKS, "");
		held = "";
		const text = frame + layer.show(picture(), frame !== "");
		if (text !== "") put(BEGIN + text + END);
	};

	const stream = Object.assign(new EventEmitter(), {
		isTTY: true,
		write(text: string, ...[done]: readonly unknown[]) {
			held += text;
			due ??= setImmediate(drawn);
			if (typeof done === "function") done();
			return true;
		},
	});
	Object.defineProperties(stream, {
		columns: { get: () => size.columns },
		rows: { get: () => size.rows },
	});

	return {
		stream: stream as unknown as NodeJS.WriteStream,
		drawn,
		resized() {
			put(layer.clear());
			stream.emit("resize");
		},
		end() {
			if (hasEnded) return;
			hasEnded = true;
			clearImmediate(due);
			put(layer.clear());
		},
	};
}
