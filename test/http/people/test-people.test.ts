import { afterAll, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { countOf } from "../../support/apps.ts";
import { addPerson } from "../../support/people.ts";
import { send } from "../../support/requests.ts";
import { madeBefore, type OpenService, openService, serviceFor } from "../../support/service.ts";
import { askCode, bodyOf, from, type SentLogin, type SignedIn, startLogin, verify } from "../../support/sign-in.ts";
import { type SmtpReceiver, startSmtp } from "../../support/smtp.ts";

/* Test people: an App's own tests sign in as them, with a code that everybody knows and without a mailbox. */

const CODE = "424242";

async function signInTest(service: OpenService, email: string): Promise<SignedIn> {
	return await bodyOf(await verify(service, await startLogin(service, email), CODE), 201);
}

interface Answered {
	readonly id: string;
	readonly operator: boolean;
	readonly mail: object;
	readonly data: readonly { readonly recipient: string; readonly test: boolean }[];
	readonly error: { readonly details: object };
}

const ask = async (service: OpenService, secret: string, method: string, path: string, body?: object) => {
	const answer = await send(service, method, path, body, { headers: { Authorization: `Bearer ${secret}` } });
	return { status: answer.status, body: (await answer.json()) as Answered };
};

describe("in test mode", () => {
	const smtp = madeBefore(async (): Promise<SmtpReceiver> => await startSmtp());
	const service = madeBefore(async () => await openService(smtp.env));
	afterAll(async () => {
		await service.close();
		await smtp.stop();
	});

	test("sign in with 424242, always and however the address is written, and are people like others", async () => {
		for (const email of ["anna+svc_test@example.com", "Anna+SVC_Test@Example.com", "a+b+svc_test@example.com"]) {
			const { account } = await signInTest(service, email);
			expect(account).toMatchObject({ verified: true });
		}
		const { secret, account } = await signInTest(service, "anna+svc_test@example.com");
		expect((await ask(service, secret, "GET", "/v1/me")).body).toMatchObject({ id: account.id, operator: false });
		const login = await startLogin(service, "anna+svc_test@example.com");
		expect((await verify(service, login, "424243")).status).toBe(422);
		expect((await verify(service, login, CODE)).status).toBe(201);
	});

	test("get no mail; operators find their letters marked, and other people's are not", async () => {
		await signInTest(service, "nomail+svc_test@example.com");
		await startLogin(service, "reader@example.com");
		expect(await service.sendMail()).toBe(1);
		expect(smtp.mails.map(({ to }) => to)).toEqual([["reader@example.com"]]);
		expect(await service.sendMail()).toBe(0);
		const { body } = await ask(service, service.token, "GET", "/v1/operator/emails?limit=100");
		const of = (recipient: string) => body.data.find((letter) => letter.recipient === recipient);
		expect(of("nomail+svc_test@example.com")).toMatchObject({ test: true, state: "queued", attempts: 0 });
		expect(of("reader@example.com")).toMatchObject({ test: false, state: "sent", attempts: 1 });
		expect((await ask(service, service.token, "GET", "/v1/operator/health")).body.mail).toMatchObject({
			state: "ok",
			waiting: { code: 0 },
		});
	});

	test("are not bounded by address, neither in codes nor in wrong ones, but by network", async () => {
		const email = "often+svc_test@example.com";
		for (let asked = 0; asked < 12; asked++) {
			const login = await bodyOf<SentLogin>(await askCode(service, { email }, from("203.0.113.77")), 202);
			expect((await verify(service, login, "000000")).status).toBe(422);
		}
		for (let asked = 12; asked < 30; asked++) await askCode(service, { email }, from("203.0.113.77"));
		expect((await askCode(service, { email }, from("203.0.113.77"))).status).toBe(429);
		await signInTest(service, email);
	});

	test("own Apps, and are in teams with one another only: 422 for any other", async () => {
		const owner = await signInTest(service, "owner+svc_test@example.com");
		const person = await addPerson(service.database);
		const made = await ask(service, owner.secret, "POST", "/v1/apps", { name: "Tested" });
		const theirs = await ask(service, person.secret, "POST", "/v1/apps", { name: "Ordinary" });
		expect([made.status, theirs.status]).toEqual([201, 201]);
		const invite = async (secret: string, app: string, email: string) =>
			await ask(service, secret, "POST", `/v1/apps/${app}/invites`, { email, role: "admin" });
		expect((await invite(owner.secret, made.body.id, "mate+svc_test@example.com")).status).toBe(201);
		for (const refused of [
			await invite(owner.secret, made.body.id, "mate@example.com"),
			await invite(person.secret, theirs.body.id, "mate+svc_test@example.com"),
		]) {
			expect(refused.status).toBe(422);
			expect(Object.keys(refused.body.error.details)).toEqual(["email"]);
		}
	});

	test("never become operators, and nobody becomes a test person or ceases to be one", async () => {
		const refused = await ask(service, service.token, "POST", "/v1/operator/operators", {
			email: "op+svc_test@example.com",
		});
		expect(refused.status).toBe(422);
		const { secret } = await signInTest(service, "change+svc_test@example.com");
		const change = (email: string) => ask(service, secret, "PATCH", "/v1/me", { email });
		expect((await change("real@example.com")).status).toBe(422);
		expect((await change("other+svc_test@example.com")).status).toBe(202);
		const operators = sql`SELECT count(*) FROM operators JOIN accounts ON pk = account_pk WHERE email LIKE '%svc_test%'`;
		expect(await countOf(service.database, operators)).toBe(0);
	});
});

describe.each([
	["turned off", { SVC_TEST_PEOPLE: "off" }],
	["in live mode", { SVC_MODE: "live" }],
])("%s", (_, env) => {
	const service = serviceFor(env);

	test("such an address is like any other", async () => {
		const login = await startLogin(service, "anna+svc_test@example.com");
		const answers = [await verify(service, login, CODE)];
		// A code is drawn, and one in a million is this one.
		expect(answers.map(({ status }) => status)).toEqual([422]);
		const { body } = await ask(service, service.token, "GET", "/v1/operator/emails?limit=1");
		expect(body.data[0]?.test).toBe(false);
	});
});
