import { expect, test } from "bun:test";
import { hashSecret, isSecret, mintSecret } from "./secrets.ts";

test("the last six digits of a secret are the CRC-32 of what is before, so that scanners can check what they find", () => {
	expect(isSecret("svc_live_000000000000000000000000000000003uclD9")).toBe(true);
});

test("a minted secret has its prefix, 38 base62 digits, and a checksum that any changed letter breaks", async () => {
	const { secret, hash, last4 } = await mintSecret("svc_sk_test_");
	expect(secret).toMatch(/^svc_sk_test_[0-9A-Za-z]{38}$/);
	expect(isSecret(secret)).toBe(true);
	expect(last4).toBe(secret.slice(-4));
	expect(hash).toEqual(await hashSecret(secret));
	for (let place = "svc_sk_test_".length; place < secret.length; place++) {
		const other = secret[place] === "x" ? "y" : "x";
		expect(isSecret(secret.slice(0, place) + other + secret.slice(place + 1))).toBe(false);
	}
});

test("isSecret refuses other prefixes, lengths and letters", async () => {
	const { secret } = await mintSecret("svc_live_");
	for (const wrong of [
		"",
		secret.slice(1),
		`${secret}0`,
		secret.replace("svc_live_", "svc_sk_live_"),
		`${secret.slice(0, -1)}é`,
	]) {
		expect(isSecret(wrong)).toBe(false);
	}
});
