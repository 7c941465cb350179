import type { OutboxMail } from "./mail.ts";

/** A mail server's result for a mail. `failure` may be shown to operators. */
export type MailOutcome =
	| { readonly kind: "accepted" }
	/**
	 * Refused for good: another try changes nothing. `ofAddress`: because of the recipient's address alone, which says nothing about mail to
	 * others.
	 */
	| { readonly kind: "refused"; readonly failure: string; readonly ofAddress: boolean }
	/** Failed for now, and certainly not delivered. */
	| { readonly kind: "failed"; readonly failure: string }
	/** All of it was handed over, and no answer came. */
	| { readonly kind: "uncertain"; readonly failure: string };

export interface MailTransport {
	/** Never rejects because of the mail server; ends within a minute. */
	deliver(mail: OutboxMail): Promise<MailOutcome>;
	/** Ends what is kept open; mails that are under way end as they would have. */
	close(): void;
}
