import { expect, test } from "bun:test";
import { Failure } from "@svc/base/failure";
import { withinRequest } from "./patience.ts";

test("a processor that never answers is waited for two seconds, then the caller is told to come again", async () => {
	const startedMs = performance.now();
	const failure = await withinRequest(new Promise<never>(() => undefined)).catch((cause: unknown) => cause);
	expect(performance.now() - startedMs).toBeGreaterThan(1_900);
	expect(failure).toMatchObject({ code: "server_error", timedOut: true, retryAfterSeconds: 30 });
});

test("what it cannot do says nothing of its own cause; a refusal of ours is passed on", async () => {
	const broken = await withinRequest(Promise.reject(new Error("sk_live_secret"))).catch((cause: unknown) => cause);
	expect(broken).toMatchObject({ code: "server_error", retryAfterSeconds: 30 });
	expect(String(broken)).not.toContain("sk_live");
	await expect(withinRequest(Promise.reject(new Failure("unauthorized")))).rejects.toMatchObject({
		code: "unauthorized",
	});
	expect(await withinRequest(Promise.resolve(7))).toBe(7);
});
