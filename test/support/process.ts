import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { freePorts } from "./ports.ts";

const MAIN = new URL("../../apps/server/main.ts", import.meta.url).pathname;
/** What starts the service: its source on this runtime, or what SVC_TEST_SERVER says, such as `node dist/server/main.js`. */
export const SERVER_PROGRAM = process.env.SVC_TEST_SERVER?.split(" ") ?? [process.execPath, MAIN];

export interface ServerProcess {
	readonly process: Subprocess<"ignore", "pipe", "pipe">;
	readonly baseUrl: string;
	readonly cdnUrl: string;
	readonly dataDir: string;
	/** Everything printed so far. */
	stdout(): string;
	stderr(): string;
	/** Resolves when the API answers; rejects with what was printed when the process ends instead. */
	ready(): Promise<void>;
	/** Resolves once its standard error holds this; what it says may come after what it answers. */
	said(text: string): Promise<void>;
	/** The exit code, once all that it printed has been read. */
	ended(): Promise<number>;
	/** SIGTERM, and the exit code. */
	stop(): Promise<number>;
}

type Environment = Readonly<Record<string, string>>;

interface Limits {
	/** How many files and connections it may have open. */
	readonly descriptors?: number;
	/** The program and arguments under which it runs. */
	readonly under?: readonly string[];
	/** What starts the service instead of the runtime with its source. */
	readonly program?: readonly string[];
	readonly cwd?: string;
}

/** What every process of a test is given that has a database server: none starts there without. */
const DEPLOYMENT_SECRET = "dGVzdHMgb2YgYSBkYXRhYmFzZSBzZXJ2ZXIgc2hhcmUgaXQ";

/** The same environment, with the deployment's secret where it must have one and names none. */
export function withSecret(env: Environment): Environment {
	const { SVC_DATABASE_URL: url = "file:" } = env;
	return url.startsWith("file:") ? env : { SVC_DEPLOYMENT_SECRET: DEPLOYMENT_SECRET, ...env };
}

/** The real program in a process of its own, with nothing of the test's environment but the path. */
export async function startProcess(
	env: Environment = {},
	{ descriptors, under = [], program = SERVER_PROGRAM, cwd }: Limits = {},
): Promise<ServerProcess> {
	const [api, cdn] = await freePorts(2);
	const baseUrl = `http://localhost:${api}`;
	const cdnUrl = `http://localhost:${cdn}`;
	const dataDir = env.SVC_DATA_DIR ?? (await mkdtemp(join(tmpdir(), "svc-e2e-")));
	const limited = descriptors === undefined ? [] : ["sh", "-c", `ulimit -n ${descriptors} && exec "$0" "$@"`];
	const child = Bun.spawn([...under, ...limited, ...program], {
		...(cwd !== undefined && { cwd }),
		env: {
			PATH: process.env.PATH,
			SVC_BASE_URL: baseUrl,
			SVC_WEB_URL: baseUrl,
			SVC_CDN_URL: cdnUrl,
			SVC_DATA_DIR: dataDir,
			// Tests that are about it turn it on: the others would all pay for it.
			...withSecret(env),
			SVC_TUNING: `warm_sizes=off,compact_after=0,${env.SVC_TUNING ?? ""}`,
		},
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
	});
	const [stdout, stdoutRead] = collect(child.stdout);
	const [stderr, stderrRead] = collect(child.stderr);
	const until = async (isSo: () => boolean | Promise<boolean>, what: string) => {
		for (let tries = 0; tries < 4_000; tries++) {
			if (await isSo()) return;
			if (child.exitCode !== null) throw new Error(`it ended before ${what}: ${stdout()}${stderr()}`);
			await Bun.sleep(25);
		}
		throw new Error(`it went on without ${what}: ${stdout()}${stderr()}`);
	};
	const ended = async () => {
		await Promise.all([stdoutRead, stderrRead]);
		return await child.exited;
	};
	return {
		process: child,
		baseUrl,
		cdnUrl,
		dataDir,
		stdout,
		stderr,
		async ready() {
			await until(async () => (await fetch(`${baseUrl}/readyz`).catch(() => undefined))?.ok ?? false, "it answered");
			// It answers a moment before it says so, and with its first words comes the first key.
			await until(() => / is ready\. | answers at /.test(stdout()), "its first words");
		},
		said: (text) => until(() => stderr().includes(text), `it said: ${text}`),
		ended,
		async stop() {
			child.kill("SIGTERM");
			return await ended();
		},
	};
}

/** Again where Bun's rm ended early, at a file that was gone just then: SQLite removes its log once a closed connection is collected. */
export async function removeData(dataDir: string): Promise<void> {
	for (let tries = 0; tries < 10 && existsSync(dataDir); tries++) await rm(dataDir, { recursive: true, force: true });
}

/** What has come so far, and when there is no more. */
function collect(stream: ReadableStream<Uint8Array>): readonly [() => string, Promise<void>] {
	let text = "";
	const decoder = new TextDecoder();
	const reading = (async () => {
		for await (const chunk of stream) text += decoder.decode(chunk, { stream: true });
	})();
	return [() => text, reading];
}
