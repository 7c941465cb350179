import type { Base } from "@svc/base/base";
import type { Database } from "@svc/base/database/client";
import type { Locale } from "@svc/base/enumerations";
import type { MailContent } from "@svc/mail/mail";
import { render } from "@svc/mail/render";
import { type Mail, openMail } from "@svc/mail/room";
import { smtpTransport } from "@svc/mail/smtp";
import type { Config } from "../config.ts";

export function mailRoom({ mail, mailRate, processor, name, webUrl }: Config, base: Base, database: Database): Mail {
	const rendered = (content: MailContent, locale?: Locale) => render(content, { serviceName: name, webUrl }, locale);
	const transport =
		mail.kind === "outbox"
			? undefined
			: smtpTransport({
					server: mail.server,
					from: { address: mail.from.address, name: mail.from.name || name },
					render: rendered,
				});
	// Operators may read codes only where no real person signs in with them or pays.
	const secrets = mail.kind === "outbox" && processor.kind === "simulated" ? "shown" : "hidden";
	return openMail(base, database, { transport, render: rendered, secrets, ratePerMinute: mailRate });
}
