/* What a request says about the version that it expects (RFC 9110, section 13). There is no Last-Modified, so dates say nothing here. */

/**
 * Whether an If-Match header lets the request go on: it names this version by a strong tag, or any version (section 13.1.1). `etag`
 * undefined: what is sent has no version.
 */
export function isExpected(header: string | null, etag: string | undefined): boolean {
	if (header === null || header.trim() === "*") return true;
	for (const [, weak, tag] of header.matchAll(TAG)) {
		if (weak === undefined && tag === etag) return true;
	}
	return false;
}

/** Whether an If-None-Match header names this version (section 13.1.2: weak comparison). */
export function isKnown(header: string | null, etag: string): boolean {
	if (header === null) return false;
	if (header.trim() === "*") return true;
	for (const [, , tag] of header.matchAll(TAG)) {
		if (tag === etag) return true;
	}
	return false;
}

const TAG = /(W\/)?("[^"]*")/g;
