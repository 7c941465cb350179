import { describe, expect, test } from "bun:test";
import { mailStore } from "@svc/mail/mail-store";
import { addMail, keptMail } from "../support/mail.ts";
import type { SmtpBehaviour } from "../support/smtp.ts";
import { BLOCKED, CODE, sendThrough, smtpServices } from "../support/smtp-service.ts";

/* Mail through a real SMTP server on loopback: each one once, however the server behaves. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const { start } = smtpServices();

describe("a mail that is accepted", () => {
	test("arrives once, from the right sender, with both bodies and the headers that mail programs go by", async () => {
		const { smtp, service } = await start();
		const id = await addMail(service, "connect_code", { ...CODE, app: "Herbärium" }, "Ada@Example.com");
		expect(await service.sendMail()).toBe(1);
		expect(await service.sendMail()).toBe(0);
		expect(smtp.mails).toHaveLength(1);
		const [mail] = smtp.mails;
		expect(mail).toMatchObject({ from: "post@svc.example", to: ["Ada@example.com"] });
		expect(mail?.parsed).toMatchObject({
			from: { name: "Svc", address: "post@svc.example" },
			to: [{ name: "", address: "Ada@example.com" }],
			subject: "402917 is your code for Herbärium",
			messageId: `<${id}@svc.example>`,
		});
		const header = (name: string) => mail?.parsed.headers.find(({ key }) => key === name)?.value;
		expect(header("auto-submitted")).toBe("auto-generated");
		expect(header("content-language")).toBe("en");
		expect(header("content-type")).toContain("multipart/alternative");
		expect(Math.abs(Date.parse(header("date") ?? "") - service.clock.now())).toBeLessThan(MINUTE_MS);
		expect(mail?.parsed.text?.split("\n").map((line) => line.trim())).toContain("402917");
		expect(mail?.parsed.html).toContain(">402917</p>");
		expect(mail?.parsed.attachments).toEqual([]);
	});

	test("leaves no secret in the database or the log", async () => {
		const { service } = await start();
		const link = "https://svc.example/invites/accept?token=tok-en";
		const ids = [
			await addMail(service, "sign_in_code", CODE),
			await addMail(service, "invite", { app: "Herbarium", by: "o@example.com", role: "viewer", link }),
		];
		expect(await service.sendMail()).toBe(2);
		const [code, invite] = await Promise.all(ids.map((id) => keptMail(service.database, id)));
		expect(code).toMatchObject({ state: "sent", attempts: 1, failure: null });
		expect(JSON.parse(code?.facts ?? "")).toEqual({ code: null, minutes: 10 });
		expect(JSON.parse(invite?.facts ?? "")).toMatchObject({ link: null, app: "Herbarium" });
		expect(JSON.stringify(service.log.lines)).not.toMatch(/402917|tok-en/);
	});

	test("an App cannot hide in its name what a mail program shows in the subject", async () => {
		const { smtp, service } = await start();
		await addMail(service, "connect_code", { ...CODE, app: "=?utf-8?q?=53vc?=" });
		await addMail(service, "connect_code", { ...CODE, app: "=?utf-8?b?U3Zj?=" });
		expect(await service.sendMail()).toBe(2);
		const subjects = smtp.mails.map(({ parsed }) => parsed.subject ?? "");
		expect(subjects.map((subject) => subject.replaceAll("\u2060", "")).sort()).toEqual([
			"402917 is your code for =?utf-8?b?U3Zj?=",
			"402917 is your code for =?utf-8?q?=53vc?=",
		]);
	});

	test("what strangers have chosen stays where it belongs: no header, recipient or part is added", async () => {
		const { smtp, service } = await start();
		const app = 'x\r\nBcc: victim@example.com\r\n\r\n<script>alert(1)</script>\u2028"; --svc\u0000';
		await addMail(service, "connect_code", { ...CODE, app });
		expect(await service.sendMail()).toBe(1);
		const [mail] = smtp.mails;
		expect(mail?.to).toEqual(["ada@example.com"]);
		expect(mail?.parsed.bcc ?? []).toEqual([]);
		expect(mail?.parsed.subject).toStartWith("402917 is your code for x Bcc: victim");
		expect(mail?.parsed.html).not.toContain("<script");
	});

	test.each([
		"a@example.com\r\nRCPT TO:<victim@example.com>",
		"a@example.com>, <victim@example.com",
		"a@example.com, victim@example.com",
		'"a@evil.example" <victim@example.com>',
		"nobody",
		"",
	])("the recipient %j is given up, and the server hears of nobody", async (recipient) => {
		const heard: string[] = [];
		const { smtp, service } = await start({
			connect: () => void heard.push("hello"),
			recipient: (address) => void heard.push(address),
		});
		const id = await addMail(service, "app_blocked", BLOCKED, recipient);
		expect(await service.sendMail()).toBe(0);
		expect(await keptMail(service.database, id)).toMatchObject({ state: "failed", attempts: 1 });
		expect([heard, smtp.mails]).toEqual([[], []]);
	});

	test("an international domain is written in the form that every server takes", async () => {
		const { smtp, service } = await start();
		await addMail(service, "app_blocked", BLOCKED, "ada@bücher.example");
		expect(await service.sendMail()).toBe(1);
		expect(smtp.mails[0]?.raw).toContain("\r\nTo: ada@xn--bcher-kva.example\r\n");
	});
});

describe("a server that says not now", () => {
	test("451 for the recipient: tried again after five seconds, and not before", async () => {
		let busy = true;
		const { smtp, service } = await start({ recipient: () => (busy ? { code: 451, text: "greylisted" } : undefined) });
		const id = await addMail(service, "sign_in_code", CODE);
		expect(await service.sendMail()).toBe(0);
		const kept = await keptMail(service.database, id);
		expect(kept).toMatchObject({ state: "queued", attempts: 1 });
		expect(kept.failure).toContain("451 greylisted");
		busy = false;
		expect(await service.sendMail()).toBe(0);
		expect((await keptMail(service.database, id)).attempts).toBe(1);
		service.clock.advance(6 * SECOND_MS);
		expect(await service.sendMail()).toBe(1);
		expect(smtp.mails).toHaveLength(1);
		expect(await keptMail(service.database, id)).toMatchObject({ state: "sent", attempts: 2, failure: null });
	});

	test.each([
		["421 at the door", { connect: () => ({ code: 421 }) }],
		["554 at the door, which is not about the mail", { connect: () => ({ code: 554 }) }],
		["a connection that is cut", { connect: () => "cut" }],
		["452 once it has the mail", { mail: () => ({ code: 452 }) }],
		["421 once it has the mail", { mail: () => ({ code: 421 }) }],
	] satisfies [string, SmtpBehaviour][])("%s: the mail is tried again, and arrives", async (_, behaviour) => {
		const { smtp, service } = await start(behaviour);
		const id = await addMail(service, "sign_in_code", CODE);
		expect(await service.sendMail()).toBe(0);
		expect(await keptMail(service.database, id)).toMatchObject({ state: "queued", attempts: 1 });
		smtp.behaviour = {};
		service.clock.advance(6 * SECOND_MS);
		expect(await service.sendMail()).toBe(1);
	});

	test("nobody listens: eight tries in about an hour, then it is given up and says why", async () => {
		const { smtp, service } = await start();
		await smtp.stop();
		const id = await addMail(service, "app_blocked", BLOCKED);
		expect(await sendThrough(service, id)).toBe(8);
		const kept = await keptMail(service.database, id);
		expect(kept).toMatchObject({ state: "failed", attempts: 8 });
		expect(kept.failure).toContain("could not be used (ECONNREFUSED)");
	});

	test("a code is not tried any more once it has expired, and is forgotten", async () => {
		const { smtp, service } = await start({ recipient: () => ({ code: 450 }) });
		const id = await addMail(service, "sign_in_code", CODE);
		for (let second = 0; second <= 660; second += 5) {
			await service.sendMail();
			service.clock.advance(5 * SECOND_MS);
		}
		const kept = await keptMail(service.database, id);
		expect(kept).toMatchObject({ state: "failed", attempts: 6 });
		expect(JSON.parse(kept.facts)).toEqual({ code: null, minutes: 10 });
		expect(smtp.mails).toEqual([]);
	});

	test("a code that expired while nobody was there to send it is not sent late", async () => {
		const { smtp, service } = await start();
		const id = await addMail(service, "sign_in_code", CODE);
		service.clock.advance(10 * MINUTE_MS + SECOND_MS);
		expect(await service.sendMail()).toBe(0);
		const kept = await keptMail(service.database, id);
		expect(kept.state).toBe("failed");
		expect(kept.failure).toContain("expired");
		expect(kept.facts).not.toContain("402917");
		expect(smtp.mails).toEqual([]);
	});
});

describe("a server that says never", () => {
	test.each([
		["the recipient", { recipient: () => ({ code: 550, text: "no such user" }) }],
		["the mail, quoting it", { mail: () => ({ code: 554, text: "no such user; spam: 402917 is your code" }) }],
	] satisfies [string, SmtpBehaviour][])("to %s: one try, and the reason without the code", async (_, behaviour) => {
		const { service } = await start(behaviour);
		const id = await addMail(service, "sign_in_code", CODE);
		expect(await sendThrough(service, id)).toBe(1);
		const kept = await keptMail(service.database, id);
		expect(kept).toMatchObject({ state: "failed", attempts: 1 });
		expect(kept.failure).toContain("no such user");
		expect(JSON.stringify([kept, service.log.lines])).not.toContain("402917");
	});
});

describe("where the server cannot be asked", () => {
	test("a connection that breaks after the mail was taken: once more with the same Message-ID and bytes, and never a third time", async () => {
		const { smtp, service } = await start({ mail: () => "cut" });
		const id = await addMail(service, "app_blocked", BLOCKED);
		expect(await sendThrough(service, id)).toBe(2);
		expect(smtp.mails).toHaveLength(2);
		expect(smtp.mails[1]?.raw).toBe(smtp.mails[0]?.raw ?? "");
		const kept = await keptMail(service.database, id);
		expect(kept.state).toBe("failed");
		expect(kept.failure).toContain("may have been delivered");
	});

	test("the second time it answers: sent, and twice is all that the recipient can see", async () => {
		const { smtp, service } = await start({ mail: () => (smtp.mails.length === 1 ? "cut" : undefined) });
		const id = await addMail(service, "app_blocked", BLOCKED);
		expect(await sendThrough(service, id)).toBe(2);
		expect(new Set(smtp.mails.map(({ parsed }) => parsed.messageId)).size).toBe(1);
		expect(await keptMail(service.database, id)).toMatchObject({ state: "sent", attempts: 2 });
	});

	test("a claim whose holder died counts as such a try; the mail is free again after two minutes", async () => {
		const { smtp, service } = await start();
		const id = await addMail(service, "app_blocked", BLOCKED);
		const mails = mailStore(service.database, "me", service.rooms.people.keyring);
		for (const died of ["first", "second"]) {
			const now = service.clock.now();
			expect(await mails.claim({ nonce: died, untilMs: now + 2 * MINUTE_MS }, "notice", now)).toMatchObject({ id });
			expect(await service.sendMail()).toBe(0);
			service.clock.advance(2 * MINUTE_MS + SECOND_MS);
		}
		expect(await service.sendMail()).toBe(0);
		expect(smtp.mails).toEqual([]);
		expect(await keptMail(service.database, id)).toMatchObject({ state: "failed", attempts: 3 });
	});

	test("whoever has lost the claim changes nothing any more", async () => {
		const { service } = await start();
		const id = await addMail(service, "app_blocked", BLOCKED);
		const mails = mailStore(service.database, "me", service.rooms.people.keyring);
		const now = service.clock.now();
		const mine = { nonce: "mine", untilMs: now + 1 };
		const mail = await mails.claim(mine, "notice", now);
		const theirs = await mails.claim({ nonce: "theirs", untilMs: now + MINUTE_MS }, "notice", now + 2);
		expect(mail).toMatchObject({ id });
		expect(theirs).toMatchObject({ id });
		if (typeof mail === "string") throw new Error("nothing was due");
		expect(await mails.finish(mail, mine, { state: "sent" }, now + 2)).toBe(false);
		expect((await keptMail(service.database, id)).state).toBe("queued");
	});
});
