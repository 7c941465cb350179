import { describe, expect, test } from "bun:test";
import { type Answer, checked, EXPLAINED, faultsOf, RULES, SHOWN_ONCE } from "../../support/answers.ts";
import { undeclared } from "../../support/declared.ts";
import { plain } from "../../support/pictures.ts";
import { send, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";

/* Every answer that any test gets is checked by test/support/answers.ts; here is what shows that the checks see what they are for. */

const service = serviceFor({ SVC_VARIANT: "current" });

const USAGE = { "X-Monthly-Uploads-Used": "1", "X-Monthly-Uploads-Limit": "9", "X-Monthly-Uploads-Remaining": "8" };
const STORAGE = { "X-Storage-Used": "1", "X-Storage-Limit": "9", "X-Storage-Remaining": "8" };

/** A right answer, but for what is planted. */
function answer(
	planted: Partial<Omit<Answer, "headers" | "url">> & { path?: string; headers?: Record<string, string> },
): Answer {
	const { path = "/v1/images", headers = {}, ...rest } = planted;
	const right = { "Content-Type": "application/json", "Access-Control-Allow-Origin": "*", ...USAGE, ...STORAGE };
	const sent = new Headers({ ...right, ...headers });
	if (!sent.has("access-control-expose-headers")) sent.set("access-control-expose-headers", [...sent.keys()].join());
	const deployment = {
		variant: "current",
		base: "http://localhost:3000",
		cdn: "http://localhost:3001",
		isImageHost: () => false,
		readDocument: async () => ({ paths: {} }),
	};
	const url = new URL(path, deployment.base);
	return { method: "GET", url, authorization: "Bearer x", status: 200, headers: sent, body: {}, deployment, ...rest };
}

const IMAGE = {
	id: "img_1",
	object: "image",
	filename: "a.png",
	url: "http://localhost:3001/t/a.png",
	status: "ready",
	sizes: {},
};
const error = (more: object) => ({
	error: { type: "invalid_request_error", code: "not_found", message: "No.", ...more },
});
const wait = { type: "wait", retry_after: 2 };
const list = (data: unknown[], pagination: object = { has_more: false, next_cursor: null, next_url: null }) => ({
	...{ object: "list", data, pagination },
});

const PLANTED: readonly (readonly [string, Answer])[] = [
	[EXPLAINED, answer({ status: 404, body: error({}) })],
	["endpoints.json-bodies", answer({ headers: { "Content-Type": "text/html" }, body: undefined })],
	["endpoints.json-bodies", answer({ body: [] })],
	["errors.body-single-object", answer({ status: 404, body: { ...error({}), more: 1 } })],
	["errors.code", answer({ status: 404, body: error({ code: "nope" }) })],
	["errors.code", answer({ status: 400, body: error({}) })],
	["errors.type", answer({ status: 404, body: error({ type: "nope" }) })],
	["errors.message", answer({ status: 404, body: error({ message: "" }) })],
	["errors.action-wait-only", answer({ status: 404, body: error({ action: { type: "upgrade", url: "x" } }) })],
	["errors.action-shape", answer({ status: 404, body: error({ action: wait }), headers: { "Retry-After": "3" } })],
	["errors.action-shape", answer({ status: 404, body: error({}), headers: { "Retry-After": "3" } })],
	["errors.success-clean", answer({ body: { error: null } })],
	["limits.header.cors-exposed", answer({ headers: { "Access-Control-Expose-Headers": "X-Request-Id" } })],
	["limits.header.processing-time", answer({ method: "POST" })],
	["endpoints.usage-headers-on-success", answer({ headers: { "X-Storage-Remaining": "7" } })],
	["list.envelope.data", answer({ body: list(undefined as never) })],
	["list.cursor.terminal", answer({ body: list([], { has_more: true, next_cursor: null, next_url: null }) })],
	[
		"list.next-url.carries-filter",
		answer({
			path: "/v1/images?label[a]=b",
			body: list([], { has_more: true, next_cursor: "c", next_url: "http://localhost:3000/v1/images?cursor=c" }),
		}),
	],
	["image.fields.object", answer({ body: { ...IMAGE, object: "picture" } })],
	["image.fields.url", answer({ body: { ...IMAGE, url: "https://elsewhere.example/a.png" } })],
	["image.status.values", answer({ body: { ...IMAGE, status: "new" } })],
	["image.fields.public-absent", answer({ body: { ...IMAGE, public: true } })],
	["image.fields.page_url-absent", answer({ body: list([{ ...IMAGE, page_url: "x" }]) })],
	["image.status.list-ready-only", answer({ body: list([{ ...IMAGE, status: "failed" }]) })],
	["tombstone.deleted", answer({ body: { id: "img_1", object: "image", deleted: false } })],
	["billing.status.dates-iso-utc", answer({ body: { access: { expires_at: "2026-11-22" } } })],
	["price.fields.interval", answer({ body: { object: "price", interval: "week", trial_days: 0 } })],
	["price.fields.trial_days", answer({ body: { object: "price", interval: "month", trial_days: null } })],
	[SHOWN_ONCE, answer({ body: { secret: `svc_sk_test_${"a".repeat(38)}` } })],
];

const STATEMENTS = Object.keys(RULES).filter((ids) => ids !== SHOWN_ONCE && ids !== EXPLAINED);

describe("what holds for every answer", () => {
	test(`is checked at each answer of each test in this process [${STATEMENTS.join(", ")}]`, async () => {
		const before = checked.answers;
		const made = await uploaded(service, await plain(4, 4));
		await send(service, "GET", `/v1/images/${made.id}`);
		await send(service, "GET", "/v1/images?limit=1000");
		expect(checked.answers - before).toBe(3);
	});

	for (const [place, [id, planted]] of PLANTED.entries()) {
		test(`an answer that breaks ${id} is seen (${place})`, () => {
			expect(faultsOf(planted).join()).toContain(id);
		});
	}

	test("a right answer breaks nothing, and every rule is broken by one above", () => {
		expect(faultsOf(answer({ body: list([IMAGE]) }))).toEqual([]);
		const Link = '<http://localhost:3000/docs/reference/errors#not_found>; rel="help"';
		const refusal = { status: 404, body: error({ action: wait }), headers: { "Retry-After": "2", Link } };
		expect(faultsOf(answer(refusal))).toEqual([]);
		const tried = PLANTED.map(([id]) => id);
		expect(Object.keys(RULES).filter((ids) => !tried.some((id) => ids.includes(id)))).toEqual([]);
	});
});

test("an answer with a status or a header that the API document does not tell of is found, and no other", async () => {
	const readDocument = async () => (await service.api("/openapi.json", { headers: {} })).json();
	const of = async (planted: Parameters<typeof answer>[0], type: string | null = null) => {
		const made = answer(planted);
		return await undeclared({ ...made, deployment: { ...made.deployment, readDocument } }, type);
	};
	expect(await of({})).toBeUndefined();
	expect(await of({ status: 418 })).toContain("status");
	expect(await of({ headers: { "X-Processing-Time": "1" } })).toContain("x-processing-time");
	expect(await of({ path: "/v1/upload_tickets", headers: { "X-Limits-Enforced": "true" } })).toContain("x-limits");
	// What only a fetch can meet is told of where an address is sent.
	expect(await of({ method: "POST", status: 502 }, "multipart/form-data; boundary=x")).toContain("status");
	expect(await of({ method: "POST", status: 502 }, "application/json")).toBeUndefined();
	expect(await of({ path: "/v1/nothing", status: 404 })).toBeUndefined();
});
