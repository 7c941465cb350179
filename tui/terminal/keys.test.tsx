import { afterEach, describe, expect, test } from "bun:test";
import { type Instance, render, useInput, usePaste } from "ink";
import { createInputParser, type Input, type Part } from "./input.ts";
import { keysOf } from "./keys.ts";
import { KeyStream, ScreenStream } from "./streams.ts";

/* What is typed, on its way through the parser and Ink. */

let screen: Instance | undefined;
afterEach(() => screen?.unmount());

function Listener({ took }: { readonly took: (input: Input) => void }) {
	useInput((input, key) => keysOf(input, key).forEach(took));
	usePaste((text) => took({ type: "paste", text }));
	return null;
}

interface Typing {
	/** All that has arrived. */
	readonly inputs: Input[];
	/** Types these bytes; what waits for more of them is undefined where nothing does. */
	type(chunk: string | Uint8Array): "escape" | "answer" | undefined;
	/** No byte follows. */
	flush(): Promise<void>;
}

async function typing(): Promise<Typing> {
	const stream = new KeyStream();
	const inputs: Input[] = [];
	const out = new ScreenStream(
		() => ({ columns: 80, rows: 24 }),
		() => undefined,
	);
	screen = render(<Listener took={(input) => inputs.push(input)} />, {
		stdin: stream as unknown as NodeJS.ReadStream,
		stdout: out as unknown as NodeJS.WriteStream,
		interactive: true,
		patchConsole: false,
		exitOnCtrlC: false,
	});
	await screen.waitUntilRenderFlush();
	const parser = createInputParser();
	const took = (part: Part) => {
		if (part.type === "keys") stream.push(part.text);
		else inputs.push(part);
	};
	return {
		inputs,
		type(chunk) {
			parser.push(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk).forEach(took);
			return parser.waits;
		},
		async flush() {
			const count = inputs.length;
			parser.flush().forEach(took);
			// Ink waits for a moment, too.
			while (inputs.length === count) await new Promise(setImmediate);
		},
	};
}

async function parse(...chunks: readonly string[]): Promise<Input[]> {
	const { type, inputs } = await typing();
	for (const chunk of chunks) type(chunk);
	return inputs;
}

const named = (inputs: readonly Input[]) => inputs.map((input) => (input.type === "key" ? input.name : input.type));

describe("keys", () => {
	test("a chunk of three letters is three keys [tui.input.chunk]", async () => {
		expect(named(await parse("jjj"))).toEqual(["j", "j", "j"]);
	});

	test.each([
		["\u001b[A\u001b[B", ["up", "down"]],
		["\u001bOA\u001bOB", ["up", "down"]],
		["\u001b[5~\u001b[6~", ["pageup", "pagedown"]],
		["\u001b[1;2C\u001b[1;5C\u001b[1;3D", ["right", "word-right", "word-left"]],
		["\u001bb\u001bf\u001bd\u001b\u007f", ["alt-b", "alt-f", "alt-d", "word-backspace"]],
		["\u001b[3;5~", ["word-delete"]],
		["\r\t\u007f ", ["enter", "tab", "backspace", " "]],
		["\u001b[Zq", ["backtab", "q"]],
		["日é😀", ["日", "é", "😀"]],
	])("%j [tui.input.names]", async (text, names) => {
		expect(named(await parse(text))).toEqual(names);
	});

	test("a control character is its letter with ctrl, also among others [tui.input.ctrl]", async () => {
		expect(await parse("\u0003")).toEqual([{ type: "key", name: "c", ctrl: true }]);
		expect(await parse("a\u0013\rb")).toEqual([
			{ type: "key", name: "a", ctrl: false },
			{ type: "key", name: "s", ctrl: true },
			{ type: "key", name: "enter", ctrl: false },
			{ type: "key", name: "b", ctrl: false },
		]);
	});

	test("sequences and characters may be cut anywhere [tui.input.split]", async () => {
		expect(named(await parse("\u001b", "[", "A", "j"))).toEqual(["up", "j"]);
		const { type, inputs } = await typing();
		for (const byte of new TextEncoder().encode("日")) type(Uint8Array.of(byte));
		expect(named(inputs)).toEqual(["日"]);
	});

	test("an escape that nothing follows is the key, one that a letter follows is both [tui.input.escape]", async () => {
		const { type, flush, inputs } = await typing();
		expect([type("\u001b"), named(inputs)]).toEqual(["escape", []]);
		await flush();
		expect(named(inputs)).toEqual(["escape"]);
		expect(named(await parse("\u001bj"))).toEqual(["escape", "j"]);
	});
});

describe("what is pasted", () => {
	test("pasted text is no key, also in several chunks [tui.input.paste]", async () => {
		expect(await parse("a\u001b[200~lbq", "\u001b[A 1\u001b[201~j")).toEqual([
			{ type: "key", name: "a", ctrl: false },
			{ type: "paste", text: "lbq\u001b[A 1" },
			{ type: "key", name: "j", ctrl: false },
		]);
	});

	test("a paste without an end is cut off [tui.input.paste-endless]", async () => {
		expect(named(await parse(`\u001b[200~${"x".repeat(200_000)}`))).toEqual(["paste"]);
	});
});

test("keys and what the mouse does stay in their order; the rest of the mouse is no key [tui.input.mouse]", async () => {
	expect(await parse("j\u001b[<0;3;4Mk\u001b[<0;3;4m\u001b[<35;9;9M")).toEqual([
		{ type: "key", name: "j", ctrl: false },
		{ type: "click", column: 2, row: 3 },
		{ type: "key", name: "k", ctrl: false },
	]);
});

test("answers of the terminal are no keys [tui.input.answers]", async () => {
	const answers = "\u001b_Gi=1;OK\u001b\\\u001b]4;1;rgb:00/00/00\u0007\u001b]11;rgb:x/y/z\u0007\u001b[12;1R";
	expect(named(await parse(`${answers}j`))).toEqual(["j"]);
});
