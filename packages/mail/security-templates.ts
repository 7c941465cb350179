import { shortLine } from "@svc/base/text";
import { type Letter, note, text, utc } from "./letter.ts";
import type { MailFacts } from "./mail.ts";
import type { texts } from "./messages.ts";

/*
 * Letters about the safety of an account. None of them holds six digits in a row, so that nobody, and no program, takes them for a code:
 * names that people chose lose theirs.
 */

type SecurityTemplate = "email_changed" | "address_given_up";
type Say = ReturnType<typeof texts>;

/** Characters of a name or an address that a letter repeats. */
const SHOWN_MAX = 254;
/** Digits as codes are written: in a row, or in groups. */
const CODE_LIKE = /\p{Nd}(?:[\s\p{Pd}.]?\p{Nd}){5,}/gu;

/** A name or address from a person, without what could be taken for a code. */
function shown(value: string): string {
	return shortLine(value, SHOWN_MAX).replace(CODE_LIKE, "…");
}

export const SECURITY_TEMPLATES = {
	email_changed: ({ email, link, days = 0 }, service, t) => ({
		subject: t("email_changed.subject", { service }),
		heading: t("email_changed.heading"),
		parts: [
			text(t("email_changed.text", { service, email: shown(email) })),
			// A mail of an earlier release has no way back.
			...(link === undefined
				? []
				: [
						text(t("email_changed.undo", { days })),
						{ kind: "link" as const, label: t("email_changed.link"), address: link },
					]),
			note(t("letter.why", { service })),
		],
	}),
	address_given_up: ({ email, until, link }, service, t) => ({
		subject: t("address_given_up.subject", { service }),
		heading: t("address_given_up.heading"),
		parts: [
			text(t("address_given_up.text", { service, email: shown(email), until: utc(until) })),
			{ kind: "link", label: t("email_changed.link"), address: link },
			note(t("letter.why", { service })),
		],
	}),
} satisfies {
	readonly [Template in SecurityTemplate]: (facts: MailFacts[Template], service: string, t: Say) => Letter;
};
