import type { AppImport, Job, MissingMasters, MovePlan, MoveRecords, TakenMaster } from "../shapes.js";
import { type Calls } from "../wire/calls.js";
import type { CallOptions, PostOptions } from "../wire/request.js";
import type { Transport } from "../wire/transport.js";
export interface ExportPageOptions extends CallOptions {
    /** `next` of the page before. */
    readonly after?: string | undefined;
}
/** An App is read as a whole, to be taken to another installation; by its Owner. */
export declare function appExportsOf(calls: Calls, appId: string): {
    /** Pins what the App has, for 7 days. */
    start: (options?: PostOptions) => Promise<Job>;
    /** Counts what an export would hold, and begins nothing. */
    rehearse: (options?: PostOptions) => Promise<MovePlan>;
    /** The App itself, then its users, then its images. */
    records: (id: string, { after, ...options }?: ExportPageOptions) => Promise<MoveRecords>;
    /** The bytes of an image, as they are stored. */
    master: (id: string, image: string, options?: CallOptions) => Promise<ReadableStream<Uint8Array<ArrayBufferLike>>>;
};
export interface NewAppImport {
    /** The App's id, which stays. */
    readonly app: string;
    /** SHA-256 of the file's manifest, in hexadecimal. */
    readonly manifest: string;
    readonly installation: string;
    /** How many images the file has. */
    readonly images: number;
}
/** Operators take in an App from a file. Each call does no more when it is made twice. */
export declare function appImportsOf(transport: Transport, calls: Calls): {
    /** Begins, or goes on with what this file began. */
    open: (file: NewAppImport, options?: CallOptions) => Promise<AppImport>;
    get: (id: string, options?: CallOptions) => Promise<AppImport>;
    /** At most 200; says which bytes are missing for them. */
    addRecords: (id: string, records: readonly object[], options?: CallOptions) => Promise<MissingMasters>;
    addMaster: (id: string, sha256: string, bytes: Blob, options?: CallOptions) => Promise<TakenMaster>;
    /** The App comes to be. */
    finish: (id: string, options?: CallOptions) => Promise<AppImport>;
    delete: (id: string, options?: CallOptions) => Promise<import("../shapes.js").Tombstone>;
};
