import { apiApp } from "@svc/api/app";
import type { ApiRooms } from "@svc/api/kit/rooms";
import type { Base } from "@svc/base/base";
import { type RateLimit, rateLimiter } from "@svc/base/pace/rate-in-process";
import type { Clock } from "@svc/base/ports";
import { cdnApp } from "@svc/cdn/app";
import { isOwnAddress } from "@svc/delivery/own-addresses";
import type { Image } from "@svc/images/images";
import type { Variant } from "@svc/variants/variant";
import type { Version } from "@svc/versions/version";
import type { Config } from "../config/config.ts";
import { clientAddresses, rememberPeer } from "../door/client-address.ts";
import type { Sites } from "../door/listen.ts";
import { downloadsFolder } from "./downloads.ts";
import { type Pictures, pictureDrawer } from "./pictures.ts";
import type { Rooms } from "./rooms.ts";

/** The longest wait in the line and some work; a connection that is silent for a minute is closed. */
const RENDER_TIMEOUT_MS = 50_000;
/** Wrong secrets. Who mistypes one tries again; a machine that guesses gets ten an hour, and many machines ten a minute together. */
const BOOTSTRAPS_PER_NETWORK: RateLimit = { perSecond: 10 / 3_600, burst: 10 };
const BOOTSTRAPS: RateLimit = { perSecond: 1 / 6, burst: 30 };
/** What open routes refuse: 120 a minute from one network. */
const REFUSALS_PER_NETWORK: RateLimit = { perSecond: 2, burst: 120 };
/** What one person makes the service send to the address of an endpoint: 20 a minute. */
const WEBHOOK_SENDS: RateLimit = { perSecond: 20 / 60, burst: 20 };
/** Names that one person makes the service look for in the DNS: 20 a minute. */
const LOOK_UPS: RateLimit = { perSecond: 20 / 60, burst: 20 };
const OFF: RateLimit = { perSecond: 0, burst: 0 };

interface FaceParts {
	readonly variant: Variant;
	readonly pictures: Pictures;
	readonly readiness: ApiRooms["readiness"];
	readonly isMachineKey: ApiRooms["isMachineKey"];
	/** What answers at the three addresses, once it is open. */
	readonly sites: () => Pick<Sites, "api" | "cdn" | "cdnOf">;
	/** How many processes serve this database, and share the limits on calls. */
	readonly processes: () => number;
}

/** The rooms of the API and the hosted pages. */
export function faceRooms(
	config: Config,
	base: Base,
	rooms: Rooms,
	{ pictures, processes, sites, ...parts }: FaceParts,
): ApiRooms {
	const addressOf = clientAddresses(config.proxyTrust);
	return {
		...base,
		...rooms,
		...parts,
		drawPicture: pictureDrawer(pictures),
		downloads: downloadsFolder(),
		limits: limitsOf(config, processes),
		publicCutoffMs: config.publicCutoffMs,
		supportEmail: config.supportEmail,
		isJudged: config.scan !== undefined,
		addressOf,
		async ask(call, from) {
			rememberPeer(call, () => addressOf(from));
			const { api, cdn, cdnOf } = sites();
			const { origin, host } = new URL(call.url);
			return await (origin === new URL(config.cdnUrl).origin ? cdn : (cdnOf?.(host) ?? api))(call);
		},
	};
}

interface Faces {
	readonly sites: Omit<Sites, "probes">;
	/** Makes the sizes of an image that are missing, in the background. */
	readonly makeSizes: (image: Image) => Promise<void>;
}

/** The handlers of the three addresses. */
export function openFaces(
	rooms: ApiRooms & Pick<Rooms, "purging">,
	version: Version,
	pictures: Pictures,
	{ caching, compactAfter }: Pick<Config, "caching" | "compactAfter">,
): Faces {
	const { renderer, analysis, looks, models, cache, line, shrunkMasters, images, originals } = pictures;
	const api = apiApp(rooms, version.api);
	const cdn = cdnApp({
		...rooms,
		images,
		changes: images.changes,
		delivery: rooms.variant.delivery && {
			of: (app) => rooms.delivery.rules.of(app),
			boundsOf: (app, address) =>
				app.terms && !isOwnAddress(rooms.delivery, address) ? rooms.delivery.bounds.of(app) : undefined,
		},
		masters: originals,
		renderer,
		analysis,
		looks,
		subjectModel: models.subjectModel,
		cache,
		line,
		shrunkMasters,
		served: rooms.images.dailyCounters,
		forgetInFront: (imageId) => rooms.purging.purges.add(imageId),
		renderTimeoutMs: RENDER_TIMEOUT_MS,
		...{ caching, compactAfter },
	});
	const cdnOf = (host: string) => {
		const appPk = rooms.addresses.hosts?.appAt(host);
		return appPk === undefined ? undefined : (request: Request) => cdn.handleOf(request, appPk);
	};
	const sites = { cdnOf, api: api.handle, pages: lazyPages(rooms, version), cdn: cdn.handle, cdnAgain: cdn.again };
	return { sites, makeSizes: cdn.makeSizes };
}

/** Loaded when the first page is asked for: they are a quarter of the program, and many services are called by programs alone. */
function lazyPages(rooms: ApiRooms, version: Version): Sites["pages"] {
	let loading: Promise<Sites["pages"]> | undefined;
	const load = async () => (await import("@svc/pages/app")).pagesApp(rooms, await version.pages()).handle;
	return async (request) => {
		loading ??= load().catch((cause: unknown) => {
			// A file may not be there to be opened just now, where a process has too many of them.
			loading = undefined;
			throw cause;
		});
		return (await loading)(request);
	};
}

function limitsOf(config: Config, processes: () => number): ApiRooms["limits"] {
	const monotonic: Clock = { now: () => performance.now() };
	const shared = (limit: RateLimit) => rateLimiter(limit, monotonic, processes);
	return {
		calls: shared({ perSecond: config.keyRate, burst: config.keyBurst }),
		creates: shared({ perSecond: config.createRate, burst: config.createBurst }),
		refusals: shared(config.keyRate === 0 ? OFF : REFUSALS_PER_NETWORK),
		webhookSends: shared(WEBHOOK_SENDS),
		lookUps: shared(LOOK_UPS),
		bootstrapsPerNetwork: shared(BOOTSTRAPS_PER_NETWORK),
		bootstraps: shared(BOOTSTRAPS),
		uploads: shared({ perSecond: config.createRate, burst: config.createBurst }),
		openReads: shared({ perSecond: config.keyRate, burst: config.keyBurst }),
	};
}
