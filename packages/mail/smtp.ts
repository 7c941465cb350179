import { Readable } from "node:stream";
import MailComposer from "nodemailer/lib/mail-composer";
import SMTPConnection, { type SMTPConnectionOptions } from "nodemailer/lib/smtp-connection";
import { WORD_JOINER } from "./letter.ts";
import { contentOf, type Mail, type MailContent, type RenderedMail } from "./mail.ts";
import type { Delivery, MailTransport } from "./ports.ts";
import { isLoopback, isMailAddress, type MailAddress, type SmtpServer } from "./smtp-url.ts";

interface SmtpOptions {
	readonly server: SmtpServer;
	readonly from: MailAddress;
	readonly render: (content: MailContent) => RenderedMail;
	/** Timeout for connecting, and for each answer before the mail is handed over. */
	readonly stepMs?: number;
	/** Timeout for one mail as a whole. */
	readonly totalMs?: number;
}

const STEP_MS = 10_000;
const TOTAL_MS = 30_000;

/**
 * Each mail has its own connection: mails are few, and an idle connection that the server has closed meanwhile cannot make a try
 * uncertain. Nodemailer's own transports do not tell whether a mail was handed over before its connection broke.
 */
export function smtpTransport(options: SmtpOptions): MailTransport {
	const { server, totalMs = TOTAL_MS, stepMs = STEP_MS } = options;
	return {
		async deliver(mail) {
			if (!isMailAddress(mail.recipient)) {
				return { kind: "refused", failure: "The recipient's address is not one that mail can be sent to." };
			}
			const attempt = new Attempt(server, { stepMs, totalMs });
			return await attempt.deliver(await compose(mail, options));
		},
	};
}

/** The same bytes at every try, so that receivers recognise a mail that comes twice. */
async function compose(mail: Mail, { from, render }: SmtpOptions): Promise<Message> {
	const { subject, text, html } = render(contentOf(mail, "shown"));
	const composer = new MailComposer({
		from,
		to: { name: "", address: mail.recipient },
		// A name that is written like an encoded word would show as its decoded text, which was never checked.
		subject: subject.replaceAll("=?", `=${WORD_JOINER}?`),
		text,
		html,
		messageId: `<${mail.id}@${from.address.slice(from.address.indexOf("@") + 1)}>`,
		date: new Date(mail.createdMs),
		headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All", "Content-Language": "en" },
		baseBoundary: mail.id,
		newline: "win",
		disableFileAccess: true,
		disableUrlAccess: true,
	});
	const node = composer.compile();
	return { envelope: node.getEnvelope(), bytes: await node.build() };
}

interface Message {
	/** International domains in the form that every server takes. */
	readonly envelope: { readonly from: string | false; readonly to: string[] };
	readonly bytes: Buffer;
}

/** The fields of nodemailer's errors that are used. */
interface SmtpError {
	readonly code?: string | undefined;
	readonly originalCode?: string | undefined;
	readonly command?: string | undefined;
	readonly responseCode?: number | undefined;
	readonly response?: string | undefined;
}

/** The commands whose answers are about this mail, and not about the server or us. */
const ABOUT_THE_MAIL: ReadonlySet<string> = new Set(["MAIL FROM", "RCPT TO", "DATA"]);

class Attempt {
	readonly #connection: SMTPConnection;
	readonly #login: SmtpServer["login"];
	readonly #totalMs: number;
	readonly #ended = Promise.withResolvers<Delivery>();
	#handedOver = false;

	constructor(server: SmtpServer, { stepMs, totalMs }: { readonly stepMs: number; readonly totalMs: number }) {
		this.#connection = new SMTPConnection(connectionOptions(server, stepMs, totalMs));
		this.#login = server.login;
		this.#totalMs = totalMs;
	}

	async deliver(message: Message): Promise<Delivery> {
		const connection = this.#connection;
		const timer = setTimeout(() => this.#fail({ code: "ETIMEDOUT" }), this.#totalMs);
		// Some failures come by the callback, some by the event; the first one counts.
		connection.on("error", (error) => this.#fail(error));
		connection.connect((error) => {
			if (error) return this.#fail(error);
			if (!this.#login) return this.#send(message);
			connection.login(this.#login, (refused) => (refused ? this.#fail(refused) : this.#send(message)));
		});
		try {
			return await this.#ended.promise;
		} finally {
			clearTimeout(timer);
		}
	}

	#send({ envelope, bytes }: Message): void {
		const body = Readable.from([bytes]);
		// From here on the server may have all of it, whether or not its answer arrives.
		body.once("end", () => {
			this.#handedOver = true;
		});
		this.#connection.send({ ...envelope, size: bytes.length }, body, (error) => {
			if (error) return this.#fail(error);
			this.#ended.resolve({ kind: "accepted" });
			this.#connection.quit();
		});
	}

	#fail(error: SmtpError): void {
		this.#ended.resolve(deliveryOf(error, this.#handedOver));
		this.#connection.close();
	}
}

/**
 * No third party reads a password: it needs TLS with a valid certificate, except on this very machine, where no network is used. A
 * server's certificate is checked wherever TLS is used, loopback excepted.
 */
export function connectionOptions(server: SmtpServer, stepMs: number, totalMs: number): SMTPConnectionOptions {
	const { host, port, secure, login } = server;
	const local = isLoopback(host);
	return {
		host,
		port,
		secure,
		requireTLS: !secure && !local && login !== undefined,
		tls: { rejectUnauthorized: !local, minVersion: "TLSv1.2" },
		connectionTimeout: stepMs,
		greetingTimeout: stepMs,
		dnsTimeout: stepMs,
		// Servers may look into a mail for a while before they answer.
		socketTimeout: totalMs,
		socketCloseTimeout: 1_000,
		maxResponseSize: 65_536,
	};
}

function deliveryOf(error: SmtpError, handedOver: boolean): Delivery {
	const { code, responseCode, response = "" } = error;
	const aboutMail = ABOUT_THE_MAIL.has(error.command ?? "");
	if (responseCode !== undefined) {
		// A server's answer to a login may quote it.
		const failure = aboutMail ? response : `The mail server answered ${responseCode} to ${error.command ?? "us"}.`;
		return { kind: aboutMail && responseCode >= 500 ? "refused" : "failed", failure };
	}
	if (code === "EENVELOPE" || code === "EMESSAGE") {
		return { kind: "refused", failure: "The mail server takes no mail of this size, or to such an address." };
	}
	const what = error.originalCode ?? code ?? "no reason";
	if (!handedOver) return { kind: "failed", failure: `The mail server could not be used (${what}).` };
	return { kind: "uncertain", failure: `The mail server got the mail and did not answer (${what}).` };
}
