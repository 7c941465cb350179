import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type LibsqlProxy, PASSING, type Passage, startLibsqlProxy } from "../support/libsql-proxy.ts";
import { type LibsqlServer, libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";
import { noise } from "../support/pictures.ts";
import { send, uploaded } from "../support/requests.ts";
import { type OpenService, openService } from "../support/service.ts";

/* What visitors of pictures get while the libSQL server cannot be reached, or takes a connection and says nothing. */

let server: LibsqlServer;
let proxy: LibsqlProxy;
let service: OpenService;
const held: (() => void)[] = [];

const AWAY: Passage = async () => undefined;
const SILENT: Passage = async () => {
	await new Promise<void>((resolve) => held.push(resolve));
	return undefined;
};

beforeAll(async () => {
	if (withoutLibsql) return;
	server = await startLibsql();
	proxy = await startLibsqlProxy(server.url);
	service = await openService({ SVC_DATABASE_URL: proxy.url });
});
afterAll(async () => {
	if (withoutLibsql) return;
	letGo();
	await service.close();
	await proxy[Symbol.asyncDispose]();
	await server[Symbol.asyncDispose]();
});

function letGo(): void {
	proxy.passage = PASSING;
	for (const release of held.splice(0)) release();
}

/**
 * Who is done first: the host, or a question to the database that begins now and is given up after the database's own limit of eight seconds. A
 * database that cannot be reached fails at once, and sets no bound.
 */
function firstOf(passage: Passage): (who: string) => Promise<string> {
	if (passage !== SILENT) return async (who) => who;
	const asked = service.database.rows("SELECT 1", []).then(
		() => "database",
		() => "database",
	);
	return (who) => Promise.race([asked, Promise.resolve(who).then((done) => Bun.sleep(0).then(() => done))]);
}

const look = (url: string, headers = {}) => service.open(url, { headers });

describe.skipIf(withoutLibsql).each([
	["cannot be reached", AWAY],
	["is silent", SILENT],
])(`while the libSQL server %s${libsqlNote}`, (_, passage) => {
	test("pictures that are kept are served for seconds, everything else is 503, and a delete before stays one", async () => {
		const kept = await uploaded(service, await noise(300, 200), "kept.jpg");
		const gone = await uploaded(service, await noise(300, 200), "gone.jpg");
		for (const { url } of [kept, gone]) {
			expect((await look(`${url}?w=100`)).status).toBe(200);
			expect((await look(url)).status).toBe(200);
		}
		expect((await send(service, "DELETE", `/v1/images/${gone.id}`)).status).toBe(200);
		expect((await look(`${gone.url}?w=100`)).status).toBe(404);
		proxy.passage = passage;

		const first = firstOf(passage);
		const [hit, original, cold, deleted] = await Promise.all([
			look(`${kept.url}?w=100`),
			look(kept.url),
			look(`${kept.url}?w=101`),
			look(`${gone.url}?w=100`),
		]);
		expect(await first("host")).toBe("host");
		expect([hit, original, cold, deleted].map(({ status }) => status)).toEqual([200, 200, 503, 503]);
		for (const answer of [hit, original]) expect(answer.headers.get("cache-control")).toBe("public, max-age=5");
		for (const answer of [cold, deleted]) {
			expect(answer.headers.get("retry-after")).toBe("2");
			expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
		}
		const known = await look(`${kept.url}?w=100`, { "If-None-Match": hit.headers.get("etag") ?? "" });
		expect([known.status, known.headers.get("cache-control")]).toEqual([304, "public, max-age=5"]);

		letGo();
		expect((await look(`${kept.url}?w=101`)).status).toBe(200);
		expect((await look(`${kept.url}?w=100`)).headers.get("cache-control")).toStartWith("public, max-age=300, stale");
		expect((await look(`${gone.url}?w=100`)).status).toBe(404);
	});
});
