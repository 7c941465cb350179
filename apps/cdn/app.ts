import type { Addresses } from "@svc/base/addresses";
import { Failure, NoRoom } from "@svc/base/failure";
import { isExpected, isKnown } from "@svc/base/http/conditions";
import { idSequence } from "@svc/base/ids";
import { inTime } from "@svc/base/pace/patience";
import type { Clock, Log, Meters } from "@svc/base/ports";
import type { Image } from "@svc/images/images";
import { DamagedMaster } from "@svc/images/keep/masters";
import type { Asker, ImageStore, Renderer, ShownChanges } from "@svc/images/ports";
import { isTransformable } from "@svc/images/transform/transform";
import type { DailyCounters } from "@svc/images/usage/daily-usage";
import { AddressedImages } from "./addressed-images.ts";
import { type Caching, endsEver } from "./ages.ts";
import type { RenditionCache } from "./cache/cache.ts";
import { KeptAnswers } from "./cache/kept-answers.ts";
import type { Originals } from "./cache/kept-originals.ts";
import { ConfirmedImages, unanswered } from "./confirmed.ts";
import type { DeliveryDoor } from "./delivery.ts";
import type { AnalysisSearches } from "./renditions/analysis.ts";
import { FormDemand } from "./renditions/form-demand.ts";
import { FrameCounts } from "./renditions/frame-counts.ts";
import { ImpossibleForms } from "./renditions/impossible-forms.ts";
import { Recipes } from "./renditions/recipes.ts";
import { Renders } from "./renditions/renders.ts";
import type { Rendition } from "./renditions/rendition.ts";
import type { ShrunkMasters } from "./renditions/shrunk-masters.ts";
import { SizeDemand } from "./renditions/size-demand.ts";
import { Versions, type VersionsDeps } from "./renditions/versions.ts";
import {
	blobContent,
	contentResponse,
	elsewhere,
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
import { about, askerOf, KEPT_MS, leftMs, type PictureVisit, type WantedImage } from "./visit.ts";

export interface CdnDeps extends Pick<VersionsDeps, "forgetInFront" | "looks" | "subjectModel"> {
	readonly images: Pick<ImageStore, "findAddressed" | "noteCompact">;
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
	readonly shrunkMasters: Pick<ShrunkMasters, "describeAnew" | "find" | "make">;
	readonly served: Pick<DailyCounters, "countServed" | "countRendition">;
	readonly addresses: Pick<Addresses, "base">;
	readonly clock: Clock;
	readonly log: Log;
	readonly meters: Meters;
	readonly renderTimeoutMs: number;
	/** How often a rendition is asked for within a day before it is made in fewer bytes; 0: never. */
	readonly compactAfter: number;
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
	/** Its App has set how much it serves in a day. */
	| "spent"
	| "preflight"
	| "refused"
	/** The line before the workers had no room, which `svc_cdn_shed_total` counts as well. */
	| "shed"
	/** What is needed was away, or took too long. */
	| "late"
	| "abandoned"
	| "damaged"
	| "impossible"
	| "failed";

interface FoundAddress {
	readonly content: SentContent;
	readonly outcome: ServedAs;
}

/** No client reads the answer to a request whose client has left; the number is the usual one in logs. */
const CLIENT_CLOSED_REQUEST = 499;

/** As the API names them in every image. */
const SIZES = ["s", "m", "l"] as const;
const SMALLEST = ["s"] as const;
const AHEAD: Asker = { signal: new AbortController().signal, background: true };

const FAILED = "A request to the transform host failed";

/** The transform host: cookieless, without authentication, one route. `makeSizes` makes s, m and l of an image before anybody asks. */
export function cdnApp(deps: CdnDeps) {
	const host = new TransformHost(deps);
	// The route is one wildcard: one expression parses the address, where a router would decode characters that must be refused.
	return {
		handle: (request: Request) => host.answer(request),
		/** The same on the own host of an App. */
		handleOf: (request: Request, appPk: number) => host.answer(request, appPk),
		again: (request: Request) => host.again(request),
		makeSizes: (image: Image) => host.makeSizes(image),
	};
}

class TransformHost {
	readonly #deps: CdnDeps;
	readonly #recipes: Recipes;
	readonly #renders: Renders;
	readonly #addressed: AddressedImages;
	readonly #versions: Versions;
	readonly #kept: KeptAnswers;
	readonly #sizes = new SizeDemand();
	readonly #forms: FormDemand;
	readonly #nextId = idSequence("req");

	constructor(deps: CdnDeps) {
		this.#deps = deps;
		this.#renders = new Renders({
			...deps,
			impossible: new ImpossibleForms(deps.clock),
			timeoutMs: deps.renderTimeoutMs,
		});
		this.#forms = new FormDemand(deps.compactAfter, deps.clock);
		const images = new ConfirmedImages(deps);
		this.#kept = new KeptAnswers(deps);
		this.#recipes = new Recipes({ ...deps, images });
		const made = { images, renders: this.#renders, recipes: this.#recipes };
		const noteCompact: ImageStore["noteCompact"] = (...note) => deps.images.noteCompact(...note);
		this.#versions = new Versions({ ...deps, ...made, noteCompact });
		const frames = new FrameCounts(deps);
		this.#addressed = new AddressedImages({ ...deps, images, frames, versions: this.#versions });
		const { cache, line, meters } = deps;
		meters.gauge("svc_cdn_gate_running", () => line.running);
		meters.gauge("svc_cdn_gate_waiting", () => line.waiting);
		meters.gauge("svc_cdn_shed_total", () => line.shed);
		meters.gauge("svc_cdn_abandoned_total", () => line.abandoned);
		meters.gauge("svc_cdn_cache_bytes", () => cache.bytes);
		meters.gauge("svc_cdn_cache_small_bytes", () => cache.smallBytes);
		meters.gauge("svc_cdn_cache_hot_bytes", () => cache.hotBytes);
		meters.gauge("svc_cdn_cache_entries", () => cache.entries);
	}

	/** What is kept of the answer to an address; undefined where it has to be answered in full. */
	again(request: Request): Response | undefined {
		const kept = this.#kept.find(request, this.#nextId);
		// What its App's bounds forbid is answered in full, which says why.
		if (!kept || kept.bounds?.isElsewhere(request)) return undefined;
		if (kept.bytes !== undefined && kept.bounds?.isSpent("bytes")) return undefined;
		kept.bounds?.count("bytes", kept.bytes ?? 0);
		this.#forms.askedAgain(kept.key);
		this.#deps.served.countServed(kept.storagePk, kept.bytes ?? 0);
		return this.#count(kept.bytes === undefined ? "not-modified" : "hit-memory", kept.response);
	}

	answer(request: Request, only?: number): Response | Promise<Response> {
		return this.again(request) ?? this.#answerInFull(request, this.#nextId(), only);
	}

	async #answerInFull(request: Request, id: string, only: number | undefined): Promise<Response> {
		const visit: PictureVisit = {
			...{ request, id, only, startedMs: performance.now() },
			...{ sinceChange: this.#deps.changes?.now(), layers: [] },
		};
		const response = await this.#answer(visit);
		response.headers.set("X-Request-Id", visit.id);
		return response;
	}

	/**
	 * The smallest of every picture, for the lists in which people look through them; the others only where somebody asks for sizes. None that a
	 * request is waiting for, or that is kept. Rejects when one cannot be made.
	 */
	async makeSizes(image: Image): Promise<void> {
		const { id: imageId, format: extension } = image;
		if (!isTransformable(extension)) return;
		const isAsked = this.#sizes.takes(image.appPk);
		for (const size of isAsked ? SIZES : SMALLEST) {
			const form = { extension, query: `size=${size}` };
			const rendition = await this.#versions.findSeen(image, form, async () => undefined, AHEAD);
			if (!rendition || this.#isKept(rendition) || this.#renders.has(rendition.key)) continue;
			const about = { image: imageId, form: rendition.spec.text };
			// Then they come from the smaller copies, for which a large master is decoded once.
			await this.#deps.shrunkMasters.make(image);
			await this.#renders.run(rendition.key, AHEAD, this.#recipes.of(image, rendition, about));
			if (isAsked) this.#deps.served.countRendition(image.storagePk);
		}
	}

	async #answer(visit: PictureVisit): Promise<Response> {
		const { request } = visit;
		try {
			if (request.method === "GET" || request.method === "HEAD") return await this.#serve(visit);
			if (request.method === "OPTIONS") return this.#count("preflight", preflight());
			return this.#count("refused", methodNotAllowed());
		} catch (error) {
			return this.#fail(visit, error);
		}
	}

	async #serve(visit: PictureVisit): Promise<Response> {
		const { request } = visit;
		const found = await this.#addressed.find(visit);
		if (found === "forbidden") return this.#count("forbidden", forbidden(request));
		if (found === "elsewhere") return this.#count("forbidden", elsewhere(request));
		if (!found) return this.#count("not-found", this.#notFound(visit));
		visit.wanted = found;
		const wanted = await this.#versions.shown(found, {
			...{ request, about: about(visit) },
			asker: () => askerOf(visit, found.image, this.#deps.addressOf),
			findLayer: (id) => this.#addressed.findLayer(visit, found.image, id),
		});
		visit.wanted = wanted;
		const { image, rendition, exp, isBrief } = wanted;
		this.#noteDemand(wanted);
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
		wanted.bounds?.requireLeft("bytes");
		const { content, outcome } = await (stale ? this.#getKept(visit, wanted) : this.#get(visit, wanted));
		stale ||= await this.#isOutdated(visit, wanted, outcome);
		const response = contentResponse(request, subject(), content);
		const bytes = bytesOf(request, response, content);
		this.#deps.served.countServed(image.storagePk, bytes);
		wanted.bounds?.count("bytes", bytes);
		if (outcome === "rendered") this.#deps.served.countRendition(image.storagePk);
		if (outcome === "hit-memory" && response.status === 200)
			this.#keep(visit, subject(), new Headers(response.headers));
		return this.#count(outcome, response);
	}

	/** What is asked for says what is worth making ahead, or in fewer bytes. */
	#noteDemand({ image, rendition, stale }: WantedImage): void {
		if (SIZES.some((size) => size === rendition.spec.size)) this.#sizes.asked(image.appPk);
		if (!stale && this.#forms.isOften(rendition.key)) this.#versions.wantCompact(image, rendition);
	}

	/** A path of the API says where that is, but on an App's own host; whatever could be an image's is answered alike. */
	#notFound({ request, only }: PictureVisit): Response {
		return only === undefined && /^https?:\/\/[^/?#]+\/(?:v1|docs|openapi\.json)(?:[/?#]|$)/.test(request.url)
			? notTheApi(request, this.#deps.addresses.base)
			: notFound(request);
	}

	/** What a hit answered is answered again as long as nothing changes; the first time was a render, or from the disk. */
	#keep({ request: { url }, sinceChange, layers, wanted }: PictureVisit, subject: Subject, whole?: Headers): void {
		const { bounds } = wanted ?? {};
		const { image, rendition, stale, isBrief } = subject;
		const { varies, transform } = rendition.spec;
		if (sinceChange === undefined || stale || isBrief || varies || !transform || endsEver(subject)) return;
		const { headers: known } = notModified(subject);
		const { key, etag } = rendition;
		const answer = { key, etag, storagePk: image.storagePk, whole, known, bounds };
		this.#kept.keep(url, answer, { at: sinceChange, images: [image, ...layers] });
	}

	/**
	 * Whether what took a while to make may be wrong by now. Caches in front that were told so meanwhile did not have it yet, and would keep it as
	 * long as any.
	 */
	async #isOutdated(visit: PictureVisit, { rendition }: WantedImage, outcome: ServedAs): Promise<boolean> {
		const isMade = outcome === "rendered" || outcome === "joined";
		if (!isMade || this.#deps.caching.sharedMaxAgeSeconds === undefined) return false;
		const now = await this.#addressed.find({ ...visit, startedMs: performance.now() }).catch(() => undefined);
		return typeof now !== "object" || now.stale || now.rendition.key !== rendition.key;
	}

	async #get(visit: PictureVisit, wanted: WantedImage): Promise<FoundAddress> {
		const { image, rendition } = wanted;
		const hit = await this.#findKept(wanted);
		if (hit) return hit;
		const outcome = this.#renders.has(rendition.key) ? "joined" : "rendered";
		visit.joined = outcome === "joined";
		if (outcome === "rendered" && rendition.spec.transform) takeRendition(wanted);
		const recipe = this.#recipes.of(image, rendition, about(visit));
		const { blob, provisional } = await this.#renders.run(
			rendition.key,
			askerOf(visit, image, this.#deps.addressOf),
			recipe,
		);
		const found = await this.#found(image, blob, outcome);
		return provisional ? { ...found, content: { ...found.content, provisional } } : found;
	}

	async #findKept({ image, rendition }: WantedImage): Promise<FoundAddress | undefined> {
		const hit = await this.#deps.cache.find(rendition.key);
		if (!hit) return undefined;
		// The stripped copy stands for the master itself, unlike what was asked to look otherwise.
		if (hit.blob.size > 0 && !rendition.spec.transform) await this.#deps.masters.requireWhole(image.blobKey);
		return this.#found(image, hit.blob, hit.tier === "memory" ? "hit-memory" : "hit-disk");
	}

	/** While the database is away only what is here already is served. @throws Failure `server_error`, timedOut */
	async #getKept(visit: PictureVisit, wanted: WantedImage): Promise<FoundAddress> {
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

	#fail(visit: PictureVisit, error: unknown): Response {
		const { request } = visit;
		if (error instanceof Failure && error.code === "not_found") return this.#count("not-found", notFound(request));
		const { aborted, reason } = request.signal;
		if (aborted && error === reason)
			return this.#count("abandoned", new Response(null, { status: CLIENT_CLOSED_REQUEST }));
		if (error instanceof Failure) return this.#refuse(visit, error);
		this.#deps.log.error(FAILED, { ...about(visit), error });
		return this.#count("failed", failed(request, new Failure("server_error", undefined, { cause: error })));
	}

	#refuse(visit: PictureVisit, failure: Failure): Response {
		const response = failed(visit.request, failure);
		if (failure instanceof DamagedMaster) return this.#count("damaged", response);
		if (failure.code === "media_failed") return this.#count("impossible", response);
		if (failure.code === "rate_limited") return this.#count("spent", response);
		if (failure.timedOut) {
			// Without a cause it is a refusal: too much work, or too slow an answer.
			if (failure.cause !== undefined) this.#deps.log.error(FAILED, { ...about(visit), error: failure });
			return this.#count(failure instanceof NoRoom ? "shed" : "late", response);
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

/** Before it is made: those who ask at once may not make any number. @throws Failure `rate_limited` */
function takeRendition({ bounds }: WantedImage): void {
	bounds?.requireLeft("renditions");
	bounds?.count("renditions", 1);
}

/** How many bytes an answer brings, if its visitor stays to the end. */
function bytesOf({ method }: Request, { status, headers }: Response, content: SentContent): number {
	if (method === "HEAD" || status === 416) return 0;
	// Asked for only here: reading a header costs more than all other counting.
	return status === 206 ? Number(headers.get("content-length")) : content.bytes;
}
