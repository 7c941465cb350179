import { freePorts } from "../../support/ports.ts";
import { copyMasters, type Efforts, type RenditionPeer, startPeer } from "./peer.ts";

/* imagor, reading the masters from its own folder. */

const program = Bun.which("imagor");

/** The effort of the service for AVIF; that for WebP is its own. */
const EFFORTS = ["-vips-avif-speed", "9"];
const NAMES = { jpg: "jpeg", webp: "webp", avif: "avif" } as const;

/** Undefined where there is no `imagor` on the PATH. `files`: the paths of the masters. */
export async function startImagor(
	files: readonly string[],
	efforts: Efforts = "equal",
): Promise<RenditionPeer | undefined> {
	if (!program) return undefined;
	const [port] = await freePorts(1);
	const base = `http://127.0.0.1:${port}`;
	const own = ["-port", String(port), "-imagor-unsafe"];
	const peer = await startPeer(
		(folder) => [program, ...own, "-file-loader-base-dir", folder, ...(efforts === "equal" ? EFFORTS : [])],
		base,
	);
	const names = await copyMasters(peer.folder, files);
	return {
		...peer,
		addressOf: (file, output, width, quality) =>
			`${base}/unsafe/${width}x0/filters:format(${NAMES[output]})${quality === undefined ? "" : `:quality(${quality})`}/${names.get(file)}`,
	};
}
