import type { Base } from "@svc/base/base";
import type { Database } from "@svc/base/database/client";
import type { Locale } from "@svc/base/enumerations";
import type { MailContent, RenderedMail } from "@svc/mail/mail";
import type { MailTransport } from "@svc/mail/ports";
import { type Mail, openMail } from "@svc/mail/room";
import { render } from "@svc/mail/templates/render";
import type { Config } from "../config/config.ts";

export async function mailRoom(config: Config, base: Base, database: Database): Promise<Mail> {
	const { mail, mailRate, processor, name, webUrl } = config;
	const rendered = (content: MailContent, locale?: Locale) => render(content, { serviceName: name, webUrl }, locale);
	const transport = mail.kind === "outbox" ? undefined : await smtpOf(mail, name, rendered);
	// Operators may read codes only where no real person signs in with them or pays.
	const secrets = mail.kind === "outbox" && processor.kind === "simulated" ? "shown" : "hidden";
	return openMail(base, database, { transport, render: rendered, secrets, ratePerMinute: mailRate });
}

type Smtp = Exclude<Config["mail"], { readonly kind: "outbox" }>;

async function smtpOf(
	{ server, from }: Smtp,
	name: string,
	rendered: (content: MailContent) => RenderedMail,
): Promise<MailTransport> {
	// Only a service that sends mails itself loads what that takes.
	const { smtpTransport } = await import("@svc/mail/smtp");
	return smtpTransport({ server, from: { address: from.address, name: from.name || name }, render: rendered });
}
