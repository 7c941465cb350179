import type { Mail } from "./mail.ts";

/** What a mail server made of a mail. `failure` may be shown to operators. */
export type Delivery =
	| { readonly kind: "accepted" }
	/** For good: trying again changes nothing. */
	| { readonly kind: "refused"; readonly failure: string }
	/** For now, and certainly not delivered. */
	| { readonly kind: "failed"; readonly failure: string }
	/** All of it was handed over, and no answer came. */
	| { readonly kind: "uncertain"; readonly failure: string };

export interface MailTransport {
	/** Never rejects because of the mail server; ends within half a minute. */
	deliver(mail: Mail): Promise<Delivery>;
}
