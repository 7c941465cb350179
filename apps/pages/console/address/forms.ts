import { imageUrl, readValue, type TransformOptions } from "@svc/sdk/transform";
import type { ConsoleImage } from "../images/listing.ts";
import type { ConsoleVisit, Size } from "../kit/visit.ts";
import type { AddressState, TypedValues } from "./state.ts";

/* An address in the forms in which it is put somewhere. */

/** What an address asks for; a preset stands alone. */
export type AskedAddress = Pick<AddressState, "parameters" | "preset">;

export interface Forms {
	readonly url: string;
	/** Only where the answer is a picture. */
	readonly img?: string;
	readonly picture?: string;
	readonly markdown?: string;
	readonly typescript: string;
	readonly curl: string;
}

interface Writing {
	readonly image: ConsoleImage;
	readonly transformed: ConsoleVisit["transformed"];
	/** An address that the App answers. */
	readonly addressOf: (asked: AskedAddress) => Promise<string>;
	/** For how long addresses are signed; undefined where they need no signature. */
	readonly expiresIn: string | undefined;
	/** Whether there are the sizes that every image has, and no others: the App answers no others, or the image is kept as it is. */
	readonly isStrict: boolean;
}

export async function formsOf(writing: Writing, asked: AskedAddress): Promise<Forms> {
	const { image, expiresIn } = writing;
	const { parameters, preset } = asked;
	const told = writing.transformed(image, parameters);
	const url = await writing.addressOf(asked);
	const code = { url, typescript: typescriptOf(image, asked, url, expiresIn) };
	if (parameters.info !== undefined && preset === undefined) return { ...code, curl: `curl ${quoted(url)}` };
	const size = preset === undefined ? told.size : undefined;
	const alt = (image.caption || image.filename).replaceAll(/\s+/g, " ");
	return {
		...code,
		img: tag("img", { src: url, ...size, alt }),
		picture: await pictureOf(writing, asked, { ...size, alt }),
		markdown: `![${alt.replaceAll(/[[\]\\]/g, "\\$&")}](${url.replaceAll(/[()]/g, percent)})`,
		curl: `curl -o ${quoted(`${image.filename.replace(/\.\w+$/, "")}.${told.format}`)} ${quoted(url)}`,
	};
}

/** The address without a signature. */
export function plainAddress({ url }: Pick<ConsoleImage, "url">, { parameters, preset }: AskedAddress): string {
	if (preset !== undefined) return `${url}?${new URLSearchParams({ preset })}`;
	return imageUrl(url, valuesOf(parameters));
}

function valuesOf(parameters: TypedValues): TransformOptions {
	return Object.fromEntries(Object.entries(parameters).map(([name, text]) => [name, readValue(name, text) ?? text]));
}

function typescriptOf(
	{ id, url }: ConsoleImage,
	asked: AskedAddress,
	address: string,
	expiresIn: string | undefined,
): string {
	const { parameters, preset } = asked;
	if (expiresIn !== undefined) {
		const named = preset === undefined ? parameters : { preset };
		const options = `{ parameters: ${literal(named)}, expiresIn: ${JSON.stringify(expiresIn)} }`;
		return `const { url } = await svc.images.sign(${JSON.stringify(id)}, ${options});`;
	}
	if (preset !== undefined) return `const url = ${JSON.stringify(address)};`;
	return `import { imageUrl } from "@svc/sdk/transform";\n\nconst url = imageUrl(${JSON.stringify(url)}, ${literal(valuesOf(parameters))});`;
}

/** As a person writes it. */
function literal(value: object): string {
	const parts = Object.entries(value).map(
		([name, one]) => `${name}: ${typeof one === "object" ? literal(one) : JSON.stringify(one)}`,
	);
	return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}

const WIDTHS = ["w", ["320", "640", "960", "1280", "1920", "2560"]] as const;
const DENSITIES = ["dpr", ["1", "2", "3"]] as const;
const SIZES = ["size", ["s", "m", "l"]] as const;

interface Rung {
	readonly parameters: TypedValues;
	/** Of a `srcset`. */
	readonly descriptor: string;
}

/** The same picture in several sizes, smallest first, each with the pixels that it really has; none where nobody knows them. */
function ladder({ image, transformed, isStrict }: Writing, { parameters, preset }: AskedAddress): readonly Rung[] {
	if (preset !== undefined) return [];
	const [name, values] = isStrict ? SIZES : isSized(parameters) ? DENSITIES : WIDTHS;
	const { dpr: _, ...undense } = parameters;
	const base = name === "dpr" ? undense : parameters;
	const own = transformed(image, undense).size;
	const all = values.flatMap((value) => {
		const asked = { ...base, ...(value !== "1" && { [name]: value }) };
		const { size } = transformed(image, asked);
		if (!size || !own) return [];
		const density = Math.round((size.width / own.width) * 100) / 100;
		return [{ parameters: asked, descriptor: name === "dpr" ? `${density}x` : `${size.width}w` }];
	});
	return all.filter(({ descriptor }, at) => all.findIndex((one) => one.descriptor === descriptor) === at);
}

function isSized(parameters: TypedValues): boolean {
	return ["size", "w", "h"].some((name) => parameters[name] !== undefined);
}

/** Best first; what moves stays a WebP. */
function formatsOf({ image, expiresIn, isStrict }: Writing, { parameters, preset }: AskedAddress): readonly string[] {
	if (isStrict || preset !== undefined || parameters.format !== undefined || expiresIn !== undefined) return [];
	return image.format === "gif" || image.format === "webp" ? ["webp"] : ["avif", "webp"];
}

/** What every browser shows; where each address has to be signed, the service chooses by what a browser takes. */
function fallbackOf({ image, expiresIn, isStrict }: Writing, { parameters, preset }: AskedAddress): TypedValues {
	if (isStrict || preset !== undefined || parameters.format !== undefined) return {};
	if (expiresIn !== undefined) return { format: "auto" };
	return ["jpg", "png", "gif"].includes(image.format) || parameters.size === "social" ? {} : { format: "jpg" };
}

async function pictureOf(
	writing: Writing,
	asked: AskedAddress,
	about: Partial<Size> & { readonly alt: string },
): Promise<string> {
	const rungs = ladder(writing, asked);
	const setIn = async (format: TypedValues) => {
		if (rungs.length === 0)
			return await writing.addressOf({ ...asked, parameters: { ...asked.parameters, ...format } });
		const entries = rungs.map(async ({ parameters, descriptor }) => {
			const address = await writing.addressOf({ ...asked, parameters: { ...parameters, ...format } });
			return `${address} ${descriptor}`;
		});
		return (await Promise.all(entries)).join(", ");
	};
	const sizes = rungs[0]?.descriptor.endsWith("w") ? "100vw" : undefined;
	const sources = await Promise.all(
		formatsOf(writing, asked).map(async (format) =>
			tag("source", { type: `image/${format}`, srcset: await setIn({ format }), sizes }),
		),
	);
	const fallback = fallbackOf(writing, asked);
	const src = await writing.addressOf({ ...asked, parameters: { ...asked.parameters, ...fallback } });
	const srcset = rungs.length > 1 ? await setIn(fallback) : undefined;
	const img = tag("img", { src, srcset, sizes: srcset && sizes, ...about, loading: "lazy" });
	return ["<picture>", ...[...sources, img].map((one) => `  ${one}`), "</picture>"].join("\n");
}

/** An element of HTML as code, without what is undefined. */
export function tag(name: string, attributes: Readonly<Record<string, string | number | undefined>>): string {
	const given = Object.entries(attributes).filter(([, value]) => value !== undefined);
	return `<${name}${given.map(([key, value]) => ` ${key}="${escaped(String(value))}"`).join("")}>`;
}

function escaped(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

function quoted(text: string): string {
	return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function percent(sign: string): string {
	return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}
