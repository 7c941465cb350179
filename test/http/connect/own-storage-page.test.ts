import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { Browser, type Shown } from "../../support/browser.ts";
import { SIGN_IN_UNLIMITED, signInToAccount } from "../../support/connect.ts";
import { makeOwnKey } from "../../support/own-storages.ts";
import { addPerson } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, upload, uploaded } from "../../support/requests.ts";
import { openService, serviceFor } from "../../support/service.ts";

/* What the account page shows of a person's own storage, outside of every App. */

const service = serviceFor({ ...SIGN_IN_UNLIMITED, SVC_VARIANT: "legacy" });

const KEYS = "/account/keys";
let people = 0;

async function signedIn(at = service): Promise<{ browser: Browser; page: Shown; email: string }> {
	const browser = new Browser(at);
	const email = `own-${++people}@example.com`;
	return { browser, email, page: await signInToAccount(at, browser, email) };
}

const secretOn = (page: Shown) => /<code class="secret">([^<]*)<\/code>/.exec(page.html)?.[1] ?? "";
const read = (key: string) => send(service, "GET", "/v1/images", undefined, { key });
const file = async () => Uint8Array.from(await plain(6, 6));

describe("one's own storage", () => {
	test("is named beside the Apps, with what it holds, and offers no disconnecting", async () => {
		const { browser, page } = await signedIn();
		expect(page.html).toContain("Your own storage");
		expect(page.links.get("Keys")).toBe(KEYS);
		const made = await browser.submit(await browser.open(KEYS), KEYS, { name: "Phone", may: "write" });
		await uploaded(service, await file(), "a.png", {}, { key: secretOn(made) });
		const later = await browser.open("/account");
		expect(later.html).toMatch(/1 picture, \d+ bytes, in no App/);
		expect(later.html).toContain("No App is connected to you");
		expect(later.html).not.toContain("/disconnect");
	});

	test("has keys that read, or write too where that was chosen, each shown once", async () => {
		const { browser } = await signedIn();
		const page = await browser.open(KEYS);
		expect([page.status, page.title]).toEqual([200, "Your keys for your own storage · Svc"]);
		const writes = await browser.submit(page, KEYS, { name: "Phone <b>", may: "write" });
		const reads = await browser.submit(page, KEYS, { name: "Frame", may: "read" });
		for (const may of ["admin", "", "write,read"]) {
			const odd = secretOn(await browser.submit(page, KEYS, { name: "Odd", may }));
			expect((await upload(service, await file(), "a.png", {}, { key: odd })).status).toBe(403);
		}
		expect((await upload(service, await file(), "a.png", {}, { key: secretOn(writes) })).status).toBe(201);
		const refused = await errorOf(await upload(service, await file(), "a.png", {}, { key: secretOn(reads) }));
		expect(refused).toMatchObject({ status: 403, code: "forbidden" });
		expect((await read(secretOn(reads))).status).toBe(200);
		const later = await browser.open(KEYS);
		expect(later.html).toContain("Phone &lt;b&gt;");
		expect(later.html).toContain("reads and writes");
		for (const made of [writes, reads]) expect(later.html).not.toContain(secretOn(made));
	});

	test("has keys that can be revoked there; those that have expired are not shown", async () => {
		const { browser } = await signedIn();
		const made = await browser.submit(await browser.open(KEYS), KEYS, { name: "Phone", may: "read" });
		const action = made.forms.find((form) => form.action.endsWith("/revoke"))?.action ?? "";
		const done = await browser.follow(await browser.submit(made, action));
		expect(done.html).toContain("The key is revoked: it no longer reads or writes anything.");
		expect(done.html).not.toContain("Phone");
		expect((await read(secretOn(made))).status).toBe(401);
		expect((await browser.submit(made, action)).status).toBe(404);
		await browser.submit(made, KEYS, { name: "Camera", may: "read" });
		expect((await browser.open(KEYS)).html).toContain("Camera");
		await service.database.write([{ run: sql`UPDATE keys SET expires_ms = 1 WHERE name = 'Camera'` }]);
		expect((await browser.open(KEYS)).html).not.toContain("Camera");
	});

	test("shows faults of a name, and another's key is not to be revoked", async () => {
		const { browser } = await signedIn();
		const page = await browser.open(KEYS);
		const refused = await browser.submit(page, KEYS, { name: " ", may: "read" });
		expect([refused.status, refused.alerts]).toEqual([422, ["Give it a name of 1 to 100 characters."]]);
		const theirs = await makeOwnKey(service, await addPerson(service.database));
		const { fields = {} } = page.forms[0] ?? {};
		expect((await browser.post(`${KEYS}/${theirs.id}/revoke`, fields)).status).toBe(404);
		expect((await read(theirs.secret)).status).toBe(200);
	});

	test("is for who is signed in, and its forms for nobody else's pages", async () => {
		const page = await new Browser(service).open(KEYS);
		expect([page.status, page.title]).toEqual([200, "Sign in · Svc"]);
		expect((await new Browser(service).post(KEYS, { name: "x" })).status).toBe(403);
		const { browser } = await signedIn();
		expect((await browser.post(KEYS, { name: "x", may: "write" })).status).toBe(403);
		const form = (await browser.open(KEYS)).forms[0]?.fields ?? {};
		const foreign = { headers: { Origin: "https://evil.example" } };
		expect((await browser.post(KEYS, { ...form, name: "x" }, foreign)).status).toBe(403);
	});

	test("goes with the account, as the page about that says", async () => {
		const { browser, email } = await signedIn();
		const made = await browser.submit(await browser.open(KEYS), KEYS, { name: "Phone", may: "write" });
		const image = await uploaded(service, await file(), "a.png", {}, { key: secretOn(made) });
		const asked = await browser.open("/account/delete");
		expect(asked.html).toMatch(/Your own storage goes as well, with 1 picture/);
		expect((await browser.submit(asked, "/account/delete", { email })).location).toBe("/account/deleted");
		await service.runJobs();
		expect((await read(secretOn(made))).status).toBe(401);
		expect((await service.open(image.url)).status).toBe(404);
	});
});

test("where people have none, no page speaks of it", async () => {
	const other = await openService(SIGN_IN_UNLIMITED);
	const { browser, page } = await signedIn(other);
	for (const shown of [page, await browser.open("/account/delete")]) expect(shown.html).not.toContain("own storage");
	expect((await browser.open(KEYS)).status).toBe(404);
	expect((await browser.post(KEYS, page.forms[0]?.fields ?? {})).status).toBe(404);
	await other.close();
});
