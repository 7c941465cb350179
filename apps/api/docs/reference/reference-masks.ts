import { SECRET_BELOW } from "@svc/base/http/logged-path";

/* What is secret in an answer stays away from its page until it is asked for. */

const MASK = "••••••••";

/** Fields that hold a secret whatever it looks like. */
const SECRET_FIELDS: ReadonlySet<string> = new Set(["secret", "token", "device_token"]);

/** Mails hold codes, and links that sign somebody in. */
const MAIL_FIELDS: ReadonlySet<string> = new Set(["text", "html", "subject"]);

/** Our own secrets by their form, those of webhooks, and what stands in addresses below which a secret stands. */
const SECRETS = new RegExp(
	[
		"svc_(?:sk_(?:live|test)|live|test|ses|pat|sig)_[0-9A-Za-z]{20,}",
		"whsec_[0-9A-Za-z+/=_-]{20,}",
		`(?<=(?:${SECRET_BELOW.join("|")})/)[^\\s"'/?#<>]+`,
	].join("|"),
	"g",
);

export interface Masked {
	readonly value: unknown;
	readonly count: number;
}

/** @param value whatever JSON may be */
export function masked(value: unknown): Masked {
	let count = 0;
	const hide = () => {
		count++;
		return MASK;
	};
	const within = (part: unknown): unknown => {
		if (typeof part === "string") return part.replace(SECRETS, hide);
		if (Array.isArray(part)) return part.map(within);
		if (typeof part !== "object" || part === null) return part;
		const isMail = "recipient" in part;
		// The names are others', too: an ordinary object would lose a value under "__proto__".
		const members = Object.entries(part).map(([name, member]) => {
			const isSecret = SECRET_FIELDS.has(name) || (isMail && MAIL_FIELDS.has(name));
			return [within(name), isSecret && isThere(member) ? hide() : within(member)];
		});
		return Object.fromEntries(members);
	};
	return { value: within(value), count };
}

function isThere(member: unknown): boolean {
	return member !== null && member !== "" && typeof member !== "boolean" && typeof member !== "number";
}
