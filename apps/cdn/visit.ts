import { networkOf } from "@svc/base/http/network";
import type { LogFacts } from "@svc/base/ports";
import type { LinkBounds } from "@svc/delivery/links/bounds";
import type { Image } from "@svc/images/images";
import type { Asker } from "@svc/images/ports";
import type { Servable } from "./confirmed.ts";
import type { ShownImage } from "./renditions/versions.ts";

/** One request, and what is known about it so far. */
export interface PictureVisit {
	readonly request: Request;
	readonly id: string;
	/** The App whose own host it came to, where nothing else is shown; undefined on the service's host. */
	readonly only: number | undefined;
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

export interface WantedImage extends Servable, ShownImage {
	/** When the signature of its address ends, in seconds since 1970. */
	readonly exp?: number | undefined;
	readonly ignored?: string | undefined;
	/** What its App lets links do; undefined where nothing bounds this one. */
	readonly bounds?: LinkBounds | undefined;
}

/** How long all may take that a request asks the database for, and how much longer what lies here may take while that is away. */
const LOOKUPS_MS = 1_500;
export const KEPT_MS = 300;

/** A household with IPv6 has that much of the addresses. */
const NETWORK_BITS = 56;

/** How long a request may still ask the database, or with `moreMs` what lies here. */
export function leftMs({ startedMs }: PictureVisit, moreMs = 0): number {
	return Math.max(0, LOOKUPS_MS + moreMs - (performance.now() - startedMs));
}

/** The address is asked for only here: for an answer that is kept, asking would be a good part of the time. */
export function askerOf({ request }: PictureVisit, { appPk }: Image, addressOf: (request: Request) => string): Asker {
	const network = networkOf(addressOf(request), NETWORK_BITS);
	return { signal: request.signal, visitor: { network, app: String(appPk) } };
}

/** What the log says of a request. */
export function about({ id, imageId, wanted }: PictureVisit): LogFacts {
	return { request_id: id, image: imageId, form: wanted?.rendition.spec.text };
}
