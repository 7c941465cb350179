import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { freePorts } from "../../support/ports.ts";
import type { Output } from "../transform-cases.ts";
import { type PeerProcess, startPeer } from "./peer.ts";

/* imgproxy, reading the masters from its own folder. */

const program = Bun.which("imgproxy");

export interface Imgproxy extends Pick<PeerProcess, "pid">, AsyncDisposable {
	addressOf(file: string, output: Output, width: number, quality: number): string;
}

/** The efforts of the service; each program keeps its own number of workers and threads. */
const EFFORTS = { IMGPROXY_AVIF_SPEED: "9", IMGPROXY_WEBP_EFFORT: "2" };

/** Undefined where there is no `imgproxy` on the PATH. `files`: the paths of the masters. */
export async function startImgproxy(files: readonly string[]): Promise<Imgproxy | undefined> {
	if (!program) return undefined;
	const [port] = await freePorts(1);
	const base = `http://127.0.0.1:${port}`;
	const env = {
		IMGPROXY_BIND: `127.0.0.1:${port}`,
		IMGPROXY_LOCAL_FILESYSTEM_ROOT: "/",
		IMGPROXY_MAX_SRC_RESOLUTION: "100",
	};
	const peer = await startPeer(() => [program], `${base}/health`, { ...EFFORTS, ...env });
	await Promise.all(files.map((file, place) => copyFile(file, join(peer.folder, `${place}`))));
	const places = new Map(files.map((file, place) => [file, `${peer.folder}/${place}`]));
	return {
		pid: peer.pid,
		addressOf: (file, output, width, quality) =>
			`${base}/insecure/rs:fit:${width}:0/q:${quality}/plain/local://${places.get(file)}@${output}`,
		[Symbol.asyncDispose]: peer[Symbol.asyncDispose],
	};
}
