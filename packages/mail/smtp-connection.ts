import { Readable } from "node:stream";
import SMTPConnection, { type SMTPConnectionOptions } from "nodemailer/lib/smtp-connection";
import type { MailOutcome } from "./ports.ts";
import { isLoopback, type SmtpServer } from "./smtp-url.ts";

export interface SmtpMessage {
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

/** An enhanced status (RFC 3463) that is about who sends, not about who gets it: a server that relays nothing for us. */
const IS_POLICY = /\b5\.7\.\d/;

/** The mail that a connection is about. */
interface Attempt {
	readonly ended: PromiseWithResolvers<MailOutcome>;
	handedOver: boolean;
}

/** A connection to the mail server. It takes one mail after the other, and ends with the first one that fails. */
export class ServerConnection {
	readonly #connection: SMTPConnection;
	readonly #login: SmtpServer["login"];
	readonly #totalMs: number;
	#attempt: Attempt | undefined;
	#idleTimer: ReturnType<typeof setTimeout> | undefined;
	#isOpen = true;
	#wasLost = false;
	#mails = 0;

	constructor(server: SmtpServer, { stepMs, totalMs }: { readonly stepMs: number; readonly totalMs: number }) {
		this.#connection = new SMTPConnection(connectionOptions(server, stepMs, totalMs));
		this.#login = server.login;
		this.#totalMs = totalMs;
		// Some failures come by the callback, some by the event; the first one counts.
		this.#connection.on("error", (error) => this.#fail(error));
		this.#connection.on("end", () => this.#fail({ code: "ECONNECTION" }));
	}

	/** False once it cannot take another mail. */
	get isOpen(): boolean {
		return this.#isOpen;
	}

	/** Whether the last mail failed only because the connection had come to its end before. */
	get wasLost(): boolean {
		return this.#wasLost;
	}

	/** How many mails the server has accepted over it. */
	get mails(): number {
		return this.#mails;
	}

	/** One mail at a time. Never rejects. */
	async deliver(message: SmtpMessage): Promise<MailOutcome> {
		clearTimeout(this.#idleTimer);
		const attempt = { ended: Promise.withResolvers<MailOutcome>(), handedOver: false };
		this.#attempt = attempt;
		const timer = setTimeout(() => this.#fail({ code: "ETIMEDOUT" }), this.#totalMs);
		if (this.#mails > 0) this.#send(message, attempt);
		else this.#connect(() => this.#send(message, attempt));
		try {
			return await attempt.ended.promise;
		} finally {
			clearTimeout(timer);
		}
	}

	/** Ends the connection unless it gets another mail within this time. */
	quitAfter(idleMs: number): void {
		this.#idleTimer = setTimeout(() => this.quit(), idleMs);
	}

	/** Takes leave of the server. For a connection that has no mail under way. */
	quit(): void {
		clearTimeout(this.#idleTimer);
		this.#isOpen = false;
		this.#connection.quit();
	}

	#connect(ready: () => void): void {
		this.#connection.connect((error) => {
			if (error) return this.#fail(error);
			if (!this.#login) return ready();
			this.#connection.login(this.#login, (refused) => (refused ? this.#fail(refused) : ready()));
		});
	}

	#send({ envelope, bytes }: SmtpMessage, attempt: Attempt): void {
		const body = Readable.from([bytes]);
		// From here on the server may have all of it, whether or not its answer arrives.
		body.once("end", () => {
			attempt.handedOver = true;
		});
		this.#connection.send({ ...envelope, size: bytes.length }, body, (error) => {
			if (error) return this.#fail(error);
			this.#mails += 1;
			this.#attempt = undefined;
			attempt.ended.resolve({ kind: "accepted" });
		});
	}

	#fail(error: SmtpError): void {
		const attempt = this.#attempt;
		this.#attempt = undefined;
		this.#isOpen = false;
		clearTimeout(this.#idleTimer);
		if (attempt) {
			this.#wasLost = this.#mails > 0 && !attempt.handedOver && isLoss(error);
			attempt.ended.resolve(deliveryOf(error, attempt.handedOver));
		}
		this.#connection.close();
	}
}

/** 421: the server ends the connection, and not because of the mail. */
function isLoss({ code, responseCode }: SmtpError): boolean {
	return responseCode === undefined
		? code !== "EENVELOPE" && code !== "EMESSAGE" && code !== "ETIMEDOUT"
		: responseCode === 421;
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

function deliveryOf(error: SmtpError, handedOver: boolean): MailOutcome {
	const { code, responseCode } = error;
	if (responseCode !== undefined) return answerOf(error, responseCode);
	if (code === "EENVELOPE" || code === "EMESSAGE") {
		const failure = "The mail server takes no mail of this size, or to such an address.";
		return { kind: "refused", failure, ofAddress: true };
	}
	const what = error.originalCode ?? code ?? "no reason";
	if (!handedOver) return { kind: "failed", failure: `The mail server could not be used (${what}).` };
	return { kind: "uncertain", failure: `The mail server got the mail and did not answer (${what}).` };
}

function answerOf({ command = "", response = "" }: SmtpError, responseCode: number): MailOutcome {
	if (!ABOUT_THE_MAIL.has(command)) {
		// A server's answer to a login may quote it.
		return { kind: "failed", failure: `The mail server answered ${responseCode} to ${command || "us"}.` };
	}
	if (responseCode < 500) return { kind: "failed", failure: response };
	return { kind: "refused", failure: response, ofAddress: command === "RCPT TO" && !IS_POLICY.test(response) };
}
