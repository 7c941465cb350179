import type { ImageFormat, OutputFormat } from "@svc/base/enumerations";
import type { Image } from "@svc/images/images";
import { followsSubject, showsSubject } from "@svc/images/transform/analysis";
import { type Automatic, withAutomaticFormat } from "@svc/images/transform/automatic";
import type { Shape } from "@svc/images/transform/extent";
import {
	CONTENT_TYPES,
	canonicalFor,
	canonicalString,
	isEmpty,
	isTransformable,
	LAYERS,
	type LayerName,
	outputFormat,
	parseManner,
	parseTransform,
	type Transform,
} from "@svc/images/transform/transform";
import { acceptedFormats } from "./accept.ts";
import type { Address } from "./address.ts";
import { digest, renditionKey } from "./cache.ts";

/** Raised whenever the same form comes to give other pixels: old renditions and validators are then forgotten. */
const PIPELINE = "6";
/** Likewise for what has an overlay, alone. */
const OVERLAID = "7";
/** Raised whenever what is told about pictures changes. */
const TOLD = "1";

/** How many forms are remembered, and how long a query may be for it: a few hundred bytes each. */
const MAX_FORMS = 4096;
const MAX_REMEMBERED_QUERY = 256;

/** What depends on the shape of the picture; any name may be said with other characters. */
const SHAPED = /crop|frame|auto|%/i;
/** What depends on what the request accepts. */
const NEGOTIATED = /auto|%/i;

/** What of an address says which rendition of an image it is. */
interface Form extends Pick<Address, "extension" | "query"> {
	/** The request's `Accept`. */
	readonly accept?: string | null;
	/** How many frames the picture has, where that matters. */
	readonly frames?: number | undefined;
}

/** What is asked of a picture of this format, and where it matters of this size, with those of the layers that there are. */
interface Asked {
	readonly format: ImageFormat;
	readonly shape: Shape | undefined;
	readonly extension: ImageFormat;
	readonly query: string;
	readonly accepted: readonly Automatic[];
	readonly layers: readonly LayerName[];
}

/** The rendition that an address asks of any image of one format. */
export interface RenditionSpec {
	readonly digest: string;
	/** Format and canonical parameters, for the log. */
	readonly text: string;
	readonly format: ImageFormat;
	readonly contentType: string;
	/** Undefined: the master's own pixels, without what its container tells about people and places. */
	readonly transform: Transform | undefined;
	/** Whether another request for the same address may get another format. */
	readonly varies: boolean;
	/** The name under which it is to be saved, without an ending. */
	readonly download: string | undefined;
	/** Whether the answer tells about the picture instead of showing it. */
	readonly tells: boolean;
}

type Manner = Pick<RenditionSpec, "varies" | "download" | "tells">;

/** The rendition that an address asks of one image. */
export interface Rendition {
	readonly key: string;
	/** Strong: the key stands for the exact bytes. */
	readonly etag: string;
	readonly spec: RenditionSpec;
	readonly layers: Layers;
}

/** The images that lie over another. */
export type Layers = Partial<Record<LayerName, Image>>;

/** Reads addresses. Pages ask for thousands of images in the same few ways, so the ways are remembered. */
export class Renditions {
	/** The forms in order of use, the least recent first. */
	readonly #forms = new Map<string, RenditionSpec>();
	readonly #subjectModel: string;

	constructor(subjectModel: string) {
		this.#subjectModel = subjectModel;
	}

	/**
	 * Undefined where there cannot be such a file: an icon of a photograph. `findLayer` looks for an image that the address asks to be laid over
	 * it; where there is none that can be, it is as if the address did not ask.
	 */
	async find(
		image: Image,
		address: Form,
		findLayer: (id: string) => Promise<Image | undefined>,
	): Promise<Rendition | undefined> {
		const spec = this.#formOf(image, address, LAYERS);
		if (!spec?.transform || !LAYERS.some((name) => spec.transform?.[name])) return spec && renditionOf(image, spec);
		const layers: Layers = {};
		for (const name of LAYERS) {
			const id = spec.transform[name];
			const layer = id === undefined ? undefined : await findLayer(id);
			if (layer && isTransformable(layer.format)) layers[name] = layer;
		}
		const there = LAYERS.filter((name) => layers[name]);
		const seen = this.#formOf(image, address, there);
		return seen && renditionOf(image, seen, layers);
	}

	#formOf(
		image: Image,
		{ extension, query, frames, accept = null }: Form,
		layers: readonly LayerName[],
	): RenditionSpec | undefined {
		// What an address says depends on the picture's shape only where a piece of it is asked for, one frame, or any format.
		const { width, height, format } = image;
		const shape = SHAPED.test(query) ? { width, height, frames } : undefined;
		const accepted = NEGOTIATED.test(query) ? acceptedFormats(accept) : [];
		const size = shape ? `${width}x${height}x${frames}` : "";
		const asked = `${format} ${size} ${extension} ${layers} ${accepted} ${query}`;
		const known = this.#forms.get(asked);
		const spec = known ?? this.#read({ format, shape, extension, query, accepted, layers });
		if (!spec || query.length > MAX_REMEMBERED_QUERY) return spec;
		this.#forms.delete(asked);
		this.#forms.set(asked, spec);
		if (!known) this.#forgetOldest();
		return spec;
	}

	#read(asked: Asked): RenditionSpec | undefined {
		const spec = readForm(asked);
		return spec?.transform && (showsSubject(spec.transform) || followsSubject(spec.transform))
			? { ...spec, digest: digest(`${this.#subjectModel} ${spec.digest}`) }
			: spec;
	}

	#forgetOldest(): void {
		if (this.#forms.size <= MAX_FORMS) return;
		for (const oldest of this.#forms.keys()) {
			this.#forms.delete(oldest);
			return;
		}
	}
}

function renditionOf(image: Image, spec: RenditionSpec, layers: Layers = {}): Rendition {
	const blobs = LAYERS.flatMap((name) => layers[name]?.blobKey ?? []);
	const key = renditionKey(image.blobKey, blobs.length > 0 ? digest([spec.digest, ...blobs].join(" ")) : spec.digest);
	// Half of the blob's part and half of the form's: enough to tell the versions of one address apart.
	return { key, etag: `"${key.slice(16, 48)}"`, spec, layers };
}

function readForm(given: Asked): RenditionSpec | undefined {
	const { format: master, shape, extension } = given;
	// An image that cannot be rendered is served as it is, under its own name only.
	const { isAuto, download, tells } = parseManner(new URLSearchParams(given.query));
	const manner = { varies: isAuto, download, tells };
	if (!isTransformable(master)) return extension === master ? original(master, manner) : undefined;
	if (!isTransformable(extension)) return undefined;
	const plain = asked(given, extension);
	const chosen = isAuto && shape ? withAutomaticFormat(plain, { ...shape, format: master }, given.accepted) : plain;
	const transform = canonicalFor(chosen, master, shape);
	if (isEmpty(transform)) return original(master, manner);
	const format = outputFormat(transform, master);
	return formOf(`${format} ${canonicalString(transform)}`, format, transform, manner);
}

/**
 * The extension asks for a format when it is another than the master's. The master's own is in every address we give out and asks
 * for nothing, so that a card (`size=social`) may still choose for itself.
 */
function asked({ query, format: master, layers }: Asked, extension: OutputFormat): Transform {
	const params = new URLSearchParams(query);
	for (const name of LAYERS) if (!layers.includes(name)) params.delete(name);
	const transform = parseTransform(params);
	return transform.format || extension === master ? transform : { ...transform, format: extension };
}

function original(format: ImageFormat, manner: Manner): RenditionSpec {
	return formOf("original", format, undefined, manner);
}

function formOf(text: string, format: ImageFormat, transform: Transform | undefined, manner: Manner): RenditionSpec {
	const pipeline = transform?.overlay ? OVERLAID : PIPELINE;
	return {
		digest: digest(manner.tells ? `${TOLD} about ${pipeline} ${text}` : `${pipeline} ${text}`),
		text,
		format,
		contentType: manner.tells ? "application/json" : CONTENT_TYPES[format],
		transform,
		...manner,
	};
}
