import { type Addresses, addressesOf } from "./calls/addresses.ts";
import { type Events, eventsOf } from "./calls/events.ts";
import { type Images, imagesOn } from "./calls/images.ts";
import { type Imports, importsOn } from "./calls/imports.ts";
import { type Tickets, ticketsOn } from "./calls/tickets.ts";
import { type UsageCalls, usageOn } from "./calls/usage.ts";
import { ApiError } from "./failure.ts";
import type { AuthContext, BillingStatus, ConnectedUser, Key, Plan, PlansOnSale } from "./shapes.ts";
import { type Pages, pagesOf, pathOf } from "./wire/calls.ts";
import { checkArguments, checked } from "./wire/check.ts";
import type { CallOptions, ClientOptions, RequestOptions } from "./wire/request.ts";
import { CLIENT, CREATE_CLIENT } from "./wire/takes-client.ts";
import { createTransport, type Transport } from "./wire/transport.ts";

export type {
	CreateCall,
	CreateOptions,
	DeleteOptions,
	ImageChanges,
	Images,
	IncludeOptions,
	ReplaceOptions,
	SignImageOptions,
	StreamOptions,
	StringMapChange,
	UploadOptions,
} from "./calls/images.ts";

/**
 * Every call rejects with ApiError when the service refused, with ConnectionError when no answer came, and with the signal's
 * reason when it was aborted.
 */
export interface Client extends Addresses {
	readonly images: Images;
	/** What happened to the App. */
	readonly events: Events;
	/** Permissions to upload one image each, for browsers and phones; they upload with `uploadWithTicket`. */
	readonly tickets: Tickets;
	/** Images made of many addresses at once. */
	readonly imports: Imports;
	readonly usage: UsageCalls;
	/** The App's connected users, for an App-wide key with `read`, on a client without a user. */
	readonly users: Pages<ConnectedUser, { readonly email: string }> & {
		/**
		 * With `images` and `limits`: "2 of 3". Null in `limits` means any number.
		 * @throws ApiError `not_found`
		 */
		get(id: string, options?: CallOptions): Promise<ConnectedUser>;
	};
	/** The key itself: what it reaches and may do. */
	readonly key: { get(options?: CallOptions): Promise<Key> };
	readonly billing: {
		/**
		 * The status of the selected user, or of the one who owns the key. While a renewal is being confirmed, calls wait and try again.
		 * @throws ApiError `forbidden` without a user
		 */
		status(options?: CallOptions): Promise<BillingStatus>;
		/** Does the same without waiting: while a renewal is being confirmed, returns the status that was read last. */
		statusOr(kept: BillingStatus, options?: CallOptions): Promise<KeptStatus>;
		/** The plans that the key's App has on sale, for an App-wide key. */
		readonly plans: Pages<Plan, Record<never, never>, PlansOnSale>;
	};
	/**
	 * The person who signed in, for the code that the callback was given: once, within a minute, with an App-wide key.
	 * @throws ApiError `invalid_code`
	 */
	exchange(code: string, options?: CallOptions): Promise<AuthContext>;
	/**
	 * The same calls for one connected user: nothing that it does is about anybody else, or about the App storage.
	 * @throws TypeError for what is no id of a user: `usr_…`
	 */
	forUser(id: string): UserClient;
	/** Makes any other call. `path` begins with `/v1/`; the answer's type is the caller's claim. */
	request<T = unknown>(method: string, path: string, options?: RequestOptions): Promise<T>;
}

/** The calls that are about one connected user, and name no other. */
export interface UserClient {
	readonly images: Omit<Images, "copy" | "move">;
	readonly tickets: Tickets;
	readonly imports: Imports;
	/** Daily usage can tell of the whole App: it is the client's own. */
	readonly usage: Pick<UsageCalls, "get">;
	readonly billing: Pick<Client["billing"], "status" | "statusOr">;
}

/** @throws TypeError for an option that is missing, unknown or of a wrong kind */
export function createClient(options: ClientOptions): Client {
	checkArguments("createClient", CREATE_CLIENT, [options]);
	const transport = createTransport(options, "createClient");
	const key = { get: (call: CallOptions = {}) => transport.send("GET", "/v1/key", call) as Promise<Key> };
	const stored = storedOn(transport);
	const client: Client = {
		...stored,
		events: eventsOf(transport),
		users: {
			...pagesOf<ConnectedUser, { readonly email: string }>(transport, "/v1/users", { filters: ["email"] }),
			get: (id, call = {}) => transport.send("GET", pathOf("users", id), call) as Promise<ConnectedUser>,
		},
		key,
		billing: { ...stored.billing, plans: pagesOf(transport, "/v1/billing/plans") },
		...addressesOf(key.get, options.baseUrl),
		exchange: (code, call) =>
			transport.send("POST", "/v1/auth/exchange", { ...call, body: { code } }) as Promise<AuthContext>,
		forUser: (id) => clientOf(id, options),
		request: <T>(method: string, path: string, call: RequestOptions = {}) =>
			transport.sendAny(method, path, call) as Promise<T>,
	};
	return checked(client, CLIENT);
}

const USER_ID = /^usr_\w+$/;

function clientOf(user: string, options: ClientOptions): UserClient {
	if (!USER_ID.test(user))
		throw new TypeError("forUser: id must be the id of a user, usr_…: the one that sign-in gave.");
	const stored = storedOn(createTransport({ ...options, user, isForOneUser: true }, "forUser"));
	const { copy: _copy, move: _move, ...images } = stored.images;
	return checked({ ...stored, images, usage: { get: stored.usage.get } }, CLIENT);
}

/** The calls about what a storage holds. */
function storedOn(transport: Transport) {
	const status = (call: CallOptions = {}) =>
		transport.send("GET", "/v1/billing/status", call) as Promise<BillingStatus>;
	return {
		images: imagesOn(transport),
		tickets: ticketsOn(transport),
		imports: importsOn(transport),
		usage: usageOn(transport),
		billing: {
			status,
			statusOr: (kept: BillingStatus, call: CallOptions = {}) => statusOrKept(status, kept, call),
		},
	};
}

/** A billing status, fresh or from the last read. */
export interface KeptStatus {
	readonly status: BillingStatus;
	/** Undefined for a fresh status; otherwise the seconds before a new one can be had. */
	readonly retryAfterSeconds: number | undefined;
}

/**
 * The status as it is, or `kept`, the one that was read last, while a renewal is being confirmed: a person who paid is not shut out
 * because their bank takes a minute (specification, "GET /v1/billing/status").
 * @throws ApiError for every other refusal
 */
async function statusOrKept(
	read: (options: CallOptions) => Promise<BillingStatus>,
	kept: BillingStatus,
	options: CallOptions,
): Promise<KeptStatus> {
	try {
		// The caller has an answer already and need not wait for another.
		return { status: await read({ ...options, retries: 0 }), retryAfterSeconds: undefined };
	} catch (error) {
		const waiting = error instanceof ApiError && error.status === 503 && error.action?.type === "wait";
		if (!waiting) throw error;
		return { status: kept, retryAfterSeconds: error.retryAfterSeconds };
	}
}
