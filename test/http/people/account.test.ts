import { describe, expect, test } from "bun:test";
import { mintSecret } from "@svc/base/crypto/secrets";
import { newId } from "@svc/base/ids";
import { sql } from "drizzle-orm";
import { countOf } from "../../support/apps.ts";
import type { Shown } from "../../support/browser.ts";
import {
	addConnectApp,
	codeFor,
	connectLink,
	exchanged,
	hostedSignIn,
	returned,
	signInTo,
	signInToAccount,
} from "../../support/connect.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, uploaded } from "../../support/requests.ts";

/** The oldest interface calls every key of a person live. */
const PREFIX = process.env.SVC_TEST_VARIANT === "legacy" ? "svc_live_" : "svc_test_";

const { service, app, browse, someone } = hostedSignIn();
const keysPath = () => `/account/apps/${app.id}/keys`;
const list = (key: string, userId?: string) =>
	send(service, "GET", "/v1/images", undefined, { key, headers: userId === undefined ? {} : { "X-Svc-User": userId } });

/** Somebody who is connected to the App and signed in, with pictures there. */
async function connected({ pictures = 0, of = app } = {}) {
	const [browser, email] = [browse(), someone()];
	const { code } = returned(await signInTo(service, browser, connectLink(of), email));
	const { user } = await exchanged(service, of, code ?? "");
	const images = [];
	for (let made = 0; made < pictures; made++) {
		const caller = { key: of.key, headers: { "X-Svc-User": user.id } };
		images.push(await uploaded(service, await plain(40 + made, 30), "picture.png", {}, caller));
	}
	return { browser, email, user, images };
}

const secretOn = (page: Shown) => /<code class="secret">([^<]*)<\/code>/.exec(page.html)?.[1] ?? "";

describe("signing in", () => {
	test("by a code from a mail, without any App; the address is an account from then on", async () => {
		const [browser, email] = [browse(), someone()];
		const page = await signInToAccount(service, browser, email);
		expect([page.status, page.title]).toEqual([200, "Your account · Svc"]);
		expect(page.html).toContain(email);
		expect(page.html).toContain("No App is connected to you");
	});

	test("a disabled account is told so only after the right code", async () => {
		const email = someone();
		await signInToAccount(service, browse(), email);
		await service.database.write([{ run: sql`UPDATE accounts SET status = 'disabled' WHERE email = ${email}` }]);
		const browser = browse();
		const first = await browser.submit(await browser.open("/account"), "/account/sign-in", { email });
		const page = await browser.follow(first);
		const code = await codeFor(service.database, email);
		const wrongly = await browser.submit(page, "/account/code", { code: code === "000000" ? "000001" : "000000" });
		expect((await browser.follow(wrongly)).alerts).toEqual(["That is not the code. You have 4 more tries."]);
		const refused = await browser.submit(page, "/account/code", { code });
		expect([refused.status, refused.title]).toEqual([403, "This account cannot be used · Svc"]);
		expect(browser.cookies.has("session")).toBe(false);
	});

	test("every page of the account asks who is not signed in to sign in, and shows nothing", async () => {
		const sections = ["apps", "sessions", "tokens", "activity"].map((id) => `/account/${id}`);
		for (const path of ["/account", ...sections, keysPath(), `/account/apps/${app.id}/disconnect`, "/account/delete"]) {
			const page = await browse().open(path);
			expect([page.status, page.title]).toEqual([200, "Sign in · Svc"]);
			expect(page.html).not.toContain("Sunday Hikers");
		}
		for (const path of ["/account/sign-out", keysPath(), `/account/apps/${app.id}/disconnect`, "/account/delete"])
			expect((await browse().post(path, {})).status).toBe(403);
	});

	test("signing out ends the session, here or everywhere else", async () => {
		const [here, there, email] = [browse(), browse(), someone()];
		await signInToAccount(service, here, email);
		await signInToAccount(service, there, email);
		const kept = there.cookies.get("session");
		const page = await here.open("/account/security");
		expect(page.html).toContain("this one");
		const done = await here.follow(await here.submit(page, "/account/sign-out-others"));
		expect(done.html).toContain("You are signed out everywhere else: 1 other sign-in ended.");
		expect((await there.open("/account")).title).toBe("Sign in · Svc");
		expect((await here.submit(done, "/account/sign-out")).location).toBe("/account");
		expect(here.cookies.has("session")).toBe(false);
		if (kept) there.cookies.set("session", kept);
		expect((await there.open("/account")).title).toBe("Sign in · Svc");
	});
});

describe("connections", () => {
	test("each says since when, how many pictures and how much of them the App keeps", async () => {
		const { browser, images } = await connected({ pictures: 2 });
		const bytes = images.reduce((sum, image) => sum + image.bytes, 0);
		const page = await browser.open("/account");
		expect(page.html).toContain("<bdi>Sunday Hikers</bdi>");
		expect(page.html).toContain(`2 pictures, ${bytes} bytes`);
	});

	test("disconnecting says what goes, asks first, and then the App cannot name the user any more [conn.ended-user-forbidden]", async () => {
		const { browser, user, images } = await connected({ pictures: 3 });
		expect((await list(app.key, user.id)).status).toBe(200);
		const asked = await browser.open(`/account/apps/${app.id}/disconnect`);
		expect(asked.alerts[0]).toContain("3 pictures");
		expect(asked.alerts[0]).toContain("This cannot be undone.");
		expect((await list(app.key, user.id)).status).toBe(200);
		const done = await browser.follow(await browser.submit(asked, "/disconnect"));
		expect(done.html).toContain("Disconnected. Your pictures there are being deleted.");
		expect(await errorOf(await list(app.key, user.id))).toMatchObject({ status: 403, code: "user_forbidden" });
		await service.runJobs();
		for (const image of images) expect((await service.open(image.url)).status).toBe(404);
		expect((await browser.open("/account")).html).toContain("No App is connected to you");
		expect((await browser.submit(asked, "/disconnect")).status).toBe(404);
	});

	test("nobody disconnects or sees what is another's", async () => {
		const other = await addConnectApp(service.database, "Not mine");
		const theirs = await connected({ of: other });
		const { browser } = await connected();
		for (const path of ["disconnect", "keys"])
			expect((await browser.open(`/account/apps/${other.id}/${path}`)).status).toBe(404);
		const { fields = {} } = (await browser.open("/account")).forms[0] ?? {};
		for (const id of [other.id, newId("app"), "nonsense", "__proto__"]) {
			expect((await browser.post(`/account/apps/${id}/disconnect`, fields)).status).toBe(404);
			expect((await browser.post(`/account/apps/${id}/keys`, { ...fields, name: "x" })).status).toBe(404);
		}
		expect((await list(other.key, theirs.user.id)).status).toBe(200);
	});
});

describe("one's own keys", () => {
	test("a person makes keys that read, and is offered no other [auth.key.user-create-readonly]", async () => {
		const { browser, user, images } = await connected({ pictures: 1 });
		const page = await browser.open(keysPath());
		expect(Object.keys(page.forms[0]?.fields ?? {}).sort()).toEqual(["form_token", "name"]);
		const made = await browser.submit(page, keysPath(), { name: "Backup at home", permissions: "write", reach: "app" });
		expect([made.status, made.headers.get("Cache-Control")]).toEqual([200, "no-store, no-transform"]);
		const key = secretOn(made);
		expect(key).toMatch(new RegExp(`^${PREFIX}[0-9A-Za-z]{38}$`));
		const read = (await (await list(key)).json()) as { data: { id: string }[] };
		expect(read.data.map(({ id }) => id)).toEqual(images.map(({ id }) => id));
		const write = await send(service, "PATCH", `/v1/images/${images[0]?.id}`, { caption: "x" }, { key });
		expect(await errorOf(write)).toMatchObject({ status: 403, code: "forbidden" });
		const create = await send(service, "POST", "/v1/images", { url: "https://example.com/a.png" }, { key });
		expect(await errorOf(create)).toMatchObject({ status: 403, code: "forbidden" });
		const stored = sql`SELECT permissions FROM keys WHERE creator_pk =
			(SELECT account_pk FROM connections WHERE user_id = ${user.id})`;
		expect(await countOf(service.database, stored)).toBe(1);
	});

	test("the secret is on the page that makes the key, and on no other [auth.secret-once, auth.key.named]", async () => {
		const { browser } = await connected();
		const made = await browser.submit(await browser.open(keysPath()), keysPath(), { name: "  Once <b>  " });
		const key = secretOn(made);
		const later = await browser.open(keysPath());
		expect(later.html).toContain("Once &lt;b&gt;");
		expect(later.html).not.toContain(key);
		expect(later.html).toContain(`${PREFIX}<!-- -->…<!-- -->${key.slice(-4)}`.replaceAll("<!-- -->", ""));
	});

	test("a revoked key reads nothing any more, and others keep working [auth.key.revoked]", async () => {
		const { browser } = await connected();
		const first = await browser.submit(await browser.open(keysPath()), keysPath(), { name: "First" });
		const second = await browser.submit(first, keysPath(), { name: "Second" });
		const revoke = second.forms.find(({ action }) => action.endsWith("/revoke"));
		const done = await browser.follow(await browser.submit(second, revoke?.action ?? ""));
		expect(done.html).toContain("The key is revoked");
		// The newest stands first.
		expect((await list(secretOn(second))).status).toBe(401);
		expect((await list(secretOn(first))).status).toBe(200);
		expect((await browser.submit(second, revoke?.action ?? "")).status).toBe(404);
	});

	test("a name is 1 to 100 characters; who holds too many keys revokes one first", async () => {
		const { browser } = await connected();
		const page = await browser.open(keysPath());
		for (const name of ["", "   ", "a".repeat(101)]) {
			const refused = await browser.submit(page, keysPath(), { name });
			expect([refused.status, refused.alerts]).toEqual([422, ["Give it a name of 1 to 100 characters."]]);
		}
		const answers = [];
		for (let made = 0; made < 21; made++)
			answers.push(await browser.submit(page, keysPath(), { name: "😀".repeat(100) }));
		expect(answers.slice(0, 20).every(({ status }) => status === 200)).toBe(true);
		expect(answers[20]?.status).toBe(422);
		expect(answers[20]?.alerts[0]).toContain("Revoke one first");
	});

	test("another's key cannot be revoked", async () => {
		const theirs = await connected();
		const made = await theirs.browser.submit(await theirs.browser.open(keysPath()), keysPath(), { name: "Theirs" });
		const action = made.forms.find((form) => form.action.endsWith("/revoke"))?.action ?? "";
		const { browser } = await connected();
		const { fields = {} } = (await browser.open("/account")).forms[0] ?? {};
		expect((await browser.post(action, fields)).status).toBe(404);
		expect((await list(secretOn(made))).status).toBe(200);
	});

	test("a key that writes and is held already is shown as one, and keeps working [auth.key.user-held-write]", async () => {
		const { browser, user } = await connected();
		const { secret, hash, prefix, last4 } = await mintSecret("svc_test_");
		await service.database.write([
			{
				run: sql`INSERT INTO keys (id, app_pk, reach, storage_pk, creator_pk, name, permissions, hash, prefix, last4, created_ms)
					SELECT ${newId("key")}, app_pk, 'user', storage_pk, account_pk, 'Old one', 3, ${hash}, ${prefix}, ${last4}, 0
					FROM connections WHERE user_id = ${user.id}`,
			},
		]);
		expect((await browser.open(keysPath())).html).toContain("reads and writes");
		await uploaded(service, await plain(10, 10), "a.png", {}, { key: secret });
	});
});

describe("deleting the account", () => {
	test("takes the address, typed; then nothing of it works, and all that it kept goes [conn.ended-user-forbidden]", async () => {
		const { browser, email, user, images } = await connected({ pictures: 2 });
		const asked = await browser.open("/account/delete");
		expect(asked.html).toContain("2 pictures");
		expect(asked.html).toContain("This cannot be undone.");
		expect(asked.html).toContain("A plan that you pay for there ends at once.");
		for (const typed of ["", "another@example.com", `${email}x`]) {
			const refused = await browser.submit(asked, "/account/delete", { email: typed });
			expect([refused.status, refused.alerts]).toEqual([422, ["This is not the address of this account."]]);
		}
		expect((await list(app.key, user.id)).status).toBe(200);
		const done = await browser.submit(asked, "/account/delete", { email: ` ${email.toUpperCase()} ` });
		// Loaded once more, the page that says so asks nobody to sign in.
		expect([done.status, done.location]).toEqual([303, "/account/deleted"]);
		expect((await browser.follow(done)).title).toBe("Your account is being deleted · Svc");
		expect(browser.cookies.has("session")).toBe(false);
		expect(await errorOf(await list(app.key, user.id))).toMatchObject({ status: 403, code: "user_forbidden" });
		await service.runJobs();
		for (const image of images) expect((await service.open(image.url)).status).toBe(404);
		const left = sql`SELECT count(*) FROM accounts WHERE email = ${email}`;
		expect(await countOf(service.database, left)).toBe(0);
	});

	test("who owns an App is told so, and keeps the account", async () => {
		const { browser, email } = await connected();
		const owned = await addConnectApp(service.database, "Owned by them");
		await service.database.write([
			{
				run: sql`UPDATE members SET account_pk = (SELECT pk FROM accounts WHERE email = ${email})
					WHERE app_pk = (SELECT pk FROM apps WHERE id = ${owned.id})`,
			},
		]);
		const refused = await browser.submit(await browser.open("/account/delete"), "/account/delete", { email });
		expect(refused.status).toBe(409);
		expect(refused.alerts[0]).toContain("Owned by them");
		expect((await browser.open("/account")).title).toBe("Your account · Svc");
	});
});
