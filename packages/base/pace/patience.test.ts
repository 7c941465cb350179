import { describe, expect, test } from "bun:test";
import { Failure } from "../failure.ts";
import { inTime, untilAborted } from "./patience.ts";
import { nextTurn } from "./turns.ts";

const NEVER = new Promise<never>(() => undefined);

describe("inTime", () => {
	const toFailure = (cause?: unknown) => new Failure("server_error", undefined, { cause });

	test("gives what the work gives", async () => {
		expect(await inTime(Promise.resolve(7), 1_000, toFailure)).toBe(7);
	});

	test("fails without a cause when the time is over", async () => {
		const failure = await inTime(NEVER, 5, toFailure).catch((error: unknown) => error);
		expect(failure).toMatchObject({ code: "server_error", cause: undefined });
	});

	test("gives what was ready as soon as the process could go on, however long it was kept from running", async () => {
		const work = async () => {
			await nextTurn();
			const endMs = performance.now() + 60;
			while (performance.now() < endMs);
			for (let turn = 0; turn < 3; turn++) await nextTurn();
			return 7;
		};
		expect(await inTime(work(), 40, toFailure)).toBe(7);
	});

	test("passes a failure of the work on, and makes one of any other error", async () => {
		await expect(inTime(Promise.reject(new Failure("unauthorized")), 1_000, toFailure)).rejects.toMatchObject({
			code: "unauthorized",
		});
		const cause = new Error("no route to host");
		await expect(inTime(Promise.reject(cause), 1_000, toFailure)).rejects.toMatchObject({
			code: "server_error",
			cause,
		});
	});
});

describe("untilAborted", () => {
	test("rejects with the reason, at once for a signal that has aborted before", async () => {
		const reason = new Error("too late");
		await expect(untilAborted(NEVER, AbortSignal.abort(reason))).rejects.toBe(reason);
		const controller = new AbortController();
		const waiting = untilAborted(NEVER, controller.signal);
		controller.abort(reason);
		await expect(waiting).rejects.toBe(reason);
	});

	test("work that settles within the grace is waited for", async () => {
		expect(
			await untilAborted(
				Bun.sleep(5).then(() => "tidy"),
				AbortSignal.abort(),
				1_000,
			),
		).toBe("tidy");
		await expect(untilAborted(NEVER, AbortSignal.abort("over"), 5)).rejects.toBe("over");
	});
});
