import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { codeFor, hostedSignIn, signInToAccount } from "../../support/connect.ts";
import { addPerson, addSession } from "../../support/people.ts";
import { HAS_PYTHON, readZip } from "../../support/zip-file.ts";

const { service, browse, someone } = hostedSignIn();

async function signedIn() {
	const [browser, email] = [browse(), someone()];
	await signInToAccount(service, browser, email);
	return { browser, email };
}

const makeStale = (email: string) =>
	service.database.write([
		{
			run: sql`UPDATE sessions SET fresh_ms = 0 WHERE account_pk = (SELECT pk FROM accounts WHERE email = ${email})`,
		},
	]);

describe("a copy of everything, on the account's page", () => {
	test.skipIf(!HAS_PYTHON)(
		"is asked for with a code in place, shown while it is made, and fetched by the same browser alone",
		async () => {
			const { browser, email } = await signedIn();
			await makeStale(email);
			const section = await browser.open("/account/export");
			const confirm = await browser.follow(await browser.submit(section, "/account/export", {}));
			expect(confirm.html).toContain("To make a copy of all that is kept for you.");
			const asked = await browser.submit(confirm, "/account/confirm", { code: await codeFor(service.database, email) });
			const waiting = await browser.follow(asked);
			expect(waiting.html).toContain("A copy is being made.");
			expect(waiting.forms.some(({ action }) => action === "/account/export")).toBe(false);

			await service.runJobs();
			const ready = await browser.open("/account/export");
			expect(ready.html).not.toContain("A copy is being made.");
			expect(ready.html).toContain("There is one copy a day");
			const file = ready.links.get("Download") ?? "";
			expect(file).toMatch(/^\/account\/export\/job_\w{22}\.zip$/);

			const { web, base } = service.rooms.addresses;
			const cookie = [...browser.cookies].map(([name, { value }]) => `${name}=${value}`).join("; ");
			const answer = await service.open(`${web}${file}`, { headers: { Cookie: cookie } });
			expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/zip"]);
			expect(answer.headers.get("content-disposition")).toMatch(/^attachment; filename="export-\d{4}-\d\d-\d\d\.zip"$/);
			expect([...(await readZip(await answer.arrayBuffer())).keys()]).toEqual(["images.json", "account.json"]);

			expect((await (await signedIn()).browser.open(file)).status).toBe(404);
			const nobody = await browse().open(file);
			expect([nobody.status, nobody.title]).toEqual([200, "Sign in · Svc"]);
			expect(nobody.html).toContain("to=%2Faccount%2Fexport");

			// A program that follows the address of a job's result is led to where a bearer counts.
			const person = await addPerson(service.database);
			const led = await service.open(`${web}${file}`, { headers: { Authorization: `Bearer ${person.secret}` } });
			const id = /job_\w+/.exec(file)?.[0];
			expect([led.status, led.headers.get("location")]).toEqual([303, `${base}/v1/me/exports/${id}/file`]);
		},
	);

	test("a copy that is there before the page is said to be ready, and not to be made", async () => {
		const { browser } = await signedIn();
		const asked = await browser.submit(await browser.open("/account/export"), "/account/export", {});
		await service.runJobs();
		const shown = await browser.follow(asked);
		expect(shown.html).toContain("Your copy is ready.");
		expect(shown.html).not.toContain("A copy is being made.");
		expect(shown.links.has("Download")).toBe(true);
	});

	test("is offered to whoever is about to delete their account, before they do", async () => {
		const { browser } = await signedIn();
		const { html, links } = await browser.open("/account/delete");
		expect(links.get("Make a copy first")).toBe("/account/export");
		expect(html.indexOf("Make a copy first")).toBeLessThan(html.indexOf("Delete my account"));
	});

	test("a bearer opens nothing on a page", async () => {
		const { email } = await signedIn();
		const [row] = await service.database.read(() =>
			service.database.queries.values<[string]>(sql`SELECT id FROM accounts WHERE email = ${email}`),
		);
		const secret = await addSession(service.database, row?.[0] ?? "");
		const { web } = service.rooms.addresses;
		const answer = await service.open(`${web}/account/export`, { headers: { Authorization: `Bearer ${secret}` } });
		expect(await answer.text()).toContain("/account/sign-in");
	});
});
