import { describe, expect, test } from "bun:test";
import { createClient } from "@svc/sdk/client";
import { createManagement } from "@svc/sdk/management";
import type { ClientOptions } from "@svc/sdk/wire/request";
import { sampleItem } from "@svc/test/support/dashboard";
import type { Action } from "../state/acts/action.ts";
import { perform } from "./act.ts";

/** A service that answers by method and path, and keeps what it was sent. */
function serviceOf(answers: Readonly<Record<string, (body: unknown) => Response>>) {
	const sent: { readonly call: string; readonly body: unknown }[] = [];
	const options: ClientOptions = {
		baseUrl: "http://svc.test",
		apiKey: "svc_ses_x",
		retries: 0,
		fetch: async (url, { method, body }) => {
			const call = `${method} ${new URL(url).pathname.replace("/v1/", "")}`;
			const parsed: unknown = typeof body === "string" ? JSON.parse(body) : undefined;
			sent.push({ call, body: parsed });
			return answers[call]?.(parsed) ?? refusal(404, "not_found");
		},
	};
	const management = createManagement(options);
	return { clients: { management, clientOf: (app: string) => createClient({ ...options, app }) }, sent };
}

function refusal(status: number, code: string): Response {
	const error = { type: "some_error", code, message: `It was ${code}.` };
	return Response.json({ error }, { status, headers: { "x-request-id": "req_9" } });
}

const moderate = (count: number, more: Partial<Extract<Action, { kind: "moderate" }>> = {}): Action => ({
	kind: "moderate",
	verb: "lock",
	isUndo: false,
	targets: Array.from({ length: count }, (_, index) => ({ id: `img_${index}`, revision: 4, reason: undefined })),
	...more,
});

describe("one image", () => {
	test("is changed with its revision [tui.act.revision]", async () => {
		const { clients, sent } = serviceOf({
			"POST moderation/images/img_0/lock": () => Response.json(sampleItem("img_0", { locked: true, revision: 5 })),
		});
		const { things, failures } = await perform(clients, moderate(1));
		expect([things, failures]).toMatchObject([[{ locked: true, revision: 5 }], []]);
		expect(sent).toEqual([{ call: "POST moderation/images/img_0/lock", body: { revision: 4 } }]);
	});

	test("is not blocked without a reason: none is made up, and nothing is sent [tui.act.reason]", async () => {
		const { clients, sent } = serviceOf({});
		const { failures } = await perform(clients, moderate(1, { verb: "block" }));
		expect([failures.length, sent]).toEqual([1, []]);
		expect(failures[0]?.message).toContain("img_0");
	});

	test("a 503 is a failure that names its request, not an exception [tui.act.unavailable]", async () => {
		const { clients } = serviceOf({
			"POST moderation/images/img_0/lock": () => refusal(503, "app_context_unavailable"),
		});
		expect(await perform(clients, moderate(1))).toEqual({
			things: [],
			gone: [],
			failures: [{ id: "img_0", message: "It was app_context_unavailable. (request req_9)" }],
		});
	});

	test("a 409 brings the image as it is now and says who changed it [tui.act.conflict]", async () => {
		const action = { actor_email: "eve@example.com", actor: "acc_2", action: "block", created_at: "x" };
		const { clients } = serviceOf({
			"POST moderation/images/img_0/lock": () => refusal(409, "state_conflict"),
			"GET moderation/images/img_0": () =>
				Response.json({ ...sampleItem("img_0", { revision: 9 }), actions: [action] }),
		});
		const { things, failures } = await perform(clients, moderate(1));
		expect(things).toMatchObject([{ revision: 9 }]);
		expect(failures[0]?.message).toStartWith("eve@example.com (block) changed img_0.png");
	});
});

describe("several", () => {
	test("go in one call; what failed is told by id [tui.act.batch]", async () => {
		const error = { type: "some_error", code: "not_found", message: "There is no such image." };
		const { clients, sent } = serviceOf({
			"POST moderation/batch": () =>
				Response.json({ object: "batch_result", data: [sampleItem("img_0")], errors: [{ id: "img_1", error }] }),
		});
		const { things, failures } = await perform(clients, moderate(2));
		expect([things.length, failures]).toEqual([1, [{ id: "img_1", message: "There is no such image." }]]);
		expect(sent).toMatchObject([{ body: { ids: ["img_0", "img_1"], action: "lock" } }]);
	});

	test("are taken back one by one, each with its revision, and one failure stops no other [tui.act.undo]", async () => {
		const { clients, sent } = serviceOf({
			"POST moderation/images/img_1/unlock": () => Response.json(sampleItem("img_1")),
		});
		const { things, failures } = await perform(clients, moderate(2, { verb: "unlock", isUndo: true }));
		expect([things.map(({ id }) => id), failures.map(({ id }) => id)]).toEqual([["img_1"], ["img_0"]]);
		expect(sent.map(({ body }) => body)).toEqual(Array(2).fill({ revision: 4, reopen_reports: true }));
	});
});
