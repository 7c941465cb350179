import { STREAMED } from "../wire/request.js";
/**
 * Bytes that come by and by: a web stream, or a stream of Node, as `createReadStream(path)`. It can be read once, so an upload of it is sent
 * once: after a failure nothing is repeated.
 */
export type UploadStream = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;
/** What can be sent again. A function opens its stream anew for each try: `() => createReadStream(path)`. */
export type UploadSource = Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | (() => UploadStream | Promise<UploadStream>);
export interface UploadProgress {
    /** Of the file, what the connection has taken in this try. */
    readonly sentBytes: number;
    /** Undefined for a stream whose size was not given. */
    readonly totalBytes: number | undefined;
}
type OnProgress = (progress: UploadProgress) => void;
/**
 * Tells of progress, and lets nothing that fails there fail the upload: it goes to the console. Of an empty file there is nothing to tell, and
 * a page that divides by its size would show nonsense.
 */
export declare function unthrowing(onProgress: OnProgress | undefined): OnProgress | undefined;
/** How a file is sent, and who hears of it. */
export interface Sending {
    readonly onProgress?: OnProgress | undefined;
    /** Size of a stream, where it is known. */
    readonly totalBytes?: number | undefined;
}
type Fields = readonly (readonly [name: string, value: string])[];
/** One body of one try. */
interface OpenBody {
    readonly stream: ReadableStream<Uint8Array>;
    /** What made the source fail; undefined while it has not. */
    failure(): {
        readonly error: unknown;
    } | undefined;
    /** Ends the source, wherever it is. Never rejects. */
    close(): void;
}
/** A form whose file goes out as it is read, in a body of its own for each try. */
export declare class StreamedForm {
    #private;
    readonly [STREAMED] = true;
    readonly contentType: string;
    /** Whether a second try could send the same. */
    readonly isRepeatable: boolean;
    /** Undefined where nobody knows. */
    readonly totalBytes: number | undefined;
    constructor(source: UploadSource | UploadStream, fields: Fields, filename: string, sending: Sending);
    /**
     * `onMove` is called whenever the connection takes something.
     * @throws TypeError for a stream that was sent before
     */
    open(onMove: () => void): Promise<OpenBody>;
}
/** Whether a body that is a stream can be sent from here. Browsers do that over some connections only, and do not say over which. */
export declare function canStream(): boolean;
/** @throws TypeError for a stream that was sent before */
export declare function toBlob(source: UploadSource | UploadStream): Promise<Blob>;
/** Whether it can be read once. */
export declare function isStream(source: UploadSource | UploadStream): source is UploadStream;
export {};
