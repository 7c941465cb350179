import { freePorts } from "../../support/ports.ts";
import { copyMasters, type Efforts, type RenditionPeer, startPeer } from "./peer.ts";

/* imgproxy, reading the masters from its own folder. */

const program = Bun.which("imgproxy");

/** The efforts of the service; each program keeps its own number of workers and threads. */
const EFFORTS = { IMGPROXY_AVIF_SPEED: "9", IMGPROXY_WEBP_EFFORT: "2" };

/** Undefined where there is no `imgproxy` on the PATH. `files`: the paths of the masters. */
export async function startImgproxy(
	files: readonly string[],
	efforts: Efforts = "equal",
): Promise<RenditionPeer | undefined> {
	if (!program) return undefined;
	const [port] = await freePorts(1);
	const base = `http://127.0.0.1:${port}`;
	const env = {
		IMGPROXY_BIND: `127.0.0.1:${port}`,
		IMGPROXY_LOCAL_FILESYSTEM_ROOT: "/",
		IMGPROXY_MAX_SRC_RESOLUTION: "100",
	};
	const peer = await startPeer(() => [program], `${base}/health`, { ...(efforts === "equal" && EFFORTS), ...env });
	const names = await copyMasters(peer.folder, files);
	return {
		...peer,
		// Quality 0 is its own of the format.
		addressOf: (file, output, width, quality = 0) =>
			`${base}/insecure/rs:fit:${width}:0/q:${quality}/plain/local://${peer.folder}/${names.get(file)}@${output}`,
	};
}
