import { describe, expect, test } from "bun:test";
import type { AppBilling, AppCheckout } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { addApp } from "../support/apps.ts";
import { advanceTo, payAndReturn, simulate } from "../support/billing.ts";
import { addMember, addPerson, as } from "../support/people.ts";
import { send } from "../support/requests.ts";
import { made } from "../support/selling.ts";
import { smtpServices } from "../support/smtp-service.ts";
import { DAY_MS, lastingSession } from "../support/subscribers.ts";

/* Mails to those who run an App, about what it pays for itself, read as they arrive at a mail server. */

const { start } = smtpServices();

function expectFacts(mail: { readonly text: string } | undefined, facts: readonly string[]): void {
	for (const fact of facts) expect(mail?.text).toContain(fact);
}

describe.each([
	["current", "pro", "Pro", "$20.00"],
	["legacy", "scale", "Scale", "$99.00"],
] as const)("the own plan of an App in %s", (variant, plan, name, price) => {
	async function world() {
		const { smtp, service } = await start({}, { env: { SVC_VARIANT: variant } });
		const app = await addApp(service.database, "Herbarium");
		const owner = as({ secret: await lastingSession(service, app.ownerId, "console") });
		const [admin, editor] = [await addPerson(service.database), await addPerson(service.database)];
		await addMember(service.database, app, admin, "admin");
		await addMember(service.database, app, editor, "editor");
		const operator = await addPerson(service.database, { operator: true });
		await service.database.write([
			{ run: sql`UPDATE sessions SET fresh_ms = ${4e12}, expires_ms = ${4e12}, last_used_ms = ${4e12}` },
		]);
		const at = `/v1/apps/${app.id}/billing`;
		const billing = () => made<AppBilling>(send(service, "GET", at, undefined, owner));
		const buy = async () => {
			const { url } = await made<AppCheckout>(send(service, "POST", `${at}/checkout`, { plan }, owner));
			await payAndReturn(service, url ?? "");
		};
		/** What arrived since the last call; nothing comes twice. */
		let read = 0;
		const arrived = async () => {
			for (let round = 0; round < 3; round++) {
				await service.catchUpBilling();
				while ((await service.sendMail()) > 0);
			}
			const mails = smtp.mails.slice(read).map(({ to, parsed }) => ({
				to: to[0],
				subject: parsed.subject,
				text: (parsed.text ?? "").replace(/\s+/g, " "),
			}));
			read = smtp.mails.length;
			return mails;
		};
		const subscription = async () =>
			(
				await service.database.read(() =>
					service.database.queries.values<[string]>(sql`SELECT id FROM subscriptions WHERE ended_ms IS NULL`),
				)
			)[0]?.[0] ?? "";
		const ownerMail = `${app.ownerId.toLowerCase()}@example.com`;
		return { service, app, owner, admin, operator, at, billing, buy, arrived, subscription, ownerMail };
	}

	test("started, failing and locked: amount, dates and the page, once each; Admins hear of the failure too", async () => {
		const { service, admin, operator, billing, buy, arrived, subscription, ownerMail } = await world();
		await buy();
		const id = await subscription();
		const page = `http://localhost:3000/account/plans/${id}`;
		const [started, ...none] = await arrived();
		expect(none).toEqual([]);
		expect(started).toMatchObject({ to: ownerMail, subject: `Herbarium has the plan ${name}` });
		expectFacts(started, [`${price} a month`, "UTC", page]);
		await simulate(service, operator, id, "decline");
		const end = Date.parse((await billing()).current_period_end ?? "");
		await advanceTo(service, operator, end + 60_000);
		const failing = await arrived();
		const [adminMail] = (
			await service.database.read(() =>
				service.database.queries.values<[string]>(sql`SELECT email FROM accounts WHERE id = ${admin.id}`),
			)
		).map(([email]) => email);
		expect(failing.map(({ to }) => to).sort()).toEqual([ownerMail, adminMail ?? ""].sort());
		const day = new Intl.DateTimeFormat("en", { dateStyle: "long", timeZone: "UTC" }).format(end + 3 * DAY_MS);
		for (const mail of failing) {
			expect(mail.subject).toBe(`Herbarium: the payment for ${name} failed`);
			expectFacts(mail, [price, day, mail.to === ownerMail ? page : "http://localhost:3000/account"]);
		}
		await advanceTo(service, operator, end + 3 * DAY_MS + 60_000);
		const locked = await arrived();
		expect(locked).toMatchObject([{ to: ownerMail, subject: `Herbarium has lost the plan ${name}` }]);
		expectFacts(locked[0], [price, day, page]);
	});

	test("cancelled, it ends with one mail; withdrawn from, with that of the withdrawal alone", async () => {
		const { service, operator, at, owner, billing, buy, arrived, subscription, ownerMail } = await world();
		await buy();
		await made(send(service, "POST", `${at}/cancel`, undefined, owner));
		await arrived();
		await advanceTo(service, operator, Date.parse((await billing()).current_period_end ?? "") + 60_000);
		expect(await arrived()).toMatchObject([{ to: ownerMail, subject: `Herbarium: the plan ${name} has ended` }]);
		await buy();
		await arrived();
		await made(send(service, "POST", `/v1/me/plans/${await subscription()}/withdraw`, undefined, owner));
		expect((await arrived()).map(({ subject }) => subject)).toEqual([expect.stringContaining("You have withdrawn")]);
	});
});

describe.each([
	["current", "images", sql`app_usage SET images`, 5_000, "images", "/account/plans"],
	["current", "users", sql`app_usage SET users`, 50, "users", "/account/plans"],
	["legacy", "bytes", sql`storages SET bytes`, 10_000_000_000, "GB", "/own-plan"],
] as const)("the limit of an App in %s, %s", (variant, _limit, column, most, word, page) => {
	test("its Owner is told at 80 and at 100 percent, once each time it comes so far, not to and fro around the line", async () => {
		const { smtp, service } = await start({}, { env: { SVC_VARIANT: variant } });
		const app = await addApp(service.database, "Herbarium");
		const ofApp = sql`app_pk = (SELECT pk FROM apps WHERE id = ${app.id})`;
		/** The percentages that mails tell of, once so much is used. */
		const toldAt = async (share: number) => {
			await service.database.write([{ run: sql`UPDATE ${column} = ${Math.round(most * share)} WHERE ${ofApp}` }]);
			service.clock.advance(10 * 60_000);
			for (let round = 0; round < 2; round++) await service.catchUpBilling();
			const before = smtp.mails.length;
			while ((await service.sendMail()) > 0);
			return smtp.mails.slice(before).map(({ parsed }) => /reached (\d+)%/.exec(parsed.subject ?? "")?.[1]);
		};
		expect(await toldAt(0.78)).toEqual([]);
		expect(await toldAt(0.8)).toEqual(["80"]);
		const text = (smtp.mails.at(-1)?.parsed.text ?? "").replace(/\s+/g, " ");
		expectFacts({ text }, ["Herbarium", word, page]);
		for (const share of [0.78, 0.82, 0.78, 0.9]) expect(await toldAt(share)).toEqual([]);
		expect(await toldAt(1)).toEqual(["100"]);
		for (const share of [0.98, 1, 0.92, 1]) expect(await toldAt(share)).toEqual([]);
		expect(await toldAt(0.5)).toEqual([]);
		expect(await toldAt(1)).toEqual(["100"]);
		expect(await toldAt(0)).toEqual([]);
		expect(await toldAt(0.84)).toEqual(["80"]);
	});
});
