import { type TransformOptions } from "./transform.js";
export interface LoaderOptions extends Omit<TransformOptions, "size" | "w" | "h"> {
    /** Only addresses below this one are transformed. Default: every `http` address. */
    readonly cdnUrl?: string | undefined;
}
/** What `next/image` gives a loader. */
export interface LoaderRequest {
    readonly src: string;
    /** Pixels. */
    readonly width: number;
    /** 1 to 100. */
    readonly quality?: number | undefined;
}
/**
 * A loader for `next/image` with settings of one's own: `export default createLoader({ format: "avif" })` in the file that `images.loaderFile`
 * names, or `<Image loader={…}>` in a client component. Pictures are WebP by default, which every browser of today knows, and which may move.
 */
export declare function createLoader(options?: LoaderOptions): (request: LoaderRequest) => string;
/** The loader without settings. In the file that `images.loaderFile` names: `export { default } from "@svc/sdk/next"`. */
declare const _default: (request: LoaderRequest) => string;
export default _default;
