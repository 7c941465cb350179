import type { ImageFormat, OutputFormat } from "@svc/base/enumerations";
import type { Image } from "@svc/images/images";
import { followsSubject, showsSubject } from "@svc/images/transform/analysis";
import { type Automatic, withAutomaticFormat } from "@svc/images/transform/automatic";
import type { Extent, Shape } from "@svc/images/transform/extent";
import { plainest } from "@svc/images/transform/plainest";
import { toneTable } from "@svc/images/transform/tone-table";
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
/** What stands for the form without parameters. */
const ORIGINAL = "original";

/** How many forms are remembered, and how long a query may be for it: a few hundred bytes each. */
const MAX_FORMS = 4096;
const MAX_REMEMBERED_QUERY = 256;

/** What depends on what the request accepts. */
const NEGOTIATED = /auto|%/i;

/** What of an address says which rendition of an image it is. */
interface Form extends Pick<Address, "extension" | "query"> {
	/** The request's `Accept`. */
	readonly accept?: string | null;
	/** How many frames the picture has, where that matters. */
	readonly frames?: number | undefined;
}

/** What is asked of a picture of this format and size, with those of the layers that there are. */
interface Asked {
	readonly format: ImageFormat;
	readonly shape: Shape;
	readonly extension: ImageFormat;
	readonly query: string;
	readonly accepted: readonly Automatic[];
	readonly layers: readonly LayerName[];
	/** The size of the picture that is laid over it, where it was looked for. */
	readonly overlay: Extent | undefined;
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
	/** The size by name that was asked for, also of a picture that is smaller. */
	readonly size?: Transform["size"];
}

type Manner = Pick<RenditionSpec, "varies" | "download" | "tells" | "size">;

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
		const seen = this.#formOf(image, address, there, layers.overlay);
		return seen && renditionOf(image, seen, layers);
	}

	#formOf(
		image: Image,
		{ extension, query, frames, accept = null }: Form,
		layers: readonly LayerName[],
		overlay?: Extent,
	): RenditionSpec | undefined {
		const { width, height, format } = image;
		const accepted = NEGOTIATED.test(query) ? acceptedFormats(accept) : [];
		const over = overlay ? `${overlay.width}x${overlay.height}` : "";
		const asked = `${format} ${width}x${height}x${frames} ${extension} ${layers} ${over} ${accepted} ${query}`;
		const known = this.#forms.get(asked);
		const shape = { width, height, frames };
		const spec = known ?? this.#read({ format, shape, extension, query, accepted, layers, overlay });
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
	const chosen = isAuto ? withAutomaticFormat(plain, { ...shape, format: master }, given.accepted) : plain;
	const asWritten = canonicalFor(chosen, master, shape);
	if (isEmpty(asWritten)) return original(master, manner);
	// What is told is about what was asked for: the piece that it names, not pixels that another one has as well.
	const transform = tells ? asWritten : plainest(asWritten, { ...shape, format: master, overlay: given.overlay });
	const format = outputFormat(transform, master);
	const { size } = asWritten;
	return formOf(`${format} ${canonicalString(transform)}`, format, transform, { ...manner, ...(size && { size }) });
}

/** What stands for a form in keys: brightness, contrast and gamma as what they make of a channel, and colours that come to nothing left out. */
function identityOf(text: string, format: ImageFormat, transform: Transform | undefined): string {
	const { brightness, contrast, gamma, ...others } = transform ?? {};
	if (brightness === undefined && contrast === undefined && gamma === undefined) return text;
	const table = toneTable({ ...transform });
	const { saturation, ...flat } = others;
	const rest = table.every((value) => value === table[0]) ? flat : others;
	return `${format} ${canonicalString(rest)} tone ${digest(Buffer.from(table).toString("latin1"))}`;
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

/** The key of what is served of a picture without parameters. */
export function strippedKey(blobKey: string): string {
	return renditionKey(blobKey, digest(`${PIPELINE} ${ORIGINAL}`));
}

function original(format: ImageFormat, manner: Manner): RenditionSpec {
	return formOf(ORIGINAL, format, undefined, manner);
}

function formOf(text: string, format: ImageFormat, transform: Transform | undefined, manner: Manner): RenditionSpec {
	const pipeline = transform?.overlay ? OVERLAID : PIPELINE;
	return {
		digest: digest(
			manner.tells ? `${TOLD} about ${pipeline} ${text}` : `${pipeline} ${identityOf(text, format, transform)}`,
		),
		text,
		format,
		contentType: manner.tells ? "application/json" : CONTENT_TYPES[format],
		transform,
		...manner,
	};
}
