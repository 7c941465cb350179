import type { CallOptions, QueryOptions } from "./request.ts";
import type { Tombstone } from "./shapes.ts";
import type { Transport } from "./transport.ts";

/** Calls of the management API by what they do; each one's type is what the service documents. */
export interface Calls {
	get<T>(path: string, options?: QueryOptions): Promise<T>;
	/** Bytes that are not JSON: a picture. */
	download(path: string, options?: QueryOptions): Promise<Blob>;
	post<T>(path: string, body?: object, options?: CallOptions): Promise<T>;
	/** A POST of which a second one does no more than the first; sent again after a transient failure. */
	assure<T>(path: string, options?: CallOptions): Promise<T>;
	patch<T>(path: string, body: object, options?: CallOptions): Promise<T>;
	/** A deletion that answers with something else than a tombstone: a job. */
	start<T>(path: string, options?: QueryOptions): Promise<T>;
	/** After a lost answer, a thing that is gone counts as removed. */
	remove(object: string, path: string, id: string, options?: QueryOptions): Promise<Tombstone>;
}

export function callsOn(transport: Transport): Calls {
	const send = <T>(method: string, path: string, body?: object, options: QueryOptions = {}) =>
		transport.send(method, path, { ...options, ...(body && { body }) }) as Promise<T>;
	return {
		get: (path, options) => send("GET", path, undefined, options),
		download: (path, options = {}) => transport.download(path, options),
		post: (path, body, options) => send("POST", path, body, options),
		assure: <T>(path: string, options: CallOptions = {}) => transport.repeat("POST", path, options) as Promise<T>,
		patch: (path, body, options) => send("PATCH", path, body, options),
		start: (path, options) => send("DELETE", path, undefined, options),
		remove: (object, path, id, options = {}) =>
			transport.remove(path, options, { id, object, deleted: true }) as Promise<Tombstone>,
	};
}

/** ISO 8601, for a date in whatever form it was given. */
export function dateText(date: Date | string | null | undefined): string | null | undefined {
	return date instanceof Date ? date.toISOString() : date;
}
