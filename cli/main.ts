#!/usr/bin/env node
import { homedir } from "node:os";
import { dirname, sep } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { EXIT, Interrupted } from "./kit/exit.ts";
import type { Process, Terminal } from "./kit/process.ts";
import { run } from "./kit/run.ts";
import type { ServiceProgram } from "./service/program.ts";

type Stream = typeof process.stdout | typeof process.stderr;

const interrupt = new AbortController();

// The first Ctrl-C lets the command say where it stopped; the second one does not wait.
// A closed terminal or a scheduler that gives up must not leave a key behind either.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
	process.on(signal, () => {
		if (interrupt.signal.aborted) process.exit(EXIT.interrupted);
		interrupt.abort(new Interrupted());
	});
}

const here = fileURLToPath(import.meta.url);
const checkout = here.endsWith(`${sep}cli${sep}main.ts`) ? dirname(dirname(here)) : undefined;

const thisProcess: Process = {
	env: process.env,
	cwd: process.cwd(),
	home: homedir(),
	command: process.env.SVC_COMMAND || (checkout === undefined ? "svc" : "./svc"),
	checkout,
	runtime: runtimeName(),
	out: terminal(process.stdout),
	err: unheard(terminal(process.stderr)),
	canAsk: process.stdin.isTTY === true && process.stderr.isTTY === true,
	ask,
	readInput,
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

/** Resolves when the text has left the process, so that a full pipe slows the program down instead of filling its memory. */
function terminal(stream: Stream): Terminal {
	// The callback of the write gets the same error; without a listener it would end the process first.
	stream.on("error", () => undefined);
	return {
		write: (text) =>
			new Promise((resolve, reject) => stream.write(text, (error) => (error ? reject(error) : resolve()))),
		isTerminal: stream.isTTY === true,
		// Terminals that do not know their size say that it is 0.
		columns: stream.columns || 80,
		rows: stream.rows || 24,
	};
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

/** @throws Interrupted at once, though the input may still be open */
async function readInput(): Promise<string> {
	const { signal } = interrupt;
	signal.throwIfAborted();
	const interrupted = new Promise<never>((_, reject) =>
		signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
	);
	return await Promise.race([readAll(), interrupted]);
}

async function readAll(): Promise<string> {
	const chunks: Uint8Array[] = [];
	for await (const chunk of process.stdin) chunks.push(chunk);
	return Buffer.concat(chunks).toString("utf8");
}
