import { afterEach, expect, test } from "bun:test";
import { addMail } from "../support/mail.ts";
import { type OpenService, openService } from "../support/service.ts";
import { type SmtpBehaviour, type SmtpReceiver, startSmtp } from "../support/smtp.ts";

/* Whether mail goes out, as operators, balancers and meters see it. */

const MINUTE_MS = 60_000;
const CODE = { code: "402917", minutes: 10 };
const BLOCKED = { app: "Herbarium", reason: "spam" };
const opened: { close(): Promise<unknown> }[] = [];

afterEach(async () => {
	for (const one of opened.splice(0).reverse()) await one.close();
});

async function start(behaviour: SmtpBehaviour = {}): Promise<{ smtp: SmtpReceiver; service: OpenService }> {
	const smtp = await startSmtp(behaviour);
	opened.push({ close: smtp.stop });
	const service = await openService(smtp.env);
	opened.push(service);
	return { smtp, service };
}

interface Health {
	readonly state: string;
	readonly waiting: Readonly<Record<string, number>>;
	readonly oldest_seconds: number;
	readonly last_sent_at: string | null;
	readonly last_failure: string | null;
}

async function healthOf(service: OpenService): Promise<Health> {
	const answer = await service.api("/v1/operator/health", { headers: { Authorization: `Bearer ${service.token}` } });
	return ((await answer.json()) as { mail: Health }).mail;
}

async function readyOf(service: OpenService) {
	// It is worked out once a second.
	service.clock.advance(1_000);
	const answer = await service.api("/readyz");
	return { status: answer.status, body: (await answer.json()) as { ready: boolean; checks: Record<string, string> } };
}

const NONE = { code: 0, security: 0, billing: 0, team: 0, notice: 0 };

test("mail that goes out is ok, and tells what waits, by class, and when one was sent last", async () => {
	const { service } = await start();
	const fresh = { state: "ok", waiting: NONE, oldest_seconds: 0, last_sent_at: null, last_failure: null };
	expect(await healthOf(service)).toEqual(fresh);
	await addMail(service, "app_blocked", BLOCKED);
	await addMail(service, "sign_in_code", CODE);
	service.clock.advance(30_000);
	const waits = await healthOf(service);
	expect(waits).toMatchObject({ state: "ok", waiting: { ...NONE, code: 1, notice: 1 }, last_sent_at: null });
	expect(waits.oldest_seconds).toBeGreaterThanOrEqual(30);
	expect(await service.sendMail()).toBe(2);
	const sent = await healthOf(service);
	expect(sent).toMatchObject({ state: "ok", waiting: NONE, oldest_seconds: 0, last_failure: null });
	expect(Math.abs(Date.parse(sent.last_sent_at ?? "") - service.clock.now())).toBeLessThan(MINUTE_MS);
});

test("three failures in a row: failing, and the service is ready all the same; one mail that arrives ends it", async () => {
	const { smtp, service } = await start({ recipient: () => ({ code: 451, text: "come back later" }) });
	await addMail(service, "app_blocked", BLOCKED, "one@example.com");
	await addMail(service, "app_blocked", BLOCKED, "two@example.com");
	await service.sendMail();
	expect(await healthOf(service)).toMatchObject({ state: "ok", last_failure: "451 come back later" });
	service.clock.advance(5_000);
	await service.sendMail();
	expect(await healthOf(service)).toMatchObject({ state: "failing", waiting: { ...NONE, notice: 2 } });
	const ready = await readyOf(service);
	expect(ready).toEqual({
		status: 200,
		body: { ready: true, checks: { database: "ok", blobs: "ok", mail: "failing", billing: "ok" } },
	});
	smtp.behaviour = {};
	service.clock.advance(15_000);
	expect(await service.sendMail()).toBe(2);
	expect(await healthOf(service)).toMatchObject({ state: "ok", last_failure: "451 come back later" });
	expect((await readyOf(service)).body.checks.mail).toBe("ok");
});

test("a code that has waited for more than a minute: failing, though nothing has failed", async () => {
	const { service } = await start();
	await addMail(service, "sign_in_code", CODE);
	service.clock.advance(MINUTE_MS - 5_000);
	expect((await healthOf(service)).state).toBe("ok");
	service.clock.advance(10_000);
	expect(await healthOf(service)).toMatchObject({ state: "failing", last_failure: null });
	await service.sendMail();
	expect((await healthOf(service)).state).toBe("ok");
});

test("addresses that do not exist say nothing about mail to others; a server that relays nothing for us does", async () => {
	const { smtp, service } = await start({ recipient: () => ({ code: 550, text: "5.1.1 no such user" }) });
	for (let made = 0; made < 4; made++) await addMail(service, "sign_in_code", CODE, `nobody-${made}@example.com`);
	await service.sendMail();
	expect((await healthOf(service)).state).toBe("ok");
	smtp.behaviour = { recipient: () => ({ code: 554, text: "5.7.1 relay access denied" }) };
	for (let made = 0; made < 3; made++) await addMail(service, "sign_in_code", CODE, `somebody-${made}@example.com`);
	await service.sendMail();
	expect(await healthOf(service)).toMatchObject({ state: "failing", last_failure: "554 5.7.1 relay access denied" });
});

test("where mail stays in the service nothing waits and nothing fails", async () => {
	const service = await openService();
	opened.push(service);
	await addMail(service, "sign_in_code", CODE);
	service.clock.advance(5 * MINUTE_MS);
	expect(await healthOf(service)).toMatchObject({ state: "ok", waiting: NONE, oldest_seconds: 0 });
	expect((await readyOf(service)).body.checks.mail).toBe("ok");
});

test("meters: what waits by class, for how long, and what was sent and how", async () => {
	const { smtp, service } = await start();
	await addMail(service, "invite", {
		app: "Herbarium",
		by: "ada@example.com",
		role: "viewer",
		link: "https://a.example/i",
	});
	await service.sendMail();
	smtp.behaviour = { recipient: () => ({ code: 451 }) };
	await addMail(service, "sign_in_code", CODE);
	await service.sendMail();
	service.clock.advance(42_000);
	const text = await (await service.api("/metrics")).text();
	expect(text).toContain('svc_mail_sent_total{class="team",outcome="sent"} 1');
	expect(text).toContain('svc_mail_sent_total{class="code",outcome="queued"} 1');
	expect(text).toContain('svc_mail_waiting{class="code"} 1');
	expect(text).toContain('svc_mail_waiting{class="team"} 0');
	expect(Number(/^svc_mail_oldest_seconds (\d+)$/m.exec(text)?.[1])).toBeGreaterThanOrEqual(42);
});

test("operators hear once of mail that failed for ten minutes, and once that it works: both when it can go out again", async () => {
	const { smtp, service } = await start({ recipient: () => ({ code: 451, text: "no" }) });
	const subjects = () => smtp.mails.map(({ parsed }) => parsed.subject);
	for (let made = 0; made < 3; made++) await addMail(service, "app_blocked", BLOCKED, `owner-${made}@example.com`);
	await service.sendMail();
	for (let passed = 0; passed < 3; passed++) {
		await service.watchParts();
		service.clock.advance(4 * MINUTE_MS);
	}
	await Promise.all([service.watchParts(), service.watchParts()]);
	await service.sendMail();
	expect(subjects()).toEqual([]);
	smtp.behaviour = {};
	service.clock.advance(45 * MINUTE_MS);
	await service.sendMail();
	await service.watchParts();
	await service.watchParts();
	await service.sendMail();
	const told = subjects().filter((subject) => subject?.startsWith("Svc: "));
	expect(told).toEqual(["Svc: mail has been failing", "Svc: mail works again"]);
	service.clock.advance(MINUTE_MS);
	await service.watchParts();
	expect(await service.sendMail()).toBe(0);
});

test("operators hear nothing of mail that failed for less than ten minutes", async () => {
	const { smtp, service } = await start();
	await addMail(service, "sign_in_code", CODE);
	service.clock.advance(2 * MINUTE_MS);
	await service.watchParts();
	service.clock.advance(2 * MINUTE_MS);
	await service.watchParts();
	await service.sendMail();
	service.clock.advance(MINUTE_MS);
	await service.watchParts();
	expect(await service.sendMail()).toBe(0);
	expect(smtp.mails).toHaveLength(1);
});
