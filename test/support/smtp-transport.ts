import type { OutboxMail } from "@svc/mail/mail";
import { smtpTransport } from "@svc/mail/smtp";
import { parseSmtpUrl, type SmtpServer } from "@svc/mail/smtp-url";

/** A mail for a transport that no outbox stands before. */
export const MAIL: OutboxMail = {
	pk: 1,
	id: "eml_1",
	template: "app_blocked",
	locale: "en",
	recipient: "ada@example.com",
	facts: { app: "Herbarium", reason: "spam" },
	state: "queued",
	attempts: 1,
	failure: null,
	sentMs: null,
	createdMs: 0,
};

/** The server of an address that a test has written. */
export function serverAt(url: string): SmtpServer {
	const server = parseSmtpUrl(url);
	if (!server) throw new Error(`${url} is no SMTP address`);
	return server;
}

type Waits = Pick<Parameters<typeof smtpTransport>[0], "idleMs" | "stepMs" | "totalMs">;

/** A transport to a server, whose mails all say the same. */
export function transportTo(url: string, waits: Waits): ReturnType<typeof smtpTransport> {
	const from = { name: "Svc", address: "post@svc.example" };
	const render = () => ({ subject: "Hello", text: "Hello", html: "<p>Hello</p>" });
	return smtpTransport({ server: serverAt(url), from, render, ...waits });
}
