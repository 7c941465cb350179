import type { Locale } from "@svc/base/enumerations";
import MailComposer from "nodemailer/lib/mail-composer";
import { contentOf, type MailContent, type OutboxMail, type RenderedMail } from "./mail.ts";
import type { MailOutcome, MailTransport } from "./ports.ts";
import { ServerConnection, type SmtpMessage } from "./smtp-connection.ts";
import { isMailAddress, type MailAddress, type SmtpServer } from "./smtp-url.ts";
import { WORD_JOINER } from "./templates/letter.ts";

interface SmtpOptions {
	readonly server: SmtpServer;
	readonly from: MailAddress;
	readonly render: (content: MailContent, locale: Locale) => RenderedMail;
	/** Timeout for connecting, and for each answer before the mail is handed over. */
	readonly stepMs?: number;
	/** Timeout for one mail as a whole. */
	readonly totalMs?: number;
	/** How long a connection that has nothing to do is kept. */
	readonly idleMs?: number;
}

const STEP_MS = 10_000;
const TOTAL_MS = 30_000;
const IDLE_MS = 30_000;
/** Servers count what comes over one connection, and some end it themselves after a hundred. */
const MAILS_PER_CONNECTION = 100;

/**
 * Keeps the connections that have nothing to do: there are as many as mails at once, which the outbox bounds. Nodemailer's own pool does not
 * tell whether a mail was handed over before its connection broke.
 */
export function smtpTransport(options: SmtpOptions): MailTransport {
	const { server, totalMs = TOTAL_MS, stepMs = STEP_MS, idleMs = IDLE_MS } = options;
	const idle: ServerConnection[] = [];
	let closed = false;

	function takeIdle(): ServerConnection | undefined {
		for (;;) {
			const connection = idle.pop();
			if (!connection || connection.isOpen) return connection;
		}
	}

	function giveBack(connection: ServerConnection): void {
		if (!connection.isOpen) return;
		if (closed || connection.mails >= MAILS_PER_CONNECTION) connection.quit();
		else {
			connection.quitAfter(idleMs);
			idle.push(connection);
		}
	}

	async function deliver(message: SmtpMessage, connection: ServerConnection): Promise<MailOutcome> {
		const delivery = await connection.deliver(message);
		giveBack(connection);
		return delivery;
	}

	const open = () => new ServerConnection(server, { stepMs, totalMs });
	return {
		async deliver(mail) {
			if (!isMailAddress(mail.recipient)) {
				return {
					kind: "refused",
					failure: "The recipient's address is not one that mail can be sent to.",
					ofAddress: true,
				};
			}
			const message = await compose(mail, options);
			const kept = takeIdle();
			const delivery = await deliver(message, kept ?? open());
			// Servers end what is idle when they like. Nothing was handed over, so a new connection makes this no second try.
			return kept?.wasLost ? await deliver(message, open()) : delivery;
		},
		close() {
			closed = true;
			for (const connection of idle.splice(0)) connection.quit();
		},
	};
}

/** The same bytes at every try, so that receivers recognise a mail that comes twice. */
async function compose(mail: OutboxMail, { from, render }: SmtpOptions): Promise<SmtpMessage> {
	const { subject, text, html } = render(contentOf(mail, "shown"), mail.locale);
	const composer = new MailComposer({
		from,
		to: { name: "", address: mail.recipient },
		// A name that is written like an encoded word would show as its decoded text, which was never checked.
		subject: subject.replaceAll("=?", `=${WORD_JOINER}?`),
		text,
		html,
		messageId: `<${mail.id}@${from.address.slice(from.address.indexOf("@") + 1)}>`,
		date: new Date(mail.createdMs),
		headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All", "Content-Language": mail.locale },
		baseBoundary: mail.id,
		newline: "win",
		disableFileAccess: true,
		disableUrlAccess: true,
	});
	const node = composer.compile();
	return { envelope: node.getEnvelope(), bytes: await node.build() };
}
