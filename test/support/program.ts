import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StartedService } from "./service.ts";

const MAIN = join(import.meta.dirname, "../../cli/main.ts");
const { PATH = "" } = process.env;

export interface Ended {
	readonly exit: number;
	readonly out: string;
	readonly err: string;
}

interface Start {
	readonly cwd: string;
	/** Besides the path; nothing else of the test's own environment. */
	readonly env: Readonly<Record<string, string>>;
}

export type Running = Bun.Subprocess<"pipe", "pipe", "pipe">;

/** The real program as a process on pipes; the caller ends its input. */
export function startProgram(argv: readonly string[], { cwd, env }: Start): Running {
	return Bun.spawn([process.execPath, MAIN, ...argv], {
		cwd,
		env: { PATH, HOME: cwd, ...env },
		stdin: "pipe",
		stdout: "pipe",
		stderr: "pipe",
	});
}

/** What a process that is given no more input prints and ends with. */
export async function ended(child: Running): Promise<Ended> {
	await child.stdin.end();
	const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	return { exit: await child.exited, out, err };
}

/** What a command printed as JSON; it must succeed and say nothing besides. */
export async function jsonOf(running: Promise<Ended>) {
	const { exit, out, err } = await running;
	if (exit !== 0 || err !== "") throw new Error(`exit ${exit}: ${err}`);
	return JSON.parse(out);
}

/** The only profile of a file that nobody else reads. */
export async function writeProfile(file: string, profile: Readonly<Record<string, string>>): Promise<void> {
	await writeFile(file, JSON.stringify({ profiles: { test: profile }, current: "test" }), { mode: 0o600 });
}

export interface Program {
	/** Where it runs; empty but for the profile file. */
	readonly cwd: string;
	/** Runs a command line to its end, on pipes. */
	svc(...argv: string[]): Promise<Ended>;
	/** The same, where it must succeed; what it printed as JSON. */
	json<T>(...argv: string[]): Promise<T>;
	close(): Promise<void>;
}

interface Person {
	/** Secret of a session or token; default: the first operator's. */
	readonly token?: string;
	/** Secret of an App's key; default: the first one. */
	readonly apiKey?: string;
	readonly env?: Readonly<Record<string, string>>;
}

/** The program in a folder of its own, with a profile for the service. */
export async function openProgram(service: StartedService, person: Person = {}): Promise<Program> {
	const { token = service.token, apiKey = service.apiKey, env = {} } = person;
	const cwd = await mkdtemp(join(tmpdir(), "svc-program-"));
	const file = join(cwd, "profiles.json");
	await writeProfile(file, { base_url: service.baseUrl, api_key: apiKey, token });
	const svc = (...argv: string[]) => ended(startProgram(argv, { cwd, env: { SVC_PROFILE_FILE: file, ...env } }));

	return {
		cwd,
		svc,
		async json<T>(...argv: string[]) {
			const { exit, out, err } = await svc(...argv, "--json");
			if (exit !== 0) throw new Error(`exit ${exit}: ${err}`);
			return JSON.parse(out) as T;
		},
		close: () => rm(cwd, { recursive: true, force: true }),
	};
}
