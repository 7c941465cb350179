import { describe, expect, test } from "bun:test";
import { EXIT, Interrupted, LocalError, UsageError } from "@svc/base/processes/exit";
import { ApiError, ConnectionError } from "@svc/sdk/failure";
import { refusal } from "@svc/test/support/fake-service";
import { fakeWorld } from "@svc/test/support/fake-world";
import { exitOf, nextStep } from "./refusal.ts";
import { run } from "./run.ts";

function answer(status: number, code: string): ApiError {
	return new ApiError(status, { type: "some_error", code, message: "" });
}

describe("exit codes", () => {
	test("each kind of failure has its number [exit.codes]", () => {
		const cases: [unknown, number][] = [
			[answer(422, "validation_error"), 1],
			[new UsageError(""), 2],
			[answer(401, "unauthorized"), 4],
			[answer(403, "media_locked"), 4],
			[answer(404, "not_found"), 5],
			[answer(409, "state_conflict"), 6],
			[answer(429, "rate_limited"), 7],
			[answer(503, "app_context_unavailable"), 7],
			[answer(500, "upload_failed"), 7],
			[answer(500, "update_failed"), 7],
			[answer(500, "delete_failed"), 7],
			[answer(500, "server_error"), 1],
			[answer(503, "server_error"), 7],
			[new ConnectionError("network", ""), 7],
			[new ConnectionError("redirect", ""), 1],
			[new LocalError(""), 1],
			[new TypeError("a bug"), 70],
			["thrown text", 70],
			[new Interrupted(), 130],
		];
		const exits: number[] = cases.map(([error]) => exitOf(error));
		expect(exits).toEqual(cases.map(([, exit]) => exit));
	});

	test("a code that is not known yet, or is a name of every object, goes by its status [exit.unknown]", () => {
		expect([401, 404, 409, 429, 418, 500].map((status) => exitOf(answer(status, "brand_new")))).toEqual([
			4, 5, 6, 7, 1, 1,
		]);
		expect(exitOf(answer(404, "toString"))).toBe(EXIT.missing);
		expect(nextStep(answer(404, "constructor"))).toBeUndefined();
	});
});

describe("reports", () => {
	async function failing(argv: string[], response: Response) {
		const world = fakeWorld({ fetch: async () => response });
		return { exit: await run(argv, world), out: world.outText(), err: world.errText() };
	}

	test("message, field, next step, code and request id, on standard error [report.text]", async () => {
		const response = refusal(422, "validation_error", { details: { ttl: ["is too short", "is odd"] } });
		const { exit, out, err } = await failing(["images", "get", "img_1"], response);
		expect([exit, out]).toEqual([EXIT.failed, ""]);
		expect(err).toBe(
			"error: It was validation_error.\n" +
				"  ttl: is too short; is odd\n" +
				"  next: Correct the fields named above and run the command again.\n" +
				"  code: validation_error (422)\n" +
				"  request: req_9\n",
		);
	});

	test("the same as JSON, in the service's envelope [report.json]", async () => {
		const { exit, out, err } = await failing(["images", "get", "img_1", "--json"], refusal(404, "not_found"));
		expect([exit, out]).toEqual([EXIT.missing, ""]);
		expect(JSON.parse(err)).toEqual({
			error: {
				type: "some_error",
				code: "not_found",
				message: "It was not_found.",
				status: 404,
				request_id: "req_9",
				next: "Check the id; the list command of the same group shows what there is.",
				exit: EXIT.missing,
			},
		});
	});

	test("an error message cannot drive the terminal [report.controls]", async () => {
		const response = refusal(422, "validation_error", {
			message: "a\u001b[2Jb",
			details: { "x\u009b": ["y\u001b]0;z"] },
		});
		const { err } = await failing(["whoami"], response);
		expect(err).toContain("error: a[2Jb\n  x: y]0;z\n");
	});

	test("what nobody foresaw exits 70 [report.bug]", async () => {
		const world = fakeWorld({ fetch: async () => Response.json({}) });
		expect(await run(["images", "get", "img_1"], world)).toBe(EXIT.bug);
	});

	test("an abort exits 130 and says so [report.interrupt]", async () => {
		const controller = new AbortController();
		const world = fakeWorld({ signal: controller.signal, fetch: interrupted(controller) });
		expect(await run(["images", "list"], world)).toBe(EXIT.interrupted);
		expect(world.errText()).toBe("error: Interrupted.\n");
	});
});

/** Ctrl-C comes while the service is silent. */
function interrupted(controller: AbortController) {
	return (_url: string, init: RequestInit) =>
		new Promise<Response>((_, reject) => {
			init.signal?.addEventListener("abort", () => reject(init.signal?.reason));
			controller.abort(new Interrupted());
		});
}
