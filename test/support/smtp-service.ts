import { afterEach } from "bun:test";
import { keptMail } from "./mail.ts";
import { type OpenService, openService } from "./service.ts";
import { type SmtpBehaviour, type SmtpReceiver, startSmtp } from "./smtp.ts";

const MINUTE_MS = 60_000;

/** What a mail with a code shows. */
export const CODE = { code: "402917", minutes: 10 };
/** What a mail about a blocked App shows. */
export const BLOCKED = { app: "Herbarium", reason: "spam" };

type SmtpOptions = Parameters<typeof startSmtp>[1];

export interface SmtpServices {
	/** A mail server, and a service that sends through it. */
	start(
		behaviour?: SmtpBehaviour,
		options?: SmtpOptions & { readonly env?: Record<string, string> },
	): Promise<{ smtp: SmtpReceiver; service: OpenService }>;
	/** Another service. */
	open(env: Record<string, string>): Promise<OpenService>;
}

/** Mail servers and services for the tests of a file, which end after the test that has started them. */
export function smtpServices(): SmtpServices {
	const opened: { close(): Promise<unknown> }[] = [];
	afterEach(async () => {
		for (const one of opened.splice(0).reverse()) await one.close();
	});
	const open = async (env: Record<string, string>) => {
		const service = await openService(env);
		opened.push(service);
		return service;
	};
	return {
		open,
		async start(behaviour = {}, { env = {}, ...options } = {}) {
			const smtp = await startSmtp(behaviour, options);
			opened.push({ close: smtp.stop });
			return { smtp, service: await open({ ...smtp.env, ...env }) };
		},
	};
}

/** Sends until nothing is left to be tried; how often anything was. */
export async function sendThrough(service: OpenService, id: string): Promise<number> {
	for (let tries = 1; tries <= 20; tries++) {
		await service.sendMail();
		if ((await keptMail(service.database, id)).state !== "queued") return tries;
		service.clock.advance(45 * MINUTE_MS);
	}
	throw new Error("the mail is tried for ever");
}
