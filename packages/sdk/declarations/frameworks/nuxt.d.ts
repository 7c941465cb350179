import { type Asked } from "./framework.js";
interface ProviderOptions {
    readonly modifiers?: Asked | undefined;
    /** Where addresses that begin with a slash are: the images' public address. */
    readonly baseURL?: string | undefined;
}
/** The address of an image for `<NuxtImg>` and `<NuxtPicture>`; modifiers may hold every parameter of `imageUrl`. */
export declare function getImage(src: string, { modifiers, baseURL }?: ProviderOptions): {
    readonly url: string;
};
export default _default;
/**
 * A provider for `@nuxt/image`, in `nuxt.config.ts`:
 * `image: { provider: "svc", providers: { svc: { provider: "@svc/sdk/nuxt", options: { baseURL: "https://…" } } } }`.
 */
declare function _default(): {
    getImage: typeof getImage;
};
