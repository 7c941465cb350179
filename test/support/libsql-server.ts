import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "./ports.ts";

const path = [process.env.SQLD, Bun.which("sqld")].find((one) => typeof one === "string" && existsSync(one));

/** For the titles of tests that need a libSQL server: a run without it says so. */
export const libsqlNote = path ? "" : " (SKIPPED: no sqld on the PATH, and SQLD names none)";

/** True where tests on a libSQL server must be skipped. With CI set, a missing one fails instead, where there is one to be had. */
export const withoutLibsql = path === undefined && !(process.env.CI === "true" && process.arch === "x64");

export interface LibsqlServer extends AsyncDisposable {
	readonly url: string;
	readonly pid: number;
	/** kill -9, and a start on the same folder. */
	restart(): Promise<void>;
}

/** A libSQL server on loopback, with a folder of its own. @param settings its variables, besides this process's own */
export async function startLibsql(
	more: readonly string[] = [],
	settings: Readonly<Record<string, string>> = {},
): Promise<LibsqlServer> {
	if (!path) throw new Error("there is no sqld, and with CI=true that is a failure");
	const folder = await mkdtemp(join(tmpdir(), "svc-sqld-"));
	const [port] = await freePorts(1);
	const address = `127.0.0.1:${port}`;
	const url = `http://${address}`;
	const start = async (program: string) => {
		const started = Bun.spawn([program, "--http-listen-addr", address, "--db-path", join(folder, "data"), ...more], {
			env: { ...process.env, ...settings },
			// Copies for a bucket wait in the working folder.
			cwd: folder,
			stdin: "ignore",
			stdout: "ignore",
			stderr: "ignore",
		});
		for (let tries = 0; tries < 8_000; tries++) {
			if ((await fetch(`${url}/health`).catch(() => undefined))?.ok) break;
			await Bun.sleep(25);
		}
		return started;
	};
	let child = await start(path);
	const end = async () => {
		child.kill("SIGKILL");
		await child.exited;
	};
	return {
		url,
		get pid() {
			return child.pid;
		},
		async restart() {
			await end();
			child = await start(path);
		},
		async [Symbol.asyncDispose]() {
			await end();
			await rm(folder, { recursive: true, force: true });
		},
	};
}
