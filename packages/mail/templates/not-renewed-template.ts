import type { Locale } from "@svc/base/enumerations";
import type { MailFacts } from "../mail.ts";
import type { texts } from "../messages.ts";
import { type Letter, appName as name, note, text } from "./letter.ts";

/** The mail to a payer whose plan is not sold any more. */
export function notRenewedLetter(
	{ app, plan, goods, until, page }: MailFacts["not_renewed"],
	service: string,
	t: ReturnType<typeof texts>,
	locale: Locale,
): Letter {
	const names = { app: name(app), plan: name(plan) };
	const day = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });
	return {
		subject: t("not_renewed.subject", names),
		heading: t("not_renewed.heading", names),
		parts: [
			text(t("not_renewed.text", { ...names, goods, service, day: `${day.format(Date.parse(until))} UTC` })),
			text(t("not_renewed.back")),
			{ kind: "link", label: t("not_renewed.link"), address: page },
			note(t("not_renewed.why", { service })),
		],
	};
}
