import { describe, expect, test } from "bun:test";
import { Failure } from "@svc/base/failure";
import { HOSTILE_ADDRESSES } from "@svc/test/support/hostile-addresses";
import { allowedPairs, checkDestination, isPublicAddress } from "./destination.ts";

const NOBODY: ReadonlySet<string> = new Set();

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
	test(`${HOSTILE_ADDRESSES.length} hostile forms are in the table`, () => {
		expect(HOSTILE_ADDRESSES.length).toBeGreaterThan(78);
	});

	for (const [url, why] of HOSTILE_ADDRESSES) {
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
