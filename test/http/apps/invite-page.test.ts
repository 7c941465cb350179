import { beforeAll, describe, expect, test } from "bun:test";
import { newId } from "@svc/base/ids";
import { sql } from "drizzle-orm";
import { addApp, countOf, type TestApp } from "../../support/apps.ts";
import { Browser } from "../../support/browser.ts";
import { codeFor, SIGN_IN_UNLIMITED, signInToAccount } from "../../support/connect.ts";
import { addSession } from "../../support/people.ts";
import { send } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";

const service = serviceFor(SIGN_IN_UNLIMITED);
let app: TestApp;
let owner: string;
beforeAll(async () => {
	app = await addApp(service.database, "Sunday Hikers");
	owner = await addSession(service.database, app.ownerId);
});

let people = 0;
const someone = () => `invited-${++people}@example.com`;

/** The link that the mail carries. */
async function invited(email: string): Promise<{ readonly id: string; readonly link: string }> {
	const answer = await send(service, "POST", `/v1/apps/${app.id}/invites`, { email, role: "editor" }, { key: owner });
	const { id, token } = (await answer.json()) as { id: string; token: string };
	return { id, link: `/invites/${id}?token=${token}` };
}

const membersWith = (email: string) =>
	countOf(
		service.database,
		sql`SELECT count(*) FROM members JOIN accounts ON accounts.pk = account_pk WHERE email = ${email}`,
	);

describe("the link in the mail", () => {
	test("leads to the invitation; the token leaves the address at once and is on no page", async () => {
		const [browser, email] = [new Browser(service), someone()];
		const { id, link } = await invited(email);
		const token = link.split("=")[1] ?? "";
		const arrived = await browser.open(link, { crossSite: true });
		expect(arrived.location).toBe(`/invites/${id}`);
		const page = await browser.follow(arrived);
		expect(page.title).toBe("Join the team of Sunday Hikers · Svc");
		expect(page.html).not.toContain(token);
		expect(page.headers.get("Referrer-Policy")).toBe("same-origin");
		expect(page.forms[0]?.fields.email).toBe(email);
	});

	test("whoever signs in with the invited address on the way joins, once, and arrives among the pictures of the App", async () => {
		const [browser, email] = [new Browser(service), someone()];
		const { id, link } = await invited(email);
		const page = await browser.follow(await browser.open(link));
		const typing = await browser.follow(await browser.submit(page, `/account/sign-in?invite=${id}`));
		const code = await codeFor(service.database, email);
		const back = await browser.submit(typing, "/account/code", { code });
		expect(back.location).toBe(`/invites/${id}`);
		const asked = await browser.follow(back);
		expect(await membersWith(email)).toBe(0);
		const answers = await Promise.all(Array.from({ length: 5 }, () => browser.submit(asked, `/invites/${id}`)));
		const joined = answers.filter(({ status }) => status === 303);
		expect(joined.map(({ location }) => location)).toEqual([`/console/${app.id}/images`]);
		const arrived = await browser.open(`/console/${app.id}/images`);
		expect([arrived.status, arrived.html.includes("You are in the team now.")]).toEqual([200, true]);
		expect(arrived.links.get("Sunday Hikers")).toBe(`/console/${app.id}`);
		expect(await membersWith(email)).toBe(1);
		expect((await browser.open(`/invites/${id}`)).status).toBe(404);
	});

	test("somebody else who is signed in is told which address is invited, and cannot join", async () => {
		const [browser, email] = [new Browser(service), someone()];
		const { id, link } = await invited(email);
		await signInToAccount(service, browser, someone());
		const page = await browser.follow(await browser.open(link));
		expect(page.alerts[0]).toContain("Sign in with the invited address");
		const { fields = {} } = (await browser.open("/account")).forms[0] ?? {};
		expect((await browser.post(`/invites/${id}`, fields)).status).toBe(404);
		expect(await membersWith(email)).toBe(0);
	});

	test("an unknown, foreign, withdrawn or expired one is all the same", async () => {
		const [one, two] = [await invited(someone()), await invited(someone())];
		const withdrawn = await invited(someone());
		await send(service, "DELETE", `/v1/apps/${app.id}/invites/${withdrawn.id}`, undefined, { key: owner });
		const late = await invited(someone());
		const pages: string[] = [];
		for (const link of [
			two.link.replace(two.id, one.id),
			`/invites/${newId("inv")}?token=${"a".repeat(32)}`,
			"/invites/nonsense?token=x",
			one.link.slice(0, -1),
			withdrawn.link,
		]) {
			const browser = new Browser(service);
			const first = await browser.open(link);
			const page = first.status === 303 ? await browser.follow(first) : first;
			expect(page.status).toBe(404);
			pages.push(page.html);
		}
		service.clock.advance(8 * 86_400_000);
		const browser = new Browser(service);
		const expired = await browser.follow(await browser.open(late.link));
		expect(new Set([...pages, expired.html]).size).toBe(1);
	});

	test("a form from another site joins nobody", async () => {
		const [browser, email] = [new Browser(service), someone()];
		owner = await addSession(service.database, app.ownerId);
		const { id, link } = await invited(email);
		await signInToAccount(service, browser, email);
		const asked = await browser.follow(await browser.open(link));
		const foreign = { headers: { Origin: "https://evil.example" } };
		expect((await browser.submit(asked, `/invites/${id}`, {}, foreign)).status).toBe(403);
		expect((await browser.post(`/invites/${id}`, {})).status).toBe(403);
		expect(await membersWith(email)).toBe(0);
		expect((await browser.submit(asked, `/invites/${id}`)).status).toBe(303);
	});
});
