import { invalid } from "./failure.ts";

/** Bytes on their way: RFC 5321, 4.5.3.1, and RFC 1035, 2.3.4. */
const MAX = { address: 254, local: 64, host: 253, label: 63 } as const;
// Excludes characters that could break a mail header or a screen.
const ATOM = '[^\\s\\p{C}@<>()[\\]",;:\\\\.]+';
// The name of a host, without variants: `c.d.`, `c。d` and `c.d(x)` are one mailbox to some mail servers, and a foreign one to an App
// that looks at how an address ends.
const LABEL = "[\\p{L}\\p{M}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]*[\\p{L}\\p{M}\\p{N}])?";
// As mail servers read them: dots stand between other characters, and what mail is sent to has a name with a dot.
const FORM = new RegExp(`^${ATOM}(?:\\.${ATOM})*@${LABEL}(?:\\.${LABEL})+$`, "u");
/** No name ends so, and `127.0.0.1` does. */
const NUMERIC = /\.(?:\p{N}+|0x[\da-f]*)$/iu;
const UNSEEN = /\p{Default_Ignorable_Code_Point}/u;

/** The operator that a first start makes: nobody's mailbox, but an address to sign in with, where operators read the mails. */
export const FIRST_OPERATOR = "operator@localhost";

/**
 * The address for showing and mailing: trimmed, in one Unicode form.
 * @throws Failure validation_error under `email`
 */
export function parseEmail(typed: string): string {
	const email = typed.trim().normalize("NFKC");
	if (email.toLowerCase() === FIRST_OPERATOR) return email;
	const isAddress = email.length <= MAX.address && FORM.test(email) && !NUMERIC.test(email) && isMailable(email);
	if (!isAddress || UNSEEN.test(email) || !email.isWellFormed()) throw invalid("email", "must be an e-mail address");
	return email;
}

/** Whether mail servers could pass it on: they count bytes, and names as name servers know them. */
function isMailable(email: string): boolean {
	const [local = "", host = ""] = foldEmail(email).split("@");
	const localBytes = new TextEncoder().encode(local).length;
	return (
		localBytes <= MAX.local &&
		localBytes + 1 + host.length <= MAX.address &&
		host.length <= MAX.host &&
		host.split(".").every((label) => /^[a-z0-9-]+$/.test(label) && label.length <= MAX.label)
	);
}

const TEST_SUFFIX = "+svc_test@";

/**
 * Whether an address is one of a test person, whom the programs of an App sign in as where nobody reads mail. In live mode such an address is
 * like any other.
 */
export function isTestAddress({ testPeople }: { readonly testPeople: boolean }, email: string): boolean {
	return testPeople && foldEmail(email).includes(TEST_SUFFIX);
}

/** The form in which addresses are unique: however an address is typed, it is one account. */
export function foldEmail(email: string): string {
	const folded = email.trim().normalize("NFKC").toLowerCase().normalize("NFKC");
	const at = folded.lastIndexOf("@");
	return folded.slice(0, at + 1) + asciiHost(folded.slice(at + 1));
}

/** An international name as name servers know it (`xn--…`); any other name unchanged. */
function asciiHost(host: string): string {
	return /[^\p{ASCII}]/u.test(host) ? (URL.parse(`http://${host}`)?.hostname ?? host) : host;
}
