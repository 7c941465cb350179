import type { ImageFormat, OutputFormat } from "@svc/base/enumerations";
import { LeastRecent } from "@svc/base/pace/least-recent";
import type { Image } from "@svc/images/images";
import type { Extent, Shape } from "@svc/images/layout/extent";
import { followsSubject, showsSubject } from "@svc/images/transform/analysis-needs";
import { type Automatic, withAutomaticFormat } from "@svc/images/transform/automatic";
import { toneTable } from "@svc/images/transform/colours/tone-table";
import { COMPACT_SETTINGS, canBeCompact, compactName } from "@svc/images/transform/compact";
import {
	type FoundMends,
	hasGainMap,
	isLayerUnseen,
	isRewritten,
	isUnseen,
	type Mendable,
	mendNumbers,
} from "@svc/images/transform/mends";
import { plainest } from "@svc/images/transform/plainest";
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
/** Of what is written otherwise than by releases before it. */
const WRITTEN = "written 2";
/** What stands for the form without parameters. */
const ORIGINAL = "original";

/** How many forms are remembered, and how long a query may be for it: a few hundred bytes each. */
const MAX_FORMS = 4096;
const MAX_REMEMBERED_QUERY = 256;

/** What depends on what the request accepts. */
const NEGOTIATED = /auto|%/i;
/** What depends on whether the picture has a gain map. */
const LIT = /hdr|%/i;

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
	/** Whether it is known to have no gain map. */
	readonly isFlat: boolean;
}

/** The rendition that an address asks of any image of one format. */
export interface RenditionSpec {
	readonly digest: string;
	/** Under which earlier releases kept it, where they wrote it otherwise. */
	readonly formerDigest?: string;
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
	/** Whether its bytes are those of `size=s` in the master's format, however they were asked for. */
	readonly isSmallest?: boolean;
}

type Manner = Pick<RenditionSpec, "varies" | "download" | "tells" | "size" | "isSmallest">;

/** The name of the bytes of a rendition. */
export interface NamedBytes {
	readonly key: string;
	/** Strong: the key stands for the exact bytes. */
	readonly etag: string;
	/** Whether its encoder takes its time for fewer bytes. */
	readonly isCompact: boolean;
}

/** The rendition that an address asks of one image. */
export interface Rendition extends NamedBytes {
	readonly spec: RenditionSpec;
	readonly layers: Layers;
	/** What is known of the master. */
	readonly mends: FoundMends | undefined;
	readonly compact: Pictured["compact"];
	/** What the form is called among those that are asked for often; undefined where there is nothing to win. */
	readonly compactName: string | undefined;
	/** What was made of it before: at first, while it was not asked for often, and by earlier releases, where that was another one; the last first. */
	readonly before: readonly NamedBytes[];
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
		const spec = this.#formOf(picture, address, LAYERS);
		if (!spec?.transform || !LAYERS.some((name) => spec.transform?.[name])) return spec && renditionOf(picture, spec);
		const layers: Partial<Record<LayerName, Pictured>> = {};
		for (const name of LAYERS) {
			const id = spec.transform[name];
			const layer = id === undefined ? undefined : await findLayer(id);
			if (layer && isTransformable(layer.image.format)) layers[name] = layer;
		}
		const there = LAYERS.filter((name) => layers[name]);
		const seen = this.#formOf(picture, address, there, layers.overlay?.image);
		return seen && renditionOf(picture, seen, layers);
	}

	#formOf(
		{ image, mends }: Pictured,
		{ extension, query, frames, accept = null }: Form,
		layers: readonly LayerName[],
		overlay?: Extent,
	): RenditionSpec | undefined {
		const { width, height, format } = image;
		const accepted = NEGOTIATED.test(query) ? acceptedFormats(accept) : [];
		const over = overlay ? `${overlay.width}x${overlay.height}` : "";
		const isFlat = LIT.test(query) && hasGainMap(mends) === false;
		const asked = `${format} ${width}x${height}x${frames} ${extension} ${layers} ${over} ${accepted} ${isFlat} ${query}`;
		const known = this.#forms.get(asked);
		const shape = { width, height, frames };
		const spec = known ?? this.#read({ format, shape, extension, query, accepted, layers, overlay, isFlat });
		if (!spec || query.length > MAX_REMEMBERED_QUERY) return spec;
		this.#forms.set(asked, spec);
		return spec;
	}

	#read(asked: AskedRendition): RenditionSpec | undefined {
		const spec = readForm(asked);
		return spec?.transform && (showsSubject(spec.transform) || followsSubject(spec.transform))
			? withForms(spec, (form) => digest(`${this.#subjectModel} ${form}`))
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
	const { digest: form, formerDigest } =
		blobs.length > 0 ? withForms(spec, (one) => digest([one, ...blobs].join(" "))) : spec;
	const name = !spec.tells && canBeCompact(spec.transform, spec.format, image.format) ? compactName(form) : undefined;
	const numbers = mendNumbers(spec, mendable(picture), over.map(mendable));
	const named = [form, ...(formerDigest === undefined ? [] : [formerDigest])];
	const forms = named.flatMap((one) => numbers.map((number) => mended(one, number)));
	const plain = forms.map((one) => versionOf(image.blobKey, one));
	const isCompact = name !== undefined && picture.compact?.includes(name);
	const versions = isCompact ? [compactOf(image.blobKey, forms[0] ?? form), ...plain] : plain;
	const [now = versionOf(image.blobKey, form), ...before] = versions;
	const unseen = [
		...(isUnseen(spec, mendable(picture)) ? [image] : []),
		...over.filter((layer) => isLayerUnseen(mendable(layer))).map((layer) => layer.image),
	];
	const layers = Object.fromEntries(Object.entries(pictures).map(([name, layer]) => [name, layer.image]));
	const { mends, compact } = picture;
	return { ...now, spec, layers, mends, compact, compactName: name, before, unseen };
}

/** The same rendition of something more. */
function withForms(spec: RenditionSpec, named: (form: string) => string): RenditionSpec {
	const { formerDigest } = spec;
	return {
		...spec,
		digest: named(spec.digest),
		...(formerDigest !== undefined && { formerDigest: named(formerDigest) }),
	};
}

function mendable({ image, mends }: Pictured): Mendable {
	return { format: image.format, mends };
}

function versionOf(blobKey: string, form: string): NamedBytes {
	const key = renditionKey(blobKey, form);
	// Half of the blob's part and half of the form's: enough to tell the versions of one address apart.
	return { key, etag: `"${key.slice(16, 48)}"`, isCompact: false };
}

function compactOf(blobKey: string, form: string): NamedBytes {
	return { ...versionOf(blobKey, digest(`${form} compact ${COMPACT_SETTINGS}`)), isCompact: true };
}

const SMALLEST: Transform = { size: "s" };

function isAlike(one: Transform, other: Transform): boolean {
	return canonicalString(one) === canonicalString(other);
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
	const isSmallest =
		!tells && format === master && isAlike(transform, plainest(SMALLEST, { ...shape, format: master }));
	const about = { ...manner, ...(size && { size }), ...(isSmallest && { isSmallest }) };
	return formOf(`${format} ${canonicalString(named)}`, format, transform, about, named);
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
function asked({ query, format: master, layers, isFlat }: AskedRendition, extension: OutputFormat): Transform {
	const params = new URLSearchParams(query);
	if (isFlat) params.delete("hdr");
	for (const name of LAYERS) if (!layers.includes(name)) params.delete(name);
	const transform = parseTransform(params);
	return transform.format || extension === master ? transform : { ...transform, format: extension };
}

/** The key of what is served of a picture without parameters. */
export function strippedKey(blobKey: string, master: Mendable): string {
	return keyOf(blobKey, original(master.format, PLAINLY), master);
}

/** The key of `size=s` of a picture in its own format. */
export function smallestKey(blobKey: string, master: Mendable & Extent): string {
	const { format, width, height } = master;
	const form = { format, extension: format, query: "size=s", shape: { width, height } };
	const spec =
		readForm({ ...form, accepted: [], layers: [], overlay: undefined, isFlat: false }) ?? original(format, PLAINLY);
	return keyOf(blobKey, spec, master);
}

function keyOf(blobKey: string, spec: RenditionSpec, master: Mendable): string {
	const [mend = 0] = mendNumbers(spec, master);
	return renditionKey(blobKey, mended(spec.digest, mend));
}

function mended(form: string, mend: number): string {
	return mend > 0 ? digest(`${form} mend ${mend}`) : form;
}

const PLAINLY: Manner = { varies: false, download: undefined, tells: false };

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
	const form = digest(
		manner.tells ? `${TOLD} about ${pipeline} ${text}` : `${pipeline} ${identityOf(text, format, named)}`,
	);
	const isOther = isRewritten({ transform, format, tells: manner.tells });
	return {
		...(isOther ? { digest: digest(`${form} ${WRITTEN}`), formerDigest: form } : { digest: form }),
		text,
		format,
		contentType: manner.tells ? "application/json" : CONTENT_TYPES[format],
		transform,
		...manner,
	};
}
