import { expect, test } from "bun:test";
import { ApiError, ConnectionError } from "../failure.ts";
import { isRepeatable, waitBeforeRetry } from "./retry.ts";

const lost = new ConnectionError("network", "gone");

function busy(retryAfterSeconds: number): ApiError {
	return new ApiError(429, { type: "rate_limit_error", code: "rate_limited", message: "" }, { retryAfterSeconds });
}

test("waits double up to 8 s, and half of each is chance [sdk.backoff]", () => {
	const shortest = [0, 1, 2, 3, 10].map((attempt) => waitBeforeRetry(lost, attempt, 0));
	const longest = [0, 1, 2, 3, 10].map((attempt) => waitBeforeRetry(lost, attempt, 1));
	expect(shortest).toEqual([125, 250, 500, 1000, 4000]);
	expect(longest).toEqual([250, 500, 1000, 2000, 8000]);
});

test("a wait that the service asks for is never shortened, and never waited for beyond a minute [sdk.backoff-asked]", () => {
	expect(waitBeforeRetry(busy(2), 0, 0)).toBe(2000);
	expect(waitBeforeRetry(busy(2), 5, 1)).toBe(2250);
	expect(waitBeforeRetry(busy(61), 0, 0)).toBeUndefined();
});

test("safe methods, and a POST with its key [sdk.repeatable]", () => {
	expect(
		["GET", "HEAD", "OPTIONS", "POST", "PATCH", "DELETE", "PUT"].filter((method) => isRepeatable(method, undefined)),
	).toEqual(["GET", "HEAD", "OPTIONS"]);
	expect(isRepeatable("POST", "key")).toBe(true);
	expect(isRepeatable("PATCH", "key")).toBe(false);
});
