import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Image } from "@svc/sdk/shapes";
import { plain } from "../../support/pictures.ts";
import { startChild } from "../child.ts";
import { ownHeaders } from "../kept-rendition.ts";
import { familyCpuSeconds } from "../measure.ts";
import { type BenchService, startBenchService } from "../service.ts";
import { bareSide, bytesOf, disposing, PLAINLY, type Row, type Scene, type Side } from "./peer.ts";
import { type PocketBase, startPocketBase } from "./pocketbase.ts";

/* The API: against PocketBase, and against a bare Bun.serve that sends the same bytes. */

const IMAGES = 200;
const AT_ONCE = 16;
/** What one deletion costs shows only over some hundred of them, and each wants an upload before. */
const MOST_DELETIONS = 400;
const IDLE_MS = 300;
const LABELS = { colour: "red", shape: "round" };
const FIELDS = { caption: "A picture", labels: JSON.stringify(LABELS), metadata: JSON.stringify({ by: "somebody" }) };

export async function apiScene(): Promise<Scene> {
	await using open = new AsyncDisposableStack();
	const file = new Blob([await plain(600, 400, "jpeg")]);
	const service = open.use(await startBenchService());
	const folder = await mkdtemp(join(tmpdir(), "svc-bench-"));
	open.defer(() => rm(folder, { recursive: true }));
	let image: Image | undefined;
	for (let place = 0; place < IMAGES; place++) image = await service.upload(file, "a.jpg", FIELDS);
	if (image === undefined) throw new Error("nothing was uploaded");
	const { filename, format, width, height, bytes, published_at } = image;
	const others = { filename, format, width: String(width), height: String(height), bytes: String(bytes), published_at };
	const pocketBase = await startPocketBase(IMAGES, file, { ...FIELDS, ...others });
	if (pocketBase) open.use(pocketBase);

	const own = (path: string): Side => ({
		pid: service.pid,
		ask: () => bytesOf(`${service.baseUrl}${path}`, { headers: service.headers }),
	});
	const peers = (path: (id: string) => string): Readonly<Record<string, Side>> => {
		if (!pocketBase) return {};
		const { pid, records, headers, id } = pocketBase;
		return { pocketbase: { pid, ask: () => bytesOf(`${records}${path(id)}`, { headers }) } };
	};
	const bare = async (name: string, path: string): Promise<Side> => {
		const headers = { ...service.headers, ...PLAINLY };
		const answer = await fetch(`${service.baseUrl}${path}`, { headers });
		const kept = join(folder, name);
		await writeFile(kept, await answer.bytes());
		return await bareSide(open.use(startChild("./bare-server.ts")), { path: kept, headers: ownHeaders(answer) });
	};
	const row = async (name: string, path: string, peer: (id: string) => string): Promise<Row> => ({
		name,
		atOnce: AT_ONCE,
		sides: { svc: own(path), ...peers(peer), bare: await bare(name, path) },
	});
	const change: Row = { name: "change an image", atOnce: AT_ONCE, sides: changes(service, image, pocketBase) };
	const deletion: Row = {
		name: "delete an image",
		atOnce: AT_ONCE,
		most: MOST_DELETIONS,
		sides: deletions(service, async () => (await service.upload(file, "a.jpg", FIELDS)).id, pocketBase),
	};
	return {
		title: "API",
		rows: [
			await row("read an image", `/v1/images/${image.id}`, (id) => `/${id}`),
			await row("list of 50", "/v1/images?limit=50", () => "?perPage=50&sort=-published_at&skipTotal=1"),
			change,
			deletion,
		],
		settings: [
			`${IMAGES} images with two labels; all programs as they start by default; PocketBase by a user's token, who sees their own records; its total left out.`,
			"bare: Bun.serve with the same headers and bytes.",
		],
		[Symbol.asyncDispose]: disposing(open),
	};
}

/** Each time with another caption. */
function changes(service: BenchService, { id }: Image, pocketBase: PocketBase | undefined): Row["sides"] {
	const side = (pid: number, url: string, headers: Readonly<Record<string, string>>): Side => ({
		pid,
		ask: (turn) =>
			bytesOf(url, {
				method: "PATCH",
				headers: { ...headers, "Content-Type": "application/json" },
				body: JSON.stringify({ caption: `turn ${turn}` }),
			}),
	});
	const svc = side(service.pid, `${service.baseUrl}/v1/images/${id}`, service.headers);
	if (!pocketBase) return { svc };
	return { svc, pocketbase: side(pocketBase.pid, `${pocketBase.records}/${pocketBase.id}`, pocketBase.headers) };
}

/** Each time of another image, which was made before. */
function deletions(
	service: BenchService,
	create: () => Promise<string>,
	pocketBase: PocketBase | undefined,
): Row["sides"] {
	const svc = { pid: service.pid, url: `${service.baseUrl}/v1/images`, headers: service.headers, create };
	if (!pocketBase) return { svc: usingUp(svc) };
	return { svc: usingUp(svc), pocketbase: usingUp({ ...pocketBase, url: pocketBase.records }) };
}

interface Collection {
	readonly pid: number;
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	create(): Promise<string>;
}

function usingUp({ pid, url, headers, create }: Collection): Side {
	const made: string[] = [];
	return {
		pid,
		ask: () => bytesOf(`${url}/${made.pop()}`, { method: "DELETE", headers }),
		async stock(count) {
			while (made.length < count) made.push(...(await Promise.all(Array.from({ length: AT_ONCE }, create))));
			await untilIdle(pid);
		},
	};
}

/** What follows an upload is not what a deletion costs. */
async function untilIdle(pid: number): Promise<void> {
	for (let [before, now] = [-1, await familyCpuSeconds(pid)]; now > before; now = await familyCpuSeconds(pid)) {
		before = now;
		await Bun.sleep(IDLE_MS);
	}
}
