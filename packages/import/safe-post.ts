import { noteChange } from "@svc/base/change-notes";
import { Failure } from "@svc/base/failure";
import { connect } from "./connection.ts";
import { allowedPairs, checkDestination, type Destination, overdue, refused } from "./destination.ts";
import { sendPost } from "./exchange.ts";
import { type AddressOptions, addressFinder } from "./safe-fetch.ts";

interface SafePosterOptions extends AddressOptions {
	/** Exact `host:port` pairs that may be private, use any port and do without TLS. */
	readonly allow: readonly string[];
	/** Includes look-up, connection and the headers of the answer. */
	readonly deadlineMs?: number;
}

/** Why there was no answer; what was found inside our network is not told apart. */
type PostError = "timeout" | "connection_failed" | "address_not_allowed";

interface Posted {
	readonly status: number | null;
	readonly error: PostError | null;
	readonly retryAfter: string | undefined;
	readonly response: string | null;
}

const RESPONSE_MAX = 1_024;
/** No more is read than is shown, and a bound would hide the beginning of an answer whose first bytes come in one large piece. */
const UNBOUNDED = Number.POSITIVE_INFINITY;
const HTTPS_PORT = 443;

/** Posts JSON to addresses of strangers by the rules of imports, at every try anew. Follows no redirect. */
export function safePoster(options: SafePosterOptions) {
	const allow = allowedPairs(options.allow);
	const { deadlineMs = 15_000, ca } = options;
	const { addressesOf, dialer } = addressFinder(options);

	/** @throws Failure validation_error under `url` */
	function check(url: string): Destination {
		const destination = checkDestination(url, allow);
		const isSecure = destination.url.protocol === "https:" && destination.port === HTTPS_PORT;
		if (!destination.exempt && !isSecure) throw refused("must be an https address on port 443");
		return destination;
	}

	async function exchange(url: string, body: string, headers: Readonly<Record<string, string>>, signal: AbortSignal) {
		const destination = check(url);
		const addresses = await addressesOf(destination, signal);
		const connection = await connect(destination, addresses, { dial: dialer, ca, signal });
		noteChange();
		try {
			const answer = await sendPost(destination, connection, { body, headers, maxBytes: UNBOUNDED, signal });
			const { "retry-after": retryAfter } = answer.headers;
			const response = destination.exempt ? null : await beginningOf(answer.body);
			return { status: answer.status, error: null, retryAfter, response };
		} finally {
			connection.close();
		}
	}

	return {
		check(url: string): void {
			check(url);
		},
		async post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<Posted> {
			const deadline = new AbortController();
			const timer = setTimeout(() => deadline.abort(overdue()), deadlineMs);
			try {
				return await exchange(url, body, headers, deadline.signal);
			} catch (cause) {
				return { status: null, error: errorOf(cause), retryAfter: undefined, response: null };
			} finally {
				clearTimeout(timer);
			}
		},
	};
}

function errorOf(cause: unknown): PostError {
	if (!(cause instanceof Failure)) return "connection_failed";
	if (cause.code === "validation_error") return "address_not_allowed";
	return cause.timedOut ? "timeout" : "connection_failed";
}

/** As much as came before it broke off or took too long: it is only shown. */
async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
	const decoder = new TextDecoder();
	let text = "";
	try {
		for await (const chunk of body) {
			text += decoder.decode(chunk, { stream: true });
			if (text.length >= RESPONSE_MAX) break;
		}
	} catch {
		// What has come is shown.
	}
	// It may end within a character.
	return text.slice(0, RESPONSE_MAX).toWellFormed();
}
