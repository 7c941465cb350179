import { describe, expect, test } from "bun:test";
import { LETTER_DEEDS, type LetterDeed, LOCALES } from "@svc/base/enumerations";
import fc from "fast-check";
import { MAIL_TEMPLATES, type MailContent, type MailTemplate } from "../mail.ts";
import { render } from "./render.ts";

const SENDER = { serviceName: "Svc", webUrl: "https://svc.example.com" };
const LINK = "https://svc.example.com/invites/accept?token=abc&x=1";

function letterOf(deed: LetterDeed, words: string): MailContent {
	const from = { device: words, network: "192.0.2.0/24", name: words, app: words, who: words };
	return { template: "security_letter", facts: { deed, at: "2026-12-01T10:00:00.000Z", days: 7, link: LINK, ...from } };
}

test("no letter about an account holds six digits that could be taken for a code, whatever names people chose", () => {
	for (const locale of LOCALES) {
		for (const deed of LETTER_DEEDS) {
			for (const words of [
				"Studio 123456",
				"123 456",
				"12-34-56",
				"1.2.3.4.5.6",
				"１２３４５６",
				"a123456@example.com",
			]) {
				const { subject, text, html } = render(letterOf(deed, words), SENDER, locale);
				// Colours and sizes of the page are no text of it.
				const readable = `${subject}\n${text}\n${html.replace(/<[^>]*>/g, " ")}`;
				expect(readable).not.toMatch(/\p{Nd}(?:[\s\-.]?\p{Nd}){5}(?!\p{Nd})/u);
			}
		}
	}
});

test("a mail about several images counts them and names each, in every language", () => {
	const ids = ["img_0a", "img_1b", "img_2c"];
	const image = ids.join(", ");
	const mails: readonly MailContent[] = [
		{ template: "image_blocked", facts: { app: "Herbarium", image, reason: "spam" } },
		{ template: "report_settled", facts: { image, outcome: "actioned" } },
		{ template: "report_settled", facts: { image, outcome: "dismissed" } },
	];
	for (const locale of LOCALES) {
		for (const mail of mails) {
			const { subject, text } = render(mail, SENDER, locale);
			const one = render({ ...mail, facts: { ...mail.facts, image: "img_0a" } } as MailContent, SENDER, locale);
			expect(text).toContain(image);
			expect(text).toContain("3");
			expect(text.replace(image, "img_0a")).not.toBe(one.text);
			if (locale !== "ja") expect([locale, subject]).not.toEqual([locale, one.subject]);
		}
	}
});

/** Every mail, with the same words from a stranger wherever a stranger chooses them. */
function mailsWith(words: string): readonly MailContent[] {
	const code = { code: "402917", minutes: 10 };
	return [
		{ template: "sign_in_code", facts: code },
		{ template: "connect_code", facts: { ...code, app: words } },
		{ template: "sign_in_link", facts: { link: LINK, minutes: 10 } },
		{ template: "connect_link", facts: { link: LINK, minutes: 10, app: words } },
		{ template: "step_up_code", facts: code },
		{ template: "email_change_code", facts: code },
		{ template: "email_changed", facts: { email: words, link: LINK, days: 7 } },
		...LETTER_DEEDS.slice(0, 1).map((deed) => letterOf(deed, words)),
		{ template: "address_given_up", facts: { email: words, until: "2026-12-01T10:00:00.000Z", link: LINK } },
		{ template: "invite", facts: { app: words, by: words, role: words, link: LINK, days: 7 } },
		{
			template: "export_ready",
			facts: { images: 3, bytes: 1_234_567, until: "2026-12-01T10:00:00.000Z", page: LINK },
		},
		{ template: "role_changed", facts: { app: words, by: words, role: words, page: LINK } },
		{ template: "removed_from_team", facts: { app: words, by: words, page: LINK } },
		{ template: "image_blocked", facts: { app: words, image: words, reason: words } },
		{ template: "report_settled", facts: { image: words, outcome: words } },
		{ template: "webhook_failing", facts: { app: words, url: words } },
		{ template: "webhook_disabled", facts: { app: words, url: words } },
		{ template: "app_unblocked", facts: { app: words } },
		{ template: "app_blocked", facts: { app: words, reason: words } },
		{
			template: "delivery_unusual",
			facts: { app: words, bytes: 1e10, renditions: 3, usualBytes: 1, usualRenditions: 0, page: LINK },
		},
		{ template: "image_host_lost", facts: { app: words, host: words, page: LINK } },
		{ template: "part_failing", facts: { part: "store", since: "2026-12-01T10:00:00.000Z" } },
		{
			template: "part_healed",
			facts: { part: "mail", since: "2026-12-01T10:00:00.000Z", until: "2026-12-01T11:42:00.000Z" },
		},
		{ template: "subscription_started", facts: { app: words, plan: words } },
		{ template: "trial_started", facts: { app: words, plan: words, until: "2026-12-01T10:00:00.000Z" } },
		{ template: "trial_ending", facts: { app: words, plan: words, until: "2026-12-01T10:00:00.000Z" } },
		{
			template: "not_renewed",
			facts: { app: words, plan: words, goods: "tier", until: "2026-12-01T10:00:00.000Z", page: LINK },
		},
		{ template: "plan_by_operator", facts: { app: words, plan: words, deed: "cancelled", reason: words } },
		{
			template: "plan_granted",
			facts: { app: words, plan: words, deed: "given", until: "2026-12-01T10:00:00.000Z", reason: words },
		},
		{ template: "withdrawn", facts: { app: words, plan: words } },
		{ template: "further_refund", facts: { app: words, plan: words } },
		{ template: "paid_twice", facts: { app: words, plan: words } },
		{ template: "paid_unavailable", facts: { app: words, plan: words } },
		{ template: "plan_paused", facts: { app: words, plan: words } },
		{ template: "plan_resumed", facts: { app: words, plan: words } },
		{
			template: "app_plan_started",
			facts: {
				app: words,
				plan: words,
				until: "2026-12-01T10:00:00.000Z",
				withdraw: "2026-12-01T10:00:00.000Z",
				tax: 0,
			},
		},
		{ template: "app_plan_failing", facts: { app: words, plan: words, due: 2_000, until: "2026-12-01T10:00:00.000Z" } },
		{ template: "app_plan_locked", facts: { app: words, plan: words, until: "2026-12-01T10:00:00.000Z" } },
		{ template: "app_plan_ended", facts: { app: words, plan: words, until: "2026-12-01T10:00:00.000Z" } },
		{
			template: "app_limit",
			facts: { app: words, limit: "images", percent: 80, used: 4_000, most: 5_000, page: LINK },
		},
		{
			template: "payment_disputed",
			facts: {
				app: words,
				plan: words,
				state: "open",
				disputed: 600,
				currency: "usd",
				until: "2026-12-01T10:00:00.000Z",
			},
		},
		{ template: "plan_gone", facts: { app: words, plan: words } },
	];
}

/**
 * What a mail of each template said when the first release with it came, by the names of its facts: mails that wait in the outbox are sent by later releases. A fact
 * that comes later may be missing, and is optional in `MailFacts`.
 */
const SINCE_THE_FIRST = {
	sign_in_code: "code minutes",
	connect_code: "code minutes app",
	sign_in_link: "link minutes",
	connect_link: "link minutes app",
	step_up_code: "code minutes",
	email_change_code: "code minutes",
	email_changed: "email",
	security_letter: "deed at days link device network name app who",
	address_given_up: "email until link",
	invite: "app by role link",
	export_ready: "images bytes until page",
	role_changed: "app by role page",
	removed_from_team: "app by page",
	image_blocked: "app image reason",
	report_settled: "image outcome",
	webhook_failing: "app url",
	webhook_disabled: "app url",
	image_host_lost: "app host page",
	delivery_unusual: "app bytes renditions usualBytes usualRenditions page",
	app_unblocked: "app",
	app_blocked: "app reason",
	part_failing: "part since",
	part_healed: "part since until",
	subscription_started: "app plan",
	trial_started: "app plan until",
	trial_ending: "app plan until",
	not_renewed: "app plan goods until page",
	plan_by_operator: "app plan deed reason",
	plan_granted: "app plan deed until reason",
	withdrawn: "app plan",
	further_refund: "app plan",
	paid_twice: "app plan",
	paid_unavailable: "app plan",
	plan_paused: "app plan",
	plan_resumed: "app plan",
	app_plan_started: "app plan until withdraw tax",
	app_plan_failing: "app plan due until",
	app_plan_locked: "app plan until",
	app_plan_ended: "app plan until",
	app_limit: "app limit percent used most page",
	payment_disputed: "app plan state disputed currency",
	plan_gone: "app plan",
} as const satisfies Record<MailTemplate, string>;

test("a mail that a release before has left in the outbox is sent as a whole letter, without what it did not say yet", () => {
	for (const content of mailsWith("Herbarium")) {
		const names = SINCE_THE_FIRST[content.template].split(" ");
		const said = Object.entries(content.facts).filter(([name]) => names.includes(name));
		const earlier = { ...content, facts: Object.fromEntries(said) } as MailContent;
		for (const locale of LOCALES) {
			const { subject, text, html } = render(earlier, SENDER, locale);
			expect(`${subject}\n${text}\n${html}`).not.toMatch(/undefined|\bnull\b|NaN|Invalid Date/);
		}
	}
});

function one<Template extends MailContent["template"]>(template: Template, words = "Herbarium") {
	const content = mailsWith(words).find((mail) => mail.template === template);
	if (!content) throw new Error(`${template} is not tried`);
	return render(content, SENDER);
}

const tags = (html: string) => html.match(/<[^>]*>/g) ?? [];
const lines = (text: string) => text.split("\n").length;

describe.each(LOCALES.filter((locale) => locale !== "en"))("in %s", (locale) => {
	const other = mailsWith("Herbarium").map((content) => render(content, SENDER, locale));

	test("every mail is a text of its own, and says so", () => {
		const english = mailsWith("Herbarium").map((content) => render(content, SENDER));
		for (const [place, { subject, html, text }] of other.entries()) {
			expect(subject).not.toBe(english[place]?.subject);
			expect(text).not.toBe(english[place]?.text);
			expect(html).toContain(`<html lang="${locale}"`);
		}
	});
});

test("every template is tried here", () => {
	expect(mailsWith("x").map(({ template }) => template)).toEqual([...MAIL_TEMPLATES]);
});

test("what a bank has asked back is not promised with a withdrawal, and named", () => {
	const facts = { app: "Herbarium", plan: "Gold", currency: "usd", refund: 0, held: 1_500 };
	const { text } = render({ template: "withdrawn", facts }, SENDER);
	expect(text).toContain("Your bank has already claimed $15.00 of what you paid");
	expect(text).not.toContain("in full");
});

test("what a list of mails shows behind the subject is the first sentence, once more and unseen", () => {
	const { html } = one("withdrawn");
	expect(html).toMatch(/<body[^>]*>\n<div style="display:none;[^"]*">You have withdrawn from the plan “Herbarium”/);
});

describe("a code", () => {
	const names = ["sign_in_code", "connect_code", "step_up_code", "email_change_code"] as const;

	test.each(names)(
		"%s: in the subject, alone on a line, big; how long, that nobody asks for it, and what if not asked",
		(name) => {
			const { subject, text, html } = one(name);
			expect(subject).toStartWith("402917 ");
			expect(text.split("\n")).toContain("402917");
			expect(html).toMatch(/<p style="[^"]*34px[^"]*user-select:all">402917<\/p>/);
			for (const body of [text, html]) {
				expect(body).toContain("valid for 10 minutes");
				expect(body).toContain("Nobody at Svc will ever ask you for it");
				expect(body).toContain("You did not ask for it");
			}
		},
	);

	test("for an App says what typing it shares", () => {
		const { text, html } = one("connect_code");
		for (const body of [text, html])
			expect(body).toContain("it gets your e-mail address and private storage for your pictures");
	});

	test("for an App names the App, in the subject too", () => {
		const { subject, text, html } = one("connect_code");
		for (const part of [subject, text, html]) expect(part).toContain("Herbarium");
	});

	test("one minute is not one minutes", () => {
		const facts = { code: "1", minutes: 1 };
		expect(render({ template: "sign_in_code", facts }, SENDER).text).toContain("valid for 1 minute and");
	});
});

test("an invitation says who, to what, as what, where and how long", () => {
	const facts = { app: "Herbarium", by: "ada@example.com", role: "editor", link: LINK, days: 7 };
	const { text, html } = render({ template: "invite", facts }, SENDER);
	for (const part of ["ada@example.com", "Herbarium", "an Editor", "within 7 days"]) expect(text).toContain(part);
	expect(text.split("\n")).toContain(LINK);
	expect(html).toContain(`href="${LINK.replace("&", "&amp;")}"`);
});

test.each([
	"javascript:alert(1)",
	"data:text/html,x",
	"//evil.example",
	"https://a:b@evil.example/",
	"••••••",
	'"><img src=x>',
])("what is no address of ours to go to does not become a link: %s", (link) => {
	const facts = { app: "Herbarium", by: "ada@example.com", role: "editor", link };
	const { html } = render({ template: "invite", facts }, SENDER);
	expect(html.match(/href="[^"]*"/g)).toEqual(['href="https://svc.example.com/"']);
	expect(html).not.toContain("<img");
});

test("an App's name does not become a link, end its quotation marks, or turn the text around", () => {
	const { html, text } = one("connect_code", "www.evil.example”. Call \u202E+123\u2066 https://evil.example/x");
	for (const body of [html, text]) {
		expect(body).not.toMatch(/evil\.example|https:\/\/evil|[\u202E\u2066]/);
		expect(body).toMatch(/example("|&quot;)\. Call \+123 https:/);
	}
});

test("the HTML is whole, names its language, suits light and dark, and fetches nothing", () => {
	for (const content of mailsWith("Herbarium")) {
		const { html, subject } = render(content, SENDER);
		expect(html).toStartWith('<!doctype html>\n<html lang="en" dir="ltr">');
		expect(html).toContain('<meta name="color-scheme" content="light dark">');
		expect(html).toContain(`<title>${subject}</title>`);
		expect(html).not.toMatch(/<(img|link|script|style|iframe|svg|table)|url\(|src=|@import|\son\w+=/i);
		expect(
			[...html.matchAll(/style="([^"]*)"/g)].filter(([, style]) => /[^-]color:#(?!ffffff)/.test(style ?? "")),
		).toEqual([]);
	}
});

test("the same facts make the same mail", () => {
	for (const content of mailsWith("Herbarium")) expect(render(content, SENDER)).toEqual(render(content, SENDER));
});

describe("whatever a stranger chooses", () => {
	const words = fc.oneof(
		fc.string({ unit: "binary", maxLength: 400 }),
		fc.string({ unit: "grapheme", maxLength: 400 }),
		fc
			.array(
				fc.constantFrom(
					"\r\n",
					"\n",
					"\u2028",
					"\0",
					"Bcc: a@b.c",
					"<b>",
					"</p>",
					'"',
					"'",
					"&lt;",
					"=?utf-8?q?x?=",
					"\u202e",
					"\ud800",
					"\t",
					"-- \n",
				),
				{ maxLength: 60 },
			)
			.map((parts) => parts.join("")),
	);

	test("the subject is one bounded line, the text has no more lines, and the HTML no more tags", () => {
		const plain = mailsWith("x").map((content) => render(content, SENDER));
		fc.assert(
			fc.property(words, (chosen) => {
				for (const [index, content] of mailsWith(chosen).entries()) {
					const { subject, text, html } = render(content, SENDER);
					const usual = plain[index];
					expect(subject).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
					expect([...subject].length).toBeLessThanOrEqual(150);
					expect(lines(text)).toBe(lines(usual?.text ?? ""));
					expect(text).not.toMatch(/[^\P{Cc}\n]|\p{Cs}/u);
					expect(tags(html).filter((tag) => tag !== "<title>")).toEqual(
						tags(usual?.html ?? "").filter((tag) => tag !== "<title>"),
					);
					expect(html.length).toBeLessThan(20_000);
				}
			}),
			{ numRuns: 300 },
		);
	});

	test("unicode stays what it is", () => {
		for (const name of ["Bücher & Blüten", "مكتبة الصور", "写真館", "👩‍👩‍👧 Family", "नमस्ते", "O'Neill"]) {
			expect(one("connect_code", name).subject).toBe(`402917 is your code for ${name.normalize("NFC")}`);
		}
	});

	test("a name of a thousand characters is cut between characters, with a mark", () => {
		const { subject } = one("connect_code", "🦊".repeat(1_000));
		expect(subject).toBe(`402917 is your code for ${"🦊".repeat(79)}…`);
	});

	test("a name of nothing visible is said to be none", () => {
		expect(one("connect_code", "\u200b\u2060 \n").subject).toBe("402917 is your code for (no name)");
	});
});
