/** A picture of the site itself, as Astro's `import` gives it. */
interface Imported {
    readonly src: string;
    readonly width: number;
    readonly height: number;
}
/** What Astro hands to a service: the properties of `<Image>`, `<Picture>` or `getImage`. */
interface ImageTransform {
    readonly src: string | Imported;
    readonly width?: number | undefined;
    readonly height?: number | undefined;
    readonly position?: string | undefined;
    readonly fit?: string | undefined;
    readonly format?: string | undefined;
    readonly widths?: readonly number[] | undefined;
    readonly densities?: readonly (number | string)[] | undefined;
    /** Every parameter of `imageUrl` may be among them. */
    readonly [property: string]: unknown;
}
interface ImageConfig {
    readonly service: {
        readonly config: {
            readonly cdnUrl?: string;
        };
    };
}
/**
 * An image service for Astro: `image: { service: { entrypoint: "@svc/sdk/astro" } }` in `astro.config.mjs`, with
 * `config: { cdnUrl: "https://…" }` where only addresses below that one are the service's. Pictures of the site itself stay as they are.
 */
declare const service: {
    validateOptions<T extends ImageTransform>(options: T): T;
    getURL({ src, position, fit, ...asked }: ImageTransform, config: ImageConfig): string;
    getSrcSet<T extends ImageTransform>(options: T): {
        transform: T & {
            width: number;
            height: number | undefined;
        };
        descriptor: string;
        attributes: {
            type: string;
        };
    }[];
    getHTMLAttributes(options: ImageTransform): Record<string, unknown>;
};
export default service;
