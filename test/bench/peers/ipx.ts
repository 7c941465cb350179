import { freePorts } from "../../support/ports.ts";
import { copyMasters, type RenditionPeer, startPeer } from "./peer.ts";

/* ipx, which renders with sharp, reading the masters from its own folder. */

const program = Bun.which("ipx");

const NAMES = { jpg: "jpeg", webp: "webp", avif: "avif" } as const;

/** Undefined where there is no `ipx` on the PATH, as `npm install --global ipx` puts it there. `files`: the paths of the masters. */
export async function startIpx(files: readonly string[]): Promise<RenditionPeer | undefined> {
	if (!program) return undefined;
	const [port] = await freePorts(1);
	const base = `http://127.0.0.1:${port}`;
	const where = { HOST: "127.0.0.1", PORT: String(port), NODE_ENV: "production" };
	const peer = await startPeer((folder) => [program, "serve", "--dir", folder], base, where);
	const names = await copyMasters(peer.folder, files);
	return {
		...peer,
		addressOf: (file, output, width, quality) =>
			`${base}/w_${width},f_${NAMES[output]}${quality === undefined ? "" : `,q_${quality}`}/${names.get(file)}`,
	};
}
