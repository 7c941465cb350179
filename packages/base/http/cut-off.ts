/*
 * A body that is refused before its end is not read on for ever: its connection ends with the answer, and whatever else was sent on it is dropped
 * (RFC 9112, 9.6). Who reads bodies knows; who holds connections acts.
 */

const requests = new WeakSet<Request>();

/** From now on the rest of what this request's connection brings is nobody's: its answer says `Connection: close`. */
export function cutOff(request: Request): void {
	requests.add(request);
}

export function isCutOff(request: Request): boolean {
	return requests.has(request);
}
