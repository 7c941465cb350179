import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BareServer } from "../bare-server.ts";
import type { Child } from "../child.ts";
import type { Output } from "../transform-cases.ts";

/* What peers.ts compares: the same answers of several programs, each a process of its own. */

/** One program that answers a row's request. */
export interface Side {
	/** Its children count as well. */
	readonly pid: number;
	/** Asks once, and resolves with the bytes of the answer's body. `turn` is another number each time, for addresses that must differ. */
	ask(turn: number): Promise<number>;
	/** Makes what the next `count` requests use up; it is not measured. */
	stock?(count: number): Promise<void>;
}

export interface Row {
	readonly name: string;
	/** Requests that are under way at once. */
	readonly atOnce: number;
	/** The most requests of a round, where each uses up something that takes long to make. */
	readonly most?: number;
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

/** A server that sends these bytes with these headers. */
export async function bareSide(child: Child, question: BareServer, headers?: Record<string, string>): Promise<Side> {
	const port = await child.ask(question);
	return { pid: child.pid, ask: () => bytesOf(`http://127.0.0.1:${port}/`, { ...(headers && { headers }) }) };
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
	command: (folder: string) => readonly string[] | Promise<readonly string[]>,
	address: string,
	env: Readonly<Record<string, string>> = {},
): Promise<PeerProcess> {
	const folder = await mkdtemp(join(tmpdir(), "svc-peer-"));
	const words = await command(folder);
	const child = Bun.spawn([...words], {
		cwd: folder,
		env: { PATH: process.env.PATH, HOME: folder, ...env },
		stdio: ["ignore", "ignore", "ignore"],
	});
	for (let tries = 0; tries < 400; tries++) {
		if (child.exitCode !== null) throw new Error(`${words.join(" ")} ended`);
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

/** A program that makes renditions of the masters in its own folder. */
export interface RenditionPeer extends Pick<PeerProcess, "pid">, AsyncDisposable {
	/** Where it does not write all of them. */
	readonly outputs?: readonly Output[];
	/** `file`: the path of the master that was copied there. Without a quality it takes its own. */
	addressOf(file: string, output: Output, width: number, quality?: number): string;
}

/** How hard a program tries: as by default, or as the service does where that can be set. */
export type Efforts = "own" | "equal";

/** Copies the masters into the folder of a program, and says under which name each lies there. */
export async function copyMasters(folder: string, files: readonly string[]): Promise<ReadonlyMap<string, string>> {
	const names = new Map(files.map((file, place) => [file, `${place}.jpg`]));
	await Promise.all([...names].map(([file, name]) => copyFile(file, join(folder, name))));
	return names;
}
