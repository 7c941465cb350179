import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { LocalError } from "@svc/base/processes/exit";
import { openArchive } from "./archive.ts";
import { unpack } from "./unpack.ts";

/** How the service's own program ended. */
interface ServiceEnd {
	/** Null for one that a signal ended. */
	readonly exit: number | null;
	readonly out: string;
	readonly err: string;
}

/** The service's own program, which reads the environment that the service would be started with. */
export interface ServiceProgram {
	/** Where it lies, unpacked. */
	path(): Promise<string>;
	/** Runs it with words, to its end. */
	run(words: readonly string[], signal: AbortSignal): Promise<ServiceEnd>;
	/**
	 * Starts the service in the place of this process, where the system can do that; else in a child, which gets this one's signals.
	 * @returns how it ended: null by a signal
	 */
	serve(signal: AbortSignal): Promise<number | null>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** This process, as far as the service's program has to do with it. */
interface Host {
	/** Root of the source checkout that this program runs from, where it does. */
	readonly checkout: string | undefined;
	readonly env: Environment;
	tell(line: string): Promise<void>;
}

const ARCHIVE = "service.parts";

/** The program of a source checkout, or the one that this executable carries. All throw LocalError where there is neither. */
export function serviceProgram(host: Host): ServiceProgram {
	return {
		path: async () => mainIn(await serviceFolder(host)),
		async run(words, signal) {
			const { args, env } = await commandLine(host);
			const child = spawn(process.execPath, [...args, ...words], { env, stdio: ["ignore", "pipe", "pipe"], signal });
			const [out, err] = [collect(child.stdout), collect(child.stderr)];
			const { promise, resolve, reject } = Promise.withResolvers<number | null>();
			child.once("error", reject).once("close", resolve);
			return { exit: await promise, out: out(), err: err() };
		},
		async serve(signal) {
			const { args, env } = await commandLine(host);
			signal.throwIfAborted();
			return await become(args, env);
		},
	};
}

interface CommandLine {
	readonly args: readonly string[];
	readonly env: NodeJS.ProcessEnv;
}

async function commandLine(host: Host): Promise<CommandLine> {
	const folder = await serviceFolder(host);
	const { checkout } = host;
	return {
		// Nothing is downloaded at run time, whatever is missing.
		args: ["--no-install", mainIn(folder)],
		env: { ...serving(), ...(checkout === undefined && asExecutable()), ...host.env },
	};
}

/** An image and an executable have the service built; a checkout has its sources. */
function mainIn(folder: string): string {
	const built = join(folder, "server", "main.js");
	return existsSync(built) ? built : join(folder, "apps", "server", "main.ts");
}

async function serviceFolder({ checkout, env, tell }: Host): Promise<string> {
	if (checkout !== undefined && process.versions.bun !== undefined) return checkout;
	// An executable carries the archive beside its program; it is itself the runtime for what is in there.
	const archive = await openArchive(join(dirname(fileURLToPath(import.meta.url)), ARCHIVE));
	if (archive) return await unpack(archive, { folders: cacheFolders(env), tell });
	throw new LocalError(
		"The service's program is not here.",
		"Run this where the service is started, with its environment.",
	);
}

/** systemd and the XDG rules name one; a process without a home has at least a data directory. */
function cacheFolders(env: Environment): readonly string[] {
	const { CACHE_DIRECTORY, XDG_CACHE_HOME, LOCALAPPDATA, HOME, SVC_DATA_DIR } = env;
	const ofPerson = process.platform === "darwin" ? ["Library", "Caches"] : [".cache"];
	const shared = [XDG_CACHE_HOME, LOCALAPPDATA, HOME && join(HOME, ...ofPerson)];
	return [
		...(CACHE_DIRECTORY ? [CACHE_DIRECTORY] : []),
		...shared.flatMap((folder) => (folder ? [join(folder, "svc")] : [])),
		join(SVC_DATA_DIR || "data", "program"),
	];
}

/** Read by the allocator and the runtime as the process starts, so that the service cannot set it for itself. */
function serving(): Record<string, string> {
	return {
		UV_THREADPOOL_SIZE: String(availableParallelism() + 4),
		MALLOC_ARENA_MAX: "2",
		MALLOC_MMAP_THRESHOLD_: "1048576",
		MALLOC_TRIM_THRESHOLD_: "8388608",
		BUN_GC_TIMER_INTERVAL: "30000",
		NODE_ENV: "production",
	};
}

/** The executable is the runtime of the program only where this tells it so. What the service prints names the command as it was typed. */
function asExecutable(): Record<string, string> {
	return { BUN_BE_BUN: "1", SVC_COMMAND: process.argv0 };
}

async function become(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number | null> {
	// The same process goes on as the service: who watches it sees one, and signals need no messenger.
	if (process.platform !== "win32") process.execve?.(process.execPath, [process.execPath, ...args], env);
	const child = spawn(process.execPath, args, { env, stdio: "inherit" });
	for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
		process.removeAllListeners(signal).on(signal, () => void child.kill(signal));
	}
	const { promise, resolve, reject } = Promise.withResolvers<number | null>();
	child.once("error", reject).once("exit", resolve);
	return await promise;
}

function collect(stream: NodeJS.ReadableStream): () => string {
	let text = "";
	stream.setEncoding("utf8").on("data", (chunk: string) => {
		text += chunk;
	});
	return () => text;
}
