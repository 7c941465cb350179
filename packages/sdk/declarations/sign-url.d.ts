/** Values by the name of a parameter: of the transform host, or `preset`. */
export type SignedParameters = Readonly<Record<string, string | number | boolean | undefined>>;
export interface SignOptions {
    /** Of a signing key of the App: `svc_sig_…`. It stays on your own servers. */
    readonly secret: string;
    /**
     * For how long it works at least, and at most twice as long: seconds, or `1h`, `7d`, `5m`; at most 183 days. It gives the same address for so
     * long, so that browsers and caches find the picture again. Either this or `expiresAt`.
     */
    readonly expiresIn?: number | string | undefined;
    /** When it ends, to the second: a Date, ISO 8601, or a unix timestamp in seconds; at most 366 days ahead. */
    readonly expiresAt?: Date | string | number | undefined;
    /** Asked for besides what the address asks for already, and instead of it where the names are the same. */
    readonly parameters?: SignedParameters | undefined;
}
/**
 * An address that the service answers under the delivery policies `presets` and `signed`, until it expires; nothing in it can be changed.
 * Works wherever there is web-standard crypto: Bun, Node, Deno, workers, and browsers over https.
 * @throws TypeError for an option that is missing, unknown or of a wrong kind, and for none or both ends; RangeError for what the service would refuse: no image's address, a parameter that stands there twice, too late an end
 */
export declare function signUrl(image: string | {
    readonly url: string;
}, options: SignOptions): Promise<string>;
