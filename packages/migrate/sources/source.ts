import type { Fetch } from "@svc/sdk/wire/request";

/* What a collection of pictures in another place looks like from here. */

export type Pairs = Readonly<Record<string, string>>;

export const VISIBILITIES = ["public", "private"] as const;

/** What is said of a picture besides its bytes. */
export interface PictureFields {
	/** ISO 8601 or unix seconds. */
	readonly date?: string | undefined;
	readonly caption?: string | undefined;
	readonly ttl?: string | undefined;
	readonly visibility?: (typeof VISIBILITIES)[number] | undefined;
	readonly labels: Pairs;
	readonly metadata: Pairs;
}

/** A picture's file, as it begins to come. */
export interface Download {
	readonly stream: ReadableStream<Uint8Array>;
	/** Undefined where the other side does not say. */
	readonly bytes: number | undefined;
	/** What was said of it only now. */
	readonly metadata?: Pairs;
}

/** A picture that is to come. */
export interface SourceImage {
	/** Its place in the collection, counted from 1. */
	readonly line: number;
	/** How people know it, and where it lies. Never with a secret in it. */
	readonly address: string;
	/** Its own id in the other place. */
	readonly name: string;
	/** Changes with the bytes, where the other place says so. */
	readonly version?: string;
	readonly filename?: string | undefined;
	readonly fields: PictureFields;
	/**
	 * Fetches it from here; undefined where the service is to fetch the address itself.
	 * @throws LocalError
	 */
	readonly download?: ((signal: AbortSignal) => Promise<Download>) | undefined;
	/** What tells it from others, and from what it was before; default: its name and version. */
	readonly identity?: readonly unknown[];
}

/** Something that cannot come as it is. */
export interface Unfit extends Pick<SourceImage, "line" | "address"> {
	readonly why: string;
	/** No picture at all, so that nobody will miss it. */
	readonly isNoPicture: boolean;
}

export type FoundImage = SourceImage | Unfit;

export function isUnfit(one: FoundImage): one is Unfit {
	return "why" in one;
}

/** A collection. */
export interface ImageSource {
	/** How it is named on a command line. */
	readonly name: string;
	/** Tells it from another one of the same name; default: the name does. */
	readonly place?: string;
	/** What it says of a picture was said for this service: a picture comes with all of it or not at all. */
	readonly isExact?: boolean;
	/** The file that it is, if it is one. */
	readonly path?: string;
	/** In an order that stays the same from run to run, as far as the other place allows. @throws LocalError */
	list(signal: AbortSignal): AsyncIterable<FoundImage>;
}

/** What a source is opened with. */
export interface SourceOptions {
	/** The word after `svc migrate`. */
	readonly from: string;
	readonly prefix: string | undefined;
	/** The address of the other place's interface, where it is not the usual one. */
	readonly endpoint: string | undefined;
	/** Addresses below this one show the same pictures to everybody. */
	readonly publicUrl: string | undefined;
	/** Keys of the other place are here, and nowhere else. */
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly cwd: string;
	readonly fetch: Fetch;
	/** For people, while nothing seems to happen. */
	readonly tell: (text: string) => void;
}
