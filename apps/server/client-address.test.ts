import { expect, test } from "bun:test";
import { clientAddress, rememberPeer } from "./client-address.ts";

function from(peer: string | undefined, forwarded?: string): string {
	const request = new Request("http://localhost/", forwarded ? { headers: { "X-Forwarded-For": forwarded } } : {});
	rememberPeer(request, peer);
	return clientAddress(request);
}

test("a peer on the open network is who it is, whatever it claims", () => {
	expect(from("203.0.113.7", "198.51.100.1")).toBe("203.0.113.7");
	expect(from("2001:db8::7", "198.51.100.1")).toBe("2001:db8::7");
});

test("a proxy of ours tells what it saw, and only the last entry is its own", () => {
	for (const proxy of ["127.0.0.1", "::1", "10.1.2.3", "192.168.1.1", "172.20.0.1", "fd00::1", "::ffff:127.0.0.1"]) {
		expect(from(proxy, "1.1.1.1, 203.0.113.7")).toBe("203.0.113.7");
	}
	expect(from("172.32.0.1", "203.0.113.7")).toBe("172.32.0.1");
});

test("one address has one name", () => {
	expect(from("::ffff:203.0.113.7")).toBe("203.0.113.7");
	expect(from("127.0.0.1", "::ffff:203.0.113.7")).toBe("203.0.113.7");
});

test("a port that a proxy names is no part of an address", () => {
	expect(from("10.0.0.1", "1.1.1.1, 203.0.113.7:49152")).toBe("203.0.113.7");
	expect(from("10.0.0.1", "[2001:db8::7]:443")).toBe("2001:db8::7");
	expect(from("10.0.0.1", "[2001:db8::7]")).toBe("2001:db8::7");
	expect(from("10.0.0.1", "2001:db8::7:443")).toBe("2001:db8::7:443");
});

test("what is no address is not taken for one", () => {
	for (const made of ["unknown", "<script>", "1".repeat(60), ""]) expect(from("127.0.0.1", made)).toBe("127.0.0.1");
	expect(clientAddress(new Request("http://localhost/"))).toBe("127.0.0.1");
});

test("a connection that is gone makes nobody a proxy of ours", () => {
	expect(from(undefined, "203.0.113.7")).toBe("unknown");
});
