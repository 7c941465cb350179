import { freePorts } from "../../support/ports.ts";
import { copyMasters, type RenditionPeer, startPeer } from "./peer.ts";

/* oximg, which decodes all of a master and resizes in linear light, reading the masters from its own folder. */

const program = Bun.which("oximg");

const NAMES = { jpg: "jpeg", webp: "webp", avif: "avif" } as const;

/** Undefined where there is no `oximg` on the PATH, as `cargo install oximg` puts it there, without AVIF. `files`: the paths of the masters. */
export async function startOximg(files: readonly string[]): Promise<RenditionPeer | undefined> {
	if (!program) return undefined;
	const [port] = await freePorts(1);
	const base = `http://127.0.0.1:${port}`;
	const where = { PORT: String(port), OXIMG_BIND: "127.0.0.1", OXIMG_OPTIONS_PREFIX: "/image", IMAGES_DIR: "." };
	const peer = await startPeer(() => [program, "serve"], base, where);
	const names = await copyMasters(peer.folder, files);
	return {
		...peer,
		outputs: ["jpg", "webp"],
		addressOf: (file, output, width, quality) =>
			`${base}/image/width=${width},format=${NAMES[output]}${quality === undefined ? "" : `,quality=${quality}`}/${names.get(file)}`,
	};
}
