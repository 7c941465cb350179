import { Failure } from "@svc/base/failure";
import type { Gate } from "@svc/base/gate";
import type { Clock, Log, Meters, StoredBlob } from "@svc/base/ports";
import type { Image } from "@svc/images/images";
import { DamagedMaster, type Masters } from "@svc/images/masters";
import type { ImageStore, Master, Renderer, ShrunkMaster } from "@svc/images/ports";
import { Elysia } from "elysia";
import { parseAddress } from "./address.ts";
import type { AnalysisSearches } from "./analysis.ts";
import type { RenditionCache } from "./cache.ts";
import { type Recipe, type RenderedBytes, Renders } from "./renders.ts";
import { type Rendition, type RenditionSpec, Renditions } from "./rendition.ts";
import {
	blobContent,
	type Content,
	contentResponse,
	failed,
	isKnown,
	methodNotAllowed,
	notFound,
	notModified,
	preflight,
	storedContent,
} from "./respond.ts";
import type { ShrunkMasters } from "./shrunk-masters.ts";

export interface CdnDeps {
	readonly images: Pick<ImageStore, "findServable">;
	readonly masters: Pick<Masters, "find" | "findWhole" | "requireWhole">;
	readonly renderer: Renderer;
	readonly analysis: Pick<AnalysisSearches, "resolve">;
	/** Names the model that finds subjects: another model would find other subjects. */
	readonly subjectModel: string;
	readonly cache: RenditionCache;
	readonly gate: Gate;
	readonly shrunkMasters: Pick<ShrunkMasters, "find">;
	readonly clock: Clock;
	readonly log: Log;
	readonly meters: Meters;
	readonly renderTimeoutMs: number;
}

/** How a request ended; a label of `svc_cdn_requests_total`, counted once for each. */
type ServedAs =
	| "hit-memory"
	| "hit-disk"
	| "rendered"
	| "joined"
	| "original"
	| "not-modified"
	| "not-found"
	| "preflight"
	| "refused"
	| "shed"
	| "abandoned"
	| "damaged"
	| "failed";

interface Found {
	readonly content: Content;
	readonly outcome: ServedAs;
}

/** This cache entry stands for a stripped master whose stored bytes hold nothing to remove and can be sent as they are. */
const AS_STORED = new Uint8Array(0);

/** No client reads the answer to a request whose client has left; the number is the usual one in logs. */
const CLIENT_CLOSED_REQUEST = 499;

/** The transform host: cookieless, without authentication, one route. */
export function cdnApp(deps: CdnDeps) {
	const host = new TransformHost(deps);
	// The route is one wildcard: one expression parses the address, where a router would decode characters that must be refused.
	return new Elysia({ name: "cdn" }).all("/*", ({ request }) => host.answer(request));
}

class TransformHost {
	readonly #deps: CdnDeps;
	readonly #renders: Renders;
	readonly #renditions: Renditions;

	constructor(deps: CdnDeps) {
		this.#deps = deps;
		this.#renders = new Renders({ ...deps, timeoutMs: deps.renderTimeoutMs });
		this.#renditions = new Renditions(deps.subjectModel);
		const { cache, gate, meters } = deps;
		meters.gauge("svc_cdn_gate_running", () => gate.running);
		meters.gauge("svc_cdn_gate_waiting", () => gate.waiting);
		meters.gauge("svc_cdn_gate_shed", () => gate.shed);
		meters.gauge("svc_cdn_gate_abandoned", () => gate.abandoned);
		meters.gauge("svc_cdn_cache_bytes", () => cache.bytes);
		meters.gauge("svc_cdn_cache_hot_bytes", () => cache.hotBytes);
		meters.gauge("svc_cdn_cache_entries", () => cache.entries);
	}

	async answer(request: Request): Promise<Response> {
		try {
			if (request.method === "GET" || request.method === "HEAD") return await this.#serve(request);
			if (request.method === "OPTIONS") return this.#count("preflight", preflight());
			return this.#count("refused", methodNotAllowed());
		} catch (error) {
			return this.#fail(request, error);
		}
	}

	async #serve(request: Request): Promise<Response> {
		const { clock } = this.#deps;
		const address = parseAddress(request.url);
		// The image is looked up first and on every request: once deleted, it is gone, whatever is cached or being made.
		const image = address && (await this.#findIn(address.teamHash, address.imageId));
		const rendition = image && (await this.#renditions.find(image, address, (id) => this.#findIn(image.teamHash, id)));
		if (!rendition) return this.#count("not-found", notFound(request));
		if (isKnown(request.headers.get("if-none-match"), rendition.etag)) {
			return this.#count("not-modified", notModified(image, rendition, clock.now()));
		}
		const { content, outcome } = await this.#find(request, image, rendition);
		return this.#count(outcome, contentResponse(request, image, rendition, content, clock.now()));
	}

	async #find(request: Request, image: Image, rendition: Rendition): Promise<Found> {
		const hit = await this.#deps.cache.find(rendition.key);
		// The stripped copy stands for the master itself, unlike what was asked to look otherwise.
		if (hit && hit.blob.size > 0 && !rendition.spec.transform) await this.#deps.masters.requireWhole(image.blobKey);
		if (hit) return this.#found(image, hit.blob, hit.tier === "memory" ? "hit-memory" : "hit-disk");
		const outcome = this.#renders.has(rendition.key) ? "joined" : "rendered";
		const { blob, provisional } = await this.#renders.run(
			rendition.key,
			request.signal,
			this.#recipe(image, rendition),
		);
		const found = await this.#found(image, blob, outcome);
		return provisional ? { ...found, content: { ...found.content, provisional } } : found;
	}

	async #found(image: Image, blob: Blob, outcome: ServedAs): Promise<Found> {
		if (blob.size > 0) return { content: blobContent(blob), outcome };
		return { content: await storedContent(await this.#getStored(image)), outcome: "original" };
	}

	#recipe(image: Image, rendition: Rendition): Recipe {
		return {
			make: async (signal) => {
				const made = await this.#make(image, rendition, signal);
				// The image was deleted while it was being made: a purge may have passed already and would not find an entry kept now.
				if (!(await this.#isServable(image))) throw new Failure("not_found");
				return made;
			},
			keep: (bytes) => this.#deps.cache.put(rendition.key, bytes),
		};
	}

	async #make(image: Image, { spec, tile }: Rendition, signal: AbortSignal): Promise<RenderedBytes> {
		const { renderer, analysis: searches } = this.#deps;
		const { transform, format } = spec;
		const shrunkMasters = this.#reductionsFor(image, spec);
		// Where there are smaller copies, the pixels mostly come from one of them.
		const stored = await this.#getStored(image, shrunkMasters.length > 0 ? "find" : "findWhole");
		const master = { ...masterOf(image, stored), shrunkMasters };
		if (!transform) return { bytes: (await renderer.strip(master)) ?? AS_STORED, provisional: false };
		const { analysis, complete } = await searches.resolve(master, image.blobKey, transform, signal);
		const over = tile && (await this.#findMaster(tile));
		const made = await renderer.render(master, transform, over ? { ...analysis, tile: over } : analysis, signal);
		if (made.format !== format) throw new Error(`The renderer made ${made.format} where ${format} was due.`);
		// A tile that was deleted meanwhile is not used again, and neither is a rendition that was made with it.
		return { bytes: made.bytes, provisional: !complete || (tile !== undefined && !(await this.#isServable(tile))) };
	}

	/** The stripped master needs no tile. */
	#reductionsFor(image: Image, { transform }: RenditionSpec): readonly ShrunkMaster[] {
		return transform ? this.#deps.shrunkMasters.find(image) : [];
	}

	async #findMaster(tile: Image): Promise<Master | undefined> {
		const stored = await this.#deps.masters.findWhole(tile.blobKey);
		if (stored) return masterOf(tile, stored);
		if (await this.#isServable(tile)) throw new Error(`The blob of ${tile.id} is missing.`);
		return undefined;
	}

	/** @throws DamagedMaster; Failure not_found when the image was deleted meanwhile */
	async #getStored(image: Image, look: "find" | "findWhole" = "find"): Promise<StoredBlob> {
		const stored = await this.#deps.masters[look](image.blobKey);
		if (stored) return stored;
		if (!(await this.#isServable(image))) throw new Failure("not_found");
		throw new Error(`The blob of ${image.id} is missing.`);
	}

	async #isServable({ teamHash, id }: Image): Promise<boolean> {
		return (await this.#findIn(teamHash, id)) !== undefined;
	}

	async #findIn(teamHash: string, id: string): Promise<Image | undefined> {
		const { images, clock } = this.#deps;
		return await images.findServable(teamHash, id, clock.now());
	}

	#fail(request: Request, error: unknown): Response {
		if (error instanceof Failure && error.code === "not_found") return this.#count("not-found", notFound(request));
		const { aborted, reason } = request.signal;
		if (aborted && error === reason)
			return this.#count("abandoned", new Response(null, { status: CLIENT_CLOSED_REQUEST }));
		if (error instanceof DamagedMaster) return this.#count("damaged", failed(request, error));
		if (error instanceof Failure) return this.#count(error.timedOut ? "shed" : "failed", failed(request, error));
		this.#deps.log.error("A request to the transform host failed", { error });
		return this.#count("failed", failed(request, new Failure("server_error", undefined, { cause: error })));
	}

	#count(outcome: ServedAs, response: Response): Response {
		this.#deps.meters.count("svc_cdn_requests_total", { outcome });
		return response;
	}
}

function masterOf({ format, width, height }: Image, blob: StoredBlob): Master {
	return { blob, format, width, height };
}
