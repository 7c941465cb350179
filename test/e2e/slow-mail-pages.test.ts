import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { Browser } from "../support/browser.ts";
import { SIGN_IN_UNLIMITED, signInToAccount } from "../support/connect.ts";
import { addMail } from "../support/mail.ts";
import { CODE, smtpServices } from "../support/smtp-service.ts";

const { start } = smtpServices();
const SLOW = "may take a few minutes";

test("while mail is slow, every form for a code says so: signing in, confirming, a new address", async () => {
	const { service } = await start({}, { env: SIGN_IN_UNLIMITED });
	const [browser, email] = [new Browser(service), "ada@example.com"];
	const first = await browser.follow(
		await browser.submit(await browser.open("/account"), "/account/sign-in", { email: "eve@example.com" }),
	);
	expect(first.html).not.toContain(SLOW);
	await signInToAccount(service, browser, email);

	await addMail(service, "sign_in_code", CODE, "waits@example.com");
	service.clock.advance(61_000);
	const signIn = new Browser(service);
	const asked = await signIn.submit(await signIn.open("/account"), "/account/sign-in", { email: "bob@example.com" });
	expect((await signIn.follow(asked)).html).toContain(SLOW);

	const change = { email: "new@example.com" };
	const section = await browser.open("/account/address");
	expect((await browser.follow(await browser.submit(section, "/account/address", change))).html).toContain(SLOW);
	await service.database.write([{ run: sql`UPDATE sessions SET fresh_ms = 0` }]);
	const again = await browser.submit(await browser.open("/account/address"), "/account/address", {
		email: "other@example.com",
	});
	const confirm = await browser.follow(again);
	expect(confirm.html).toContain("/account/confirm?");
	expect(confirm.html).toContain(SLOW);
});
