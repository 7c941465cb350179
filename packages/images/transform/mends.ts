import type { ImageFormat } from "@svc/base/enumerations";
import { isAnimatable, isStill, keepsLight, type Transform } from "./transform.ts";

/*
 * What a release came to show otherwise than those before it, by what a master has and by what of a rendition it alters. A rendition is known by
 * the last mend that concerns it, and as ever where none does: so a mend makes old what it alters, and nothing else.
 */

/** What of a rendition is asked for, as far as mends go by it. */
interface MendedForm {
	/** Undefined: the master's own pixels. */
	readonly transform: Transform | undefined;
	readonly format: ImageFormat;
	/** Whether it tells about the picture instead of showing it. */
	readonly tells: boolean;
}

/** What a mend alters. */
const ALTERED = {
	pixels: ({ transform, tells }: MendedForm) => tells || transform !== undefined,
	motion: ({ transform, tells, format }: MendedForm) =>
		!tells && transform && isAnimatable(format) && !isStill(transform),
	rights: ({ transform, tells }: MendedForm): boolean =>
		!tells && transform !== undefined && transform.metadata !== "none",
	descriptions: ({ transform, tells }: MendedForm): boolean => !tells && transform?.metadata === "keep",
	light: ({ transform, tells }: MendedForm) => !tells && transform !== undefined && keepsLight(transform, "jpg"),
	/** What is served without parameters. */
	original: ({ transform, tells }: MendedForm) => !tells && !transform,
	/** The master itself is wrong, and nothing that is made of it can be right. */
	lost: () => false,
} satisfies Record<string, (form: MendedForm) => boolean | undefined>;

interface Mend {
	/** What the masters that it concerns have. */
	readonly name: string;
	readonly of: readonly ImageFormat[];
	readonly altered: keyof typeof ALTERED;
}

/** A new one stands at the end, and none is changed or taken away: the place of each is part of the names of renditions that are kept. */
export const MENDS = [
	{ name: "colours by numbers", of: ["png", "avif"], altered: "pixels" },
	{ name: "premultiplied", of: ["avif"], altered: "pixels" },
	{ name: "uncovered", of: ["gif"], altered: "pixels" },
	{ name: "turned animation", of: ["webp"], altered: "motion" },
	{ name: "rights", of: ["gif"], altered: "rights" },
	{ name: "XMP", of: ["gif"], altered: "descriptions" },
	{ name: "foreign profile", of: ["png", "avif"], altered: "original" },
	/** Of a HEIC: colours that it gave by numbers were left out when it became what is stored. */
	{ name: "no profile", of: ["jpg", "png"], altered: "lost" },
	{ name: "gain map", of: ["jpg"], altered: "light" },
] as const satisfies readonly Mend[];

export type MendName = (typeof MENDS)[number]["name"];

/** Which mends concern a master. */
export interface FoundMends {
	/** How many mends there were when it was looked at: of later ones nothing is known. */
	readonly upTo: number;
	readonly has: readonly MendName[];
}

/** A master, and what is known of it. */
export interface Mendable {
	readonly format: ImageFormat;
	/** Undefined where it was not looked at. */
	readonly mends: FoundMends | undefined;
}

/**
 * Whether earlier releases wrote the same pixels of any picture otherwise: a JPEG with the tables of its standard, a PNG without filters, and
 * an AVIF of which no quality is asked at a lower one.
 */
export function isRewritten({ transform, format, tells }: MendedForm): boolean {
	if (tells || !transform) return false;
	return format === "jpg" || format === "png" || (format === "avif" && transform.q === undefined);
}

/** What is taken for granted of a master that cannot be looked at: no name that was given to other bytes is then given again. */
export const ALL_MENDS: FoundMends = { upTo: MENDS.length, has: MENDS.map(({ name }) => name) };

/** What may be found out about a master of this format. */
export function mendsOf(format: ImageFormat): readonly MendName[] {
	return MENDS.filter((mend) => isOf(mend, format)).map(({ name }) => name);
}

/** Whether any rendition of a master of this format may have been mended. */
export function hasMends(format: ImageFormat): boolean {
	return MENDS.some((mend) => isOf(mend, format) && mend.altered !== "lost");
}

/** Whether pixels of a master of this format may have been mended. */
export function hasPixelMends(format: ImageFormat): boolean {
	return MENDS.some((mend) => isOf(mend, format) && mend.altered === "pixels");
}

/** The number of the last mend that is known to concern a rendition, then those before it, and at last 0, for none. */
export function mendNumbers(form: MendedForm, master: Mendable, layers: readonly Mendable[] = []): readonly number[] {
	const has = ({ mends }: Mendable, name: MendName) => mends?.has.includes(name) ?? false;
	const found = MENDS.flatMap((mend, place) => {
		const concerns =
			(has(master, mend.name) && ALTERED[mend.altered](form)) ||
			(mend.altered === "pixels" && layers.some((layer) => has(layer, mend.name)));
		return concerns ? [place + 1] : [];
	});
	return [...found.reverse(), 0];
}

/** Whether a master has a gain map; undefined where nobody has looked for one. */
export function hasGainMap(mends: FoundMends | null | undefined): boolean | undefined {
	if (mends?.has.includes("gain map")) return true;
	return mends?.upTo === MENDS.length ? false : undefined;
}

/** Whether a look at the master could say that another mend concerns this form. */
export function isUnseen(form: MendedForm, { format, mends }: Mendable): boolean {
	return MENDS.slice(mends?.upTo ?? 0).some((mend) => isOf(mend, format) && ALTERED[mend.altered](form));
}

/** The same for a picture that lies over another one, of which the pixels alone are seen. */
export function isLayerUnseen({ format, mends }: Mendable): boolean {
	return MENDS.slice(mends?.upTo ?? 0).some((mend) => isOf(mend, format) && mend.altered === "pixels");
}

/** The same number for what is made of a master's pixels alone. */
export function pixelMend(master: Mendable): number {
	return mendNumbers({ transform: {}, format: "jpg", tells: true }, master)[0] ?? 0;
}

function isOf({ of }: Mend, format: ImageFormat): boolean {
	return of.includes(format);
}
