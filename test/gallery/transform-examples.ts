import type { PARAMETERS, ParameterName } from "@svc/images/transform/parameters";
import type { SceneName } from "./scenes.ts";

/* What the reference of transform parameters shows: one picture for each, before and after. */

/** Those that change no picture have none. */
export type ShownName = {
	[N in ParameterName]: (typeof PARAMETERS)[N] extends { apart: true } ? never : N;
}[ParameterName];

export interface Example {
	readonly scene: SceneName;
	readonly before: string;
	/** {@link MARK} stands for the id of the mark. */
	readonly after: string;
}

export const MARK = "img_MARK";

const harbour = (after: string, before = "w=360"): Example => ({ scene: "harbour", before, after });
const portrait = (after: string, before = "w=360"): Example => ({ scene: "portrait", before, after });

/** Does not compile while a parameter of the table is missing. */
export const EXAMPLES: { readonly [N in ShownName]: Example } = {
	size: portrait("size=social"),
	format: portrait("w=360&format=gif"),
	w: harbour("w=180"),
	h: harbour("h=100"),
	dpr: harbour("w=120&dpr=3", "w=120"),
	fit: harbour("w=180&h=240&fit=cover"),
	gravity: harbour("w=180&h=240&fit=cover&gravity=left", "w=180&h=240&fit=cover&gravity=right"),
	zoom: portrait("w=240&h=240&fit=cover&gravity=face&zoom=0.8", "w=240&h=240&fit=cover&gravity=face"),
	focus: harbour("w=160&h=240&fit=cover&focus=0.3,0.75", "w=160&h=240&fit=cover"),
	q: portrait("w=360&q=8"),
	lossless: portrait("w=360&format=webp&lossless=true", "w=360&format=webp&q=40"),
	brightness: harbour("w=360&brightness=1.6"),
	contrast: harbour("w=360&contrast=1.8"),
	gamma: harbour("w=360&gamma=0.5"),
	saturation: harbour("w=360&saturation=0"),
	blur: harbour("w=360&blur=8"),
	sharp: portrait("w=360&sharp=10"),
	rotate: harbour("h=240&rotate=90"),
	flip: portrait("w=360&flip=h"),
	trim: { scene: "framed", before: "w=360", after: "w=360&trim=border" },
	crop: harbour("w=360&crop=200,450,600,500"),
	frame: { scene: "animation", before: "w=360&frame=0", after: "w=360&frame=3" },
	metadata: portrait("w=360&metadata=none"),
	hdr: portrait("w=360&hdr=off"),
	segment: portrait("w=360&segment=foreground&format=png"),
	background: portrait("w=360&segment=foreground&background=gold", "w=360&segment=foreground&format=png"),
	fx: portrait("w=360&fx=blur-faces"),
	strength: portrait("w=360&fx=darken-bg&strength=0.1", "w=360&fx=darken-bg"),
	tile: harbour(`w=360&tile=${MARK}`),
	tile_opacity: harbour(`w=360&tile=${MARK}&tile_opacity=0.3`, `w=360&tile=${MARK}`),
	overlay: harbour(`w=360&overlay=${MARK}`),
	overlay_at: harbour(`w=360&overlay=${MARK}&overlay_at=top-left`, `w=360&overlay=${MARK}`),
	overlay_w: harbour(`w=360&overlay=${MARK}&overlay_w=0.6`, `w=360&overlay=${MARK}`),
	overlay_opacity: harbour(`w=360&overlay=${MARK}&overlay_opacity=0.3`, `w=360&overlay=${MARK}`),
	radius: portrait("w=360&format=png&radius=40"),
};
