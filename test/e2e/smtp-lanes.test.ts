import { describe, expect, test } from "bun:test";
import { readConfig } from "@svc/server/config/config";
import { mailRoom } from "@svc/server/wire/mail";
import { addMail, keptMail } from "../support/mail.ts";
import type { OpenService } from "../support/service.ts";
import { BLOCKED, CODE, smtpServices } from "../support/smtp-service.ts";

/* Many mails at once: which goes first, how many a minute, and over which connections. */

const MINUTE_MS = 60_000;
const { start } = smtpServices();

test("behind 40 invites that the server keeps without an answer, a code goes out at once; then by class, one of each person in turn", async () => {
	const release = Promise.withResolvers<void>();
	const { smtp, service } = await start({
		async mail({ to }) {
			if (to[0]?.startsWith("invited")) await release.promise;
			return undefined;
		},
	});
	const invite = { app: "Herbarium", by: "ada@example.com", role: "viewer", link: "https://svc.example/i" };
	for (let made = 0; made < 40; made++) await addMail(service, "invite", invite, `invited-${made}@example.com`);
	const sending = service.sendMail();
	const under = (prefix: string) => smtp.mails.filter(({ to }) => to[0]?.startsWith(prefix)).length;
	while (under("invited") < 2) await Bun.sleep(5);
	await addMail(service, "app_blocked", BLOCKED, "owner@example.com");
	await addMail(service, "email_changed", { email: "new@example.com" }, "old@example.com");
	await addMail(service, "invite", { ...invite, by: "bob@example.com" }, "invited-by-bob@example.com");
	for (const name of ["first", "second", "third"]) await addMail(service, "sign_in_code", CODE, `${name}@example.com`);
	expect(await service.sendMail()).toBe(3);
	expect([under("invited"), smtp.mails.length]).toEqual([2, 5]);
	release.resolve();
	expect(await sending).toBe(43);
	expect(smtp.connections).toEqual({ total: 4, most: 4 });
	const order = smtp.mails.map(({ to }) => to[0] ?? "");
	// Two lanes take what is next, so that neighbours may arrive in either order.
	expect(order.indexOf("old@example.com")).toBeLessThan(7);
	expect(order.indexOf("invited-by-bob@example.com")).toBeLessThan(9);
	expect(order.indexOf("owner@example.com")).toBeGreaterThan(42);
});

test("mail_rate bounds a minute: half of it takes other mail, and codes what is left, or all", async () => {
	const { smtp, service } = await start({}, { env: { SVC_TUNING: "mail_rate=6" } });
	const arrived = () => {
		const codes = smtp.mails.filter(({ to }) => to[0] === "ada@example.com").length;
		return { codes, rest: smtp.mails.length - codes };
	};
	for (let made = 0; made < 10; made++) await addMail(service, "app_blocked", BLOCKED, `owner-${made}@example.com`);
	expect(await service.sendMail()).toBe(3);
	expect(await service.sendMail()).toBe(0);
	for (let made = 0; made < 10; made++) await addMail(service, "sign_in_code", CODE);
	expect(await service.sendMail()).toBe(3);
	expect(arrived()).toEqual({ codes: 3, rest: 3 });
	service.clock.advance(MINUTE_MS);
	expect(await service.sendMail()).toBe(6);
	expect(arrived()).toEqual({ codes: 9, rest: 3 });
	service.clock.advance(MINUTE_MS);
	expect(await service.sendMail()).toBe(4);
	expect(arrived()).toEqual({ codes: 10, rest: 6 });
});

test("mail_rate=0 bounds nothing", async () => {
	const { service } = await start({}, { env: { SVC_TUNING: "mail_rate=0" } });
	for (let made = 0; made < 12; made++) await addMail(service, "app_blocked", BLOCKED, `owner-${made}@example.com`);
	expect(await service.sendMail()).toBe(12);
});

describe("connections", () => {
	const invite = { app: "Herbarium", by: "ada@example.com", role: "viewer", link: "https://svc.example/i" };

	async function sendInvites(service: OpenService, count: number): Promise<number> {
		for (let made = 0; made < count; made++) await addMail(service, "invite", invite, `invited-${made}@example.com`);
		return await service.sendMail();
	}

	test("are kept from one round to the next", async () => {
		const { smtp, service } = await start();
		for (const round of [10, 20, 30]) {
			expect(await sendInvites(service, 10)).toBe(10);
			expect([smtp.mails.length, smtp.connections.total]).toEqual([round, 2]);
		}
	});

	test("that the server has ended meanwhile are replaced, and no mail counts a failed try", async () => {
		const { smtp, service } = await start();
		expect(await sendInvites(service, 2)).toBe(2);
		smtp.cutAll();
		const ids = [
			await addMail(service, "sign_in_code", CODE),
			await addMail(service, "invite", invite, "another@example.com"),
		];
		expect(await service.sendMail()).toBe(2);
		for (const id of ids) expect(await keptMail(service.database, id)).toMatchObject({ state: "sent", attempts: 1 });
		expect(smtp.mails).toHaveLength(4);
	});

	test("on which a mail was refused are not used for the next one", async () => {
		const { smtp, service } = await start({
			recipient: (address) => (address.startsWith("nobody") ? { code: 550, text: "no such user" } : undefined),
		});
		await addMail(service, "app_blocked", BLOCKED, "nobody@example.com");
		await addMail(service, "app_blocked", BLOCKED, "somebody@example.com");
		await addMail(service, "app_blocked", BLOCKED, "another@example.com");
		expect(await service.sendMail()).toBe(2);
		expect(smtp.mails).toHaveLength(2);
	});

	test("end when the service does", async () => {
		const { smtp, service } = await start();
		expect(await sendInvites(service, 4)).toBe(4);
		service.drain();
		while (smtp.open() > 0) await Bun.sleep(5);
		expect(smtp.connections.total).toBe(2);
	});
});

test("two senders on one outbox send each of 60 mails once", async () => {
	const { smtp, service } = await start();
	const ids = await Promise.all(Array.from({ length: 60 }, () => addMail(service, "sign_in_code", CODE)));
	const { outbox: other } = await mailRoom(readConfig(smtp.env), service.rooms, service.database);
	const sent = await Promise.all([service.sendMail(), other.send(), service.sendMail(), other.send()]);
	expect(sent.reduce((sum, count) => sum + count)).toBe(60);
	const arrived = smtp.mails.map(({ parsed }) => parsed.messageId?.slice(1, -"@svc.example>".length) ?? "");
	expect(arrived.sort()).toEqual(ids.sort());
});

test("close waits for the mail that is on its way, and begins no other", async () => {
	const arrived = Promise.withResolvers<void>();
	const release = Promise.withResolvers<void>();
	const { smtp, service } = await start({
		mail: async () => {
			arrived.resolve();
			await release.promise;
			return undefined;
		},
	});
	const ids = await Promise.all(Array.from({ length: 9 }, () => addMail(service, "app_blocked", BLOCKED)));
	const sending = service.sendMail();
	await arrived.promise;
	service.drain();
	release.resolve();
	const sent = await sending;
	expect(sent).toBeLessThan(9);
	expect(smtp.mails).toHaveLength(sent);
	const states = await Promise.all(ids.map(async (id) => (await keptMail(service.database, id)).state));
	expect(states.filter((state) => state === "sent")).toHaveLength(sent);
	expect(await service.sendMail()).toBe(0);
});
