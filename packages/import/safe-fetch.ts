import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { type Failure, FetchAgain } from "@svc/base/failure";
import { untilAborted } from "@svc/base/pace/patience";
import type { Importer } from "@svc/base/ports";
import { connect, type Dial, dialDirectly } from "./connection.ts";
import {
	allowedPairs,
	checkDestination,
	type Destination,
	isPublicAddress,
	notPublic,
	overdue,
	refused,
	tooLarge,
	unfetchable,
} from "./destination.ts";
import { type FetchedAnswer, get } from "./exchange.ts";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** What a body can be encoded in: IANA's registry of content codings, without identity. */
const CODINGS: ReadonlySet<string> = new Set([
	...["gzip", "x-gzip", "br", "deflate", "zstd", "compress", "x-compress"],
	...["dcb", "dcz", "exi", "pack200-gzip", "aes128gcm"],
]);
/** The time that a receiver gets past the deadline, to remove the bytes that it has written. */
const CLEAN_UP_MS = 1_000;

/** How the machine behind an address is found. */
export interface AddressOptions {
	/** Resolves every address of a name. */
	readonly resolve?: ((name: string) => Promise<readonly string[]>) | undefined;
	readonly dial?: Dial | undefined;
	/** The only trusted certificates, as PEM; the system's certificates when left out. */
	readonly ca?: string | undefined;
}

interface SafeImporterOptions extends AddressOptions {
	/** Exact `host:port` pairs that may be private and use any port, for development and tests. */
	readonly allow: readonly string[];
	/** Includes look-up, connection, headers, redirects, body and the receiver's work. */
	readonly deadlineMs?: number;
	readonly maxRedirects?: number;
	readonly maxBytes?: number;
}

/**
 * Fetches for strangers from inside our network, so every address is taken for an attack on it: what it says, where its name
 * leads, whom we are really connected to, and the same again for each redirect.
 */
export function safeImporter(options: SafeImporterOptions): Importer {
	const { ca } = options;
	const { addressesOf, dialer: dial } = addressFinder(options);
	const { deadlineMs = 30_000, maxRedirects = 5, maxBytes = 20_000_000 } = options;
	const allow = allowedPairs(options.allow);

	type Receive<T> = (body: AsyncIterable<Uint8Array>) => Promise<T>;

	async function follow<T>(first: Destination, receive: Receive<T>, signal: AbortSignal): Promise<T> {
		let destination = first;
		for (let redirects = 0; redirects <= maxRedirects; redirects++) {
			const outcome = await visit(destination, receive, signal);
			if ("received" in outcome) return outcome.received;
			destination = redirected(destination, outcome.location);
		}
		throw refused("redirects too often");
	}

	async function visit<T>(
		destination: Destination,
		receive: Receive<T>,
		signal: AbortSignal,
	): Promise<{ readonly received: T } | { readonly location: string }> {
		const addresses = await addressesOf(destination, signal);
		const connection = await connect(destination, addresses, { dial, ca, signal });
		try {
			const answer = await get(destination, connection, { maxBytes, signal });
			if (REDIRECTS.has(answer.status)) return { location: locationOf(answer) };
			checkAnswer(answer);
			return { received: await untilAborted(receive(answer.body), signal, CLEAN_UP_MS) };
		} finally {
			connection.close();
		}
	}

	function redirected(from: Destination, location: string): Destination {
		// A relative location is joined before it is judged, but its characters are judged as they came.
		const target = /[\s\\]/.test(location) ? null : URL.parse(location, from.url);
		if (target === null || (from.url.protocol === "https:" && target.protocol === "http:")) throw misled();
		try {
			return checkDestination(target.href, allow);
		} catch {
			throw misled();
		}
	}

	function checkAnswer({ status, headers }: FetchedAnswer): void {
		if (status !== 200) throw refusalOf(status);
		const transfer = headers["transfer-encoding"] ?? "chunked";
		if (isEncoded(headers["content-encoding"] ?? "") || transfer.toLowerCase() !== "chunked") {
			throw unfetchable("sends an encoding that was not asked for");
		}
		if (Number(headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
	}

	return {
		async fetch(url, receive) {
			const first = checkDestination(url, allow);
			const deadline = new AbortController();
			const timer = setTimeout(() => deadline.abort(overdue()), deadlineMs);
			try {
				return await follow(first, receive, deadline.signal);
			} finally {
				clearTimeout(timer);
			}
		},
	};
}

/** Finds and judges every address of a destination, once. */
export function addressFinder({ resolve = lookUp, dial = dialDirectly }: AddressOptions) {
	async function addressesOf({ host, exempt }: Destination, signal: AbortSignal): Promise<readonly string[]> {
		const addresses = isIP(host) === 0 ? await untilAborted(resolved(host), signal) : [host];
		// One private address refuses the whole name: another try could reach it.
		if (!exempt && !addresses.every(isPublicAddress)) throw notPublic(host);
		return addresses;
	}

	async function resolved(host: string): Promise<readonly string[]> {
		const addresses = await resolve(host).catch((error: unknown) => {
			throw unfetchable("has a host name that cannot be resolved", error);
		});
		if (addresses.length === 0 || !addresses.every((address) => isIP(address) !== 0)) {
			throw unfetchable("has a host name that cannot be resolved");
		}
		return addresses;
	}

	return { addressesOf, dialer: dial };
}

// The target may be an inner address that the caller knows nothing of, so nothing about it is said.
function misled(): Failure {
	return refused("redirects to an address that is not allowed");
}

function locationOf({ headers }: FetchedAnswer): string {
	if (headers.location === undefined) throw unfetchable("redirects without saying where");
	// A header comes as bytes; those of an address that is not escaped are escaped as they are, as browsers do.
	return headers.location.replace(/[\u0080-\u00ff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Whether a list names a coding. Buckets answer with an empty list, with `aws-chunked` or `UTF-8` for bytes that are not encoded. */
function isEncoded(codings: string): boolean {
	return codings.split(",").some((coding) => CODINGS.has(coding.trim().toLowerCase()));
}

async function lookUp(name: string): Promise<readonly string[]> {
	const found = await lookup(name, { all: true, verbatim: true });
	return found.map(({ address }) => address);
}

/** Who is busy, or broken for a moment, may answer the next time. */
function refusalOf(status: number): Failure {
	const why = `answered with status ${status}`;
	return status === 429 || status >= 500 ? new FetchAgain(why) : unfetchable(why);
}
