/* Writes every mail in every language, as HTML and as text, into a folder: bun test/gallery/mail.ts <folder> */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LOCALES } from "@svc/base/enumerations";
import type { MailContent } from "@svc/mail/mail";
import { render } from "@svc/mail/templates/render";

const GOLD = {
	...{ app: "Herbarium", plan: "Gold", amount: 500, currency: "eur", interval: "month" },
	page: "http://localhost:3000/account/plans/sub_0000000000000000000000",
} as const;

const SIGN_IN =
	"https://svc.example.com/account/link/bcdfghjklmnpqrstbcdfghjklmnpqrst?login=log_0aBcDeFgHiJkLmNoPqRsTu";

const MAILS = {
	sign_in_code: { template: "sign_in_code", facts: { code: "402917", minutes: 10 } },
	connect_code: { template: "connect_code", facts: { code: "058332", minutes: 10, app: "Herbarium" } },
	sign_in_link: { template: "sign_in_link", facts: { link: SIGN_IN, minutes: 10 } },
	connect_link: { template: "connect_link", facts: { link: SIGN_IN, minutes: 10, app: "Herbarium" } },
	step_up_code: { template: "step_up_code", facts: { code: "771040", minutes: 10 } },
	email_change_code: { template: "email_change_code", facts: { code: "264418", minutes: 10 } },
	email_changed: { template: "email_changed", facts: { email: "rosalind.new@example.org" } },
	security_letter: {
		template: "security_letter",
		facts: {
			deed: "key",
			at: "2026-12-01T10:00:00.000Z",
			days: 7,
			link: "https://svc.example.com/account/not-me/bcdfghjklm",
			device: "Firefox on Linux",
			network: "192.0.2.0/24",
			name: "Deploys",
			app: "Herbarium",
			who: "ada@example.com",
		},
	},
	address_given_up: {
		template: "address_given_up",
		facts: {
			email: "a•••@example.com",
			until: "2026-12-01T10:00:00.000Z",
			link: "https://svc.example.com/account/undo/bcdfghjklm",
		},
	},
	invite: {
		template: "invite",
		facts: {
			app: "Herbarium",
			by: "ada@example.com",
			role: "editor",
			link: `https://svc.example.com/invites/accept?token=${"k3".repeat(24)}`,
			days: 7,
		},
	},
	app_blocked: { template: "app_blocked", facts: { app: "Herbarium", reason: "content_policy" } },
	subscription_started: {
		template: "subscription_started",
		facts: { ...GOLD, until: "2026-12-01T10:00:00.000Z", withdraw: "2026-12-08T10:00:00.000Z", tax: 83 },
	},
	trial_started: {
		template: "trial_started",
		facts: { ...GOLD, until: "2026-12-01T10:00:00.000Z", withdraw: "2026-12-08T10:00:00.000Z" },
	},
	trial_ending: {
		template: "trial_ending",
		facts: { ...GOLD, until: "2026-12-01T10:00:00.000Z" },
	},
	not_renewed: {
		template: "not_renewed",
		facts: {
			app: "Herbarium",
			plan: "Scale",
			goods: "tier",
			until: "2026-12-01T10:00:00.000Z",
			page: "https://svc.example.com/account/plans/sub_1",
		},
	},
	withdrawn: { template: "withdrawn", facts: { ...GOLD, refund: 500, invoices: "2AVWHRJ7-000001" } },
	plan_by_operator: {
		template: "plan_by_operator",
		facts: { ...GOLD, deed: "refunded", refund: 500, invoices: "ABCD-000012", reason: "It was charged twice." },
	},
	plan_granted: {
		template: "plan_granted",
		facts: { ...GOLD, deed: "given", until: "2026-12-01T10:00:00.000Z", reason: "Thank you for your help." },
	},
	further_refund: { template: "further_refund", facts: { ...GOLD, refund: 500 } },
	paid_twice: { template: "paid_twice", facts: { ...GOLD, refund: 500 } },
	paid_unavailable: { template: "paid_unavailable", facts: { ...GOLD, refund: 500 } },
	plan_paused: { template: "plan_paused", facts: GOLD },
	plan_resumed: { template: "plan_resumed", facts: { ...GOLD, until: "2026-12-01T10:00:00.000Z" } },
	app_plan_started: {
		template: "app_plan_started",
		facts: {
			...GOLD,
			seller: "service",
			until: "2026-12-01T10:00:00.000Z",
			withdraw: "2026-12-01T10:00:00.000Z",
			tax: 80,
		},
	},
	app_plan_failing: {
		template: "app_plan_failing",
		facts: {
			...GOLD,
			seller: "service",
			due: 2_000,
			until: "2026-12-01T10:00:00.000Z",
			next: "2026-12-01T10:00:00.000Z",
		},
	},
	app_plan_locked: {
		template: "app_plan_locked",
		facts: { ...GOLD, seller: "service", until: "2026-12-01T10:00:00.000Z" },
	},
	app_plan_ended: {
		template: "app_plan_ended",
		facts: { ...GOLD, seller: "service", until: "2026-12-01T10:00:00.000Z" },
	},
	app_limit: {
		template: "app_limit",
		facts: {
			app: "Herbarium",
			limit: "images",
			percent: 80,
			used: 4_012,
			most: 5_000,
			page: "https://svc.example.com/account/plans",
		},
	},
	plan_gone: { template: "plan_gone", facts: { ...GOLD, refund: 321, until: "2026-12-01T10:00:00.000Z" } },
	role_changed: {
		template: "role_changed",
		facts: { app: "Herbarium", by: "ada@example.com", role: "editor", page: "https://svc.example.com/account" },
	},
	removed_from_team: {
		template: "removed_from_team",
		facts: { app: "Herbarium", by: "ada@example.com", page: "https://svc.example.com/account" },
	},
	image_blocked: {
		template: "image_blocked",
		facts: { app: "Herbarium", image: "img_0123456789ABCDEFGHIJKL", reason: "dmca" },
	},
	report_settled: {
		template: "report_settled",
		facts: { image: "img_0123456789ABCDEFGHIJKL", outcome: "actioned" },
	},
	webhook_failing: { template: "webhook_failing", facts: { app: "Herbarium", url: "https://app.example.com/hooks" } },
	webhook_disabled: { template: "webhook_disabled", facts: { app: "Herbarium", url: "https://app.example.com/hooks" } },
	image_host_lost: {
		template: "image_host_lost",
		facts: { app: "Herbarium", host: "img.herbarium.example", page: "https://svc.example.com/console/app_1/delivery" },
	},
	delivery_unusual: {
		template: "delivery_unusual",
		facts: {
			...{ app: "Herbarium", bytes: 212_400_000_000, renditions: 48_211 },
			...{ usualBytes: 9_300_000_000, usualRenditions: 610, page: "https://svc.example.com/console/app_1/delivery" },
		},
	},
	app_unblocked: { template: "app_unblocked", facts: { app: "Herbarium" } },
	payment_disputed: {
		template: "payment_disputed",
		facts: {
			app: "Herbarium",
			plan: "Silver",
			state: "open",
			disputed: 600,
			currency: "eur",
			until: "2026-12-08T10:00:00.000Z",
		},
	},
	export_ready: {
		template: "export_ready",
		facts: {
			images: 1_234,
			bytes: 987_654_321,
			until: "2026-12-01T10:00:00.000Z",
			page: "https://svc.example.com/account/export",
		},
	},
	part_failing: { template: "part_failing", facts: { part: "store", since: "2026-12-01T10:00:00.000Z" } },
	part_healed: {
		template: "part_healed",
		facts: { part: "mail", since: "2026-12-01T10:00:00.000Z", until: "2026-12-01T11:42:00.000Z" },
	},
} satisfies Record<MailContent["template"], MailContent>;

/** What a mail says only at times. */
const SELDOM: readonly MailContent[] = [
	{ template: "withdrawn", facts: { ...GOLD, refund: 0, held: 500 } },
	{ template: "further_refund", facts: { ...GOLD, refund: 500, gone: true } },
	{ template: "plan_gone", facts: { ...GOLD, refund: 100, held: 500, until: "2026-12-01T10:00:00.000Z" } },
];

const HOSTILE: readonly MailContent[] = [
	{
		template: "connect_code",
		facts: { code: "112233", minutes: 10, app: `<b>Win</b> at www.evil.example/x "now" ${"Wörter".repeat(30)}` },
	},
	{ template: "connect_code", facts: { code: "••••••", minutes: 1, app: "مكتبة الصور 👩‍👩‍👧" } },
	{ template: "invite", facts: { app: "الصور", by: `${"a".repeat(60)}@example.com`, role: "viewer", link: "••••••" } },
];

const folder = process.argv[2] ?? "mails";
await mkdir(folder, { recursive: true });
const all: readonly MailContent[] = [...Object.values(MAILS), ...SELDOM, ...HOSTILE];
for (const locale of LOCALES) {
	for (const [index, content] of all.entries()) {
		const sender = { serviceName: "Svc", webUrl: "https://svc.example.com" };
		const { subject, text, html } = render(content, sender, locale);
		const name = join(folder, `${locale}-${String(index + 1).padStart(2, "0")}-${content.template}`);
		await writeFile(`${name}.html`, html);
		await writeFile(`${name}.txt`, `Subject: ${subject}\n\n${text}`);
	}
}
