import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startChild } from "../child.ts";
import { type KeptRendition, keptRendition } from "../kept-rendition.ts";
import { pictureNote, twelveMegapixels } from "../pictures.ts";
import { startBenchService } from "../service.ts";
import { startNginx } from "./nginx.ts";
import { bareSide, bytesOf, disposing, type Row, type Scene, type Side } from "./peer.ts";

/* Renditions that are kept: against nginx, which sends a file from its disk, and a bare Bun.serve that sends the same bytes. */

const AT_ONCE = 16;
const CASES = [
	{ name: "25 KB", bytes: 25_000, known: false },
	{ name: "75 KB", bytes: 75_000, known: false },
	{ name: "304", bytes: 25_000, known: true },
] as const;
/** Which nginx makes itself. */
const OF_FILES = new Set(["etag", "last-modified", "content-type", "accept-ranges"]);

export async function keptScene(): Promise<Scene> {
	await using open = new AsyncDisposableStack();
	const service = open.use(await startBenchService());
	const folder = await mkdtemp(join(tmpdir(), "svc-bench-"));
	open.defer(() => rm(folder, { recursive: true }));
	const image = await service.upload(new Blob([await twelveMegapixels()]), "picture.jpg");
	const rows: Row[] = [];
	for (const { name, bytes, known } of CASES) {
		const kept = await keptRendition(image.url, bytes);
		const path = join(folder, name);
		await writeFile(path, kept.bytes);
		const conditions = known ? { "If-None-Match": kept.headers.etag ?? "" } : {};
		const svc = { pid: service.pid, ask: () => bytesOf(kept.url.href, { headers: conditions }) };
		const bare = await bareSide(open.use(startChild("./bare-server.ts")), { path, headers: kept.headers }, conditions);
		rows.push({ name: `kept ${name}`, atOnce: AT_ONCE, sides: { svc, ...(await nginxSide(open, kept, known)), bare } });
	}
	return {
		title: "Kept renditions",
		rows,
		settings: [
			pictureNote,
			"nginx: one worker, sendfile, no log, the same headers; bare: Bun.serve with the same headers and bytes.",
		],
		[Symbol.asyncDispose]: disposing(open),
	};
}

async function nginxSide(
	open: AsyncDisposableStack,
	{ bytes, headers }: KeptRendition,
	known: boolean,
): Promise<Record<string, Side>> {
	const sent = Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_FILES.has(name)));
	const nginx = await startNginx(bytes, sent);
	if (!nginx) return {};
	const { pid, address } = open.use(nginx);
	const etag = (await fetch(address, { method: "HEAD" })).headers.get("etag") ?? "";
	return { nginx: { pid, ask: () => bytesOf(address, { ...(known && { headers: { "If-None-Match": etag } }) }) } };
}
