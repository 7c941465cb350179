import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/* What peers.ts compares: the same answers of several programs, each a process of its own. */

/** One program that answers a row's request. */
export interface Side {
	/** Its children count as well. */
	readonly pid: number;
	/** Asks once, and resolves with the bytes of the answer's body. `turn` is another number each time, for addresses that must differ. */
	ask(turn: number): Promise<number>;
}

export interface Row {
	readonly name: string;
	/** Requests that are under way at once. */
	readonly atOnce: number;
	/** By the name of the program; `svc` is what the others are compared with. */
	readonly sides: Readonly<Record<string, Side>> & { readonly svc: Side };
}

/** Rows that share their programs, which run until it is disposed of. */
export interface Scene extends AsyncDisposable {
	readonly title: string;
	readonly rows: readonly Row[];
	/** What a reader has to know to judge them, a line each. */
	readonly settings: readonly string[];
}

export const PLAINLY = { "Accept-Encoding": "identity" };

/** An answer that was asked for in plain bytes. @throws Error for any other than a success of that type */
export async function bytesOf(url: string, init: RequestInit = {}, type?: string): Promise<number> {
	const headers = { ...PLAINLY, ...(init.headers as Record<string, string>) };
	const answer = await fetch(url, { ...init, headers });
	const { byteLength } = await answer.arrayBuffer();
	if (!answer.ok && answer.status !== 304) throw new Error(`${answer.status} of ${url}`);
	const given = answer.headers.get("content-type");
	if (type !== undefined && given !== type) throw new Error(`${given} of ${url}`);
	return byteLength;
}

/** What was opened is closed where opening more fails, and otherwise by who disposes of the scene. */
export function disposing(open: AsyncDisposableStack): () => Promise<void> {
	const moved = open.move();
	return () => moved.disposeAsync();
}

export interface PeerProcess extends AsyncDisposable {
	readonly pid: number;
	/** Its own, and gone with it. */
	readonly folder: string;
}

/** Starts a program on a folder of its own, and resolves when `address` answers, whatever it says. */
export async function startPeer(
	command: (folder: string) => readonly string[],
	address: string,
	env: Readonly<Record<string, string>> = {},
): Promise<PeerProcess> {
	const folder = await mkdtemp(join(tmpdir(), "svc-peer-"));
	const child = Bun.spawn([...command(folder)], {
		cwd: folder,
		env: { PATH: process.env.PATH, HOME: folder, ...env },
		stdio: ["ignore", "ignore", "ignore"],
	});
	for (let tries = 0; tries < 400; tries++) {
		if (child.exitCode !== null) throw new Error(`${command(folder).join(" ")} ended`);
		if (await fetch(address).catch(() => undefined)) break;
		await Bun.sleep(25);
	}
	return {
		pid: child.pid,
		folder,
		async [Symbol.asyncDispose]() {
			child.kill("SIGTERM");
			await child.exited;
			await rm(folder, { recursive: true, force: true });
		},
	};
}
