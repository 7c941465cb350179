import { afterAll, describe, expect, test } from "bun:test";
import { Browser } from "../../support/browser.ts";
import { signedIn } from "../../support/console.ts";
import { addPerson } from "../../support/people.ts";
import { openService, serviceFor } from "../../support/service.ts";
import { ask, makeTeam } from "../../support/teams.ts";

/* The mails that a service in test mode would have sent, read by an operator in the console. */

const service = serviceFor();
const MAILS = "/console/operator/mails";
const closed: (() => Promise<unknown>)[] = [];
afterAll(async () => {
	for (const close of closed) await close();
});

/** Asks for a code in a browser; returns the page that waits for it. */
async function askCode(browser: Browser, email: string, at = "/account") {
	const sent = await browser.submit(await browser.open(at), "/account/sign-in", { email });
	return await browser.follow(sent);
}

describe("mails in the console", () => {
	test("an operator reads the code there with which somebody finishes a sign-in without a terminal, the newest first", async () => {
		const operator = await signedIn(service, await addPerson(service.database, { operator: true }));
		const [email, person] = ["waits@example.com", new Browser(service)];
		await askCode(new Browser(service), "earlier@example.com");
		const waiting = await askCode(person, email);
		const screens = await operator.open((await operator.open("/console")).links.get("Operators") ?? "none");
		const page = await operator.open(screens.links.get("Mails") ?? "none");
		expect([page.status, page.headers.get("cache-control")]).toEqual([200, "no-store, no-transform"]);
		expect(page.html.indexOf(email)).toBeLessThan(page.html.indexOf("earlier@example.com"));
		const [, code = ""] = /<code class="secret">([\d ]+)<\/code>/.exec(page.html) ?? [];
		expect((await person.submit(waiting, "/account/code", { code })).status).toBe(303);
		const narrowed = await operator.open(`${MAILS}?recipient=earlier@example.com`);
		expect([narrowed.html.includes("earlier@example.com"), narrowed.html.includes(email)]).toEqual([true, false]);
		const { owner, path } = await makeTeam(service, "https://evil.example/");
		await ask(service, owner, "POST", `${path}/invites`, { email: "invited@example.com", role: "viewer" });
		const invited = await operator.open(`${MAILS}?recipient=invited@example.com`);
		const led = [...invited.html.matchAll(/href="(https?:[^"]*)"/g)].map(([, address]) => address);
		expect(led.map((address) => new URL(address ?? "").pathname.split("/")[1])).toEqual(["invites"]);
	});

	test("who waits for a code is led there as an operator alone: a stranger reads which command shows it", async () => {
		const stranger = await askCode(new Browser(service), "stranger@example.com");
		expect([stranger.html.includes(MAILS), stranger.html.includes("svc operator emails")]).toEqual([false, true]);
		const person = await addPerson(service.database, { operator: true });
		const operator = await signedIn(service, person, { freshForMs: 0 });
		const member = await signedIn(service, await addPerson(service.database));
		const section = async (browser: Browser) => {
			const page = await browser.open("/account/address");
			const form = page.forms.find(({ action }) => action.includes("/account/address"));
			const email = `${crypto.randomUUID()}@example.com`;
			const sent = await browser.post(form?.action ?? "none", { ...form?.fields, email });
			return sent.status === 303 ? await browser.follow(sent) : sent;
		};
		expect((await section(operator)).html).toContain(`href="${MAILS}"`);
		expect((await section(member)).html).not.toContain(MAILS);
	});

	test("404 for everybody else, and for operators where mail is sent or the mode is live", async () => {
		const member = await signedIn(service, await addPerson(service.database));
		const page = await member.open(MAILS);
		expect([page.status, (await member.open("/console")).links.has("Operators")]).toEqual([404, false]);
		const signIn = await new Browser(service).open(MAILS);
		expect(signIn.html).not.toContain('class="secret"');
		const smtp = { SVC_SMTP_URL: "smtp://127.0.0.1:1", SVC_MAIL_FROM: "post@svc.example" };
		const sends = await openService(smtp);
		closed.push(() => sends.close());
		const operator = await signedIn(sends, await addPerson(sends.database, { operator: true }));
		expect([
			(await operator.open(MAILS)).status,
			(await operator.open("/console/operator/health")).links.has("Mails"),
		]).toEqual([404, false]);
		for (const other of ["operator", "operator/nothing", "operator/keys"])
			expect([other, (await operator.open(`/console/${other}`)).status]).toEqual([other, 404]);
	});
});
