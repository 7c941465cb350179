import { expect, test } from "bun:test";
import { networkOf, networkRange } from "./network.ts";

test("an IPv4 address stands for itself, an IPv6 address for its /64 however it is written", () => {
	expect(networkOf("198.51.100.7")).toBe("198.51.100.7");
	for (const address of [
		"2001:db8:1:2::1",
		"2001:0db8:0001:0002:ffff:ffff:ffff:ffff",
		"2001:DB8:1:2:0:0:0:1",
		"2001:db8:1:2:3::",
	]) {
		expect(networkOf(address)).toBe("2001:db8:1:2");
	}
	expect(networkOf("::1")).toBe("0:0:0:0");
	expect(networkOf("::")).toBe("0:0:0:0");
	expect(networkOf("fe80::1:2")).toBe("fe80:0:0:0");
	expect(networkOf("2001:db8::2:3:4:5:6")).toBe("2001:db8:0:2");
	expect(networkOf("2001:db8:1:3::1")).not.toBe(networkOf("2001:db8:1:2::1"));
});

test("an IPv6 address stands for its /48 where a site counts", () => {
	expect(networkOf("198.51.100.7", 48)).toBe("198.51.100.7");
	expect(networkOf("2001:db8:1:1200::1", 48)).toBe("2001:db8:1");
	expect(networkOf("2001:db8:0001:ffff::", 48)).toBe("2001:db8:1");
	expect(networkOf("2001:db8:2::", 48)).toBe("2001:db8:2");
});

test("an IPv6 address stands for its /56 where a household counts", () => {
	expect(networkOf("198.51.100.7", 56)).toBe("198.51.100.7");
	const named = (address: string) => networkOf(address, 56);
	expect(named("2001:db8:1:1200::1")).toBe(named("2001:db8:1:12ff:ffff::"));
	expect(named("2001:db8:1:1200::1")).not.toBe(named("2001:db8:1:1300::1"));
	expect(named("2001:db8:1:7::1")).toBe(named("2001:db8:1::"));
	expect(named("2001:db8:1:0100::1")).toBe(named("2001:db8:1:1ff::1"));
	expect(named("2001:db8:1:0100::1")).not.toBe(named("2001:db8:1:1000::1"));
});

test("people are shown a network that names no household", () => {
	expect(networkRange("192.0.2.77")).toBe("192.0.2.0/24");
	expect(networkRange("::ffff:192.0.2.77")).toBe("192.0.2.0/24");
	expect(networkRange("2001:db8:1:2::7")).toBe("2001:db8:1::/48");
	expect(networkRange("2001:db8::7")).toBe("2001:db8::/48");
	expect(networkRange("::1")).toBe("0::/48");
});
