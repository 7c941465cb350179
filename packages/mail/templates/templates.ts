import type { Locale } from "@svc/base/enumerations";
import { shortLine } from "@svc/base/text";
import { BETWEEN_IMAGES, type MailContent, type MailFacts, type MailTemplate } from "../mail.ts";
import { texts } from "../messages.ts";
import { BILLING_TEMPLATES } from "./billing-templates.ts";
import { disputeLetter } from "./dispute-template.ts";
import {
	type Letter,
	msOf,
	NAME_MAX,
	appName as name,
	note,
	type Part,
	type Say,
	type Sender,
	text,
} from "./letter.ts";
import { notRenewedLetter } from "./not-renewed-template.ts";
import { OWNER_TEMPLATES } from "./owner-templates.ts";
import { SECURITY_TEMPLATES } from "./security-templates.ts";

/* The text of each mail: plain words, the App by its name, and what to do for a recipient who did not ask for it. */

/** Characters of an address that a mail repeats. */
const ADDRESS_MAX = 254;

type Templates = {
	readonly [Template in MailTemplate]: (facts: MailFacts[Template], service: string, t: Say, locale: Locale) => Letter;
};

const TEMPLATES = {
	sign_in_code: ({ code, minutes }, service, t) => ({
		subject: t("sign_in_code.subject", { code, service }),
		heading: t("sign_in_code.heading"),
		parts: [
			text(t("sign_in_code.text", { service })),
			...codeParts(code, minutes, service, t),
			note(t("sign_in_code.note")),
		],
	}),
	connect_code: ({ code, minutes, app }, service, t) => ({
		subject: t("connect_code.subject", { code, app: name(app) }),
		heading: t("connect_code.heading", { app: name(app) }),
		parts: [
			text(t("connect_code.text", { service, app: name(app) })),
			...codeParts(code, minutes, service, t),
			note(t("connect_code.note", { app: name(app) })),
		],
	}),
	sign_in_link: ({ link, minutes }, service, t) => ({
		subject: t("sign_in_link.subject", { service }),
		heading: t("sign_in_link.heading"),
		parts: [text(t("sign_in_link.text", { service })), ...linkParts(link, minutes, t), note(t("sign_in_link.note"))],
	}),
	connect_link: ({ link, minutes, app }, service, t) => ({
		subject: t("connect_link.subject", { app: name(app) }),
		heading: t("connect_code.heading", { app: name(app) }),
		parts: [
			text(t("connect_link.text", { service, app: name(app) })),
			...linkParts(link, minutes, t),
			note(t("connect_link.note", { app: name(app) })),
		],
	}),
	step_up_code: ({ code, minutes }, service, t) => ({
		subject: t("step_up_code.subject", { code, service }),
		heading: t("step_up_code.heading"),
		parts: [
			text(t("step_up_code.text", { service })),
			...codeParts(code, minutes, service, t),
			note(t("step_up_code.note", { service })),
		],
	}),
	email_change_code: ({ code, minutes }, service, t) => ({
		subject: t("email_change_code.subject", { code, service }),
		heading: t("email_change_code.heading"),
		parts: [
			text(t("email_change_code.text", { service })),
			...codeParts(code, minutes, service, t),
			note(t("email_change_code.note")),
		],
	}),
	...SECURITY_TEMPLATES,
	invite: ({ app, by, role, link, days }, service, t) => ({
		subject: t("invite.subject", { app: name(app) }),
		heading: t("invite.heading", { app: name(app) }),
		parts: [
			text(t("invite.text", { by: shortLine(by, ADDRESS_MAX), app: name(app), service, role, word: wordOf(role) })),
			{ kind: "link", label: t("invite.open"), address: link },
			text(days === undefined ? t("invite.once") : t("invite.within", { days })),
			note(t("invite.note")),
		],
	}),
	export_ready: ({ images, bytes, until, page }, service, t, locale) => ({
		subject: t("export_ready.subject", { service }),
		heading: t("export_ready.heading"),
		parts: [
			text(t("export_ready.text", { service, images, bytes: sizeText(bytes, locale) })),
			text(t("export_ready.until", { until: msOf(until) })),
			{ kind: "link", label: t("export_ready.link"), address: page },
			note(t("export_ready.note", { service })),
		],
	}),
	role_changed: ({ app, by, role, page }, service, t) => ({
		subject: t("role_changed.subject", { app: name(app) }),
		heading: t("role_changed.heading", { app: name(app) }),
		parts: [
			text(
				t("role_changed.text", { by: shortLine(by, ADDRESS_MAX), app: name(app), service, role, word: wordOf(role) }),
			),
			{ kind: "link", label: t("team.link"), address: page },
			note(t("team.note", { app: name(app), service })),
		],
	}),
	removed_from_team: ({ app, by, page }, service, t) => ({
		subject: t("removed_from_team.subject", { app: name(app) }),
		heading: t("removed_from_team.heading", { app: name(app) }),
		parts: [
			text(t("removed_from_team.text", { by: shortLine(by, ADDRESS_MAX), app: name(app), service })),
			{ kind: "link", label: t("team.link"), address: page },
			note(t("removed_from_team.note", { app: name(app), service })),
		],
	}),
	image_blocked: ({ app, reason, ...facts }, service, t) => {
		const { count, image } = imagesOf(facts);
		const named = { app: name(app), count };
		const because = t("image_reason", { reason, word: wordOf(reason) });
		return {
			subject: t("image_blocked.subject", named),
			heading: t("image_blocked.heading", named),
			parts: [
				text(t("image_blocked.text", { ...named, service, image, reason: because })),
				text(t("image_blocked.effect", { count })),
				text(t("object", { service })),
				note(t("team.note", { app: name(app), service })),
			],
		};
	},
	report_settled: ({ outcome, ...facts }, service, t) => {
		const { count, image } = imagesOf(facts);
		return {
			subject: t("report_settled.subject", { service, count }),
			heading: t("report_settled.heading", { count }),
			parts: [
				text(t("report_settled.text", { service, count, image })),
				text(t("report_settled.outcome", { outcome, count, word: wordOf(outcome) })),
				note(t("report_settled.note", { service })),
			],
		};
	},
	webhook_failing: ({ app, url }, service, t) => ({
		subject: t("webhook_failing.subject", { app: name(app) }),
		heading: t("webhook_failing.heading", { app: name(app) }),
		parts: [
			text(t("webhook_failing.text", { service, app: name(app), url: shortLine(url, ADDRESS_MAX) })),
			text(t("webhook_failing.effect")),
			note(t("team.note", { app: name(app), service })),
		],
	}),
	webhook_disabled: ({ app, url }, service, t) => ({
		subject: t("webhook_disabled.subject", { app: name(app) }),
		heading: t("webhook_disabled.heading", { app: name(app) }),
		parts: [
			text(t("webhook_disabled.text", { service, app: name(app), url: shortLine(url, ADDRESS_MAX) })),
			text(t("webhook_disabled.effect")),
			note(t("team.note", { app: name(app), service })),
		],
	}),
	app_unblocked: ({ app }, service, t) => ({
		subject: t("app_unblocked.subject", { app: name(app) }),
		heading: t("app_unblocked.heading", { app: name(app) }),
		parts: [
			text(t("app_unblocked.text", { service, app: name(app) })),
			text(t("app_unblocked.effect")),
			note(t("team.note", { app: name(app), service })),
		],
	}),
	app_blocked: ({ app, reason }, service, t) => ({
		subject: t("app_blocked.subject", { app: name(app) }),
		heading: t("app_blocked.heading", { app: name(app) }),
		parts: [
			text(t("app_blocked.text", { service, app: name(app), reason: t("reason", { reason, word: wordOf(reason) }) })),
			text(t("app_blocked.effect")),
			text(t("object", { service })),
			note(t("team.note", { app: name(app), service })),
		],
	}),
	image_host_lost: ({ app, host, page }, service, t) => ({
		subject: t("image_host_lost.subject", { app: name(app), host: shortLine(host, ADDRESS_MAX) }),
		heading: t("image_host_lost.heading", { host: shortLine(host, ADDRESS_MAX) }),
		parts: [
			text(t("image_host_lost.text", { service, app: name(app), host: shortLine(host, ADDRESS_MAX) })),
			text(t("image_host_lost.effect", { service, host: shortLine(host, ADDRESS_MAX) })),
			{ kind: "link", label: t("image_host_lost.link"), address: page },
		],
	}),
	delivery_unusual: ({ app, bytes, renditions, usualBytes, usualRenditions, page }, service, t, locale) => ({
		subject: t("delivery_unusual.subject", { app: name(app) }),
		heading: t("delivery_unusual.heading", { app: name(app) }),
		parts: [
			text(t("delivery_unusual.text", { service, app: name(app), bytes: sizeText(bytes, locale), renditions })),
			text(t("delivery_unusual.usual", { bytes: sizeText(usualBytes, locale), renditions: usualRenditions })),
			text(t("delivery_unusual.effect")),
			{ kind: "link", label: t("delivery_unusual.link"), address: page },
			note(t("team.note", { app: name(app), service })),
		],
	}),
	part_failing: ({ part, since }, service, t) => {
		const what = t("part", { part, word: wordOf(part) });
		return {
			subject: t("part_failing.subject", { service, part: what }),
			heading: t("part_failing.heading", { part: what }),
			parts: [
				text(t("part_failing.text", { service, part: what, since: msOf(since) })),
				text(t("part_failing.more")),
				note(t("operator.note", { service })),
			],
		};
	},
	part_healed: ({ part, since, until }, service, t) => {
		const what = t("part", { part, word: wordOf(part) });
		return {
			subject: t("part_healed.subject", { service, part: what }),
			heading: t("part_healed.heading", { part: what }),
			parts: [
				text(t("part_healed.text", { service, part: what, since: msOf(since), until: msOf(until) })),
				note(t("operator.note", { service })),
			],
		};
	},
	...BILLING_TEMPLATES,
	...OWNER_TEMPLATES,
	payment_disputed: disputeLetter,
	not_renewed: notRenewedLetter,
} satisfies Templates;

export function letterOf({ template, facts }: MailContent, { serviceName }: Sender, locale: Locale): Letter {
	// A template and its facts belong together; the compiler cannot follow that through the table.
	const write = TEMPLATES[template] as (facts: MailContent["facts"], service: string, t: Say, locale: Locale) => Letter;
	return write(facts, shortLine(serviceName, NAME_MAX), texts(locale), locale);
}

function codeParts(code: string, minutes: number, service: string, t: Say): readonly Part[] {
	return [{ kind: "code", code: shortLine(code, NAME_MAX) }, text(t("code.validity", { minutes, service }))];
}

function linkParts(address: string, minutes: number, t: Say): readonly Part[] {
	return [{ kind: "link", label: t("sign_in_link.open"), address }, text(t("sign_in_link.validity", { minutes }))];
}

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** Decimal units, as storage is sold in. */
function sizeText(bytes: number, locale: Locale): string {
	const power = bytes < 1_000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
	const unit = { style: "unit", unit: UNITS[power] ?? "byte" } as const;
	// Bytes are written out: no language shortens them in a way that all read.
	const style = { ...unit, unitDisplay: power === 0 ? "long" : "short", maximumFractionDigits: 1 } as const;
	return new Intl.NumberFormat(locale, style).format(bytes / 1_000 ** power);
}

/** Outboxes outlive releases: a word that this release does not know is shown unchanged. */
function wordOf(word: string): string {
	return shortLine(word, NAME_MAX);
}

/** The images of which a mail tells: one, or as many as it has gathered. */
function imagesOf({ image }: { readonly image: string }) {
	const named = image.split(BETWEEN_IMAGES);
	return { count: named.length, image: named.map((one) => shortLine(one, NAME_MAX)).join(BETWEEN_IMAGES) };
}
