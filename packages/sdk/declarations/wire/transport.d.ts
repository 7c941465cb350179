import { type ClientOptions, type QueryOptions, type RequestOptions, type UserClientOptions } from "./request.js";
export interface Transport {
    /** The object in the body of a successful answer. @throws ConnectionError `malformed` for an answer that holds none */
    send(method: string, path: string, options: RequestOptions): Promise<unknown>;
    /** The parsed body, whatever it is: JSON, or text where the service says it is something else. */
    sendAny(method: string, path: string, options: RequestOptions): Promise<unknown>;
    /** Does the same for a call of which the caller knows that a second one does no more than the first. */
    repeat(method: string, path: string, options: RequestOptions): Promise<unknown>;
    /** A DELETE that is repeated: after a lost answer, a 404 means that the lost one had succeeded, and `gone` is returned. */
    remove(path: string, options: QueryOptions, gone: unknown): Promise<unknown>;
    /** A GET whose successful answer is bytes. */
    download(path: string, options: QueryOptions): Promise<Blob>;
    stream(path: string, options: QueryOptions): Promise<ReadableStream<Uint8Array>>;
}
/**
 * @param maker the function whose options these are
 * @throws TypeError for a malformed base address or key
 */
export declare function createTransport(client: ClientOptions | UserClientOptions, maker?: string): Transport;
