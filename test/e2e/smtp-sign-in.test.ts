import { describe, expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { addMail, keptMail } from "../support/mail.ts";
import type { startSmtp } from "../support/smtp.ts";
import { BLOCKED, smtpServices } from "../support/smtp-service.ts";

/* Whom the service tells the mail server's password, and whom it gives mail to. */

const { start, open } = smtpServices();

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
		const signedIn = await open({ ...smtp.env, SVC_SMTP_URL: `smtp://post:hush%3Ahush@${url.host}` });
		await addMail(signedIn, "app_blocked", BLOCKED);
		expect(await signedIn.sendMail()).toBe(1);
		expect(smtp.mails[0]).toMatchObject({ secure: true, user: "post" });
		expect(service.log.lines.filter(({ level }) => level === "error")).toEqual([]);
	});

	test("a wrong password is not the mail's fault: it waits, and nothing that is written down holds the password", async () => {
		const { smtp } = await start({}, login);
		const { host } = new URL(smtp.url);
		const service = await open({ ...smtp.env, SVC_SMTP_URL: `smtp://post:hush%3Anope@${host}` });
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
			const service = await open({ ...smtp.env, SVC_SMTP_URL: `smtp://post:hush@${outside}:${smtp.port}` });
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
