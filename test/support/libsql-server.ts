import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "./ports.ts";

const path = [process.env.SVC_TEST_SQLD, process.env.SQLD, Bun.which("sqld")].find(
	(one) => typeof one === "string" && existsSync(one),
);

/** For the titles of tests that need a libSQL server: a run without it says so. */
export const libsqlNote = path ? "" : " (SKIPPED: no sqld on the PATH, and SQLD names none)";

/** True where tests on a libSQL server must be skipped. With CI set, a missing one fails instead, where there is one to be had. */
export const withoutLibsql = path === undefined && !(process.env.CI === "true" && process.arch === "x64");

export interface LibsqlServer extends AsyncDisposable {
	readonly url: string;
	readonly pid: number;
	/** Where it can be set, and its databases deleted; it takes {@link ADMIN_KEY}. */
	readonly adminUrl: string;
	/** How commits are kept on connections that are opened from now on; a new server's are relaxed. */
	keepCommits(mode: "strong" | "relaxed"): Promise<void>;
	/** Ends it as its machine does when it is shut down; gives the file of its database. */
	stop(): Promise<string>;
	/** kill -9, and a start on the same folder. */
	restart(): Promise<void>;
}

export const ADMIN_KEY = "the-key-of-the-admin-address";

interface Given {
	/** The program and arguments under which it runs. */
	readonly under?: readonly string[];
	/** Where its data lie, or will; otherwise in a folder of its own. */
	readonly data?: string;
}

/** A libSQL server on loopback. @param settings its variables, besides this process's own */
export async function startLibsql(
	more: readonly string[] = [],
	settings: Readonly<Record<string, string>> = {},
	given: Given = {},
): Promise<LibsqlServer> {
	if (!path) throw new Error("there is no sqld, and with CI=true that is a failure");
	const folder = await mkdtemp(join(tmpdir(), "svc-sqld-"));
	const { under = [], data = join(folder, "data") } = given;
	const [port, adminPort] = await freePorts(2);
	const address = `127.0.0.1:${port}`;
	const url = `http://${address}`;
	const adminUrl = `http://127.0.0.1:${adminPort}`;
	const admin = ["--admin-listen-addr", `127.0.0.1:${adminPort}`, "--admin-auth-key", ADMIN_KEY];
	const start = async (program: string) => {
		const started = Bun.spawn(
			[...under, program, "--http-listen-addr", address, "--db-path", data, ...admin, ...more],
			{
				env: { ...process.env, ...settings },
				// Copies for a bucket wait in the working folder.
				cwd: folder,
				stdin: "ignore",
				stdout: "ignore",
				stderr: "ignore",
			},
		);
		for (let tries = 0; tries < 8_000; tries++) {
			if ((await fetch(`${url}/health`).catch(() => undefined))?.ok) break;
			if (started.exitCode !== null) throw new Error(`the libSQL server ended with ${started.exitCode}`);
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
		adminUrl,
		get pid() {
			return child.pid;
		},
		async keepCommits(mode) {
			const answer = await fetch(`${adminUrl}/v1/namespaces/default/config`, {
				method: "POST",
				headers: { Authorization: `basic ${ADMIN_KEY}`, "Content-Type": "application/json" },
				body: JSON.stringify({ block_reads: false, block_writes: false, durability_mode: mode }),
			});
			if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
		},
		async stop() {
			child.kill("SIGTERM");
			// It waits for connections that somebody keeps open, for as long as they do.
			const late = setTimeout(() => child.kill("SIGKILL"), 5_000);
			await child.exited;
			clearTimeout(late);
			return join(data, "dbs", "default", "data");
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
