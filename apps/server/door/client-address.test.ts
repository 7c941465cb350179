import { expect, test } from "bun:test";
import { connect } from "node:net";
import { clientAddresses, isLoopback, type Network, parseNetwork, rememberPeer } from "./client-address.ts";
import { listen } from "./listen.ts";

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

function networks(...texts: string[]): Network[] {
	return texts.flatMap((text) => parseNetwork(text) ?? []);
}

const LOOPBACK = networks("127.0.0.0/8", "::1/128");
const OURS = networks("127.0.0.0/8", "10.0.0.0/8", "fd00::/8", "192.0.2.1");

interface Sent {
	readonly peer: string | undefined;
	readonly headers?: Readonly<Record<string, string>>;
	readonly proxies?: readonly Network[];
	readonly header?: string;
}

function from({ peer, headers = {}, proxies = OURS, header }: Sent): string {
	const request = new Request("http://localhost/", { headers });
	rememberPeer(request, () => peer);
	return clientAddresses({ proxies, header })(request);
}

function forwarded(peer: string, list: string, proxies = OURS): string {
	return from({ peer, headers: { "X-Forwarded-For": list }, proxies });
}

test("who is no trusted proxy is who it is, whatever it claims, and however private its address", () => {
	for (const peer of [
		"203.0.113.7",
		"2001:db8::7",
		"10.1.2.3",
		"192.168.1.1",
		"172.20.0.1",
		"fd00::1",
		"169.254.1.1",
	]) {
		expect(forwarded(peer, "198.51.100.1", LOOPBACK)).toBe(peer);
		expect(forwarded(peer, "198.51.100.1", [])).toBe(peer);
	}
	expect(forwarded("127.0.0.1", "198.51.100.1", [])).toBe("127.0.0.1");
});

test("behind a trusted proxy the client is the last address that is no proxy's: what stands before it may be invented", () => {
	for (const proxy of ["127.0.0.1", "127.9.9.9", "10.1.2.3", "fd00::1", "::ffff:10.1.2.3", "192.0.2.1"]) {
		expect(forwarded(proxy, "1.1.1.1, 203.0.113.7")).toBe("203.0.113.7");
	}
	expect(forwarded("192.0.2.2", "203.0.113.7")).toBe("192.0.2.2");
});

test("behind two proxies everybody has an address of their own", () => {
	expect(forwarded("127.0.0.1", "6.6.6.6, 203.0.113.7, 10.0.0.5")).toBe("203.0.113.7");
	expect(forwarded("127.0.0.1", "203.0.113.7, fd00::5, 10.0.0.5,10.0.0.6")).toBe("203.0.113.7");
	expect(forwarded("127.0.0.1", "10.0.0.4, 10.0.0.5")).toBe("10.0.0.4");
});

test("one address has one name", () => {
	expect(from({ peer: "::ffff:203.0.113.7" })).toBe("203.0.113.7");
	expect(forwarded("::1", "::ffff:203.0.113.7", LOOPBACK)).toBe("203.0.113.7");
	expect(forwarded("::1", "2001:0DB8:0::0007", LOOPBACK)).toBe("2001:db8::7");
	expect(forwarded("::1", "fe80::7%eth0", LOOPBACK)).toBe("fe80::7");
});

test("a port that a proxy names is no part of an address", () => {
	expect(forwarded("10.0.0.1", "1.1.1.1, 203.0.113.7:49152")).toBe("203.0.113.7");
	expect(forwarded("10.0.0.1", "[2001:db8::7]:443")).toBe("2001:db8::7");
	expect(forwarded("10.0.0.1", "[2001:db8::7]")).toBe("2001:db8::7");
	expect(forwarded("10.0.0.1", "2001:db8::7:443")).toBe("2001:db8::7:443");
	expect(forwarded("127.0.0.1", "203.0.113.7, 10.0.0.5:80, [fd00::5]:80")).toBe("203.0.113.7");
});

test("behind what is no address nothing is believed: the proxy that wrote it stands for its client", () => {
	const invented = [
		"unknown",
		"<script>",
		"1".repeat(60),
		"",
		" , ,",
		"0x7f.1",
		"010.0.0.1",
		"1.2.3",
		"1.2.3.4.5",
		"::g",
	];
	for (const text of invented) {
		expect(forwarded("127.0.0.1", text)).toBe("127.0.0.1");
		expect(forwarded("127.0.0.1", `203.0.113.7, ${text}, 10.0.0.5`)).toBe("10.0.0.5");
	}
	expect(forwarded("127.0.0.1", "1.1.1.1,".repeat(2_000))).toBe("127.0.0.1");
	expect(clientAddresses({ proxies: OURS, header: undefined })(new Request("http://localhost/"))).toBe("127.0.0.1");
});

test("a header that is named is read instead, from trusted proxies alone, and only with one address", () => {
	const read = (peer: string, headers: Record<string, string>) =>
		from({ peer, headers: { "X-Forwarded-For": "198.51.100.1", ...headers }, header: "cf-connecting-ip" });
	expect(read("10.0.0.1", { "CF-Connecting-IP": "203.0.113.7" })).toBe("203.0.113.7");
	expect(read("10.0.0.1", { "CF-Connecting-IP": "2001:db8::7" })).toBe("2001:db8::7");
	expect(read("203.0.113.9", { "CF-Connecting-IP": "203.0.113.7" })).toBe("203.0.113.9");
	expect(read("10.0.0.1", { "CF-Connecting-IP": "203.0.113.7, 203.0.113.8" })).toBe("10.0.0.1");
	expect(read("10.0.0.1", {})).toBe("10.0.0.1");
});

test("a connection that is gone makes nobody a proxy of ours", () => {
	expect(from({ peer: undefined, headers: { "X-Forwarded-For": "203.0.113.7" } })).toBe("unknown");
});

test("a network is an address with or without bits, and the IPv6 form of an IPv4 network is the same network", () => {
	const holds = (network: string, address: string) => forwarded(address, "203.0.113.7", networks(network)) !== address;
	expect(holds("::ffff:10.0.0.0/104", "10.9.9.9")).toBe(true);
	expect(holds("10.0.0.7/8", "10.9.9.9")).toBe(true);
	expect(holds("0.0.0.0/0", "198.51.100.1")).toBe(true);
	expect(holds("0.0.0.0/0", "2001:db8::1")).toBe(false);
	expect(holds("2001:db8::/33", "2001:db8:8000::1")).toBe(false);
	for (const text of [
		"10.0.0.0/33",
		"10.0.0.0/",
		"10.0.0.0/8/8",
		"::/129",
		"10.0.0/8",
		"::ffff:10.0.0.0/95",
		"x",
		"",
	]) {
		expect(parseNetwork(text)).toBeUndefined();
	}
	expect([isLoopback("127.3.2.1"), isLoopback("::1"), isLoopback("10.0.0.1"), isLoopback("unknown")]).toEqual([
		true,
		true,
		false,
		false,
	]);
});

test("header lines of one name are one list, from the first line to the last", async () => {
	const addressOf = clientAddresses({ proxies: LOOPBACK, header: undefined });
	const listening = await listen(
		[{ hostname: "127.0.0.1", port: 0 }],
		(request, peer) => {
			if (peer) rememberPeer(request, peer);
			return new Response(addressOf(request));
		},
		SILENT,
	);
	const lines = ["X-Forwarded-For: 6.6.6.6", "X-Forwarded-For: 203.0.113.7, 127.0.0.5", "x-forwarded-for: 127.0.0.4"];
	const answer = await sendRaw(
		listening.ports[0] ?? 0,
		`GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines.join("\r\n")}\r\n\r\n`,
	);
	await listening.stop(0);
	expect(answer).toEndWith("\r\n\r\n203.0.113.7");
});

function sendRaw(port: number, text: string): Promise<string> {
	return new Promise((resolve, reject) => {
		let received = "";
		const socket = connect(port, "127.0.0.1", () => socket.write(text));
		socket.on("data", (chunk) => {
			received += chunk;
		});
		socket.on("end", () => resolve(received));
		socket.on("error", reject);
	});
}
