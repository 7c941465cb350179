import type { Addresses } from "@svc/base/addresses";
import { Failure } from "@svc/base/failure";
import { isExpected, isKnown } from "@svc/base/http/conditions";
import { networkOf } from "@svc/base/http/network";
import { idSequence } from "@svc/base/ids";
import { inTime } from "@svc/base/pace/patience";
import type { Clock, Log, LogFacts, Meters } from "@svc/base/ports";
import type { Image } from "@svc/images/images";
import { DamagedMaster } from "@svc/images/keep/masters";
import type { Asker, ImageStore, Renderer, ShownChanges } from "@svc/images/ports";
import { isTransformable } from "@svc/images/transform/transform";
import type { DailyCounters } from "@svc/images/usage/daily-usage";
import { type Address, ignoredNames, parseAddress } from "./address.ts";
import { type Caching, endsEver } from "./ages.ts";
import type { RenditionCache } from "./cache/cache.ts";
import { type AnswerAgain, KeptAnswers } from "./cache/kept-answers.ts";
import type { Originals } from "./cache/kept-originals.ts";
import { ConfirmedImages, type Servable, type Sighted, unanswered } from "./confirmed.ts";
import { type AdmittedAddress, admit, type DeliveryDoor } from "./delivery.ts";
import type { AnalysisSearches } from "./renditions/analysis.ts";
import { FrameCounts } from "./renditions/frame-counts.ts";
import { ImpossibleForms } from "./renditions/impossible-forms.ts";
import { Recipes } from "./renditions/recipes.ts";
import { Renders } from "./renditions/renders.ts";
import type { Rendition } from "./renditions/rendition.ts";
import type { ShrunkMasters } from "./renditions/shrunk-masters.ts";
import { SizeDemand } from "./renditions/size-demand.ts";
import { type ShownImage, Versions, type VersionsDeps } from "./renditions/versions.ts";
import {
	blobContent,
	contentResponse,
	failed,
	forbidden,
	methodNotAllowed,
	notFound,
	notModified,
	notTheApi,
	preconditionFailed,
	preflight,
	type SentContent,
	type Subject,
	storedContent,
} from "./respond.ts";

export interface CdnDeps extends Pick<VersionsDeps, "forgetInFront" | "looks" | "subjectModel"> {
	readonly images: Pick<ImageStore, "findAddressed">;
	/** How long a look-up of an image may take, in milliseconds: less in tests only. */
	readonly lookupMs?: number;
	/** Undefined where nobody knows of all changes. */
	readonly changes: ShownChanges | undefined;
	/** Undefined where all Apps answer every address. */
	readonly delivery: DeliveryDoor | undefined;
	readonly masters: Originals;
	readonly renderer: Renderer;
	readonly analysis: Pick<AnalysisSearches, "resolve" | "findIn" | "findFor">;
	readonly cache: RenditionCache;
	readonly line: LineState;
	/** The network address that a request came from. */
	readonly addressOf: (request: Request) => string;
	readonly shrunkMasters: Pick<ShrunkMasters, "describeAnew" | "find">;
	readonly served: Pick<DailyCounters, "countServed" | "countRendition">;
	readonly addresses: Pick<Addresses, "base">;
	readonly clock: Clock;
	readonly log: Log;
	readonly meters: Meters;
	readonly renderTimeoutMs: number;
	readonly caching: Caching;
}

/** What stands before the workers, for the metrics. */
interface LineState {
	readonly running: number;
	readonly waiting: number;
	readonly shed: number;
	readonly abandoned: number;
}

/** How a request ended; a label of `svc_cdn_requests_total`, counted once for each. */
type ServedAs =
	| "hit-memory"
	| "hit-disk"
	| "rendered"
	| "joined"
	| "original"
	| "stale"
	| "not-modified"
	| "not-expected"
	| "not-found"
	| "forbidden"
	| "preflight"
	| "refused"
	| "shed"
	| "abandoned"
	| "damaged"
	| "impossible"
	| "failed";

/** One request, and what is known about it so far. */
interface Visit {
	readonly request: Request;
	readonly id: string;
	/** By a clock that nothing moves. */
	readonly startedMs: number;
	/** The number of the database's last change when it began; undefined where nobody knows of all. */
	readonly sinceChange: number | undefined;
	/** Images that were found to lie over the one that is shown. */
	readonly layers: Image[];
	imageId?: string | undefined;
	wanted?: WantedImage;
	joined?: boolean;
}

interface WantedImage extends Servable, ShownImage {
	/** When the signature of its address ends, in seconds since 1970. */
	readonly exp?: number | undefined;
	readonly ignored?: string | undefined;
}

interface FoundAddress {
	readonly content: SentContent;
	readonly outcome: ServedAs;
}

/** No client reads the answer to a request whose client has left; the number is the usual one in logs. */
const CLIENT_CLOSED_REQUEST = 499;

/** How long all may take that a request asks the database for, and how much longer what lies here may take while that is away. */
const LOOKUPS_MS = 1_500;
const KEPT_MS = 300;

/** A household with IPv6 has that much of the addresses. */
const NETWORK_BITS = 56;

/** As the API names them in every image. */
const SIZES = ["s", "m", "l"] as const;
const AHEAD: Asker = { signal: new AbortController().signal, background: true };

const FAILED = "A request to the transform host failed";

/** The transform host: cookieless, without authentication, one route. `makeSizes` makes s, m and l of an image before anybody asks. */
export function cdnApp(deps: CdnDeps) {
	const host = new TransformHost(deps);
	// The route is one wildcard: one expression parses the address, where a router would decode characters that must be refused.
	return { handle: (request: Request) => host.answer(request), makeSizes: (image: Image) => host.makeSizes(image) };
}

class TransformHost {
	readonly #deps: CdnDeps;
	readonly #recipes: Recipes;
	readonly #renders: Renders;
	readonly #images: ConfirmedImages;
	readonly #frames: FrameCounts;
	readonly #versions: Versions;
	readonly #kept: KeptAnswers;
	readonly #sizes = new SizeDemand();
	readonly #nextId = idSequence("req");

	constructor(deps: CdnDeps) {
		this.#deps = deps;
		this.#renders = new Renders({
			...deps,
			impossible: new ImpossibleForms(deps.clock),
			timeoutMs: deps.renderTimeoutMs,
		});
		this.#images = new ConfirmedImages(deps);
		this.#frames = new FrameCounts(deps);
		this.#kept = new KeptAnswers(deps);
		this.#recipes = new Recipes({ ...deps, images: this.#images });
		const made = { images: this.#images, renders: this.#renders, recipes: this.#recipes };
		this.#versions = new Versions({ ...deps, ...made });
		const { cache, line, meters } = deps;
		meters.gauge("svc_cdn_gate_running", () => line.running);
		meters.gauge("svc_cdn_gate_waiting", () => line.waiting);
		meters.gauge("svc_cdn_shed_total", () => line.shed);
		meters.gauge("svc_cdn_abandoned_total", () => line.abandoned);
		meters.gauge("svc_cdn_cache_bytes", () => cache.bytes);
		meters.gauge("svc_cdn_cache_hot_bytes", () => cache.hotBytes);
		meters.gauge("svc_cdn_cache_entries", () => cache.entries);
	}

	answer(request: Request): Response | Promise<Response> {
		const id = this.#nextId();
		const again = this.#kept.find(request, id);
		return again ? this.#again(again) : this.#answerInFull(request, id);
	}

	#again({ response, storagePk, bytes }: AnswerAgain): Response {
		this.#deps.served.countServed(storagePk, bytes ?? 0);
		return this.#count(bytes === undefined ? "not-modified" : "hit-memory", response);
	}

	async #answerInFull(request: Request, id: string): Promise<Response> {
		const visit: Visit = {
			...{ request, id, startedMs: performance.now() },
			...{ sinceChange: this.#deps.changes?.now(), layers: [] },
		};
		const response = await this.#answer(visit);
		response.headers.set("X-Request-Id", visit.id);
		return response;
	}

	/** Where nobody asks for sizes none is made, nor one that a request is waiting for, or that is kept. Rejects when one cannot be made. */
	async makeSizes(image: Image): Promise<void> {
		const { id: imageId, format: extension } = image;
		if (!isTransformable(extension) || !this.#sizes.takes(image.appPk)) return;
		for (const size of SIZES) {
			const form = { extension, query: `size=${size}` };
			const rendition = await this.#versions.findSeen(image, form, async () => undefined, AHEAD);
			if (!rendition || this.#isKept(rendition) || this.#renders.has(rendition.key)) continue;
			const about = { image: imageId, form: rendition.spec.text };
			await this.#renders.run(rendition.key, AHEAD, this.#recipes.of(image, rendition, about));
			this.#deps.served.countRendition(image.storagePk);
		}
	}

	async #answer(visit: Visit): Promise<Response> {
		const { request } = visit;
		try {
			if (request.method === "GET" || request.method === "HEAD") return await this.#serve(visit);
			if (request.method === "OPTIONS") return this.#count("preflight", preflight());
			return this.#count("refused", methodNotAllowed());
		} catch (error) {
			return this.#fail(visit, error);
		}
	}

	async #serve(visit: Visit): Promise<Response> {
		const { request } = visit;
		const found = await this.#find(visit);
		if (found === "forbidden") return this.#count("forbidden", forbidden(request));
		if (!found) return this.#count("not-found", this.#notFound(request));
		visit.wanted = found;
		const wanted = await this.#versions.shown(found, {
			...{ request, about: about(visit) },
			asker: () => this.#asker(visit, found.image),
			findLayer: (id) => this.#findLayer(visit, found.image, id),
		});
		visit.wanted = wanted;
		const { image, rendition, exp, isBrief } = wanted;
		if (SIZES.some((size) => size === rendition.spec.size)) this.#sizes.asked(image.appPk);
		const { caching, clock } = this.#deps;
		let { stale } = wanted;
		const { ignored } = found;
		const subject = () => ({ image, rendition, caching, stale, isBrief, exp, ignored, nowMs: clock.now() });
		if (!isExpected(request.headers.get("if-match"), rendition.etag)) {
			return this.#count("not-expected", preconditionFailed());
		}
		const known = isKnown(request.headers.get("if-none-match"), rendition.etag);
		if (known && (!stale || this.#isKept(rendition))) {
			this.#deps.served.countServed(image.storagePk, 0);
			this.#keep(visit, subject());
			return this.#count("not-modified", notModified(subject()));
		}
		const { content, outcome } = await (stale ? this.#getKept(visit, wanted) : this.#get(visit, wanted));
		stale ||= await this.#isOutdated(visit, wanted, outcome);
		const response = contentResponse(request, subject(), content);
		this.#deps.served.countServed(image.storagePk, bytesOf(request, response, content));
		if (outcome === "rendered") this.#deps.served.countRendition(image.storagePk);
		if (outcome === "hit-memory" && response.status === 200)
			this.#keep(visit, subject(), new Headers(response.headers));
		return this.#count(outcome, response);
	}

	/** A path of the API says where that is; whatever could be an image's is answered alike. */
	#notFound(request: Request): Response {
		return /^https?:\/\/[^/?#]+\/(?:v1|docs|openapi\.json)(?:[/?#]|$)/.test(request.url)
			? notTheApi(request, this.#deps.addresses.base)
			: notFound(request);
	}

	/** What a hit answered is answered again as long as nothing changes; the first time was a render, or from the disk. */
	#keep({ request: { url }, sinceChange, layers }: Visit, subject: Subject, whole?: Headers): void {
		const { image, rendition, stale, isBrief } = subject;
		const { varies, transform } = rendition.spec;
		if (sinceChange === undefined || stale || isBrief || varies || !transform || endsEver(subject)) return;
		const { headers: known } = notModified(subject);
		const { key, etag } = rendition;
		const answer = { key, etag, storagePk: image.storagePk, whole, known };
		this.#kept.keep(url, answer, { at: sinceChange, images: [image, ...layers] });
	}

	async #findLayer(visit: Visit, { teamHash }: Image, id: string): Promise<Sighted | undefined> {
		const layer = await this.#images.find(teamHash, id, leftMs(visit));
		if (layer?.image) visit.layers.push(layer.image);
		return layer;
	}

	/** The image is looked up first and on every request: once deleted, it is gone, whatever is cached or being made. */
	async #find(visit: Visit): Promise<WantedImage | "forbidden" | undefined> {
		const address = parseAddress(visit.request.url);
		visit.imageId = address?.imageId;
		const found = address && (await this.#images.find(address.teamHash, address.imageId));
		if (!found) return undefined;
		// Before it is said whether there is an image: who may not see it does not learn that either.
		const admitted = await this.#admit(visit, address, found);
		if (!admitted) return "forbidden";
		const { image } = found;
		if (!image) return undefined;
		let { stale } = found;
		const accept = visit.request.headers.get("accept");
		const counting = this.#frames.find(image, admitted.query, () => this.#asker(visit, image));
		const frames = await (stale ? inTime(counting, leftMs(visit, KEPT_MS), unanswered) : counting);
		const form = { extension: address.extension, query: admitted.query, accept, frames };
		const rendition = await this.#versions.find({ image, mends: found.mends }, form, async (id) => {
			const layer = await this.#findLayer(visit, image, id);
			stale ||= layer?.stale ?? false;
			return layer;
		});
		return rendition && { image, form, rendition, stale, exp: admitted.exp, ignored: ignoredNames(admitted.query) };
	}

	/**
	 * Whether what took a while to make may be wrong by now. Caches in front that were told so meanwhile did not have it yet, and would keep it as
	 * long as any.
	 */
	async #isOutdated(visit: Visit, { rendition }: WantedImage, outcome: ServedAs): Promise<boolean> {
		const isMade = outcome === "rendered" || outcome === "joined";
		if (!isMade || this.#deps.caching.sharedMaxAgeSeconds === undefined) return false;
		const now = await this.#find({ ...visit, startedMs: performance.now() }).catch(() => undefined);
		return typeof now !== "object" || now.stale || now.rendition.key !== rendition.key;
	}

	#admit(
		visit: Visit,
		address: Address,
		{ app, stale }: Sighted,
	): AdmittedAddress | undefined | Promise<AdmittedAddress | undefined> {
		const { delivery, clock } = this.#deps;
		if (!delivery) return address;
		const admitted = admit(address, app, delivery, clock.now());
		// Where the rules cannot be read nothing is answered that they may forbid.
		return admitted instanceof Promise ? inTime(admitted, leftMs(visit, stale ? KEPT_MS : 0), unanswered) : admitted;
	}

	async #get(visit: Visit, wanted: WantedImage): Promise<FoundAddress> {
		const { image, rendition } = wanted;
		const hit = await this.#findKept(wanted);
		if (hit) return hit;
		const outcome = this.#renders.has(rendition.key) ? "joined" : "rendered";
		visit.joined = outcome === "joined";
		const recipe = this.#recipes.of(image, rendition, about(visit));
		const { blob, provisional } = await this.#renders.run(rendition.key, this.#asker(visit, image), recipe);
		const found = await this.#found(image, blob, outcome);
		return provisional ? { ...found, content: { ...found.content, provisional } } : found;
	}

	/** The address is asked for only here: for an answer that is kept, asking would be a good part of the time. */
	#asker({ request }: Visit, { appPk }: Image): Asker {
		const network = networkOf(this.#deps.addressOf(request), NETWORK_BITS);
		return { signal: request.signal, visitor: { network, app: String(appPk) } };
	}

	async #findKept({ image, rendition }: WantedImage): Promise<FoundAddress | undefined> {
		const hit = await this.#deps.cache.find(rendition.key);
		if (!hit) return undefined;
		// The stripped copy stands for the master itself, unlike what was asked to look otherwise.
		if (hit.blob.size > 0 && !rendition.spec.transform) await this.#deps.masters.requireWhole(image.blobKey);
		return this.#found(image, hit.blob, hit.tier === "memory" ? "hit-memory" : "hit-disk");
	}

	/** While the database is away only what is here already is served. @throws Failure `server_error`, timedOut */
	async #getKept(visit: Visit, wanted: WantedImage): Promise<FoundAddress> {
		// A master that was not looked at since the start is compared with its row, which cannot be had now.
		const hit = await inTime(this.#findKept(wanted), leftMs(visit, KEPT_MS), unanswered);
		if (!hit) throw unanswered();
		return { ...hit, outcome: "stale" };
	}

	#isKept({ key }: Rendition): boolean {
		return this.#deps.cache.bytesOf(key) !== undefined;
	}

	async #found(image: Image, blob: Blob, outcome: ServedAs): Promise<FoundAddress> {
		if (blob.size > 0) return { content: blobContent(blob), outcome };
		return { content: await storedContent(await this.#recipes.getStored(image)), outcome: "original" };
	}

	#fail(visit: Visit, error: unknown): Response {
		const { request } = visit;
		if (error instanceof Failure && error.code === "not_found") return this.#count("not-found", notFound(request));
		const { aborted, reason } = request.signal;
		if (aborted && error === reason)
			return this.#count("abandoned", new Response(null, { status: CLIENT_CLOSED_REQUEST }));
		if (error instanceof Failure) return this.#refuse(visit, error);
		this.#deps.log.error(FAILED, { ...about(visit), error });
		return this.#count("failed", failed(request, new Failure("server_error", undefined, { cause: error })));
	}

	#refuse(visit: Visit, failure: Failure): Response {
		const response = failed(visit.request, failure);
		if (failure instanceof DamagedMaster) return this.#count("damaged", response);
		if (failure.code === "media_failed") return this.#count("impossible", response);
		if (failure.timedOut) {
			// Without a cause it is a refusal: too much work, or too slow an answer.
			if (failure.cause !== undefined) this.#deps.log.error(FAILED, { ...about(visit), error: failure });
			return this.#count("shed", response);
		}
		// Whoever began the rendition has its failure in the log; the others are led there.
		if (visit.joined) this.#deps.log.warn("A request failed with the rendition that it had joined", about(visit));
		return this.#count("failed", response);
	}

	#count(outcome: ServedAs, response: Response): Response {
		this.#deps.meters.count("svc_cdn_requests_total", { outcome });
		return response;
	}
}

/** How many bytes an answer brings, if its visitor stays to the end. */
function bytesOf({ method }: Request, { status, headers }: Response, content: SentContent): number {
	if (method === "HEAD" || status === 416) return 0;
	// Asked for only here: reading a header costs more than all other counting.
	return status === 206 ? Number(headers.get("content-length")) : content.bytes;
}

/** How long a request may still ask the database, or with `moreMs` what lies here. */
function leftMs({ startedMs }: Visit, moreMs = 0): number {
	return Math.max(0, LOOKUPS_MS + moreMs - (performance.now() - startedMs));
}

function about({ id, imageId, wanted }: Visit): LogFacts {
	return { request_id: id, image: imageId, form: wanted?.rendition.spec.text };
}
