import { Failure, invalid } from "@svc/base/failure";

/**
 * An address, or what it leads to, that is not allowed. `why` is shown: it never names an address that the caller did not send,
 * or an import would be a way to look up names inside our network.
 */
export function refused(why: string): Failure {
	return invalid("url", why);
}

/** The other side is missing or broken. `why` is shown; `cause` is only logged. */
export function unfetchable(why: string, cause?: unknown): Failure {
	return new Failure("fetch_failed", { url: [why] }, { cause });
}

export function overdue(): Failure {
	return new Failure("fetch_failed", { url: ["did not arrive in time"] }, { timedOut: true });
}

export function tooLarge(maxBytes: number): Failure {
	return invalid("file", `is larger than ${maxBytes.toLocaleString("en-US")} bytes`);
}
