import type { ImportItem, ImportItemState, Job } from "../shapes.ts";
import { dateText, type Pages, pagesOf, pathOf } from "../wire/calls.ts";
import type { CallOptions } from "../wire/request.ts";
import type { Transport } from "../wire/transport.ts";

/** Of an image to be. */
export interface ImportFields {
	readonly caption?: string | undefined;
	/** A Date, ISO 8601, or a unix timestamp in seconds. Default: when it is made. */
	readonly publishedAt?: Date | string | number | undefined;
	/** Seconds, or a duration such as `24h` or `7d`, from when it is made. Default: no expiry. */
	readonly ttl?: string | number | undefined;
	readonly metadata?: Readonly<Record<string, string>> | undefined;
	readonly labels?: Readonly<Record<string, string>> | undefined;
	/** The App's own id of the image. */
	readonly externalId?: string | undefined;
}

export interface ImportAddress extends ImportFields {
	/** A public address, which the service fetches itself. */
	readonly url: string;
}

export interface ImportOptions extends CallOptions {
	/** For every item: an item's own fields win, and maps are merged. */
	readonly fields?: Omit<ImportFields, "externalId"> | undefined;
	/** Repeating a call with its key makes nothing twice, for 24 hours. Default: a new random key for each call. */
	readonly idempotencyKey?: string | undefined;
}

type ItemFilter = { readonly state: ImportItemState };

/** Images made of many addresses at once, in the App storage or the selected user's. */
export interface Imports extends Pages<Job> {
	/** Of 1 to 1,000 addresses. All of them are checked first: one that is wrong, and none is fetched. */
	create(items: readonly (ImportAddress | string)[], options?: ImportOptions): Promise<Job>;
	/** Once it is done, its `result` says how many images were `created` and how many items `failed`. */
	get(id: string, options?: CallOptions): Promise<Job>;
	/** What became of each, in the order in which they were sent. */
	items(id: string): Pages<ImportItem, ItemFilter>;
	/** What is queued is cancelled; what was made stays. */
	cancel(id: string, options?: CallOptions): Promise<Job>;
}

export function importsOn(transport: Transport): Imports {
	return {
		...pagesOf<Job>(transport, "/v1/imports"),
		create(items, { fields, ...call } = {}) {
			const body = {
				items: items.map((item) => (typeof item === "string" ? { url: item } : { url: item.url, ...wire(item) })),
				fields: fields && wire(fields),
			};
			const idempotencyKey = call.idempotencyKey ?? crypto.randomUUID();
			return transport.send("POST", "/v1/imports", { ...call, body, idempotencyKey }) as Promise<Job>;
		},
		get: (id, options = {}) => transport.send("GET", pathOf("imports", id), options) as Promise<Job>,
		items: (id) => pagesOf<ImportItem, ItemFilter>(transport, pathOf("imports", id, "items"), { filters: ["state"] }),
		cancel: (id, options = {}) => transport.repeat("POST", pathOf("imports", id, "cancel"), options) as Promise<Job>,
	};
}

/** JSON leaves out what is undefined. */
function wire({ caption, publishedAt, ttl, metadata, labels, externalId }: ImportFields) {
	return { caption, published_at: dateText(publishedAt), ttl, metadata, labels, external_id: externalId };
}
