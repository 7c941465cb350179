import { describe, expect, test } from "bun:test";
import { ApiError } from "./failure.ts";
import { createManagement } from "./management.ts";
import type { Fetch } from "./wire/request.ts";

/** Plays its replies in order and keeps playing the last one. */
function play(...replies: readonly (() => Response)[]) {
	const seen: string[] = [];
	const fetch: Fetch = async (url, { method }) => {
		const { pathname, search } = new URL(url);
		const reply = replies[Math.min(seen.length, replies.length - 1)];
		seen.push(`${method} ${pathname}${search}`);
		return reply ? reply() : new Response();
	};
	return { seen, svc: createManagement({ baseUrl: "http://localhost", apiKey: "svc_ses_x", fetch }) };
}

const ok = (body: unknown) => () => Response.json(body);
const refuse = (status: number, code: string) => () =>
	Response.json({ error: { type: "some_error", code, message: code } }, { status, headers: { "retry-after": "0" } });
/** The service acts, and its answer is lost on its way. */
const drop = () => {
	throw new TypeError("the connection was closed");
};
const page = (ids: readonly string[], next: string | null) =>
	ok({ object: "list", data: ids.map((id) => ({ id })), pagination: { has_more: next !== null, next_cursor: next } });

async function codeOf(promise: Promise<unknown>): Promise<unknown> {
	const error = await promise.catch((thrown: unknown) => thrown);
	return error instanceof ApiError ? error.code : error;
}

describe("lists", () => {
	test("all pages are walked with the same filters, fetched only as they are needed [sdk.pages]", async () => {
		const { seen, svc } = play(page(["a", "b"], "c2"), page(["c"], null));
		const ids: string[] = [];
		for await (const { id } of svc.operator.audit.all({ since: new Date(0), actor: "acc 1", limit: 2 })) {
			if (id === "b") expect(seen).toHaveLength(1);
			ids.push(id);
		}
		const query = "actor=acc%201&since=1970-01-01T00%3A00%3A00.000Z&limit=2";
		expect(ids).toEqual(["a", "b", "c"]);
		expect(seen).toEqual([`GET /v1/operator/audit?${query}`, `GET /v1/operator/audit?${query}&cursor=c2`]);
	});

	test("what makes a list what it is goes along with every page [sdk.pages-fixed]", async () => {
		const { seen, svc } = play(page(["a"], "c2"), page([], null));
		for await (const _ of svc.apps.of("app_1").usage.byMonth.all());
		expect(seen).toEqual(["GET /v1/apps/app_1/usage?by=month", "GET /v1/apps/app_1/usage?by=month&cursor=c2"]);
	});
});

describe("paths", () => {
	test("an id is one part of the path, whatever it holds [sdk.path]", async () => {
		const { seen, svc } = play(ok({}));
		await svc.apps.of("a/b?c").users.get("d#e%");
		expect(seen).toEqual(["GET /v1/apps/a%2Fb%3Fc/users/d%23e%25"]);
	});

	test.each(["", ".", ".."])("%p is refused before anything is sent [sdk.path-astray]", (id) => {
		const { seen, svc } = play(ok({}));
		expect(() => svc.tokens.revoke(id)).toThrow(TypeError);
		expect(() => svc.apps.of(id).users).toThrow(TypeError);
		expect(seen).toEqual([]);
	});
});

describe("repeating", () => {
	test("what changes nothing the second time is repeated after a lost answer [sdk.assure]", async () => {
		const { seen, svc } = play(drop, ok({ id: "app_1" }));
		expect((await svc.apps.pause("app_1")).id).toBe("app_1");
		expect(seen).toEqual(["POST /v1/apps/app_1/pause", "POST /v1/apps/app_1/pause"]);
	});

	test("what makes something, or starts it, is sent once [sdk.make-once]", async () => {
		const { seen, svc } = play(drop);
		const calls = [
			svc.apps.create("name"),
			svc.tokens.create({ name: "n", scopes: [], expiresIn: 60 }),
			svc.apps.delete("app_1", "name"),
			svc.sessions.login("ada@example.com"),
			svc.me.delete(),
			svc.apps.of("app_1").keys.rotate("key_1"),
			svc.apps.of("app_1").billing.checkout("pro"),
		];
		for (const { status } of await Promise.allSettled(calls)) expect(status).toBe("rejected");
		expect(seen).toHaveLength(calls.length);
	});

	test("a removal whose answer was lost is removed; without one, not_found is told [sdk.remove-lost]", async () => {
		const lost = play(drop, refuse(404, "not_found"));
		const tombstone = await lost.svc.apps.of("app_1").members.remove("acc_1", true);
		expect(tombstone).toEqual({ id: "acc_1", object: "member", deleted: true });
		expect(lost.seen[1]).toBe("DELETE /v1/apps/app_1/members/acc_1?revoke_keys=true");
		const gone = play(refuse(404, "not_found"));
		expect(await codeOf(gone.svc.apps.of("app_1").members.remove("acc_1"))).toBe("not_found");
		expect(gone.seen).toEqual(["DELETE /v1/apps/app_1/members/acc_1"]);
	});
});

describe("jobs", () => {
	const job = (state: string) => ok({ id: "job_1", state });

	test("a job is waited for until it has ended [sdk.job-wait]", async () => {
		const { seen, svc } = play(job("queued"), job("running"), job("failed"));
		expect((await svc.jobs.wait("job_1", { everyMs: 1 })).state).toBe("failed");
		expect(seen).toHaveLength(3);
	});

	test("waiting ends with the signal's own reason [sdk.job-wait-abort]", async () => {
		const reason = new Error("enough");
		const { svc } = play(job("running"));
		const waiting = svc.jobs.wait("job_1", { everyMs: 60_000, signal: AbortSignal.abort(reason) });
		expect(await codeOf(waiting)).toBe(reason);
	});
});

test("bytes arrive as they are, and a refusal is an ApiError [sdk.download]", async () => {
	const bytes = new Uint8Array([0x89, 0, 0xff, 0xfe]);
	const { svc } = play(() => new Response(bytes, { headers: { "content-type": "image/png" } }));
	const picture = await svc.moderation.preview("img_1");
	expect([picture.type, ...(await picture.bytes())]).toEqual(["image/png", ...bytes]);
	expect(await codeOf(play(refuse(404, "not_found")).svc.moderation.preview("img_1"))).toBe("not_found");
});

test("a file of any length is read as it comes, and a refusal is an ApiError", async () => {
	const parts = new ReadableStream({
		start(controller) {
			controller.enqueue(new Uint8Array([1, 2]));
			controller.enqueue(new Uint8Array([3]));
			controller.close();
		},
	});
	const stream = await play(() => new Response(parts)).svc.me.exports.download("job_1");
	expect([...(await new Response(stream).bytes())]).toEqual([1, 2, 3]);
	expect(await codeOf(play(refuse(404, "not_found")).svc.me.exports.download("job_1"))).toBe("not_found");
	const page = () => new Response("<html>", { headers: { "Content-Type": "text/html" } });
	await expect(play(page).svc.me.exports.download("job_1")).rejects.toThrow("without a file");
});
