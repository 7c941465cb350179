/** What a proxy adds: whoever stands behind it is not known to be on this machine. */
const FORWARDED = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "cf-connecting-ip"];

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Whether an address leads to this machine alone. */
export function isLoopbackUrl(url: string): boolean {
	return LOOPBACK_NAMES.has(new URL(url).hostname);
}

/**
 * Whether a request was made by a program on this machine, to a name of this machine. A page of another site that leads here by a name of its own (DNS
 * rebinding) has another Host, and what came through a proxy says so.
 * @param address the network address that it came from
 */
export function isFromHere({ url, headers }: Request, address: string): boolean {
	const isLoopback = address.startsWith("127.") || address === "::1";
	return isLoopback && isLoopbackUrl(url) && !FORWARDED.some((name) => headers.has(name));
}
