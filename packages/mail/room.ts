import type { Base } from "@svc/base/base";
import type { Database } from "@svc/base/database/client";
import type { Locale } from "@svc/base/enumerations";
import { openMailHealth } from "./health.ts";
import { mailHealthStore } from "./health-store.ts";
import type { MailContent, RenderedMail } from "./mail.ts";
import { mailStore } from "./mail-store.ts";
import { openOutbox } from "./outbox.ts";
import type { MailTransport } from "./ports.ts";

export type Mail = ReturnType<typeof openMail>;

interface MailParts {
	/** Undefined where mails stay inside the service. */
	readonly transport: MailTransport | undefined;
	readonly render: (content: MailContent, locale?: Locale) => RenderedMail;
	/** Whether operators may read the codes and links in mails. */
	readonly secrets: "shown" | "hidden";
	/** Mails in a minute, of all processes together; 0 stands for any number. */
	readonly ratePerMinute: number;
}

export function openMail(base: Base, database: Database, { transport, render, secrets, ratePerMinute }: MailParts) {
	const store = mailStore(database, base.process, base.keyring);
	const outbox = openOutbox({ ...base, mails: store, transport, ratePerMinute });
	const health = openMailHealth(base, mailHealthStore(database), { sends: transport !== undefined });
	return { store, outbox, health, render, secrets };
}
