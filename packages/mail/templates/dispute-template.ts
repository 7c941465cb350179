import type { Locale } from "@svc/base/enumerations";
import { moneyText } from "@svc/base/words/money";
import type { MailFacts } from "../mail.ts";
import { type Letter, appName as name, note, type Say, text } from "./letter.ts";

/** The mail to those who answer for what is sold, about a payment that the payer's bank asks back. */
export function disputeLetter(
	{ app, plan, state, disputed, currency, until }: MailFacts["payment_disputed"],
	service: string,
	t: Say,
	locale: Locale,
): Letter {
	const amount = moneyText(disputed, currency, locale);
	const about = { app: name(app), plan: name(plan), state };
	const day = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });
	const due =
		until === undefined ? [] : [text(t("payment_disputed.due", { day: `${day.format(Date.parse(until))} UTC` }))];
	return {
		subject: t("payment_disputed.subject", about),
		heading: t("payment_disputed.heading", { state }),
		parts: [
			text(t("payment_disputed.text", { ...about, amount })),
			...due,
			note(t("payment_disputed.why", { service })),
		],
	};
}
