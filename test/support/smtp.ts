import type { AddressInfo } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

/** A mail as a server got it. */
interface ReceivedMail {
	readonly from: string;
	readonly to: readonly string[];
	/** All of it, as it came. */
	readonly raw: string;
	readonly parsed: Email;
	/** Whether it came over TLS. */
	readonly secure: boolean;
	/** Whom the sender has signed in as. */
	readonly user: string | undefined;
}

/** What a server does at one step; `undefined` is consent. */
type SmtpAnswer =
	| { readonly code: number; readonly text?: string }
	/** Says nothing any more. */
	| "hang"
	/** Closes the connection. */
	| "cut"
	| undefined;

export interface SmtpBehaviour {
	readonly connect?: () => SmtpAnswer;
	readonly recipient?: (address: string) => SmtpAnswer;
	/** Once a mail is there as a whole, and counted. */
	readonly mail?: (mail: ReceivedMail) => SmtpAnswer | Promise<SmtpAnswer>;
}

export interface SmtpReceiver {
	readonly port: number;
	/** Without credentials. */
	readonly url: string;
	/** In the order in which they came; also those that were then refused or never answered. */
	readonly mails: ReceivedMail[];
	/** How many connections there were, and how many of them at most at once. */
	readonly connections: { total: number; most: number };
	/** How many there are now. */
	open(): number;
	/** Ends the connections that there are. */
	cutAll(): void;
	/** May be changed while it runs. */
	behaviour: SmtpBehaviour;
	/** The environment of a service that sends through it. */
	readonly env: Readonly<Record<string, string>>;
	stop(): Promise<void>;
}

/** A real SMTP server on loopback. */
export async function startSmtp(
	behaviour: SmtpBehaviour = {},
	options: SMTPServerOptions & { readonly host?: string } = {},
): Promise<SmtpReceiver> {
	const { host = "127.0.0.1", ...given } = options;
	const mails: ReceivedMail[] = [];
	const connections = { total: 0, most: 0 };
	const settle = (id: string, answer: SmtpAnswer, done: Done) => give(server, id, answer, done);
	const server = new SMTPServer({
		authOptional: true,
		logger: false,
		closeTimeout: 50,
		onConnect(session, done) {
			connections.total += 1;
			connections.most = Math.max(connections.most, server.connections.size);
			settle(session.id, receiver.behaviour.connect?.(), done);
		},
		onRcptTo: ({ address }, session, done) => settle(session.id, receiver.behaviour.recipient?.(address), done),
		async onData(stream, session, done) {
			const raw = await readWhole(stream);
			// Whoever sent it is gone, and nobody waits for an answer.
			if (raw === undefined) return;
			const { mailFrom, rcptTo } = session.envelope;
			const mail: ReceivedMail = {
				from: mailFrom ? mailFrom.address : "",
				to: rcptTo.map(({ address }) => address),
				raw,
				parsed: await PostalMime.parse(raw),
				secure: session.secure,
				user: typeof session.user === "string" ? session.user : undefined,
			};
			mails.push(mail);
			settle(session.id, await receiver.behaviour.mail?.(mail), done);
		},
		...given,
	});
	server.on("error", () => undefined);
	await new Promise<void>((resolve) => server.listen(0, host, resolve));
	const { port } = server.server.address() as AddressInfo;
	const url = `smtp://${host}:${port}`;
	const receiver: SmtpReceiver = {
		port,
		url,
		mails,
		connections,
		open: () => server.connections.size,
		cutAll() {
			for (const { _socket } of server.connections) _socket.destroy();
		},
		behaviour,
		env: { SVC_SMTP_URL: url, SVC_MAIL_FROM: "post@svc.example" },
		stop: () => new Promise((resolve) => server.close(resolve)),
	};
	return receiver;
}

/** Undefined where the connection ends before the mail does. */
async function readWhole(stream: AsyncIterable<Uint8Array>): Promise<string | undefined> {
	const chunks: Uint8Array[] = [];
	try {
		for await (const chunk of stream) chunks.push(chunk);
	} catch {
		return undefined;
	}
	return Buffer.concat(chunks).toString("utf8");
}

type Done = (error?: Error | null) => void;

function give(server: SMTPServer, id: string, answer: SmtpAnswer, done: Done): void {
	if (answer === "hang") return;
	if (answer === "cut") cut(server, id);
	else done(answer && Object.assign(new Error(answer.text ?? "no"), { responseCode: answer.code }));
}

function cut(server: SMTPServer, id: string): void {
	for (const connection of server.connections) if (connection.id === id) connection._socket.destroy();
}
