import { describe, expect, test } from "bun:test";
import { EXIT } from "@svc/base/processes/exit";
import { fakeService, refusal, type Sent } from "@svc/test/support/fake-service";
import { fakeWorld } from "@svc/test/support/fake-world";
import { run } from "../../kit/run.ts";

interface Check {
	readonly name: string;
	readonly state: string;
	readonly detail: string;
	readonly remedy: string | null;
}

type Reply = (sent: Sent) => Response | undefined;

async function doctor(
	reply?: Reply,
	baseUrl = "https://svc.test",
	signal?: AbortSignal,
	flags: readonly string[] = ["--upload"],
) {
	const service = fakeService(reply);
	const env = { SVC_API_KEY: "svc_sk_test_secret", SVC_BASE_URL: baseUrl };
	const world = fakeWorld({ fetch: service.fetch, env, cwd: "/nowhere", ...(signal && { signal }) });
	const exit = await run(["server", "doctor", ...flags, "--json"], world);
	// An array that is not closed was not finished.
	const checks: readonly Check[] = world.outText().endsWith("]\n") ? JSON.parse(world.outText()) : [];
	return { exit, checks, sent: service.sent, broken: checks.filter(({ state }) => state === "failed") };
}

const at = (path: string, answer: () => Response) => (sent: Sent) =>
	sent.path.startsWith(path) ? answer() : undefined;
const deletions = (sent: readonly Sent[]) => sent.filter(({ method }) => method === "DELETE").map(({ path }) => path);

describe("svc server doctor", () => {
	test("nothing is said against a service that is well [doctor.well]", async () => {
		const { exit, broken, checks } = await doctor();
		expect([exit, broken, checks.length]).toEqual([EXIT.ok, [], 10]);
	});

	test("an unencrypted address is fine on this machine only [doctor.tls]", async () => {
		const remote = await doctor(undefined, "http://svc.test");
		expect([remote.exit, remote.broken.map(({ name }) => name)]).toEqual([EXIT.failed, ["tls"]]);
		for (const host of ["localhost:3000", "127.0.0.1", "[::1]:8080", "svc.localhost"]) {
			expect((await doctor(undefined, `http://${host}`)).broken).toEqual([]);
		}
	});

	test("clocks that are far apart are told, and a service that does not tell its time is not blamed [doctor.clock]", async () => {
		const dated = (date?: string) => at("/healthz", () => new Response("ok\n", date ? { headers: { date } } : {}));
		expect((await doctor(dated("Thu, 01 Jan 2026 00:01:00 GMT"))).broken).toMatchObject([
			{ name: "clock", detail: "60 s apart" },
		]);
		expect((await doctor(dated())).exit).toBe(EXIT.ok);
	});

	test("where something else answers, nothing is sent to it with the key [doctor.address]", async () => {
		const { exit, broken, sent } = await doctor(at("/healthz", () => new Response("<html>", { status: 200 })));
		expect([exit, broken.map(({ name }) => name)]).toEqual([EXIT.failed, ["address"]]);
		expect(sent.map(({ headers }) => headers.get("authorization"))).toEqual([null]);
	});

	test("a service without a secret of the deployment is told to set one; one that moves to it, or could drop the one before, is well [doctor.secret]", async () => {
		const ready = (secret: string) =>
			at("/readyz", () => Response.json({ ready: true, checks: { database: "ok", blobs: "ok", secret } }));
		const missing = await doctor(ready("missing"));
		expect([missing.exit, missing.broken]).toMatchObject([
			EXIT.failed,
			[{ name: "secret", remedy: expect.stringContaining("SVC_DEPLOYMENT_SECRET") }],
		]);
		for (const state of ["moving", "spare"]) {
			const { exit, checks } = await doctor(ready(state));
			expect(exit).toBe(EXIT.ok);
			expect(checks.find(({ name }) => name === "secret")?.detail).toMatch(/the one before/);
		}
	});

	test("each part that is not ready has its remedy [doctor.ready]", async () => {
		const readyz = { ready: false, checks: { database: "failed", blobs: "ok" } };
		const { broken } = await doctor(at("/readyz", () => Response.json(readyz, { status: 503 })));
		expect(broken).toMatchObject([{ name: "database", remedy: expect.stringContaining("SVC_DATABASE_URL") }]);
	});

	test("a database server that loses acknowledged changes in a power cut is told with what to set, and one that does not is well", async () => {
		const answered = (durability: string) =>
			at("/readyz", () => Response.json({ ready: true, checks: { database: "ok", blobs: "ok", durability } }));
		const relaxed = await doctor(answered("relaxed"));
		expect([relaxed.exit, relaxed.broken]).toMatchObject([
			EXIT.failed,
			[{ name: "durability", detail: "relaxed", remedy: expect.stringContaining("durability_mode") }],
		]);
		const strong = await doctor(answered("strong"));
		expect([strong.exit, strong.broken, strong.checks.length]).toEqual([EXIT.ok, [], 12]);
	});

	test("the database server's admin address is told where it needs no key, and from outside of its network where it can be reached at all", async () => {
		const ready = Response.json({ ready: true, checks: { database: "ok", durability: "strong" } });
		const answering = (admin: () => Response) => (sent: Sent) =>
			sent.path === "/" ? admin() : at("/readyz", () => ready.clone())(sent);
		// As the server itself answers.
		const open = answering(() => new Response("Welcome to the sqld admin API"));
		const locked = answering(() => new Response(null, { status: 401 }));
		const other = answering(() => new Response("<html>"));
		const brokenAt = (reply: Reply, base: string) => doctor(reply, base).then(({ broken }) => broken);
		expect(await brokenAt(open, "https://svc.example")).toMatchObject([
			{ name: "admin", detail: "svc.example:8081 answers without a key" },
		]);
		expect(await brokenAt(open, "http://localhost:3000")).toMatchObject([{ name: "admin" }]);
		expect(await brokenAt(locked, "https://svc.example")).toMatchObject([
			{ name: "admin", detail: "svc.example:8081 can be reached from here" },
		]);
		expect(await brokenAt(locked, "http://localhost:3000")).toEqual([]);
		expect(await brokenAt(other, "https://svc.example")).toEqual([]);
	});

	test("what something else calls its checks is no remedy of ours [doctor.other-names]", async () => {
		const checks = { constructor: "broken", database: "ok" };
		const { broken } = await doctor(at("/readyz", () => Response.json({ ready: false, checks }, { status: 503 })));
		expect(broken).toMatchObject([{ name: "constructor", remedy: "Look into the service's log." }]);
	});

	test("a key that may not write is not asked to [doctor.read-only]", async () => {
		const key = { object: "key", prefix: "p", last4: "l", permissions: ["read"], app: { id: "app_1" } };
		const { exit, checks, sent } = await doctor(at("/v1/key", () => Response.json(key)));
		expect([exit, checks.filter(({ state }) => state === "skipped").length]).toEqual([EXIT.ok, 4]);
		expect(sent.some(({ method }) => method !== "GET")).toBe(false);
	});

	test("a transform host that does not answer fails, and the picture is deleted all the same [doctor.cdn]", async () => {
		const { broken, sent } = await doctor(at("/t/", () => new Response("", { status: 502 })));
		expect(broken.map(({ name }) => name)).toEqual(["read", "transform"]);
		expect(broken[0]?.remedy).toContain("SVC_CDN_URL");
		expect(deletions(sent)).toEqual(["/v1/images/img_1"]);
	});

	test("one format that fails is named [doctor.format]", async () => {
		const { broken } = await doctor(({ path }) =>
			path.includes("format=avif") ? new Response("", { status: 500 }) : undefined,
		);
		expect(broken).toMatchObject([{ name: "transform", detail: expect.stringMatching(/^avif: /) }]);
	});

	test("pictures that are there are looked at, without using up an upload; the first one is made [doctor.no-upload]", async () => {
		const seen = await doctor(undefined, undefined, undefined, []);
		expect([seen.exit, seen.broken, seen.checks.length]).toEqual([EXIT.ok, [], 10]);
		expect(seen.sent.filter(({ method }) => method !== "GET")).toEqual([]);
		expect(seen.checks.filter(({ state }) => state === "skipped").map(({ name }) => name)).toEqual([
			"upload",
			"delete",
		]);
		const none = at("/v1/images?", () =>
			Response.json({ object: "list", data: [], pagination: { has_more: false, next_cursor: null } }),
		);
		const first = await doctor(none, undefined, undefined, []);
		expect(first.sent.map(({ method }) => method)).toEqual(expect.arrayContaining(["POST", "DELETE"]));
		const broken = await doctor(
			at("/t/", () => new Response("", { status: 502 })),
			undefined,
			undefined,
			[],
		);
		expect(broken.broken.map(({ name }) => name)).toEqual(["read", "transform"]);
	});

	test("a deleted picture that still answers is told [doctor.copies]", async () => {
		const picture = () => new Response("x", { headers: { "content-type": "image/png" } });
		expect((await doctor(at("/t/", picture))).broken).toMatchObject([{ name: "delete" }]);
	});

	test("a refusal is told with its request [doctor.quota]", async () => {
		const { broken, checks } = await doctor((sent) =>
			sent.method === "POST" ? refusal(403, "quota_exceeded") : undefined,
		);
		expect(broken).toMatchObject([
			{ name: "upload", detail: "It was quota_exceeded. (quota_exceeded, request req_9)" },
		]);
		expect(checks.filter(({ state }) => state === "skipped").map(({ name }) => name)).toEqual([
			"read",
			"transform",
			"delete",
		]);
	});

	test("Ctrl-C leaves no picture behind [doctor.interrupt]", async () => {
		const controller = new AbortController();
		const interrupting = at("/t/", () => {
			controller.abort();
			throw new TypeError("aborted");
		});
		const { exit, sent } = await doctor(interrupting, "https://svc.test", controller.signal);
		expect([exit, deletions(sent)]).toEqual([EXIT.interrupted, ["/v1/images/img_1"]]);
	});
});
