import { CONTENT_TYPES, type ImageFormat, OUTPUT_FORMATS, type OutputFormat } from "@svc/core/formats";
import type { Image } from "@svc/core/images";
import {
	canonicalFor,
	canonicalString,
	isEmpty,
	outputFormat,
	parseTransform,
	type Transform,
} from "@svc/core/transform";
import type { Address } from "./address.ts";
import { digest, renditionKey } from "./cache.ts";

/** Raised whenever the same form comes to give other pixels: old renditions and validators are then forgotten. */
const PIPELINE = "1";
/** How many forms are remembered, and how long a query may be for it: a few hundred bytes each. */
const MAX_FORMS = 4096;
const MAX_REMEMBERED_QUERY = 256;

/** What an address asks of any image of one format. */
interface Form {
	readonly digest: string;
	readonly format: ImageFormat;
	readonly contentType: string;
	/** Undefined: the master's own pixels, without what its container tells about people and places. */
	readonly transform: Transform | undefined;
}

/** What an address asks of one image. */
export interface Rendition {
	readonly key: string;
	/** Strong: the key stands for the exact bytes. */
	readonly etag: string;
	readonly form: Form;
}

/** Reads addresses. Pages ask for thousands of images in the same few ways, so the ways are remembered. */
export class Renditions {
	/** In order of use, the least recent first. */
	readonly #forms = new Map<string, Form>();

	/** Undefined where there cannot be such a file: an icon of a photograph. */
	find(image: Image, address: Address): Rendition | undefined {
		const form = this.#formOf(image.format, address);
		if (!form) return undefined;
		const key = renditionKey(image.blobKey, form.digest);
		// Half of the blob's part and half of the form's: enough to tell the versions of one address apart.
		return { key, etag: `"${key.slice(16, 48)}"`, form };
	}

	#formOf(master: ImageFormat, { extension, query }: Address): Form | undefined {
		const asked = `${master} ${extension} ${query}`;
		const known = this.#forms.get(asked);
		const form = known ?? readForm(master, extension, query);
		if (!form || query.length > MAX_REMEMBERED_QUERY) return form;
		this.#forms.delete(asked);
		this.#forms.set(asked, form);
		if (!known) this.#forgetOldest();
		return form;
	}

	#forgetOldest(): void {
		if (this.#forms.size <= MAX_FORMS) return;
		for (const oldest of this.#forms.keys()) {
			this.#forms.delete(oldest);
			return;
		}
	}
}

function readForm(master: ImageFormat, extension: ImageFormat, query: string): Form | undefined {
	// What cannot be rendered is served as it is, under its own name only.
	if (!isOutput(master)) return extension === master ? original(master) : undefined;
	if (!isOutput(extension)) return undefined;
	const transform = canonicalFor(asked(query, extension, master), master);
	if (isEmpty(transform)) return original(master);
	const format = outputFormat(transform, master);
	return formOf(`${format} ${canonicalString(transform)}`, format, transform);
}

/**
 * The extension asks for a format when it is another than the master's. The master's own is in every address we give out and asks
 * for nothing, so that a card (`size=social`) may still choose for itself.
 */
function asked(query: string, extension: OutputFormat, master: OutputFormat): Transform {
	const transform = parseTransform(new URLSearchParams(query));
	return transform.format || extension === master ? transform : { ...transform, format: extension };
}

function original(format: ImageFormat): Form {
	return formOf("original", format, undefined);
}

function formOf(text: string, format: ImageFormat, transform: Transform | undefined): Form {
	return { digest: digest(`${PIPELINE} ${text}`), format, contentType: CONTENT_TYPES[format], transform };
}

function isOutput(format: ImageFormat): format is OutputFormat {
	return (OUTPUT_FORMATS as readonly ImageFormat[]).includes(format);
}
