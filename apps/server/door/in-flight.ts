import { Failure } from "@svc/base/failure";
import { networkOf } from "@svc/base/http/network";
import { isLoopback } from "./client-address.ts";
import { refusal } from "./refusal.ts";

type Handle = (request: Request) => Response | Promise<Response>;

/** More than a backend with a burst of its key, or an office with many people, has at once. */
export const IN_FLIGHT_MAX = 256;
const RETRY_SECONDS = 1;

/**
 * Lets each network have only so many requests in work at once, however many connections its proxy has: bodies that trickle in keep
 * files open. This machine's own clients have no bound.
 */
export function boundedInFlight(handle: Handle, addressOf: (request: Request) => string): Handle {
	const running = new Map<string, number>();

	function add(network: string, step: 1 | -1): void {
		const count = (running.get(network) ?? 0) + step;
		if (count > 0) running.set(network, count);
		else running.delete(network);
	}

	return async (request) => {
		const address = addressOf(request);
		if (isLoopback(address)) return handle(request);
		const network = networkOf(address, 56);
		if ((running.get(network) ?? 0) >= IN_FLIGHT_MAX) {
			const failure = new Failure("rate_limited", undefined, { retryAfterSeconds: RETRY_SECONDS });
			return refusal(failure, 429, { "Retry-After": String(RETRY_SECONDS) });
		}
		add(network, 1);
		try {
			return await handle(request);
		} finally {
			add(network, -1);
		}
	};
}
