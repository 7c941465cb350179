import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { addApp } from "../../support/apps.ts";
import { addPerson, addSession, as } from "../../support/people.ts";
import { readForms, sendForm, type TryForm } from "../../support/reference-forms.ts";
import { send } from "../../support/requests.ts";
import { madeBefore, openService, serviceFor } from "../../support/service.ts";

/* The forms of /docs/api, as somebody meets them who means harm. */

const service = serviceFor({ SVC_VARIANT: "current" });
const FOREIGN = { Origin: "https://evil.example" };
const forms = madeBefore(async () => ({ all: await readForms(service) }));

function form(operation: string): TryForm {
	const found = forms.all.get(operation);
	if (!found) throw new Error(`There is no form of ${operation}.`);
	return found;
}

const own = () => ({ Origin: service.rooms.addresses.base });

/** Somebody who is signed in in a browser. */
async function visitor() {
	const person = await addPerson(service.database);
	const cookie = `session=${await addSession(service.database, person.id, { kind: "web" })}`;
	return { ...person, cookie };
}

describe("who is signed in in the browser", () => {
	test("reads without a key, by a form of ours alone", async () => {
		const { cookie, email } = await visitor();
		const read = await sendForm(service, form("getMe"), {}, { ...own(), Cookie: cookie });
		expect([read.answered, read.html.includes(email)]).toEqual([200, true]);
		for (const headers of [
			FOREIGN,
			{ Origin: "null" },
			{ "Sec-Fetch-Site": "cross-site" },
			{ "Sec-Fetch-Site": "same-site" },
		]) {
			const refused = await sendForm(service, form("getMe"), {}, { ...headers, Cookie: cookie });
			expect([headers, refused.status, refused.html.includes(email)]).toEqual([headers, 403, false]);
		}
		// What says nothing of where it comes from is no browser: it is nobody.
		const silent = await sendForm(service, form("getMe"), {}, { Cookie: cookie });
		expect([silent.answered, silent.html.includes(email)]).toEqual([401, false]);
	});

	test("changes nothing without a key, and with a key is whom that names", async () => {
		const { cookie, secret } = await visitor();
		const other = await addPerson(service.database);
		const headers = { ...own(), Cookie: cookie };
		for (const operation of ["createApp", "updateMe", "startExport", "endOtherSessions"]) {
			expect([operation, (await sendForm(service, form(operation), {}, headers)).answered]).toEqual([operation, 401]);
		}
		const named = await sendForm(service, form("getMe"), { bearer: other.secret }, headers);
		expect(named.html).toContain(other.email);
		expect(await appsOf({ secret })).toEqual([]);
	});

	test("sees nothing of an App that is another team's, and nothing after signing out", async () => {
		const { cookie, id } = await visitor();
		const app = await addApp(service.database);
		const headers = { ...own(), Cookie: cookie };
		expect((await sendForm(service, form("getApp"), { id: app.id }, headers)).answered).toBe(404);
		expect((await sendForm(service, form("listImages"), { "X-Svc-App": app.id }, headers)).answered).toBe(404);
		const ended = sql`UPDATE sessions SET revoked_ms = 1 WHERE account_pk = (SELECT pk FROM accounts WHERE id = ${id})`;
		await service.database.write([{ run: ended }]);
		expect((await sendForm(service, form("getMe"), {}, headers)).answered).toBe(401);
	});

	test("has no bearer of the API: the cookie's secret is none", async () => {
		const { cookie } = await visitor();
		const secret = cookie.replace("session=", "");
		expect((await send(service, "GET", "/v1/me", undefined, as({ secret }))).status).toBe(401);
		expect((await sendForm(service, form("getMe"), { bearer: secret }, own())).answered).toBe(401);
	});
});

async function appsOf(person: { readonly secret: string }): Promise<unknown> {
	return (await (await send(service, "GET", "/v1/apps", undefined, as(person))).json()).data;
}

describe("a pasted key", () => {
	test("stands in no page, header and line of the log, whatever comes of the call", async () => {
		for (const changes of [{}, { limit: "none" }, { cursor: "<script>" }]) {
			const answer = await sendForm(service, form("listImages"), { bearer: service.apiKey, ...changes });
			expect(answer.html).not.toContain(service.apiKey);
			expect(JSON.stringify([...answer.headers])).not.toContain(service.apiKey);
			expect(answer.headers.get("cache-control")).toBe("no-store");
		}
		expect(JSON.stringify(service.log.lines)).not.toContain(service.apiKey);
		expect(form("listImages").method).toBe("post");
	});

	test("is refused from another site's form", async () => {
		const answer = await sendForm(service, form("createApp"), { bearer: service.token }, FOREIGN);
		expect([answer.status, answer.answered]).toEqual([403, 403]);
	});

	test("that could end a header is none", async () => {
		const answer = await sendForm(service, form("getKey"), { bearer: `${service.apiKey}\r\nX-Svc-App: app_1` });
		expect([answer.answered, answer.html.includes("is no key and no token")]).toEqual([422, true]);
	});
});

describe("a call", () => {
	test("goes to its operation, whatever is typed for an id or a header", async () => {
		for (const id of [
			"..",
			".",
			"%2e%2e",
			"..%2f..%2fapps",
			"/v1/apps",
			"img_1?x=1",
			"img_1#a",
			"https://evil.example/",
			"a\\..\\b",
		]) {
			const { answered } = await sendForm(service, form("getImage"), { id, bearer: service.apiKey });
			expect([id, [404, 422].includes(answered)]).toEqual([id, true]);
		}
		const headed = await sendForm(service, form("listImages"), {
			bearer: service.apiKey,
			"X-Svc-User": "usr_1\r\nX-A: b",
		});
		expect(headed.answered).toBe(422);
		const log = service.log.lines.map(({ facts }) => (facts as { path?: string }).path ?? "");
		expect(
			log.filter((path) => path.startsWith("/v1/images")).every((path) => /^\/v1\/images(\/[^/]+)?$/.test(path)),
		).toBe(true);
	});

	test("of an unknown operation, or of one without a form, is a page that is not there", async () => {
		for (const operation of ["nothing", "deleteApp", "deleteMe", "__proto__", "checkoutAppPlan"]) {
			const answer = await service.api(`/docs/api/${operation}`, {
				method: "POST",
				body: new URLSearchParams(),
				headers: own(),
			});
			expect([operation, answer.status]).toEqual([operation, 404]);
		}
	});

	test("is bounded: a form that is too long, a file that is too large, a field that is sent twice", async () => {
		const post = (path: string, body: BodyInit) => service.api(path, { method: "POST", body, headers: own() });
		const long = await post("/docs/api/createApp", new URLSearchParams({ body: "x".repeat(800_000) }));
		const file = new FormData();
		file.append("file", new Blob([new Uint8Array(100)]), "a.png");
		const unwanted = await post("/docs/api/listImages", file);
		const twice = await post(
			"/docs/api/getKey",
			new URLSearchParams([
				["bearer", "a"],
				["bearer", "b"],
			]),
		);
		expect([long.status, unwanted.status, twice.status]).toEqual([400, 422, 400]);
	});

	test("counts as a call of the key that was pasted", async () => {
		const slow = await openService({ SVC_VARIANT: "current", SVC_KEY_RATE: "1", SVC_KEY_BURST: "3" });
		const getKey = (await readForms(slow)).get("getKey") as TryForm;
		const answers: number[] = [];
		for (let times = 0; times < 5; times++)
			answers.push((await sendForm(slow, getKey, { bearer: slow.apiKey })).answered);
		expect(answers.filter((status) => status === 429).length).toBeGreaterThan(0);
		await slow.close();
	});
});

describe("what is answered", () => {
	test("holds no secret until one asks for it before", async () => {
		const owner = await addPerson(service.database);
		const { id } = (await (await send(service, "POST", "/v1/apps", { name: "Mine" }, as(owner))).json()) as {
			id: string;
		};
		const changes = { id, bearer: owner.secret };
		const masked = await sendForm(service, form("createKey"), changes);
		expect([
			masked.answered,
			/svc_sk_(live|test)_\w{20}/.test(masked.html),
			masked.html.includes("A secret is masked"),
		]).toEqual([...[201, false, true]]);
		const shown = await sendForm(service, form("createKey"), { ...changes, reveal: "yes" });
		expect([shown.answered, /svc_sk_(live|test)_\w{20}/.test(shown.html)]).toEqual([201, true]);
		const ticket = await sendForm(service, form("createUploadTicket"), { bearer: service.apiKey });
		expect([ticket.answered, /v1\/uploads\/[\w-]{20}/.test(ticket.html)]).toEqual([201, false]);
		const open = await sendForm(service, form("createUploadTicket"), { bearer: service.apiKey, reveal: "yes" });
		expect(open.html).toMatch(/v1\/uploads\/[\w-]{20}/);
	});

	test("of the mails of the service has no code and no link", async () => {
		await send(service, "POST", "/v1/sessions/login", { email: "ada@example.com" }, { key: "" });
		const mails = await (await send(service, "GET", "/v1/operator/emails", undefined, { key: service.token })).json();
		const code = /\b\d{6}\b/.exec(mails.data[0].text)?.[0] ?? "none";
		const { answered, html } = await sendForm(service, form("listEmails"), { bearer: service.token });
		expect([answered, html.includes(code), html.includes("ada@example.com")]).toEqual([200, false, true]);
	});

	test("is shown as text, and what was typed too", async () => {
		const script = `"><script>alert(1)</script>`;
		const body = JSON.stringify({ name: script });
		const made = await sendForm(service, form("createApp"), { bearer: service.token, body });
		const typed = await sendForm(service, form("getImage"), { id: script, bearer: service.apiKey });
		expect(made.answered).toBe(201);
		for (const { html } of [made, typed]) expect(html).not.toContain("<script>alert");
	});

	test("comes in a page that no other may frame, keep, or be told of", async () => {
		const { headers } = await sendForm(service, form("getKey"), { bearer: service.apiKey });
		expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
		expect([headers.get("referrer-policy"), headers.get("cache-control")]).toEqual(["same-origin", "no-store"]);
	});
});

test("the page is the same for everybody, whoever is signed in, and small when it is sent", async () => {
	const { cookie } = await visitor();
	const [anybody, signedIn] = await Promise.all(
		[{}, { Cookie: cookie }].map((headers) => service.api("/docs/api", { headers })),
	);
	const html = await (anybody as Response).text();
	expect(await (signedIn as Response).text()).toBe(html);
	expect(html.length).toBeLessThan(1_200_000);
	expect(Bun.gzipSync(html).length).toBeLessThan(120_000);
});

test("the address of a form leads to its call when it is opened", async () => {
	const answer = await service.api("/docs/api/createImage", { headers: {} });
	expect([answer.status, answer.headers.get("location")]).toEqual([308, "/docs/api#createImage"]);
	expect((await service.api("/docs/api/nothing", { headers: {} })).status).toBe(404);
});
