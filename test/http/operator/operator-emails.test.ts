import { beforeAll, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { countOf } from "../../support/apps.ts";
import { addMail, keptMail } from "../../support/mail.ts";
import { addPerson, addSession, as, type TestPerson } from "../../support/people.ts";
import { type ErrorAnswer, errorOf, send } from "../../support/requests.ts";
import { type OpenService, openService, serviceFor } from "../../support/service.ts";

/* The operators' view of the outbox. */

interface Email {
	readonly id: string;
	readonly template: string;
	readonly recipient: string;
	readonly subject: string;
	readonly text: string;
	readonly html: string;
	readonly state: string;
	readonly attempts: number;
	readonly failure: string | null;
	readonly sent_at: string | null;
	readonly created_at: string;
}

interface EmailList {
	readonly data: readonly Email[];
	readonly pagination: { readonly has_more: boolean; readonly next_cursor: string | null };
}

const PATH = "/v1/operator/emails";
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const CODE = { code: "402917", minutes: 10 };
const INVITE = {
	app: "Herbarium",
	by: "o@example.com",
	role: "viewer",
	link: "https://svc.example/i?token=tok-en",
	days: 7,
};
const NOBODY_LISTENS = { SVC_SMTP_URL: "smtp://127.0.0.1:1", SVC_MAIL_FROM: "post@svc.example" };

async function list(service: OpenService, operator: TestPerson, query = ""): Promise<EmailList> {
	const response = await send(service, "GET", `${PATH}${query}`, undefined, as(operator));
	expect(response.status).toBe(200);
	return (await response.json()) as EmailList;
}

async function refusal(service: OpenService, caller: { readonly secret: string }, query = ""): Promise<ErrorAnswer> {
	return errorOf(await send(service, "GET", `${PATH}${query}`, undefined, as(caller)));
}

describe("with the embedded outbox", () => {
	const service = serviceFor();
	let operator: TestPerson;

	beforeAll(async () => {
		operator = await addPerson(service.database, { operator: true });
	});

	test("200 a mail as it reads, code and all; none is ever sent, and the log says once where they are", async () => {
		const id = await addMail(service, "connect_code", { ...CODE, app: "<b>Herbarium</b>" }, "first@example.com");
		expect(await service.sendMail()).toBe(0);
		expect(await service.sendMail()).toBe(0);
		const told = service.log.lines.filter(({ message }) => message.includes("svc operator emails"));
		expect(told.map(({ level }) => level)).toEqual(["warn"]);
		const { data } = await list(service, operator, "?recipient=FIRST@example.com");
		expect(data).toEqual([
			{
				id,
				object: "email",
				template: "connect_code",
				recipient: "first@example.com",
				subject: "402917 is your code for <b>Herbarium</b>",
				text: expect.stringContaining("\n402917\n"),
				html: expect.stringContaining("&lt;b&gt;Herbarium&lt;/b&gt;"),
				state: "queued",
				test: false,
				attempts: 0,
				failure: null,
				sent_at: null,
				created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
			} as Email & { object: string },
		]);
	});

	test("a code is forgotten once it has expired, and a link with its days; until then the sweep leaves them", async () => {
		await addMail(service, "sign_in_code", CODE, "forget@example.com");
		await addMail(service, "invite", INVITE, "forget@example.com");
		const read = async () => {
			await service.sweep();
			const { data } = await list(service, operator, "?recipient=forget@example.com");
			return data.map(({ text }) => text.includes("402917") || text.includes("tok-en"));
		};
		expect(await read()).toEqual([true, true]);
		service.clock.advance(9 * MINUTE_MS);
		expect(await read()).toEqual([true, true]);
		service.clock.advance(MINUTE_MS);
		expect(await read()).toEqual([true, false]);
		service.clock.advance(7 * DAY_MS - 11 * MINUTE_MS);
		expect(await read()).toEqual([true, false]);
		service.clock.advance(MINUTE_MS);
		expect(await read()).toEqual([false, false]);
		const rows = await service.database.read(() =>
			service.database.queries.values<[string]>(sql`SELECT facts FROM emails`),
		);
		expect(JSON.stringify(rows)).not.toMatch(/402917|tok-en/);
		const { data } = await list(service, operator, "?recipient=forget@example.com&state=queued");
		expect(data.map(({ subject }) => subject)).toEqual([
			"Invitation to the team of Herbarium",
			"•••••• is your Svc sign-in code",
		]);
	});
});

test("mails are forgotten after thirty days, in bounded pieces", async () => {
	await using service = await disposable();
	const count = () => countOf(service.database, sql`SELECT count(*) FROM emails`);
	for (let made = 0; made < 510; made++) await addMail(service, "app_blocked", { app: "x", reason: "spam" });
	service.clock.advance(30 * DAY_MS - MINUTE_MS);
	await service.sweep();
	const young = await addMail(service, "app_blocked", { app: "x", reason: "spam" });
	expect(await count()).toBe(511);
	service.clock.advance(2 * MINUTE_MS);
	await service.sweep();
	expect(await count()).toBe(11);
	await service.sweep();
	expect(await count()).toBe(1);
	expect(await keptMail(service.database, young)).toMatchObject({ attempts: 0 });
});

async function disposable(): Promise<OpenService & AsyncDisposable> {
	const service = await openService();
	return { ...service, [Symbol.asyncDispose]: () => service.close() };
}

describe("with real mail", () => {
	const service = serviceFor(NOBODY_LISTENS);
	let operator: TestPerson;

	beforeAll(async () => {
		operator = await addPerson(service.database, { operator: true });
		await addMail(service, "sign_in_code", CODE, "Ada@example.com");
		await addMail(service, "invite", INVITE, "Grace@example.com");
		await addMail(service, "app_blocked", { app: "Herbarium", reason: "spam" }, "Ada@example.com");
	});

	test("200 newest first, with bullets where codes and links stand", async () => {
		const { data } = await list(service, operator);
		expect(data.map(({ template }) => template)).toEqual(["app_blocked", "invite", "sign_in_code"]);
		expect(JSON.stringify(data)).not.toMatch(/402917|tok-en/);
		expect(data[2]?.subject).toBe("•••••• is your Svc sign-in code");
		expect(data[1]?.html).not.toContain("/i?");
		expect(data[1]?.text).toContain("••••••");
	});

	test("filters by recipient, template and state, alone and together", async () => {
		await service.sendMail();
		const of = async (query: string) => (await list(service, operator, query)).data.map(({ template }) => template);
		expect(await of("?recipient=ada@example.com")).toEqual(["app_blocked", "sign_in_code"]);
		expect(await of("?recipient=ada@example")).toEqual([]);
		expect(await of("?template=invite")).toEqual(["invite"]);
		expect(await of("?recipient=ada@example.com&template=invite")).toEqual([]);
		expect(await of("?state=queued")).toHaveLength(3);
		const [failing] = (await list(service, operator, "?template=invite")).data;
		expect(failing).toMatchObject({ state: "queued", attempts: 1, sent_at: null });
		expect(failing?.failure).toContain("ECONNREFUSED");
		for (let tries = 0; tries < 8; tries++) {
			service.clock.advance(45 * MINUTE_MS);
			await service.sendMail();
		}
		expect(await of("?state=queued")).toEqual([]);
		expect(await of("?state=sent")).toEqual([]);
		expect(await of("?state=failed&template=app_blocked")).toEqual(["app_blocked"]);
	});

	test("pages follow a cursor that is bound to the filters", async () => {
		const seen: string[] = [];
		let cursor: string | null = "";
		for (let pages = 0; cursor !== null && pages < 5; pages++) {
			const page: EmailList = await list(service, operator, `?limit=1${cursor && `&cursor=${cursor}`}`);
			seen.push(...page.data.map(({ template }) => template));
			cursor = page.pagination.next_cursor;
			if (pages === 0)
				expect((await refusal(service, operator, `?state=failed&cursor=${cursor}`)).fields).toEqual(["cursor"]);
		}
		expect(seen).toEqual(["app_blocked", "invite", "sign_in_code"]);
	});

	test.each([
		["?state=lost", "state"],
		["?state=", "state"],
		["?template=__proto__", "template"],
		["?template=nope", "template"],
		["?state=sent&state=failed", "state"],
		["?colour=red", "colour"],
		[`?recipient=${"a".repeat(400)}`, "recipient"],
		["?limit=0", "limit"],
	])("422 %s names the parameter", async (query, field) => {
		const answer = await refusal(service, operator, query);
		expect([answer.status, answer.fields]).toEqual([422, [field]]);
	});

	test("a recipient is compared as text, whatever it looks like", async () => {
		for (const sent of ["' OR 1=1 --", "%", "_", "ada@example.com\u0000"]) {
			expect((await list(service, operator, `?recipient=${encodeURIComponent(sent)}`)).data).toEqual([]);
		}
	});

	test("mails of a template that this version does not know are left alone, and hide no others", async () => {
		await service.database.write([
			{
				run: sql`INSERT INTO emails (id, template, recipient, facts, next_ms, created_ms)
					VALUES ('eml_future', 'of_the_future', 'a@example.com', '{}', 0, 0)`,
			},
		]);
		expect(await service.sendMail()).toBe(0);
		expect((await list(service, operator)).data).toHaveLength(3);
		const [row] = await service.database.read(() =>
			service.database.queries.values<[number]>(sql`SELECT attempts FROM emails WHERE id = 'eml_future'`),
		);
		expect(Number(row?.[0])).toBe(0);
	});

	test("only operators, and of their tokens those with the scope", async () => {
		const person = await addPerson(service.database);
		expect(await refusal(service, person)).toMatchObject({ status: 403, code: "forbidden" });
		const token = async (scope: "operator:read" | "apps:read") => ({
			secret: await addSession(service.database, operator.id, { scopes: [scope] }),
		});
		expect(await refusal(service, await token("apps:read"))).toMatchObject({ status: 403, code: "forbidden" });
		expect((await send(service, "GET", PATH, undefined, as(await token("operator:read")))).status).toBe(200);
		expect((await service.api(PATH, { headers: {} })).status).toBe(401);
		expect((await service.api(PATH)).status).toBe(403);
	});
});
