import type { AnalysisKind, ImageFormat } from "@svc/base/enumerations";
import type { Image } from "@svc/images/images";
import { boundsOf } from "@svc/images/layout/bounds";
import type { Extent } from "@svc/images/layout/extent";
import { layoutOf } from "@svc/images/layout/geometry";
import { pieceOf } from "@svc/images/layout/piece";
import type { Asker, Master, Renderer } from "@svc/images/ports";
import type { Analysis, Region, Spot } from "@svc/images/transform/analysis";
import { isAnimatable, isStill, isTransformable, outputFormat, type Transform } from "@svc/images/transform/transform";
import type { AnalysisSearches } from "./analysis.ts";
import type { Rendered } from "./renders.ts";
import type { RenditionSpec } from "./rendition.ts";

/* What `info=json` answers. It tells what anybody sees who looks at the picture: neither names nor captions, labels, dates or places. */

export interface InfoDeps {
	readonly renderer: Renderer;
	readonly analysis: Pick<AnalysisSearches, "resolve" | "findFor">;
}

interface Told {
	readonly image: Image;
	readonly master: Master;
	readonly spec: RenditionSpec;
}

/** What is not found by then is told another time. */
const PATIENCE_MS = 10_000;
const PLACEHOLDER_SIDE = 32;
const PLACEHOLDER_BYTES = 1_000;
const PLACEHOLDER_QUALITIES = [60, 30, 10];

const KINDS = ["header", "thumbhash", "colours", "faces", "focus"] as const satisfies readonly AnalysisKind[];

type Facts = Partial<Pick<Analysis, (typeof KINDS)[number]>>;

/** What is told about one rendition, as JSON. Provisional where something could not be found out in time, which is then null. */
export async function tellAbout(deps: InfoDeps, told: Told, asker: Asker): Promise<Rendered> {
	const { image, master, spec } = told;
	const transform = spec.transform ?? {};
	const { width, height, format, bytes } = image;
	const original = { width, height, format, bytes };
	const size = { width, height };
	if (!isTransformable(format)) return { made: answer({ size, format, original }), provisional: false };
	const [facts, resolved] = await Promise.all([
		findFacts(deps, told, transform, asker),
		inPatience(deps.analysis.resolve(master, image.blobKey, transform, asker)),
	]);
	const aids = resolved?.analysis ?? {};
	const made = spec.transform ? sizeOf(image, transform, aids, facts.header?.frames ?? 1) : size;
	const placeholder = await inPatience(placeholderOf(deps.renderer, { master, transform, aids, size: made }, asker));
	const isWhole = placeholder !== undefined && KINDS.every((kind) => facts[kind] !== undefined);
	const piece = transform.crop && pieceOf(transform.crop, image);
	const within = piece && regionOf(piece, image);
	return {
		made: answer({ size: made, format: spec.format, original, facts, placeholder, within }),
		provisional: !(isWhole && resolved?.complete),
	};
}

interface Answer {
	readonly size: Extent;
	readonly format: ImageFormat;
	readonly original: Pick<Image, "width" | "height" | "format" | "bytes">;
	readonly facts?: Facts;
	readonly placeholder?: string | undefined;
	/** The piece that was asked for. */
	readonly within?: Region | undefined;
}

function answer({ size, format, original, facts = {}, placeholder, within }: Answer): Uint8Array<ArrayBuffer> {
	const { header, thumbhash, colours, faces, focus } = facts;
	return new TextEncoder().encode(
		JSON.stringify({
			object: "rendition_info",
			...size,
			format,
			original: { ...original, frames: header?.frames ?? null, alpha: header?.alpha ?? null },
			thumbhash: thumbhash ?? null,
			placeholder: placeholder ?? null,
			colors: colours ?? null,
			faces: faces?.flatMap((face) => faceIn(face, within)) ?? null,
			focus: (focus && spotIn(focus, within)) ?? null,
		}),
	);
}

async function findFacts(deps: InfoDeps, { image, master }: Told, transform: Transform, asker: Asker): Promise<Facts> {
	const find = async (kind: (typeof KINDS)[number]) => [
		kind,
		await inPatience(deps.analysis.findFor(transform, master, image.blobKey, kind, asker)),
	];
	return Object.fromEntries(await Promise.all(KINDS.map(find)));
}

/** Undefined where it fails, or takes too long. */
async function inPatience<Value>(looked: Promise<Value>): Promise<Value | undefined> {
	const { promise: late, resolve } = Promise.withResolvers<undefined>();
	const timer = setTimeout(() => resolve(undefined), PATIENCE_MS);
	try {
		return await Promise.race([looked.catch(() => undefined), late]);
	} finally {
		clearTimeout(timer);
	}
}

function sizeOf(
	{ width, height, format }: Image,
	transform: Transform,
	aids: Partial<Analysis>,
	frames: number,
): Extent {
	const output = outputFormat(transform, format);
	const moves = isAnimatable(format) && isAnimatable(output) && !isStill(transform);
	return layoutOf({ ...aids, width, height }, transform, boundsOf(output, moves ? frames : 1, transform)).output;
}

interface Small {
	readonly master: Master;
	readonly transform: Transform;
	readonly aids: Partial<Analysis>;
	readonly size: Extent;
}

/** The rendition as a picture of a few pixels, to put straight into a page. What is said in pixels has no meaning there. */
async function placeholderOf(
	renderer: Renderer,
	{ master, transform, aids, size }: Small,
	asker: Asker,
): Promise<string> {
	const { size: named, dpr, blur, tile, radius, lossless, metadata, ...others } = transform;
	const scale = Math.min(1, PLACEHOLDER_SIDE / Math.max(size.width, size.height));
	const side = (length: number) => Math.max(1, Math.round(length * scale));
	const small: Transform = {
		...others,
		...(radius === "max" && { radius }),
		w: side(size.width),
		h: side(size.height),
		fit: fitOf(transform),
		frame: transform.frame ?? 0,
		metadata: "none",
		format: "webp",
	};
	let bytes = new Uint8Array();
	for (const q of PLACEHOLDER_QUALITIES) {
		const { made } = await renderer.render(master, { ...small, q }, aids, asker);
		if (made instanceof Uint8Array) bytes = made;
		if (bytes.length <= PLACEHOLDER_BYTES) break;
	}
	return `data:image/webp;base64,${Buffer.from(bytes).toString("base64")}`;
}

/** How a box of the rendition's own proportions is filled. */
function fitOf({ size, fit, w, h }: Transform): NonNullable<Transform["fit"]> {
	if (size === "social" || fit === "cover" || fit === "crop") return "cover";
	const isBox = w !== undefined && h !== undefined;
	return fit === "pad" || (fit === "contain" && isBox) ? "pad" : "squeeze";
}

function regionOf(box: Region, { width, height }: Extent): Region {
	return { left: box.left / width, top: box.top / height, width: box.width / width, height: box.height / height };
}

const WHOLE: Region = { left: 0, top: 0, width: 1, height: 1 };

/** What of a face lies in the piece, in shares of it. */
function faceIn(face: Region, within = WHOLE): { x: number; y: number; w: number; h: number }[] {
	const along = (start: "left" | "top", length: "width" | "height") => {
		const from = Math.max(0, (face[start] - within[start]) / within[length]);
		const to = Math.min(1, (face[start] + face[length] - within[start]) / within[length]);
		return [from, to - from] as const;
	};
	const [x, w] = along("left", "width");
	const [y, h] = along("top", "height");
	return w > 0 && h > 0 ? [{ x: rounded(x), y: rounded(y), w: rounded(w), h: rounded(h) }] : [];
}

function spotIn({ x, y }: Spot, within = WHOLE): Spot | undefined {
	const spot = { x: rounded((x - within.left) / within.width), y: rounded((y - within.top) / within.height) };
	const isThere = Math.min(spot.x, spot.y) >= 0 && Math.max(spot.x, spot.y) <= 1;
	return isThere ? spot : undefined;
}

/** Finer than a model sees is nothing that anybody needs. */
function rounded(share: number): number {
	return Math.round(share * 10_000) / 10_000;
}
