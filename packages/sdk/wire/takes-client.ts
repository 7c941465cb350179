/* Made by `npm run generate` from the SDK's types: what each function takes. */
// biome-ignore-all format: a program has made it

import type { Calls, Fields } from "./check.ts";

const CallOptions: Fields = { "signal?": "object", "user!": "null|string", "timeoutMs?": "number", "retries?": "number", "onAnswer?": "function" };

const IncludeOptions: Fields = { ...CallOptions, "include?": "string[]" };

const CreateOptions: Fields = { ...IncludeOptions, "caption?": "string", "publishedAt?": "Date|number|string", "ttl?": "number|string", "metadata?": { "*": "string" }, "labels?": { "*": "string" }, "externalId?": "string", "public?": "boolean", "idempotencyKey?": "string" };

const UploadOptions: Fields = { ...CreateOptions, "filename?": "string", "onProgress?": "function", "totalBytes?": "number" };

const Period: Fields = { "from?": "Date|number|string", "to?": "Date|number|string" };

const ListOptions: Fields = { ...CallOptions, "ids?": "string[]", "labels?": { "*": "null|string|string[]" }, "created?": Period, "published?": Period, "expires?": Period, "formats?": "string[]", "filenamePrefix?": "string", "externalId?": "string", "sha256?": "string", "similarTo?": "string", "q?": "string", "order?": "string", "include?": "string[]", "totalMax?": "number", "limit?": "number", "cursor?": "string" };

const LabelOptions: Fields = { ...CallOptions, "limit?": "number" };

const ImageChanges: Fields = { "caption?": "null|string", "publishedAt?": "Date|number|string", "ttl?": "null|number|string", "metadata?": { "*": "null|string" }, "labels?": { "*": "null|string" }, "externalId?": "null|string", "ifLabels?": { "*": "string" }, "ifRevision?": "number", "public?": "boolean" };

const DeleteOptions: Fields = { ...CallOptions, "permanent?": "boolean" };

const CreateCall: Fields = { ...IncludeOptions, "idempotencyKey?": "string" };

const ReplaceOptions: Fields = { ...CreateCall, "filename?": "string" };

const SignImageOptions: Fields = { ...CallOptions, "parameters?": { "*": "boolean|number|string|undefined" }, expiresIn: "number|string" };

const EventsOptions: Fields = { ...CallOptions, "after?": "string", "order?": "string", "types?": "string[]", "image?": "string", "limit?": "number", "wait?": "number" };

const FollowOptions: Fields = { ...CallOptions, "onTrouble?": "function", "after?": "string", "types?": "string[]", "image?": "string" };

const TicketFields: Fields = { "caption?": "string", "publishedAt?": "Date|number|string", "ttl?": "number|string", "metadata?": { "*": "string" }, "labels?": { "*": "string" }, "externalId?": "string" };

const TicketOptions: Fields = { ...CallOptions, "expiresIn?": "number|string", "maxBytes?": "number", "formats?": "string[]", "origins?": "string[]", "fields?": TicketFields, "idempotencyKey?": "string" };

const PageOptions: Fields = { ...CallOptions, "limit?": "number", "cursor?": "string" };

const ImportFields: Fields = { "caption?": "string", "publishedAt?": "Date|number|string", "ttl?": "number|string", "metadata?": { "*": "string" }, "labels?": { "*": "string" }, "externalId?": "string" };

const ImportAddress: Fields = { ...ImportFields, url: "string" };

const ImportOptions: Fields = { ...CallOptions, "fields?": { "caption?": "string", "publishedAt?": "Date|number|string", "ttl?": "number|string", "metadata?": { "*": "string" }, "labels?": { "*": "string" } }, "idempotencyKey?": "string" };

const QueryOptions: Fields = { ...CallOptions, "query?": { "*": "boolean|null|number|string|undefined" } };

const RequestOptions: Fields = { ...QueryOptions, "body?": "any", "idempotencyKey?": "string" };

const WayBack: Fields = { redirectUri: "string", "state?": "string" };

const ConnectUrlOptions: Fields = { ...WayBack, "silent?": "boolean" };

const BillingUrlOptions: Fields = { ...WayBack, "priceId?": "string" };

const ClientOptions: Fields = { baseUrl: "string", apiKey: "null|string", "app?": "string", "user!": "null|string", "fetch?": "function", "timeoutMs?": "number", "leftMs?": "function", "retries?": "number" };

export const CREATE_CLIENT: Fields = { options: ClientOptions };

export const CLIENT: Calls = {
	images: {
		upload: [{ file: "bytes|function", "options?": UploadOptions }],
		import: [{ url: "string", "options?": CreateOptions }],
		get: [{ id: "string", "options?": IncludeOptions }],
		list: [{ "options?": ListOptions }],
		labels: [{ "prefix?": "string", "options?": LabelOptions }],
		pages: [{ "options?": ListOptions }, {}],
		all: [{ "options?": ListOptions }, {}],
		edit: [{ id: "string", changes: ImageChanges, "options?": IncludeOptions }],
		editMany: [{ ids: "string[]", changes: ImageChanges, "options?": IncludeOptions }],
		deleteMany: [{ ids: "string[]", "options?": DeleteOptions }],
		delete: [{ id: "string", "options?": DeleteOptions }],
		restore: [{ id: "string", "options?": CreateCall }],
		replace: [{ id: "string", file: { "|": "bytes|function", url: "string", "*": "any" }, "options?": ReplaceOptions }],
		copy: [{ id: "string", user: "null|string", "options?": CreateCall }],
		move: [{ id: "string", user: "null|string", "options?": CreateCall }],
		sign: [{ id: "string", options: SignImageOptions }],
		update: [{ id: "string", changes: ImageChanges, "options?": IncludeOptions }],
		updateMany: [{ ids: "string[]", changes: ImageChanges, "options?": IncludeOptions }],
	},
	events: {
		list: [{ "options?": EventsOptions }],
		get: [{ id: "string", "options?": CallOptions }],
		follow: [{ "options?": FollowOptions }, {}],
	},
	tickets: {
		create: [{ "options?": TicketOptions }],
		get: [{ id: "string", "options?": CallOptions }],
		cancel: [{ id: "string", "options?": CallOptions }],
		list: [{ "options?": { ...PageOptions, "state?": "string" } }],
		all: [{ "options?": { ...PageOptions, "state?": "string" } }, {}],
	},
	imports: {
		create: [{ items: { "[]": { "|": "string", ...ImportAddress } }, "options?": ImportOptions }],
		get: [{ id: "string", "options?": CallOptions }],
		items: [{ id: "string" }, {
			list: [{ "options?": { ...PageOptions, "state?": "string" } }],
			all: [{ "options?": { ...PageOptions, "state?": "string" } }, {}],
		}],
		cancel: [{ id: "string", "options?": CallOptions }],
		list: [{ "options?": { ...PageOptions } }],
		all: [{ "options?": { ...PageOptions } }, {}],
	},
	usage: {
		get: [{ "options?": CallOptions }],
		daily: {
			list: [{ "options?": { ...PageOptions, "from?": "string", "to?": "string", "scope?": "string", "by?": "string" } }],
			all: [{ "options?": { ...PageOptions, "from?": "string", "to?": "string", "scope?": "string", "by?": "string" } }, {}],
		},
		dailyCsv: [{ "options?": { ...CallOptions, "from?": "string", "to?": "string", "scope?": "string", "by?": "string" } }],
	},
	users: {
		list: [{ "options?": { ...PageOptions, "email?": "string" } }],
		all: [{ "options?": { ...PageOptions, "email?": "string" } }, {}],
		get: [{ id: "string", "options?": CallOptions }],
	},
	key: {
		get: [{ "options?": CallOptions }],
	},
	billing: {
		status: [{ "options?": CallOptions }],
		statusOr: [{ kept: "object", "options?": CallOptions }],
		plans: {
			list: [{ "options?": { ...PageOptions } }],
			all: [{ "options?": { ...PageOptions } }, {}],
		},
	},
	exchange: [{ code: "string", "options?": CallOptions }],
	forUser: [{ id: "string" }, {}],
	request: [{ method: "string", path: "string", "options?": RequestOptions }],
	connectUrl: [{ options: ConnectUrlOptions }],
	billingUrl: [{ options: BillingUrlOptions }],
	accountUrl: [{  }],
	disconnectUrl: [{  }],
};
