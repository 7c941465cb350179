import { type TransformOptions } from "./transform.js";
/** An image of the service, or its address alone. With its facts no width is offered that it does not have. */
export type Pictured = string | {
    readonly url: string;
    readonly width?: number | undefined;
    readonly height?: number | undefined;
    readonly format?: string | undefined;
};
export interface SrcSetOptions extends Omit<TransformOptions, "size" | "w" | "h" | "dpr" | "info"> {
    /** Pixels, at most 4096. Default: 320, 640, 960, 1280, 1920, 2560. */
    readonly widths?: readonly number[] | undefined;
    /** Width divided by height: the picture is cut to it. Default: its own. */
    readonly ratio?: number | undefined;
}
export interface PictureOptions extends Omit<SrcSetOptions, "format"> {
    /** Empty for a picture that adds nothing to the text. */
    readonly alt: string;
    /** How wide it is shown, as `(min-width: 60em) 50vw, 100vw`. Default: `100vw`. */
    readonly sizes?: string | undefined;
    /** What browsers choose from, best first. Default: AVIF and WebP; for a GIF or WebP, which may move, WebP alone. */
    readonly formats?: readonly Exclude<Format, "auto">[] | undefined;
    /** For browsers that know none of these. Default: PNG and GIF stay, everything else is a JPEG. With `auto` the
     * service chooses by what each browser accepts, and there are no others unless they are named. */
    readonly fallback?: Format | undefined;
    /** True for what is seen first: it is loaded before the rest of the page. */
    readonly priority?: boolean | undefined;
    /** What is there until it is loaded: a CSS colour, or `blur` for the picture itself, a few pixels wide. Default: nothing. */
    readonly placeholder?: string | undefined;
}
type Format = NonNullable<TransformOptions["format"]>;
/** The attributes of a `<picture>`, named as in HTML. */
export interface Picture {
    readonly sources: readonly {
        readonly type: string;
        readonly srcset: string;
        readonly sizes: string;
    }[];
    readonly img: {
        readonly src: string;
        readonly srcset: string;
        readonly sizes: string;
        /** Pixels; they reserve the room. Undefined where the image's own are not known. */
        readonly width: number | undefined;
        readonly height: number | undefined;
        readonly alt: string;
        readonly loading: "lazy" | "eager";
        readonly decoding: "async";
        readonly fetchpriority: "high" | undefined;
    };
    /** The CSS value of `background`, where a placeholder was asked for. */
    readonly background: string | undefined;
}
/**
 * The value of a `srcset`: the same picture in several widths, narrowest first.
 * @throws TypeError for an option that is missing or unknown, RangeError for a value that the service would silently ignore.
 */
export declare function srcSet(image: Pictured, options?: SrcSetOptions): string;
/**
 * All that a `<picture>` needs: for each format and width an address, the room that it takes, and what is seen meanwhile.
 * @throws TypeError for an option that is missing or unknown, RangeError for a value that the service would silently ignore.
 */
export declare function picture(image: Pictured, options: PictureOptions): Picture;
/**
 * The same as HTML, escaped.
 * @throws TypeError for an option that is missing or unknown, RangeError for a value that the service would silently ignore.
 */
export declare function pictureHtml(image: Pictured, options: PictureOptions): string;
export {};
