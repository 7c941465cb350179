/** An IPv4 address itself, and of an IPv6 address the /64: the holder of one of its addresses has them all. */
export function networkOf(address: string): string {
	if (!address.includes(":")) return address;
	const [head = "", tail] = address.toLowerCase().split("::");
	const groups = head === "" ? [] : head.split(":");
	const behind = tail ? tail.split(":").length : 0;
	const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - behind);
	const whole = [...groups, ...Array<string>(zeros).fill("0"), ...(tail ? tail.split(":") : [])];
	return whole
		.slice(0, 4)
		.map((group) => group.replace(/^0+(?=.)/, ""))
		.join(":");
}
