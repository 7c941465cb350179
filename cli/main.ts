#!/usr/bin/env node
import process from "node:process";
import { EXIT, Interrupted } from "@svc/base/processes/exit";
import type { Process, Terminal } from "./kit/process.ts";
import { run } from "./kit/run.ts";
import type { ServiceProgram } from "./service/program.ts";
import { isTerminalAt, terminalAt } from "./streams.ts";

const interrupt = new AbortController();

// The first Ctrl-C lets the command say where it stopped; the second one does not wait.
// A closed terminal or a scheduler that gives up must not leave a key behind either.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
	process.on(signal, () => {
		if (interrupt.signal.aborted) process.exit(EXIT.interrupted);
		interrupt.abort(new Interrupted());
	});
}

const MAIN = "/cli/main.ts";
const checkout = import.meta.url.endsWith(MAIN) ? await rootOf(import.meta.url.slice(0, -MAIN.length)) : undefined;

const thisProcess: Process = {
	env: process.env,
	cwd: process.cwd(),
	home: await homeFolder(),
	command: process.env.SVC_COMMAND || (checkout === undefined ? "svc" : "./svc"),
	checkout,
	runtime: runtimeName(),
	out: terminalAt(1),
	err: unheard(terminalAt(2)),
	canAsk: isTerminalAt(0) && isTerminalAt(2),
	ask,
	readInput: async () => Buffer.concat(await inputChunks(Number.POSITIVE_INFINITY)).toString("utf8"),
	readBytes,
	streams: () => ({ input: process.stdin, output: process.stdout }),
	fetch: (url, init) => fetch(url, init),
	browse: async (url) => (await import("./kit/browser.ts")).browse(url, process.env),
	service: {
		path: async () => await (await service()).path(),
		run: async (words, signal) => await (await service()).run(words, signal),
		serve: async (signal) => await (await service()).serve(signal),
	},
	runShell: async (line) => (await import("./handover/shell.ts")).runShell(line),
	now: () => performance.now(),
	date: () => new Date(),
	signal: interrupt.signal,
};

process.exitCode = await run(process.argv.slice(2), thisProcess);
// A standard input that is still being read would keep the process. All that was printed has left it.
if (interrupt.signal.aborted) process.exit();

/** Loaded when a command is about the service's own program: few are. */
async function service(): Promise<ServiceProgram> {
	const { serviceProgram } = await import("./service/program.ts");
	const tell = (line: string) => thisProcess.err.write(`${line}\n`);
	return serviceProgram({ checkout, env: process.env, tell });
}

/** What `node:os` says, which is this variable where there is one; on Windows it is another's. */
async function homeFolder(): Promise<string> {
	const { HOME } = process.env;
	return HOME && process.platform !== "win32" ? HOME : (await import("node:os")).homedir();
}

/** The folder behind an address of a file. What reads addresses is not loaded for one that says no more than it seems. */
async function rootOf(address: string): Promise<string> {
	const [, plain] = /^file:\/\/(\/(?![A-Za-z]:)[\w./-]*)$/.exec(address) ?? [];
	return plain ?? (await import("node:url")).fileURLToPath(address);
}

function runtimeName(): string {
	const { bun, deno, node } = process.versions;
	if (bun !== undefined) return `Bun ${bun}`;
	return deno === undefined ? `Node ${node}` : `Deno ${deno}`;
}

/** Writes messages: work that has begun goes on when its messages are no longer read. */
function unheard(messages: Terminal): Terminal {
	return { ...messages, write: (text) => messages.write(text).catch(() => undefined) };
}

async function ask(question: string): Promise<string> {
	const { createInterface } = await import("node:readline/promises");
	const lines = createInterface({ input: process.stdin, output: process.stderr });
	// While a line is read the terminal makes no signal of Ctrl-C.
	lines.once("SIGINT", () => interrupt.abort(new Interrupted()));
	// Ctrl-D is an answer too: none. Without it the question would stay open for ever.
	const closed = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
	try {
		return await Promise.race([lines.question(question, { signal: interrupt.signal }), closed]);
	} finally {
		lines.close();
	}
}

async function readBytes(most: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
	const chunks = await inputChunks(most);
	const bytes = new Uint8Array(Buffer.concat(chunks));
	return bytes.length > most ? undefined : bytes;
}

/** As much of standard input as there is, up to a little more than `most`. @throws Interrupted at once, though the input may still be open */
async function inputChunks(most: number): Promise<readonly Uint8Array[]> {
	const { signal } = interrupt;
	signal.throwIfAborted();
	const interrupted = new Promise<never>((_, reject) =>
		signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
	);
	return await Promise.race([readAll(most), interrupted]);
}

async function readAll(most: number): Promise<readonly Uint8Array[]> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of process.stdin) {
		chunks.push(chunk);
		length += chunk.length;
		if (length > most) break;
	}
	return chunks;
}
