import { describe, expect, test } from "bun:test";
import { JOB_KINDS } from "@svc/jobs/jobs";
import { errorOf } from "../../support/requests.ts";
import { type OpenService, serviceFor } from "../../support/service.ts";

/* What balancers and Prometheus ask, by whatever address they know. */

const STRANGER = "203.0.113.7";

interface Asked {
	readonly host?: string;
	/** Where the connection comes from. */
	readonly peer?: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly method?: string;
}

function ask(
	service: OpenService,
	path: string,
	{ host = "10.1.2.3:8080", peer = STRANGER, headers, method = "GET" }: Asked = {},
) {
	const request = new Request(`http://${host}${path}`, { method, headers: { ...headers, Host: host } });
	return service.handle(request, () => peer);
}

describe("at any Host", () => {
	const service = serviceFor({
		SVC_BASE_URL: "https://api.example.com",
		SVC_WEB_URL: "https://example.com",
		SVC_CDN_URL: "https://img.example.com",
	});

	test("probes are answered by address, by name and at each of the three addresses", async () => {
		for (const host of [
			"10.1.2.3:8080",
			"[::1]:3000",
			"evil.example",
			"api.example.com",
			"example.com",
			"img.example.com",
		]) {
			for (const path of ["/healthz", "/readyz", "/metrics", "/readyz?from=probe"]) {
				const { status, headers } = await ask(service, path, { host });
				// Else a browser would save it as a file.
				expect([status, headers.get("content-type")]).toEqual([
					200,
					expect.stringMatching(/^(text\/plain|application\/json)/),
				]);
			}
		}
		expect(await (await ask(service, "/readyz")).json()).toEqual({
			ready: true,
			checks: { database: "ok", blobs: "ok", mail: "ok", billing: "ok" },
		});
	});

	test("all other paths of an unknown Host stay refused", async () => {
		for (const path of [
			"/",
			"/healthz/",
			"/readyz/x",
			"//readyz",
			"/v1/usage",
			"/x?/readyz",
			"/x/readyz",
			"/v1/metrics",
		]) {
			const answer = await ask(service, path);
			expect(await errorOf(answer)).toMatchObject({ status: 421, code: "bad_request" });
			expect(answer.headers.get("x-request-id")).toStartWith("req_");
			expect(answer.headers.get("access-control-allow-origin")).toBe("*");
		}
	});

	test("HEAD is answered without a body, other methods are refused", async () => {
		for (const path of ["/healthz", "/readyz", "/metrics"]) {
			const head = await ask(service, path, { method: "HEAD" });
			expect([head.status, await head.text()]).toEqual([200, ""]);
			const post = await ask(service, path, { method: "POST" });
			expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
		}
	});

	test("the first job that fails can be seen: its total is there at 0 before", async () => {
		const text = await (await ask(service, "/metrics")).text();
		for (const kind of JOB_KINDS) expect(text).toContain(`svc_jobs_total{kind="${kind}",state="failed"} 0\n`);
	});

	test("a backup that was never made is told as 0", async () => {
		expect(await (await ask(service, "/metrics")).text()).toMatch(/^svc_backup_last_seconds 0$/m);
	});

	test("two hundred probes at once are one commit", async () => {
		service.clock.advance(1_000);
		const commits = async () =>
			Number(/svc_commit_seconds_count (\d+)/.exec(await (await ask(service, "/metrics")).text())?.[1]);
		const before = await commits();
		const answers = await Promise.all(Array.from({ length: 200 }, () => ask(service, "/readyz")));
		expect(answers.every(({ status }) => status === 200)).toBe(true);
		expect((await commits()) - before).toBeLessThanOrEqual(2);
	});
});

describe("metrics of a live deployment without a setting", () => {
	const service = serviceFor({ SVC_MODE: "live" });

	test("are there for loopback clients, and for nobody who comes through a proxy there", async () => {
		expect((await ask(service, "/metrics", { peer: "127.0.0.1" })).status).toBe(200);
		expect((await ask(service, "/metrics", { peer: "::1" })).status).toBe(200);
		for (const peer of [STRANGER, "10.0.0.1", "::ffff:203.0.113.7"]) {
			const headers = { "X-Forwarded-For": "127.0.0.1" };
			expect(await errorOf(await ask(service, "/metrics", { peer, headers }))).toMatchObject({
				status: 404,
				code: "not_found",
			});
		}
		const forwarded = await ask(service, "/metrics", { peer: "127.0.0.1", headers: { "X-Forwarded-For": STRANGER } });
		expect(forwarded.status).toBe(404);
		expect((await ask(service, "/readyz")).status).toBe(200);
	});
});

describe("metrics with a token", () => {
	const service = serviceFor({ SVC_MODE: "live", SVC_METRICS_TOKEN: "prometheus-token" });

	test("are for who sends it, from anywhere", async () => {
		const read = (authorization?: string) =>
			ask(service, "/metrics", { headers: authorization === undefined ? {} : { Authorization: authorization } });
		expect((await read("Bearer prometheus-token")).status).toBe(200);
		for (const wrong of [
			undefined,
			"Bearer prometheus-toke",
			"Bearer prometheus-token2",
			"Basic prometheus-token",
			"Bearer",
			"",
		]) {
			const answer = await read(wrong);
			expect(answer.headers.get("www-authenticate")).toBe("Bearer");
			expect(await errorOf(answer)).toMatchObject({ status: 401, code: "unauthorized" });
		}
		expect((await ask(service, "/metrics", { peer: "127.0.0.1" })).status).toBe(401);
		expect((await ask(service, "/healthz")).status).toBe(200);
	});
});

describe("metrics with an address of their own", () => {
	const service = serviceFor({ SVC_METRICS_LISTEN: "127.0.0.1:9464" });

	test("are there alone; other probes are answered there as well, and nothing else", async () => {
		const there = (path: string) => service.handleMetrics(new Request(`http://127.0.0.1:9464${path}`));
		expect((await ask(service, "/metrics", { peer: "127.0.0.1" })).status).toBe(404);
		expect((await there("/metrics")).status).toBe(200);
		expect((await there("/readyz")).status).toBe(200);
		expect((await there("/v1/usage")).status).toBe(404);
	});
});
