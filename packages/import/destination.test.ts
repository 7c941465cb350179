import { describe, expect, test } from "bun:test";
import { Failure } from "@svc/base/failure";
import { allowedPairs, checkDestination, isPublicAddress } from "./destination.ts";

const NOBODY: ReadonlySet<string> = new Set();

const NOT_PUBLIC = "is not a public address";
const BAD_PORT = "must use port 80 or 443";
const BAD_TEXT = "contains whitespace, a backslash or a control character";
const BAD_SCHEME = "is not an http or https address";
const BAD_USER = "must not contain a user name or password";
const INVALID = "is not a valid address";

const REFUSED: readonly (readonly [url: string, why: string])[] = [
	// This machine, in every spelling that a resolver or a parser understands.
	["http://127.0.0.1/", NOT_PUBLIC],
	["http://127.255.255.254/", NOT_PUBLIC],
	["http://2130706433/", NOT_PUBLIC],
	["http://0x7f000001/", NOT_PUBLIC],
	["http://0x7F.0x00.0x00.0x01/", NOT_PUBLIC],
	["http://017700000001/", NOT_PUBLIC],
	["http://0177.0.0.1/", NOT_PUBLIC],
	["http://0177.0x0.0.1/", NOT_PUBLIC],
	["http://127.1/", NOT_PUBLIC],
	["http://127.0.1/", NOT_PUBLIC],
	["http://127.0.0.1./", NOT_PUBLIC],
	["http://%31%32%37.0.0.1/", NOT_PUBLIC],
	["http://127%2e0%2e0%2e1/", NOT_PUBLIC],
	["http://127。0。0。1/", NOT_PUBLIC],
	["http://127\uff0e0\uff0e0\uff0e1/", NOT_PUBLIC],
	["http://127\uff610\uff610\uff611/", NOT_PUBLIC],
	["http://①②⑦.⓪.⓪.①/", NOT_PUBLIC],
	["http://\uff11\uff12\uff17.\uff10.\uff10.\uff11/", NOT_PUBLIC],
	["http://0.0.0.0/", NOT_PUBLIC],
	["http://0/", NOT_PUBLIC],
	["http://localhost/", NOT_PUBLIC],
	["http://LOCALHOST/", NOT_PUBLIC],
	["http://localhost./", NOT_PUBLIC],
	["http://a.localhost/", NOT_PUBLIC],
	["http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/", NOT_PUBLIC],
	["http://localhost.localdomain/", NOT_PUBLIC],
	["http://[::1]/", NOT_PUBLIC],
	["http://[::]/", NOT_PUBLIC],
	["http://[0:0:0:0:0:0:0:1]/", NOT_PUBLIC],
	["http://[0000:0000:0000:0000:0000:0000:0000:0001]/", NOT_PUBLIC],
	// Networks around it.
	["http://10.0.0.1/", NOT_PUBLIC],
	["http://172.16.0.1/", NOT_PUBLIC],
	["http://172.31.255.255/", NOT_PUBLIC],
	["http://192.168.1.1/", NOT_PUBLIC],
	["http://100.64.0.1/", NOT_PUBLIC],
	["http://169.254.169.254/latest/meta-data/", NOT_PUBLIC],
	["http://2852039166/", NOT_PUBLIC],
	["http://0xA9FEA9FE/", NOT_PUBLIC],
	["http://0251.0376.0251.0376/", NOT_PUBLIC],
	["http://100.100.100.200/", NOT_PUBLIC],
	["http://168.63.129.16/", NOT_PUBLIC],
	["http://192.0.0.192/", NOT_PUBLIC],
	["http://192.0.2.1/", NOT_PUBLIC],
	["http://198.18.0.1/", NOT_PUBLIC],
	["http://198.51.100.1/", NOT_PUBLIC],
	["http://203.0.113.1/", NOT_PUBLIC],
	["http://192.88.99.1/", NOT_PUBLIC],
	["http://224.0.0.1/", NOT_PUBLIC],
	["http://240.0.0.1/", NOT_PUBLIC],
	["http://255.255.255.255/", NOT_PUBLIC],
	// IPv6 that carries or becomes something else.
	["http://[::ffff:127.0.0.1]/", NOT_PUBLIC],
	["http://[::ffff:7f00:1]/", NOT_PUBLIC],
	["http://[::ffff:169.254.169.254]/", NOT_PUBLIC],
	["http://[0:0:0:0:0:ffff:a00:1]/", NOT_PUBLIC],
	["http://[::127.0.0.1]/", NOT_PUBLIC],
	["http://[::ffff:0:127.0.0.1]/", NOT_PUBLIC],
	["http://[64:ff9b::127.0.0.1]/", NOT_PUBLIC],
	["http://[64:ff9b:1::a00:1]/", NOT_PUBLIC],
	["http://[2002:7f00:1::]/", NOT_PUBLIC],
	["http://[2002:a9fe:a9fe::1]/", NOT_PUBLIC],
	["http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/", NOT_PUBLIC],
	["http://[fe80::1]/", NOT_PUBLIC],
	["http://[fe80::1%25eth0]/", INVALID],
	["http://[fe80::1%eth0]/", INVALID],
	["http://[fc00::1]/", NOT_PUBLIC],
	["http://[fd00:ec2::254]/", NOT_PUBLIC],
	["http://[fec0::1]/", NOT_PUBLIC],
	["http://[ff02::1]/", NOT_PUBLIC],
	["http://[100::1]/", NOT_PUBLIC],
	["http://[2001:db8::1]/", NOT_PUBLIC],
	["http://[3fff::1]/", NOT_PUBLIC],
	["http://[5f00::1]/", NOT_PUBLIC],
	["http://[4000::1]/", NOT_PUBLIC],
	// Names that mean something only inside.
	["http://intranet/", NOT_PUBLIC],
	["http://metadata.google.internal/", NOT_PUBLIC],
	["http://printer.local/", NOT_PUBLIC],
	["http://router.lan/", NOT_PUBLIC],
	["http://nas.home/", NOT_PUBLIC],
	["http://nas.home.arpa/", NOT_PUBLIC],
	["http://wiki.intranet/", NOT_PUBLIC],
	["http://wiki.corp/", NOT_PUBLIC],
	["http://hidden.onion/", NOT_PUBLIC],
	["http://host.test/", NOT_PUBLIC],
	["http://host.example/", NOT_PUBLIC],
	["http://host.invalid/", NOT_PUBLIC],
	["http://img.example.com./", NOT_PUBLIC],
	["http://img..example.com/", NOT_PUBLIC],
	["http://.example.com/", NOT_PUBLIC],
	["http://-img.example.com/", NOT_PUBLIC],
	[`http://${"a".repeat(64)}.example.com/`, NOT_PUBLIC],
	[`http://${"a.".repeat(125)}example.com/`, NOT_PUBLIC],
	["http://img.example.com.127/", INVALID],
	["http://256.256.256.256/", INVALID],
	["http://1.2.3.4.5/", INVALID],
	// Who is the host?
	["http://user@img.example.com/", BAD_USER],
	["http://user:pass@img.example.com/", BAD_USER],
	["http://img.example.com@127.0.0.1/", BAD_USER],
	["http://@img.example.com/", BAD_USER],
	["http://:@img.example.com/", BAD_USER],
	["http://127.0.0.1:80@img.example.com:80/", BAD_USER],
	["http://img.example.com\\@127.0.0.1/", BAD_TEXT],
	["http:\\\\127.0.0.1\\", BAD_TEXT],
	// Ports.
	["http://img.example.com:22/", BAD_PORT],
	["http://img.example.com:8080/", BAD_PORT],
	["http://img.example.com:6379/", BAD_PORT],
	["https://img.example.com:8443/", BAD_PORT],
	["http://img.example.com:0/", BAD_PORT],
	["http://img.example.com:65536/", INVALID],
	["http://img.example.com:-80/", INVALID],
	["http://img.example.com:80:80/", INVALID],
	// Schemes.
	["file:///etc/passwd", BAD_SCHEME],
	["ftp://img.example.com/a.png", BAD_SCHEME],
	["gopher://img.example.com/", BAD_SCHEME],
	["data:image/png;base64,AAAA", BAD_SCHEME],
	["javascript:alert(1)", BAD_SCHEME],
	["blob:http://img.example.com/x", BAD_SCHEME],
	["ws://img.example.com/", BAD_SCHEME],
	["jar:http://img.example.com/!/", BAD_SCHEME],
	["//img.example.com/a.png", BAD_SCHEME],
	["/a.png", BAD_SCHEME],
	["img.example.com/a.png", BAD_SCHEME],
	["http:img.example.com/", BAD_SCHEME],
	["http:/img.example.com/", BAD_SCHEME],
	["http:///img.example.com/", BAD_SCHEME],
	["http://", BAD_SCHEME],
	["", BAD_SCHEME],
	["not a uri", BAD_TEXT],
	["not-a-uri", BAD_SCHEME],
	// Characters on which parsers differ.
	[" http://img.example.com/", BAD_TEXT],
	["http://img.example.com/\n", BAD_TEXT],
	["http://img.exa\tmple.com/", BAD_TEXT],
	["http://img.example.com/\r\nHost: 127.0.0.1", BAD_TEXT],
	["http://img.example.com/\0", BAD_TEXT],
	["http://img.example.com/\u00a0", BAD_TEXT],
	["http://img.example.com\u200b/", BAD_TEXT],
	["http://img.exa\u00admple.com/", BAD_TEXT],
	["http://img.example.com/\u202e", BAD_TEXT],
	["http://img.example.com/\ud800", BAD_TEXT],
	["http://img.exa%00mple.com/", INVALID],
	["http://img.example.com%2f@127.0.0.1/", BAD_USER],
	[`http://img.example.com/${"a".repeat(2_030)}`, "is longer than 2,048 characters"],
];

const PASSES = [
	"http://img.example.com/",
	"https://img.example.com/a/b.png?c=d#e",
	"HTTPS://IMG.EXAMPLE.COM/A.PNG",
	"http://img.example.com:80/",
	"https://img.example.com:443/",
	"http://img.example.com:443/",
	"https://my_bucket.img.example.com/",
	"https://bücher.de/a.png",
	"https://xn--bcher-kva.de/a.png",
	"https://img.example.com/ü/日本.png",
	"https://img.example.com/a@b.png",
	"https://img.example.com/?next=http://127.0.0.1/",
	"https://93.184.216.34/",
	"https://[2606:2800:220:1:248:1893:25c8:1946]/",
	"https://localhost.example.com/",
	`http://img.example.com/${"a".repeat(2_025)}`,
];

describe("a destination", () => {
	test(`${REFUSED.length} hostile forms are in the table`, () => {
		expect(REFUSED.length).toBeGreaterThan(78);
	});

	for (const [url, why] of REFUSED) {
		test(`${JSON.stringify(url.slice(0, 60))} ${why}`, () => {
			expect(refusalOf(() => checkDestination(url, NOBODY))).toEqual({ url: [why] });
		});
	}

	for (const url of PASSES) {
		test(`${JSON.stringify(url.slice(0, 60))} may be tried`, () => {
			expect(checkDestination(url, NOBODY).exempt).toBe(false);
		});
	}

	test("what follows # or ? is no host", () => {
		for (const url of ["http://img.example.com#@127.0.0.1/", "http://img.example.com?@127.0.0.1/"]) {
			expect(checkDestination(url, NOBODY).host).toBe("img.example.com");
		}
	});

	test("host and port are the ones to connect to", () => {
		expect(checkDestination("https://[2606:2800:220:1:248:1893:25c8:1946]/", NOBODY)).toMatchObject({
			host: "2606:2800:220:1:248:1893:25c8:1946",
			port: 443,
		});
		expect(checkDestination("https://Img.Example.com:80/", NOBODY)).toMatchObject({
			host: "img.example.com",
			port: 80,
		});
	});
});

describe("the operator's exceptions", () => {
	const allow = allowedPairs(["127.0.0.1:9000", "[::1]:9000", "MinIO.internal:80", "localhost:443"]);

	for (const url of [
		"http://127.0.0.1:9000/a.png",
		"https://127.0.0.1:9000/",
		"http://0x7f000001:9000/",
		"http://[0:0:0:0:0:0:0:1]:9000/",
		"http://minio.internal/",
		"https://localhost/",
	]) {
		test(`${url} is exempt`, () => expect(checkDestination(url, allow).exempt).toBe(true));
	}

	for (const url of [
		"http://127.0.0.1:9001/",
		"http://127.0.0.1/",
		"http://127.0.0.2:9000/",
		"http://[::ffff:127.0.0.1]:9000/",
		"https://minio.internal/",
		"http://a.minio.internal/",
		"http://localhost/",
		"http://user@127.0.0.1:9000/",
		"ftp://127.0.0.1:9000/",
	]) {
		test(`${url} is not`, () => expect(refusalOf(() => checkDestination(url, allow))).toHaveProperty("url"));
	}

	for (const entry of [
		"",
		"127.0.0.1",
		"localhost",
		"http://a:80",
		"a:80/b",
		"u@a:80",
		"a:80?b",
		"a:",
		":80",
		"a:65536",
	]) {
		test(`${JSON.stringify(entry)} is no pair`, () => expect(() => allowedPairs([entry])).toThrow(TypeError));
	}
});

describe("a resolved address", () => {
	for (const address of [
		"93.184.216.34",
		"::ffff:93.184.216.34",
		"2606:2800:220:1::1",
		"2a00:1450::1",
		"100.128.0.1",
	]) {
		test(`${address} is public`, () => expect(isPublicAddress(address)).toBe(true));
	}
	for (const address of ["", "localhost", "127.1", "0x7f000001", "2606:2800::1%eth0", "93.184.216.34:80", "[::1]"]) {
		test(`${JSON.stringify(address)} is none`, () => expect(isPublicAddress(address)).toBe(false));
	}
	for (const address of [
		"192.31.196.1",
		"192.52.193.1",
		"192.175.48.1",
		"2620:4f:8000::1",
		"2001:2::1",
		"2001:20::1",
	]) {
		test(`${address} is not public`, () => expect(isPublicAddress(address)).toBe(false));
	}
});

function refusalOf(work: () => unknown): Failure["details"] {
	try {
		work();
	} catch (error) {
		if (error instanceof Failure && error.code === "validation_error") return error.details;
		throw error;
	}
	throw new Error("this should have been refused");
}
