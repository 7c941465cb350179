import type { ImageFormat, OutputFormat } from "@svc/base/enumerations";
import { LeastRecent } from "@svc/base/pace/least-recent";
import type { Image } from "@svc/images/images";
import type { Extent, Shape } from "@svc/images/layout/extent";
import { followsSubject, showsSubject } from "@svc/images/transform/analysis-needs";
import { type Automatic, withAutomaticFormat } from "@svc/images/transform/automatic";
import { type FoundMends, isLayerUnseen, isUnseen, type Mendable, mendNumbers } from "@svc/images/transform/mends";
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
import { acceptedFormats } from "../accept.ts";
import type { Address } from "../address.ts";
import { digest, renditionKey } from "../cache/cache.ts";
import type { Pictured } from "./mend-looks.ts";

/*
 * They are part of the names of all renditions that are kept anywhere, and stay as they are: what comes to be shown otherwise is a line in
 * packages/images/transform/mends.ts.
 */
const PIPELINE = "6";
/** Of what has an overlay. */
const OVERLAID = "7";
/** Of what is told about pictures. */
const TOLD = "1";
/** What stands for the form without parameters. */
const ORIGINAL = "original";

/** How many forms are remembered, and how long a query may be for it: a few hundred bytes each. */
const MAX_FORMS = 4096;
const MAX_REMEMBERED_QUERY = 256;

/** What depends on what the request accepts. */
const NEGOTIATED = /auto|%/i;

/** What of an address says which rendition of an image it is. */
export interface Form extends Pick<Address, "extension" | "query"> {
	/** The request's `Accept`. */
	readonly accept?: string | null;
	/** How many frames the picture has, where that matters. */
	readonly frames?: number | undefined;
}

/** What is asked of a picture of this format and size, with those of the layers that there are. */
interface AskedRendition {
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

/** The name of the bytes of a rendition. */
interface Version {
	readonly key: string;
	/** Strong: the key stands for the exact bytes. */
	readonly etag: string;
}

/** The rendition that an address asks of one image. */
export interface Rendition extends Version {
	readonly spec: RenditionSpec;
	readonly layers: Layers;
	/** What is known of the master. */
	readonly mends: FoundMends | undefined;
	/** What earlier releases made of it, where that was another one; the last first. */
	readonly before: readonly Version[];
	/** The pictures of which it is not known whether they are as earlier releases showed them. */
	readonly unseen: readonly Image[];
}

/** The images that lie over another. */
export type Layers = Partial<Record<LayerName, Image>>;

/** Reads addresses. Pages ask for thousands of images in the same few ways, so the ways are remembered. */
export class Renditions {
	/** The forms in order of use, the least recent first. */
	readonly #forms = new LeastRecent<string, RenditionSpec>(MAX_FORMS);
	readonly #subjectModel: string;

	constructor(subjectModel: string) {
		this.#subjectModel = subjectModel;
	}

	/**
	 * Undefined where there cannot be such a file: an icon of a photograph. `findLayer` looks for an image that the address asks to be laid over
	 * it; where there is none that can be, it is as if the address did not ask.
	 */
	async find(
		picture: Pictured,
		address: Form,
		findLayer: (id: string) => Promise<Pictured | undefined>,
	): Promise<Rendition | undefined> {
		const { image } = picture;
		const spec = this.#formOf(image, address, LAYERS);
		if (!spec?.transform || !LAYERS.some((name) => spec.transform?.[name])) return spec && renditionOf(picture, spec);
		const layers: Partial<Record<LayerName, Pictured>> = {};
		for (const name of LAYERS) {
			const id = spec.transform[name];
			const layer = id === undefined ? undefined : await findLayer(id);
			if (layer && isTransformable(layer.image.format)) layers[name] = layer;
		}
		const there = LAYERS.filter((name) => layers[name]);
		const seen = this.#formOf(image, address, there, layers.overlay?.image);
		return seen && renditionOf(picture, seen, layers);
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
		this.#forms.set(asked, spec);
		return spec;
	}

	#read(asked: AskedRendition): RenditionSpec | undefined {
		const spec = readForm(asked);
		return spec?.transform && (showsSubject(spec.transform) || followsSubject(spec.transform))
			? { ...spec, digest: digest(`${this.#subjectModel} ${spec.digest}`) }
			: spec;
	}
}

function renditionOf(
	picture: Pictured,
	spec: RenditionSpec,
	pictures: Partial<Record<LayerName, Pictured>> = {},
): Rendition {
	const { image } = picture;
	const over = LAYERS.flatMap((name) => pictures[name] ?? []);
	const blobs = over.map((layer) => layer.image.blobKey);
	const form = blobs.length > 0 ? digest([spec.digest, ...blobs].join(" ")) : spec.digest;
	const [now, ...before] = mendNumbers(spec, mendable(picture), over.map(mendable)).map((number) =>
		versionOf(image.blobKey, mended(form, number)),
	);
	const unseen = [
		...(isUnseen(spec, mendable(picture)) ? [image] : []),
		...over.filter((layer) => isLayerUnseen(mendable(layer))).map((layer) => layer.image),
	];
	const layers = Object.fromEntries(Object.entries(pictures).map(([name, layer]) => [name, layer.image]));
	return { ...(now ?? versionOf(image.blobKey, form)), spec, layers, mends: picture.mends, before, unseen };
}

function mendable({ image, mends }: Pictured): Mendable {
	return { format: image.format, mends };
}

function versionOf(blobKey: string, form: string): Version {
	const key = renditionKey(blobKey, form);
	// Half of the blob's part and half of the form's: enough to tell the versions of one address apart.
	return { key, etag: `"${key.slice(16, 48)}"` };
}

function readForm(given: AskedRendition): RenditionSpec | undefined {
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
	const named = tells ? transform : namedAs(transform, master, format);
	return formOf(`${format} ${canonicalString(named)}`, format, transform, { ...manner, ...(size && { size }) }, named);
}

/** Before the rights of a GIF were kept, a GIF said nothing about itself: what is made of one that has none goes by the same names still. */
function namedAs({ metadata, ...rest }: Transform, master: ImageFormat, format: OutputFormat): Transform {
	const saysNothing = master === "gif" || (format === "gif" && metadata === "none");
	return saysNothing || metadata === undefined ? rest : { ...rest, metadata };
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
function asked({ query, format: master, layers }: AskedRendition, extension: OutputFormat): Transform {
	const params = new URLSearchParams(query);
	for (const name of LAYERS) if (!layers.includes(name)) params.delete(name);
	const transform = parseTransform(params);
	return transform.format || extension === master ? transform : { ...transform, format: extension };
}

/** The key of what is served of a picture without parameters. */
export function strippedKey(blobKey: string, master: Mendable): string {
	const [mend = 0] = mendNumbers({ transform: undefined, format: master.format, tells: false }, master);
	return renditionKey(blobKey, mended(digest(`${PIPELINE} ${ORIGINAL}`), mend));
}

function mended(form: string, mend: number): string {
	return mend > 0 ? digest(`${form} mend ${mend}`) : form;
}

function original(format: ImageFormat, manner: Manner): RenditionSpec {
	return formOf(ORIGINAL, format, undefined, manner);
}

/** @param named by what of it it is named */
function formOf(
	text: string,
	format: ImageFormat,
	transform: Transform | undefined,
	manner: Manner,
	named = transform,
): RenditionSpec {
	const pipeline = transform?.overlay ? OVERLAID : PIPELINE;
	return {
		digest: digest(
			manner.tells ? `${TOLD} about ${pipeline} ${text}` : `${pipeline} ${identityOf(text, format, named)}`,
		),
		text,
		format,
		contentType: manner.tells ? "application/json" : CONTENT_TYPES[format],
		transform,
		...manner,
	};
}
