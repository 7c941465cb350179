import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import { addApp, connectUser, type TestApp } from "../support/apps.ts";
import { expectFew, type Line, openLine, packetsNote, withoutPackets } from "../support/packets.ts";
import { addMember, addPerson, addSession, type TestPerson } from "../support/people.ts";
import { noise } from "../support/pictures.ts";
import { uploaded } from "../support/requests.ts";
import { type StartedService, startService } from "../support/service.ts";

/* An answer that leaves in pieces costs a system call for each, and the network a packet. */

let service: StartedService;
let app: TestApp;
let person: TestPerson;
let small: Image;
let large: Image;

beforeAll(async () => {
	service = await startService();
	app = await addApp(service.database);
	person = await addPerson(service.database);
	await addMember(service.database, app, person, "admin");
	const put = async (width: number, height: number, name: string) =>
		uploaded(service, await noise(width, height), name, {}, { key: app.key });
	[small, large] = [await put(40, 30, "small.jpg"), await put(1_500, 1_000, "large.jpg")];
	for (let count = 0; count < 20; count++) await put(60, 40, `${count}.jpg`);
});
afterAll(() => service.stop());

const pictures = () => openLine(Number(new URL(service.cdnUrl).port), large.url);
const pages = () => openLine(Number(new URL(service.baseUrl).port), `${service.baseUrl}/openapi.json`);

async function expectRendition({ ask }: Line, address: string): Promise<void> {
	const fresh = await ask(address);
	expect(expectFew(fresh)).toBe(String(fresh.body.length));
	const again = await ask(address);
	expectFew(again);
	expect(again.body.equals(fresh.body)).toBe(true);
	const part = await ask(address, { Range: `bytes=1-${fresh.body.length - 2}` });
	expectFew(part, 206);
	expect(part.body.equals(fresh.body.subarray(1, -1))).toBe(true);
	const etag = /^etag: (.*?)\r?$/im.exec(fresh.head)?.[1] ?? "";
	expectFew(await ask(address, { "If-None-Match": etag }), 304);
	expect(expectFew(await ask(address, {}, "HEAD"))).toBe(String(fresh.body.length));
}

describe.skipIf(withoutPackets)(
	`an answer leaves in as many packets as its bytes need, and three more${packetsNote}`,
	() => {
		test("renditions from 5 to 500 KB: new, again, a part, known, and without their bytes", async () => {
			using line = await pictures();
			for (const width of [120, 200, 260, 330, 420, 620, 900, 1_400])
				await expectRendition(line, `${large.url}?w=${width}`);
		});

		test("originals, small and large, and what is none", async () => {
			using line = await pictures();
			for (const { url } of [small, large]) {
				const answer = await line.ask(url);
				expect(expectFew(answer)).toBe(String(answer.body.length));
			}
			expectFew(await line.ask(`${service.cdnUrl}/none`), 404);
		});

		test("lists, plain and compressed, the API document and an error", async () => {
			using line = await pages();
			const bearer = { Authorization: `Bearer ${app.key}` };
			for (const path of ["/v1/images?limit=20", "/openapi.json"]) {
				for (const coding of ["identity", "gzip"]) {
					const answer = await line.ask(`${service.baseUrl}${path}`, { ...bearer, "Accept-Encoding": coding });
					expect(expectFew(answer)).toBe(String(answer.body.length));
				}
			}
			expectFew(await line.ask(`${service.baseUrl}/v1/images/none`, bearer), 404);
		});

		test("pages of the documentation and of the console, and probes", async () => {
			using line = await pages();
			const session = await addSession(service.database, person.id, { kind: "web" });
			const cookie = { Cookie: `session=${session}` };
			for (const path of ["/docs", "/docs/reference/errors", `/console/${app.id}/images`, "/healthz", "/metrics"]) {
				const answer = await line.ask(`${service.baseUrl}${path}`, cookie);
				expect(expectFew(answer)).toBe(String(answer.body.length));
			}
		});

		test("what is made while it is sent: pictures as a ZIP, a table, an export", async () => {
			using line = await pages();
			const bearer = (secret: string) => ({ Authorization: `Bearer ${secret}` });
			expectFew(await line.ask(`${service.baseUrl}/v1/apps/${app.id}/images.zip`, bearer(person.secret)));
			const table = "/v1/usage/daily?format=csv&from=2026-01-01&to=2026-02-01";
			expectFew(await line.ask(`${service.baseUrl}${table}`, bearer(app.key)));
			const user = await connectUser(service.database, app);
			const secret = await addSession(service.database, user.accountId);
			const asked = await service.api("/v1/me/export", { method: "POST", headers: bearer(secret), body: "{}" });
			expect(asked.status).toBe(202);
			const { id } = await asked.json();
			await service.runJobs();
			expectFew(await line.ask(`${service.baseUrl}/v1/me/exports/${id}/file`, bearer(secret)));
		});
	},
);
