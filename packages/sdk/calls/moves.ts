import type { AppImport, Job, MissingMasters, MovePlan, MoveRecords, TakenMaster } from "../shapes.ts";
import { type Calls, pathOf } from "../wire/calls.ts";
import type { CallOptions, PostOptions } from "../wire/request.ts";
import type { Transport } from "../wire/transport.ts";

export interface ExportPageOptions extends CallOptions {
	/** `next` of the page before. */
	readonly after?: string | undefined;
}

/** An App is read as a whole, to be taken to another installation; by its Owner. */
export function appExportsOf(calls: Calls, appId: string) {
	const path = (...rest: string[]) => pathOf("apps", appId, "exports", ...rest);
	return {
		/** Pins what the App has, for 7 days. */
		start: (options?: PostOptions) => calls.post<Job>(path(), {}, options),
		/** Counts what an export would hold, and begins nothing. */
		rehearse: (options?: PostOptions) => calls.post<MovePlan>(path(), { dry_run: true }, options),
		/** The App itself, then its users, then its images. */
		records: (id: string, { after, ...options }: ExportPageOptions = {}) =>
			calls.get<MoveRecords>(path(id, "records"), { ...options, query: { after } }),
		/** The bytes of an image, as they are stored. */
		master: (id: string, image: string, options?: CallOptions) => calls.stream(path(id, "masters", image), options),
	};
}

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
export function appImportsOf(transport: Transport, calls: Calls) {
	const path = (...rest: string[]) => pathOf("operator", "app_imports", ...rest);
	return {
		/** Begins, or goes on with what this file began. */
		open: (file: NewAppImport, options?: CallOptions) =>
			transport.repeat("POST", path(), { ...options, body: file }) as Promise<AppImport>,
		get: (id: string, options?: CallOptions) => calls.get<AppImport>(path(id), options),
		/** At most 200; says which bytes are missing for them. */
		addRecords: (id: string, records: readonly object[], options?: CallOptions) =>
			transport.repeat("PUT", path(id, "records"), { ...options, body: { records } }) as Promise<MissingMasters>,
		addMaster: (id: string, sha256: string, bytes: Blob, options?: CallOptions) => {
			const form = new FormData();
			form.append("file", bytes, "master");
			return transport.repeat("PUT", path(id, "masters"), {
				...options,
				body: form,
				query: { sha256 },
			}) as Promise<TakenMaster>;
		},
		/** The App comes to be. */
		finish: (id: string, options?: CallOptions) => calls.assure<AppImport>(path(id, "finish"), options),
		delete: (id: string, options?: CallOptions) => calls.remove("app_import", path(id), id, options),
	};
}
