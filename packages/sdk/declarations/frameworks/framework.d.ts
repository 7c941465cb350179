import { type TransformOptions } from "../transform.js";
/** The longest side that the service makes. */
export declare const MAX_SIDE: 4096;
/** What all frameworks know; each calls the rest differently. Our own parameters may stand beside them. */
export interface Asked extends Omit<TransformOptions, "format" | "fit"> {
    /** CSS pixels times density. */
    readonly width?: number | string | undefined;
    readonly height?: number | string | undefined;
    readonly quality?: number | string | null | undefined;
    readonly format?: string | undefined;
    /** Default, where both width and height are asked for: `cover`. */
    readonly fit?: string | undefined;
}
/**
 * The address of an image as a component asks for it; the same options always give the same address. Addresses of other places than a web
 * server, and outside of `cdnUrl` where that is given, stay as they are.
 */
export declare function askedUrl(src: string, asked: Asked, cdnUrl?: string | undefined): string;
/** Whether the service transforms what is at this address, as far as can be told. */
export declare function isServed(src: string, cdnUrl: string | undefined): boolean;
