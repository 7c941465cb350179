import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

// Only 2000::/3 is assigned for global use. Everything outside it is refused without being listed: IPv4-compatible, NAT64,
// unique and site-local, segment routing, and whatever is invented there next.
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");

// A unicast address that every machine in one large cloud can reach, and behind which that cloud keeps credentials.
const METADATA_IPV4 = "168.63.129.16";

/** One spelling for each address, IPv4 inside IPv6 as IPv4; undefined for what is no address, or has a zone. */
export function canonicalAddress(text: string): string | undefined {
	return isIP(text) === 0 || text.includes("%") ? undefined : ipaddr.process(text).toString();
}

/** Whether anybody on the internet could reach this address, tunnels and translations into private networks excluded. */
export function isPublicAddress(text: string): boolean {
	const canonical = canonicalAddress(text);
	if (canonical === undefined) return false;
	const address = ipaddr.parse(canonical);
	if (address.range() !== "unicast") return false;
	return address instanceof ipaddr.IPv6 ? address.match(GLOBAL_IPV6) : canonical !== METADATA_IPV4;
}
