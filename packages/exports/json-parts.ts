/* JSON that is written while it is made: a list of a million things is never in memory as a whole. */

const LINE = "\n";

/** Lists that are read as they are written, and objects whose members may be such lists; anything else as it is. */
export async function* jsonOf(value: unknown): AsyncGenerator<Uint8Array> {
	const encoder = new TextEncoder();
	for await (const text of isIterable(value) ? listText(value) : objectText(value)) yield encoder.encode(text);
	yield encoder.encode(LINE);
}

async function* listText(items: AsyncIterable<unknown>): AsyncGenerator<string> {
	let before = "[";
	for await (const item of items) {
		yield `${before}${LINE}${JSON.stringify(item)}`;
		before = ",";
	}
	yield before === "[" ? "[]" : `${LINE}]`;
}

async function* objectText(value: unknown): AsyncGenerator<string> {
	let before = "{";
	for (const [name, member] of Object.entries(value ?? {})) {
		yield `${before}${LINE}${JSON.stringify(name)}: `;
		if (isIterable(member)) yield* listText(member);
		else yield JSON.stringify(member);
		before = ",";
	}
	yield before === "{" ? "{}" : `${LINE}}`;
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
	return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
