import type { StoredBlob } from "@svc/base/ports";
import type { FactKind, Facts } from "./facts.ts";
import type { ImageFormat, OutputFormat } from "./formats.ts";
import type { ImageFacts } from "./images.ts";
import type { Transform } from "./transform.ts";

/* What is asked of whoever knows pixels. */

/** A stored image as a renderer needs it. */
export interface Master {
	readonly blob: StoredBlob;
	readonly format: ImageFormat;
	/** Pixels, after orientation is applied. */
	readonly width: number;
	readonly height: number;
	/** Smaller copies that may stand in for the pixels. */
	readonly reductions?: readonly Reduction[];
}

/** An upright JPEG or PNG of a master whose sides are divided by `factor`. */
export interface Reduction {
	readonly factor: number;
	/** Undefined when it has gone meanwhile: the master itself is always there. */
	read(): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

export interface Reducer {
	/** Undefined where no smaller copy can stand in for this master. */
	reduce(master: Master, factor: number): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/** Makes smaller copies of large masters in the background. */
export interface ReductionQueue {
	want(image: ImageFacts): void;
}

export interface Rendition {
	readonly bytes: Uint8Array<ArrayBuffer>;
	readonly format: OutputFormat;
}

/** What a rendition is made with besides its master: the facts that its form needs, and the picture that is tiled over it. */
export interface RenderAids extends Partial<Facts> {
	readonly tile?: Master;
}

export interface Renderer {
	/**
	 * One rendition, in pixels. `transform` is canonical and not empty; what an aid is missing for has no effect. Rejects with the
	 * signal's reason when it aborts before the start.
	 */
	render(master: Master, transform: Transform, aids: RenderAids, signal: AbortSignal): Promise<Rendition>;
	/**
	 * The master's own container and pixels without GPS, device data and thumbnails; copyright, orientation and profile stay.
	 * Never decodes. Undefined where the stored bytes hold nothing to remove and can be served as they are.
	 */
	strip(master: Master): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

export interface FactFinder {
	/**
	 * Looks for one kind of fact in a picture. That there is nothing is an answer; having none throws, whatever the cause, and may be
	 * tried again. Rejects with the signal's reason when it aborts before the start.
	 */
	find<K extends FactKind>(master: Master, kind: K, signal: AbortSignal): Promise<Facts[K]>;
}

export interface FactStore {
	/** Undefined unless it has been saved. */
	find<K extends FactKind>(blobKey: string, kind: K): Promise<Facts[K] | undefined>;
	/** Saves nothing for an image that is gone; its facts go in the same commit as it does. */
	save<K extends FactKind>(blobKey: string, kind: K, value: Facts[K], nowMs: number): Promise<void>;
}
