import type { ImageFormat, OutputFormat } from "@svc/base/enumerations";
import type { Image } from "@svc/images/images";
import {
	CONTENT_TYPES,
	canonicalFor,
	canonicalString,
	isEmpty,
	isTransformable,
	outputFormat,
	parseTransform,
	type Transform,
} from "@svc/images/transform/transform";
import type { Address } from "./address.ts";
import { digest, renditionKey } from "./cache.ts";

/** Raised whenever the same form comes to give other pixels: old renditions and validators are then forgotten. */
const PIPELINE = "6";
/** How many forms are remembered, and how long a query may be for it: a few hundred bytes each. */
const MAX_FORMS = 4096;
const MAX_REMEMBERED_QUERY = 256;

/** What of an address says which rendition of an image it is. */
type Form = Pick<Address, "extension" | "query">;

/** The rendition that an address asks of any image of one format. */
export interface RenditionSpec {
	readonly digest: string;
	/** Format and canonical parameters, for the log. */
	readonly text: string;
	readonly format: ImageFormat;
	readonly contentType: string;
	/** Undefined: the master's own pixels, without what its container tells about people and places. */
	readonly transform: Transform | undefined;
}

/** The rendition that an address asks of one image. */
export interface Rendition {
	readonly key: string;
	/** Strong: the key stands for the exact bytes. */
	readonly etag: string;
	readonly spec: RenditionSpec;
	/** The image that is tiled over it. */
	readonly tile: Image | undefined;
}

/** Reads addresses. Pages ask for thousands of images in the same few ways, so the ways are remembered. */
export class Renditions {
	/** The forms in order of use, the least recent first. */
	readonly #forms = new Map<string, RenditionSpec>();
	readonly #subjectModel: string;

	constructor(subjectModel: string) {
		this.#subjectModel = subjectModel;
	}

	/**
	 * Undefined where there cannot be such a file: an icon of a photograph. `findTile` looks for the image that the address asks to be
	 * tiled over it; where there is none that can be, it is as if the address did not ask.
	 */
	async find(
		image: Image,
		address: Form,
		findTile: (id: string) => Promise<Image | undefined>,
	): Promise<Rendition | undefined> {
		const spec = this.#formOf(image.format, address, true);
		if (spec?.transform?.tile === undefined) return spec && renditionOf(image, spec);
		const tile = await findTile(spec.transform.tile);
		if (tile && isTransformable(tile.format)) return renditionOf(image, spec, tile);
		const untiled = this.#formOf(image.format, address, false);
		return untiled && renditionOf(image, untiled);
	}

	#formOf(master: ImageFormat, { extension, query }: Form, tiled: boolean): RenditionSpec | undefined {
		const asked = `${master} ${extension} ${tiled} ${query}`;
		const known = this.#forms.get(asked);
		const spec = known ?? this.#read(master, extension, query, tiled);
		if (!spec || query.length > MAX_REMEMBERED_QUERY) return spec;
		this.#forms.delete(asked);
		this.#forms.set(asked, spec);
		if (!known) this.#forgetOldest();
		return spec;
	}

	#read(master: ImageFormat, extension: ImageFormat, query: string, tiled: boolean): RenditionSpec | undefined {
		const spec = readForm(master, extension, query, tiled);
		const showsSubject = spec?.transform?.segment || spec?.transform?.fx;
		return spec && showsSubject ? { ...spec, digest: digest(`${this.#subjectModel} ${spec.digest}`) } : spec;
	}

	#forgetOldest(): void {
		if (this.#forms.size <= MAX_FORMS) return;
		for (const oldest of this.#forms.keys()) {
			this.#forms.delete(oldest);
			return;
		}
	}
}

function renditionOf(image: Image, spec: RenditionSpec, tile?: Image): Rendition {
	const key = renditionKey(image.blobKey, tile ? digest(`${spec.digest} ${tile.blobKey}`) : spec.digest);
	// Half of the blob's part and half of the form's: enough to tell the versions of one address apart.
	return { key, etag: `"${key.slice(16, 48)}"`, spec, tile };
}

function readForm(
	master: ImageFormat,
	extension: ImageFormat,
	query: string,
	tiled: boolean,
): RenditionSpec | undefined {
	// An image that cannot be rendered is served as it is, under its own name only.
	if (!isTransformable(master)) return extension === master ? original(master) : undefined;
	if (!isTransformable(extension)) return undefined;
	const transform = canonicalFor(asked(query, extension, master, tiled), master);
	if (isEmpty(transform)) return original(master);
	const format = outputFormat(transform, master);
	return formOf(`${format} ${canonicalString(transform)}`, format, transform);
}

/**
 * The extension asks for a format when it is another than the master's. The master's own is in every address we give out and asks
 * for nothing, so that a card (`size=social`) may still choose for itself.
 */
function asked(query: string, extension: OutputFormat, master: OutputFormat, tiled: boolean): Transform {
	const { tile, ...others } = parseTransform(new URLSearchParams(query));
	const transform = tiled && tile !== undefined ? { ...others, tile } : others;
	return transform.format || extension === master ? transform : { ...transform, format: extension };
}

function original(format: ImageFormat): RenditionSpec {
	return formOf("original", format, undefined);
}

function formOf(text: string, format: ImageFormat, transform: Transform | undefined): RenditionSpec {
	return { digest: digest(`${PIPELINE} ${text}`), text, format, contentType: CONTENT_TYPES[format], transform };
}
