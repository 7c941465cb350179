import { checkArguments } from "../wire/check.ts";
import { GET_IMAGE } from "../wire/takes.ts";
import { type Asked, askedUrl } from "./framework.ts";

interface ProviderOptions {
	readonly modifiers?: Asked | undefined;
	/** Where addresses that begin with a slash are: the images' public address. */
	readonly baseURL?: string | undefined;
}

/** The address of an image for `<NuxtImg>` and `<NuxtPicture>`; modifiers may hold every parameter of `imageUrl`. */
export function getImage(src: string, { modifiers = {}, baseURL }: ProviderOptions = {}): { readonly url: string } {
	checkArguments("getImage", GET_IMAGE, [src]);
	const isPath = src.startsWith("/") && !src.startsWith("//");
	const address = isPath && baseURL !== undefined ? `${baseURL.replace(/\/+$/, "")}${src}` : src;
	const format = modifiers.format === undefined || modifiers.format === "auto" ? "webp" : modifiers.format;
	return { url: askedUrl(address, { ...modifiers, format }) };
}

const provider = { getImage };

/**
 * A provider for `@nuxt/image`, in `nuxt.config.ts`:
 * `image: { provider: "svc", providers: { svc: { provider: "@svc/sdk/nuxt", options: { baseURL: "https://…" } } } }`.
 */
export default () => provider;
