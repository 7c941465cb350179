import { invalid } from "./failure.ts";

const MAX = 254;
const LOCAL_MAX = 64;
// Nothing that a mail header or a screen could trip over.
const LOCAL = '[^\\s\\p{C}@<>()[\\]",;:\\\\]+';
// A name of a host and nothing near it: `c.d.`, `c。d` and `c.d(x)` are one mailbox to some mail servers, and a foreign one to an App
// that looks at how an address ends.
const LABEL = "[\\p{L}\\p{M}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]*[\\p{L}\\p{M}\\p{N}])?";
const FORM = new RegExp(`^${LOCAL}@${LABEL}(?:\\.${LABEL})*$`, "u");
const UNSEEN = /\p{Default_Ignorable_Code_Point}/u;

/**
 * An address as it is shown and mailed to: trimmed, in one Unicode form.
 * @throws Failure validation_error under `email`
 */
export function parseEmail(typed: string): string {
	const email = typed.trim().normalize("NFKC");
	const isAddress = email.length <= MAX && email.indexOf("@") <= LOCAL_MAX && FORM.test(email);
	if (!isAddress || UNSEEN.test(email) || !email.isWellFormed()) throw invalid("email", "must be an e-mail address");
	return email;
}

/** The form under which an address is unique: however it is typed, it is one account. */
export function foldEmail(email: string): string {
	const folded = email.trim().normalize("NFKC").toLowerCase().normalize("NFKC");
	const at = folded.lastIndexOf("@");
	return folded.slice(0, at + 1) + asciiHost(folded.slice(at + 1));
}

/** An international name as name servers know it (`xn--…`); anything else as it is. */
function asciiHost(host: string): string {
	return /[^\p{ASCII}]/u.test(host) ? (URL.parse(`http://${host}`)?.hostname ?? host) : host;
}
