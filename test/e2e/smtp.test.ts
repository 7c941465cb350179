import { afterEach, describe, expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { mailStore } from "@svc/mail/mail-store";
import { readConfig } from "@svc/server/config";
import { mailRoom } from "@svc/server/wire/mail";
import { addMail, keptMail } from "../support/mail.ts";
import { type OpenService, openService } from "../support/service.ts";
import { type SmtpBehaviour, type SmtpReceiver, startSmtp } from "../support/smtp.ts";

/* Mail through a real SMTP server on loopback: each one once, however the server behaves. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const opened: { close(): Promise<unknown> }[] = [];

afterEach(async () => {
	for (const one of opened.splice(0).reverse()) await one.close();
});

async function start(
	behaviour: SmtpBehaviour = {},
	options: Parameters<typeof startSmtp>[1] & { readonly env?: Record<string, string> } = {},
): Promise<{ smtp: SmtpReceiver; service: OpenService }> {
	const { env = {}, ...given } = options;
	const smtp = await startSmtp(behaviour, given);
	opened.push({ close: smtp.stop });
	const service = await openService({ ...smtp.env, ...env });
	opened.push(service);
	return { smtp, service };
}

const CODE = { code: "402917", minutes: 10 };
const BLOCKED = { app: "Herbarium", reason: "spam" };

/** Sends until nothing is left to be tried; how often anything was. */
async function sendThrough(service: OpenService, id: string): Promise<number> {
	for (let tries = 1; tries <= 20; tries++) {
		await service.sendMail();
		if ((await keptMail(service.database, id)).state !== "queued") return tries;
		service.clock.advance(45 * MINUTE_MS);
	}
	throw new Error("the mail is tried for ever");
}

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
		const mails = mailStore(service.database);
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
		const mails = mailStore(service.database);
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

test("SVC_MAIL_RATE bounds a minute: half of it takes other mail, and codes what is left, or all", async () => {
	const { smtp, service } = await start({}, { env: { SVC_MAIL_RATE: "6" } });
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

test("SVC_MAIL_RATE=0 bounds nothing", async () => {
	const { service } = await start({}, { env: { SVC_MAIL_RATE: "0" } });
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
	const other = mailRoom(readConfig(smtp.env), service.rooms, service.database).outbox;
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

describe("signing in to the server", () => {
	const login = {
		authOptional: false,
		onAuth: ({ username, password }, _session, done) =>
			password === "hush:hush"
				? done(null, { user: username })
				: done(Object.assign(new Error("no hush:nope"), { responseCode: 535 })),
	} satisfies Parameters<typeof startSmtp>[1];

	test("with the credentials of the address, over TLS where the server offers it", async () => {
		const { smtp, service } = await start({}, login);
		const url = new URL(smtp.url);
		const signedIn = await openService({ ...smtp.env, SVC_SMTP_URL: `smtp://post:hush%3Ahush@${url.host}` });
		opened.push(signedIn);
		await addMail(signedIn, "app_blocked", BLOCKED);
		expect(await signedIn.sendMail()).toBe(1);
		expect(smtp.mails[0]).toMatchObject({ secure: true, user: "post" });
		expect(service.log.lines.filter(({ level }) => level === "error")).toEqual([]);
	});

	test("a wrong password is not the mail's fault: it waits, and nothing that is written down holds the password", async () => {
		const { smtp } = await start({}, login);
		const { host } = new URL(smtp.url);
		const service = await openService({ ...smtp.env, SVC_SMTP_URL: `smtp://post:hush%3Anope@${host}` });
		opened.push(service);
		const id = await addMail(service, "app_blocked", BLOCKED);
		expect(await service.sendMail()).toBe(0);
		const kept = await keptMail(service.database, id);
		expect(kept.state).toBe("queued");
		expect(kept.failure).toContain("535");
		expect(JSON.stringify([kept, service.log.lines])).not.toContain("hush:nope");
	});

	const outside = Object.values(networkInterfaces())
		.flat()
		.find((one) => one && !one.internal && one.family === "IPv4")?.address;
	test.skipIf(outside === undefined)(
		`no password goes to another machine without TLS${outside ? "" : " (SKIPPED: this machine has no network address)"}`,
		async () => {
			let asked = 0;
			const onAuth: (typeof login)["onAuth"] = (_auth, _session, done) => {
				asked++;
				done(null, { user: "post" });
			};
			const plain = {
				onAuth,
				authOptional: false,
				host: outside ?? "",
				disabledCommands: ["STARTTLS"],
				allowInsecureAuth: true,
			};
			const { smtp } = await start({}, plain);
			const service = await openService({ ...smtp.env, SVC_SMTP_URL: `smtp://post:hush@${outside}:${smtp.port}` });
			opened.push(service);
			await addMail(service, "app_blocked", BLOCKED);
			expect(await service.sendMail()).toBe(0);
			expect([asked, smtp.mails.length]).toEqual([0, 0]);
		},
	);

	test.skipIf(outside === undefined)(
		"nothing goes to another machine whose certificate nobody vouches for",
		async () => {
			const { smtp, service } = await start({}, { host: outside ?? "" });
			await addMail(service, "app_blocked", BLOCKED);
			expect(await service.sendMail()).toBe(0);
			expect(smtp.mails).toEqual([]);
		},
	);
});
