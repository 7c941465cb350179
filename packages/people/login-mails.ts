import type { LoginPurpose } from "@svc/base/enumerations";
import { type NewMail, newMail } from "@svc/mail/mail";
import { CODE_MINUTES } from "./login-codes.ts";
import type { NewLogin } from "./logins.ts";
import type { LoginStore } from "./sign-in-store.ts";

/** Two spellings that fold alike may be two mailboxes: a code for an account goes to the one that the account has proven. */
export async function recipientOf(
	logins: Pick<LoginStore, "findAddress">,
	{ purpose, email, emailNorm }: Pick<NewLogin, "purpose" | "email" | "emailNorm">,
): Promise<string> {
	const proven = await logins.findAddress(emailNorm);
	return purpose === "email" ? email : (proven ?? email);
}

export function codeMail(
	purpose: LoginPurpose,
	recipient: string,
	{ code, app = "" }: { readonly code: string; readonly app: string | undefined },
): NewMail {
	const facts = { code, minutes: CODE_MINUTES };
	switch (purpose) {
		case "connect":
			return newMail("connect_code", recipient, { ...facts, app });
		case "step_up":
			return newMail("step_up_code", recipient, facts);
		case "email":
			return newMail("email_change_code", recipient, facts);
		default:
			return newMail("sign_in_code", recipient, facts);
	}
}
