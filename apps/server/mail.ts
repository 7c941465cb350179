import type { MailContent, RenderedMail } from "@svc/mail/mail";
import { type Outbox, type OutboxDeps, openOutbox } from "@svc/mail/outbox";
import { render } from "@svc/mail/render";
import { smtpTransport } from "@svc/mail/smtp";
import type { Config } from "./config.ts";

export interface MailParts {
	readonly outbox: Outbox;
	readonly render: (content: MailContent) => RenderedMail;
	/** Operators may read codes only where nobody real signs in with them or pays. */
	readonly secrets: "shown" | "hidden";
}

export function openMail(config: Config, deps: Omit<OutboxDeps, "transport">): MailParts {
	const { mail, processor, name, webUrl } = config;
	const rendered = (content: MailContent) => render(content, { serviceName: name, webUrl });
	const transport =
		mail.kind === "outbox"
			? undefined
			: smtpTransport({
					server: mail.server,
					from: { address: mail.from.address, name: mail.from.name || name },
					render: rendered,
				});
	return {
		outbox: openOutbox({ ...deps, transport }),
		render: rendered,
		secrets: mail.kind === "outbox" && processor.kind === "simulated" ? "shown" : "hidden",
	};
}
