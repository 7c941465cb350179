export function isIpv6(address: string): boolean {
	return address.includes(":");
}

/**
 * An IPv4 address itself, and of an IPv6 address its first `bits`: the holder of one address has all of its /64 at least, and providers
 * hand out /56 to a household and /48 to a site.
 */
export function networkOf(address: string, bits: 48 | 56 | 64 = 64): string {
	if (!isIpv6(address)) return address;
	const [head = "", tail] = address.toLowerCase().split("::");
	const groups = head === "" ? [] : head.split(":");
	const behind = tail ? tail.split(":").length : 0;
	const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - behind);
	const whole = [...groups, ...Array<string>(zeros).fill("0"), ...(tail ? tail.split(":") : [])];
	const [first, second, third, fourth] = whole.map((group) => group.replace(/^0+(?=.)/, ""));
	if (bits === 48) return [first, second, third].join(":");
	// Two of the four digits of the fourth group are the last eight bits of a /64.
	const last = bits === 64 ? fourth : fourth?.replace(/.{1,2}$/, "") || "0";
	return [first, second, third, last].join(":");
}

/** A network as people are shown it, which names no household: `192.0.2.0/24`, of IPv6 the /48. An address without a form is left as it is. */
export function networkRange(address: string): string {
	const ipv4 = /(?:^|:)(\d+\.\d+\.\d+)\.\d+$/.exec(address)?.[1];
	if (ipv4 !== undefined) return `${ipv4}.0/24`;
	if (!address.includes(":")) return address;
	const groups = networkOf(address).split(":").slice(0, 3);
	while (groups.length > 1 && groups.at(-1) === "0") groups.pop();
	return `${groups.join(":")}::/48`;
}
