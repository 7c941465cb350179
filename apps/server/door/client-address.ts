import ipaddr from "ipaddr.js";

/** An address, and how many of its bits count. */
export interface Network {
	readonly base: ipaddr.IPv4 | ipaddr.IPv6;
	readonly bits: number;
}

export interface ProxyTrust {
	/** The proxies that are believed; nobody else's headers count. */
	readonly proxies: readonly Network[];
	/** A header with one address, which is read instead of `X-Forwarded-For`, in lower case. */
	readonly header: string | undefined;
}

/** Asks for the network address that a request came from, while its connection is there to be asked. */
export type Peer = () => string | undefined;

/** How to ask for the socket address of each request; dropped with the request. */
const peers = new WeakMap<Request, Peer>();

/** A request whose connection has closed already came through no proxy of ours: its headers are not trusted. */
const GONE = "unknown";
/** A request without a socket comes from this very process. */
const LOOPBACK = "127.0.0.1";
/** A longer text is no address, and need not be taken apart to see that. */
const ENTRY_MAX = 64;

export function rememberPeer(request: Request, peer: Peer): void {
	peers.set(request, peer);
}

/** The address at the other end of the connection, whoever stands behind it. */
export function peerAddress(request: Request): string {
	const peer = peers.get(request);
	if (!peer) return LOOPBACK;
	return canonical(peer() ?? "") ?? GONE;
}

/**
 * Reads the network address that a request came from. From a trusted proxy it is the last address in `X-Forwarded-For` that is no
 * trusted proxy's: each proxy appends whom it saw, and a client may have invented everything before that.
 */
export function clientAddresses({ proxies, header }: ProxyTrust): (request: Request) => string {
	const isProxy = (address: string) => isWithin(address, proxies);
	return (request) => {
		const peer = peerAddress(request);
		const forwarded = request.headers.get(header ?? "x-forwarded-for");
		if (forwarded === null || !isProxy(peer)) return peer;
		if (header !== undefined) return forwardedAddress(forwarded) ?? peer;
		return lastStranger(forwarded, peer, isProxy);
	};
}

/** True for this machine's own addresses, each by the one name that `canonical` gives it. */
export function isLoopback(address: string): boolean {
	return address.startsWith("127.") || address === "::1";
}

/** An address or `address/bits`; undefined where it is neither. IPv4 within IPv6 is IPv4. */
export function parseNetwork(text: string): Network | undefined {
	const [address = "", bits, ...rest] = text.split("/");
	const name = canonical(address);
	if (name === undefined || rest.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return undefined;
	const base = ipaddr.parse(name);
	const width = base.kind() === "ipv4" ? 32 : 128;
	const mapped = width === 32 && address.includes(":") ? 96 : 0;
	const count = bits === undefined ? width : Number(bits) - mapped;
	return count >= 0 && count <= width ? { base, bits: count } : undefined;
}

/** From the right to the first address that is no proxy's. Behind what is no address nothing can be believed. */
function lastStranger(header: string, peer: string, isProxy: (address: string) => boolean): string {
	let nearest = peer;
	for (const entry of header.split(",").reverse()) {
		const address = forwardedAddress(entry);
		if (address === undefined) return nearest;
		nearest = address;
		if (!isProxy(address)) return nearest;
	}
	return nearest;
}

/** Some proxies name the port too, which differs for every connection: with it no client would reach a limit. */
function forwardedAddress(entry: string): string | undefined {
	const sent = entry.trim();
	const [, v6, v4] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(sent) ?? [];
	return canonical(v6 ?? v4 ?? sent);
}

/** One name for one address: IPv4 without its IPv6 form, IPv6 in its shortest and without the interface that it came by. */
export function canonical(text: string): string | undefined {
	if (text.length > ENTRY_MAX) return undefined;
	const [address = ""] = text.split("%");
	// The package also reads 0x7f.1 and 010.0.0.1, which each program takes for another address.
	const isAddress = address.includes(":") ? ipaddr.IPv6.isValid(address) : ipaddr.IPv4.isValidFourPartDecimal(address);
	return isAddress ? ipaddr.process(address).toString() : undefined;
}

export function isWithin(address: string, networks: readonly Network[]): boolean {
	if (address === GONE) return false;
	const parsed = ipaddr.process(address);
	return networks.some(({ base, bits }) => parsed.kind() === base.kind() && parsed.match([base, bits]));
}
