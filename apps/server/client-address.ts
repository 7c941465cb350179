/** The socket address of each request; dropped with the request. */
const peers = new WeakMap<Request, string>();

/** A request whose connection has closed already is not from the private network: its headers are not trusted. */
const GONE = "unknown";

export function rememberPeer(request: Request, address: string | undefined): void {
	peers.set(request, address ?? GONE);
}

/** A request without a socket comes from this very process. */
const LOOPBACK = "127.0.0.1";
/** A longer text is no address, and would only fill the counters that use it as a name. */
const ADDRESS_MAX = 45;

/**
 * The network address that a request came from. Behind a proxy on this machine or in this private network it is the last one in
 * `X-Forwarded-For`, which that proxy itself has appended; a client may have invented the addresses before it.
 */
export function clientAddress(request: Request): string {
	const peer = unmapped(peers.get(request) ?? LOOPBACK);
	if (!isPrivate(peer)) return peer;
	const forwarded = request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim();
	const address = forwarded && withoutPort(forwarded);
	return address && address.length <= ADDRESS_MAX && /^[0-9a-fA-F:.]+$/.test(address) ? unmapped(address) : peer;
}

/** Some proxies name the port too, which differs for every connection: with it no client would reach a limit. */
function withoutPort(forwarded: string): string {
	const [, v6, v4] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d+)?$/.exec(forwarded) ?? [];
	return v6 ?? v4 ?? forwarded;
}

/** An IPv4 address however it is written. */
function unmapped(address: string): string {
	return address.replace(/^::ffff:(?=\d+\.)/i, "");
}

function isPrivate(address: string): boolean {
	return /^(127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|::1$|f[cd])/i.test(address);
}
