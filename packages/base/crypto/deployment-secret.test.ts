import { describe, expect, test } from "bun:test";
import { deploymentSecret, isDeploymentSecret, newDeploymentSecret, sealedWith } from "./deployment-secret.ts";

const secret = deploymentSecret(newDeploymentSecret());

describe("the deployment's secret", () => {
	test("opens what it has sealed, at its place, whatever the text holds", () => {
		for (const text of ["", "whsec_abc", "é💥", "x".repeat(5_000)]) {
			const sealed = secret.seal(text, "webhook whe_1");
			expect(secret.open(sealed, "webhook whe_1")).toBe(text);
			expect(sealedWith(sealed)).toBe(secret.fingerprint);
			if (text !== "") expect(sealed).not.toContain(text);
		}
	});

	test("opens nothing that was moved to another row, changed by one character, or sealed by another secret", () => {
		const sealed = secret.seal("whsec_abc", "webhook whe_1");
		expect(() => secret.open(sealed, "webhook whe_2")).toThrow();
		expect(() => deploymentSecret(newDeploymentSecret()).open(sealed, "webhook whe_1")).toThrow();
		for (let at = "sealed:00000000:".length; at < sealed.length - 1; at++) {
			const changed = sealed.slice(0, at) + (sealed[at] === "A" ? "B" : "A") + sealed.slice(at + 1);
			expect(() => secret.open(changed, "webhook whe_1")).toThrow();
		}
		for (const other of ["", "whsec_abc", "sealed:", `sealed:${secret.fingerprint}:AAAA`])
			expect(() => secret.open(other, "webhook whe_1")).toThrow();
	});

	test("seals the same text differently each time, and derives the same key for each purpose", () => {
		expect(secret.seal("a", "b")).not.toBe(secret.seal("a", "b"));
		expect(secret.derive("logins")).toEqual(secret.derive("logins"));
		expect(secret.derive("logins")).not.toEqual(secret.derive("cursors"));
		expect(secret.derive("logins")).toHaveLength(32);
	});

	test("is taken in base64 and hex with 32 bytes and more, and refused where it is shorter or no chance", () => {
		const bytes = Buffer.from(crypto.getRandomValues(new Uint8Array(32)));
		for (const form of ["base64", "base64url", "hex"] as const)
			expect(isDeploymentSecret(bytes.toString(form))).toBe(true);
		const short = bytes.subarray(0, 31);
		for (const refused of [
			"",
			short.toString("base64url"),
			short.toString("hex"),
			"a".repeat(64),
			"ab".repeat(40),
			"correct horse battery staple, and some more words",
		])
			expect(isDeploymentSecret(refused)).toBe(false);
	});
});
