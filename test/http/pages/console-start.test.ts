import { beforeAll, describe, expect, test } from "bun:test";
import { issueTicket } from "@svc/people/sign-in/console-tickets";
import { consoleLines } from "@svc/server/console-line";
import { sql } from "drizzle-orm";
import { addPerson, addSession, as } from "../../support/people.ts";
import { errorOf, send } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";

/* How somebody comes into the console without a code: by the address that a start prints, or that a terminal asks for. */

const service = serviceFor();
let web: string;
beforeAll(() => {
	web = service.rooms.addresses.web;
});

const operator = async () => {
	const found = await service.rooms.operator.setup.findFirstOperator();
	if (!found) throw new Error("no operator");
	return found;
};
const issued = async (seconds = 600, reach: "here" | "anywhere" = "here") =>
	(await issueTicket(service.rooms.people, await operator(), { seconds, reach })).ticket;

const look = (ticket: string, headers: Record<string, string> = {}) =>
	service.open(`${web}/console?start=${ticket}`, { headers });

/** Presses the button of the page. */
async function press(
	ticket: string,
	page: Response,
	headers: Record<string, string> = {},
	sent = ticket,
): Promise<Response> {
	const html = await page.text();
	const token = /name="form_token" value="(\w+)"/.exec(html)?.[1] ?? "";
	const cookie = page.headers
		.getSetCookie()
		.map((one) => one.split(";", 1)[0])
		.join("; ");
	return await service.open(`${web}/console/start`, {
		method: "POST",
		headers: { Cookie: cookie, Origin: web, "Content-Type": "application/x-www-form-urlencoded", ...headers },
		body: new URLSearchParams({ form_token: token, start: sent }).toString(),
	});
}

const sessions = async () =>
	(
		await service.database.read(() =>
			service.database.queries.values<[string, string]>(sql`SELECT kind, device FROM sessions WHERE kind = 'web'`),
		)
	).length;

describe("a ticket", () => {
	test("looked at shows one button and uses nothing up; pressed, it signs in once and leads to the form for the App's first picture", async () => {
		const ticket = await issued();
		const before = await sessions();
		await look(ticket);
		const page = await look(ticket);
		expect([page.status, page.headers.get("referrer-policy")]).toEqual([200, "no-referrer"]);
		expect((await page.clone().text()).match(/<button class="primary"/g)).toHaveLength(1);
		expect(await sessions()).toBe(before);
		const answer = await press(ticket, page);
		const { data } = (await (await send(service, "GET", "/v1/apps", undefined, { key: service.token })).json()) as {
			data: readonly { id: string }[];
		};
		expect([answer.status, answer.headers.get("location")]).toEqual([303, `/console/${data[0]?.id}/images`]);
		const cookie = answer.headers
			.getSetCookie()
			.map((one) => one.split(";", 1)[0])
			.join("; ");
		expect((await service.open(`${web}/console`, { headers: { Cookie: cookie } })).status).toBe(200);
		expect(await sessions()).toBe(before + 1);
		expect((await look(ticket)).status).toBe(410);
	});

	test("pressed twice at once, signs in once", async () => {
		const ticket = await issued();
		const [one, two] = [await look(ticket), await look(ticket)];
		const answers = await Promise.all([press(ticket, one), press(ticket, two)]);
		expect(answers.map(({ status }) => status).sort()).toEqual([303, 410]);
	});

	test("410 once it has ended, for what is none, and for that of another kind of login", async () => {
		const ticket = await issued(60);
		service.clock.advance(60_000);
		expect((await look(ticket)).status).toBe(410);
		const good = await issued();
		for (const wrong of ["", "x", good.slice(1), `${good}0`, good.slice(0, 22) + "0".repeat(22), "ä".repeat(44)])
			expect((await look(wrong)).status).toBe(410);
		const page = await look(good);
		expect((await press(good, page, {}, `${good.slice(0, 43)}${good.endsWith("0") ? "1" : "0"}`)).status).toBe(410);
	});

	test("printed by a start is for this machine alone: what came through a proxy is 410, and a form from elsewhere 403", async () => {
		const ticket = await issued();
		for (const header of ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"])
			expect((await look(ticket, { [header]: "127.0.0.1" })).status).toBe(410);
		const page = await look(ticket);
		expect((await press(ticket, page.clone() as Response, { "X-Forwarded-For": "::1" })).status).toBe(410);
		expect((await press(ticket, page.clone() as Response, { Origin: "https://evil.example" })).status).toBe(403);
		expect((await press(ticket, page.clone() as Response, { Cookie: "" })).status).toBe(403);
		const opaque = { Origin: "null", "Sec-Fetch-Site": "cross-site" };
		expect((await press(ticket, page.clone() as Response, opaque)).status).toBe(403);
		expect((await press(ticket, page, { Origin: "null", "Sec-Fetch-Site": "same-origin" })).status).toBe(303);
	});

	test("is kept as a hash, and stands in no log", async () => {
		const ticket = await issued();
		await press(ticket, await look(ticket));
		const secret = ticket.slice(22);
		const kept = await service.database.read(() =>
			service.database.queries.values<[string]>(
				sql`SELECT hex(secret_hash) || coalesce(deed, '') || hex(code_mac) FROM logins`,
			),
		);
		expect(JSON.stringify(kept)).not.toContain(Buffer.from(secret).toString("hex").toUpperCase());
		expect(JSON.stringify(service.log.lines)).not.toContain(secret);
	});
});

describe("what a start prints", () => {
	const settings = {
		webUrl: "http://localhost:3000",
		cdnUrl: "http://localhost:3001",
		mode: "test",
		bootstrapSecret: undefined,
	} as const;
	const lines = async (changed: object = {}, env: Record<string, string> = {}) =>
		await consoleLines({ ...settings, ...changed }, service.rooms.operator, env);

	test("is another ticket each time, on loopback alone, and nothing once the operator has signed in", async () => {
		await service.database.write([{ run: sql`UPDATE accounts SET verified_ms = NULL` }]);
		const [one, two] = [await lines(), await lines()];
		expect(one?.[0]).toMatch(/^http:\/\/localhost:3000\/console\?start=[0-9A-Za-z]{44}$/);
		expect(one?.[0]).not.toBe(two?.[0]);
		expect(await lines({ webUrl: "https://pictures.example", mode: "live" })).toBeUndefined();
		const elsewhere = await lines({ webUrl: "http://192.0.2.1:3000" });
		expect(elsewhere?.join(" ")).toMatch(
			/^http:\/\/192\.0\.2\.1:3000\/console \(sign in there as operator@localhost\)$/,
		);
		expect((await lines({}, { SSH_CONNECTION: "192.0.2.1 1 192.0.2.2 22" }))?.[1]).toMatch(/ssh -L 3000:|container/);
		const ticket = one?.[0]?.split("start=")[1] ?? "";
		expect((await press(ticket, await look(ticket))).status).toBe(303);
		expect(await lines()).toBeUndefined();
	});
});

describe("POST /v1/console_tickets [C]", () => {
	const ask = (body: unknown, key?: string, headers: Record<string, string> = {}) =>
		service.api("/v1/console_tickets", {
			method: "POST",
			headers: {
				"Content-Type": "application/json",
				...(key !== undefined && { Authorization: `Bearer ${key}` }),
				...headers,
			},
			body: JSON.stringify(body),
		});
	const machineKey = async () => (await Bun.file(`${service.dataDir}/machine-key`).text()).trim();

	test("opens the console for a person with a fresh session, from anywhere, within 60 seconds, and a letter tells of it", async () => {
		const person = await addPerson(service.database);
		const answer = await ask({}, person.secret);
		const { url, expires_at } = (await answer.json()) as { url: string; expires_at: string };
		expect([answer.status, Date.parse(expires_at) - service.clock.now() <= 60_000]).toEqual([201, true]);
		const ticket = new URL(url).searchParams.get("start") ?? "";
		const page = await look(ticket, { "X-Forwarded-For": "192.0.2.9" });
		expect((await press(ticket, page)).status).toBe(303);
		const letters = await service.database.read(() =>
			service.database.queries.values<[string]>(sql`SELECT recipient FROM emails WHERE recipient = ${person.email}`),
		);
		expect(letters.length).toBeGreaterThan(0);
	});

	test("403 for a session that is not fresh, and for a token", async () => {
		const person = await addPerson(service.database);
		const stale = await addSession(service.database, person.id, { freshForMs: 0 });
		expect(await errorOf(await ask({}, stale))).toMatchObject({ status: 403, fields: ["session"] });
		expect(await errorOf(await ask({}, service.token))).toMatchObject({ status: 403, code: "forbidden" });
		expect((await send(service, "POST", "/v1/console_tickets", {}, as({ secret: service.apiKey }))).status).toBe(403);
	});

	test("401 for nobody, but on the machine of the data directory itself", async () => {
		expect((await ask({})).status).toBe(401);
		expect((await ask({ machine_key: "wrong" })).status).toBe(401);
		expect((await ask({ machine_key: await machineKey() }, undefined, { "X-Forwarded-For": "127.0.0.1" })).status).toBe(
			401,
		);
		const answer = await ask({ machine_key: await machineKey() });
		expect(answer.status).toBe(201);
		const ticket = new URL(((await answer.json()) as { url: string }).url).searchParams.get("start") ?? "";
		expect((await look(ticket, { Via: "1.1 proxy" })).status).toBe(410);
		expect((await press(ticket, await look(ticket))).status).toBe(303);
	});
});
