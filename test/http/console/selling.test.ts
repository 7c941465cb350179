import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { advanceTo, simulate } from "../../support/billing.ts";
import type { Browser, Shown } from "../../support/browser.ts";
import { codeFor } from "../../support/connect.ts";
import { formOf, sendForm, signedIn } from "../../support/console.ts";
import { addMember, addPerson } from "../../support/people.ts";
import { setSelling } from "../../support/selling.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { sold } from "../../support/sold.ts";
import { ask, makeTeam, type Team } from "../../support/teams.ts";

/* Selling in the console without a script, in the order in which an Owner meets it. */

const PAGES = join(import.meta.dirname, "../../../apps/pages");

const service = serviceFor();
const operator = madeBefore(() => addPerson(service.database, { operator: true }));
const at = ({ appId }: Team, rest = "plans") => `/console/${appId}/${rest}`;
const acts = ({ forms }: Shown) => forms.flatMap(({ fields }) => fields.act ?? []);

interface Plan {
	readonly id: string;
	readonly archived_at: string | null;
	readonly prices: readonly { readonly amount: number; readonly on_sale: boolean }[];
}

const plansOf = async (team: Team) =>
	(await ask(service, team.owner, "GET", `${team.path}/plans`)).body.data as readonly Plan[];

/** What is still to do before people can buy. */
function missing({ html }: Shown): readonly string[] {
	const [, list = ""] = /<ol class="rows">(.*?)<\/ol>/s.exec(html) ?? [];
	return [...list.matchAll(/<span>([^<]*)<\/span>(?:(?!<li>).)*?<span class="tag( warns)?">/gs)].flatMap(
		([, text = "", warns]) => (warns === undefined ? [] : [text]),
	);
}

/** The words on the button of the form that does a deed. */
function buttonOf({ html }: Shown, act: string): string {
	const [, form = ""] = new RegExp(`name="act" value="${act}"(.*?)</form>`, "s").exec(html) ?? [];
	return (/<button[^>]*>(.*?)<\/button>/s.exec(form)?.[1] ?? "").replaceAll(/<[^>]*>/g, "");
}

/** Two clicks at once, of which the second may find the first one under way, and a third later on. */
async function twice(browser: Browser, action: string, fields: Readonly<Record<string, string>>): Promise<Shown> {
	const pressed = await Promise.all([1, 2].map(() => browser.post(action, fields)));
	for (const { status } of pressed) expect([303, 409]).toContain(status);
	const again = await browser.post(action, fields);
	expect(again.status).toBe(303);
	return again;
}

describe("an Owner who begins to sell", () => {
	test("is told step by step what is missing, and at last where people buy", async () => {
		const team = await makeTeam(service, "Moth Shop");
		const owner = await signedIn(service, team.owner);
		const allowed = "Operators let this App sell";
		const signIn = "People can sign in to the App, and come back to it";
		const rest = ["There is a plan", "A plan has a price on sale"];
		const first = await owner.open(at(team));
		expect(missing(first)).toEqual([allowed, signIn, ...rest]);
		expect(first.html).toContain(`svc selling on --app ${team.appId}`);
		await addMember(service.database, { id: team.appId }, operator, "viewer");
		const led = (await (await signedIn(service, operator)).open(at(team))).links;
		expect(led.get("You are an operator: turn it on here")).toBe(`/console/operator/apps?id=${team.appId}`);
		// What REST refuses for now has no form; what holds without a plan can be said.
		expect(acts(first)).toEqual(["free", "codes"]);
		const { form_token = "" } = formOf(await owner.open(at(team, "settings")), "save").fields;
		const forged = await owner.post(at(team), { form_token, act: "create", key: "plus", name: "Plus" });
		expect(forged.status).toBe(403);
		await setSelling(service.database, team.appId);
		expect(missing(await owner.open(at(team)))).toEqual([signIn, ...rest]);
		await ask(service, team.owner, "PATCH", team.path, { sign_in_enabled: true });
		await ask(service, team.owner, "POST", `${team.path}/redirect_uris`, { uri: "https://moths.example/back" });
		expect(missing(await owner.open(at(team)))).toEqual(rest);
		const made = await sendForm(owner, await owner.open(at(team)), "create", { key: "plus", name: "Plus" });
		expect(missing(await owner.follow(made))).toEqual(rest.slice(1));
		const [plan] = await plansOf(team);
		const price = `${at(team)}?price=${plan?.id}&amount=5&currency=usd&interval=month&trial_days=0`;
		const last = await owner.follow(await sendForm(owner, await owner.open(price), "price"));
		expect(missing(last)).toEqual([]);
		const card = `http://localhost:3000/billing?app=${team.appId}&amp;redirect_uri=https%3A%2F%2Fmoths.example%2Fback`;
		expect(last.html).toContain(card);
		await ask(service, team.owner, "POST", `${team.path}/pause`);
		expect(missing(await owner.open(at(team)))).toEqual(["The App works: it is neither paused nor blocked"]);
	});
});

/** An App with a plan, and its Owner in a browser. */
async function shop(): Promise<{ readonly team: Team; readonly owner: Browser; readonly plan: string }> {
	const team = await makeTeam(service, "Prints");
	await setSelling(service.database, team.appId);
	const owner = await signedIn(service, team.owner);
	const benefits = "Large prints\r\n\r\nNo frames\r\n";
	const typed = { key: "plus", name: "Plus", description: "All of it", benefits, images: "500", display_order: "2" };
	await sendForm(owner, await owner.open(at(team)), "create", typed);
	return { team, owner, plan: (await plansOf(team))[0]?.id ?? "none" };
}

describe("plans", () => {
	test("are described as the card shows them, changed and archived; what is refused is said beside its field", async () => {
		const { team, owner, plan } = await shop();
		const whole = { key: "plus", name: "Plus", description: "All of it", benefits: ["Large prints", "No frames"] };
		const kept = { ...whole, display_order: 2, limits: { images: 500, bytes: null } };
		expect(await plansOf(team)).toMatchObject([kept]);
		const again = await sendForm(owner, await owner.open(at(team)), "create", {
			key: "plus",
			name: "Two",
			images: "ten",
		});
		expect([again.status, again.html.includes('value="ten"')]).toEqual([422, true]);
		expect(again.html).toMatch(/<input id="images"[^>]*aria-invalid="true"/);
		const official = await sendForm(owner, await owner.open(at(team)), "create", { key: "two", name: "Official" });
		expect([official.status, /<input id="name"[^>]*aria-invalid="true"/.test(official.html)]).toEqual([422, true]);
		const form = await owner.open(`${at(team)}?edit=${plan}`);
		expect(formOf(form, "save").fields).toMatchObject({ name: "Plus", images: "500", bytes: "", display_order: "2" });
		await sendForm(owner, form, "save", { name: "Plus & more", benefits: "", images: "" });
		const changed = { ...kept, name: "Plus & more", benefits: [], limits: { images: null, bytes: null } };
		expect(await plansOf(team)).toMatchObject([changed]);
		const archived = await owner.follow(await sendForm(owner, await owner.open(at(team)), "archive"));
		expect([archived.html.includes("1 archived plan"), acts(archived)]).toEqual([true, ["create", "free", "codes"]]);
		// Each field is one of its page, so that its label and its fault are its own.
		const ids = [...archived.html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
		expect(ids.filter((id, place) => ids.indexOf(id) !== place)).toEqual([]);
		expect((await plansOf(team))[0]?.archived_at).not.toBeNull();
	});

	test("get a price in two steps: the first changes nothing, and the button of the second says the price", async () => {
		const { team, owner, plan } = await shop();
		const at1 = (query: string) => `${at(team)}?price=${plan}&${query}`;
		for (const [query, field] of [
			["amount=abc&currency=eur", "amount"],
			["amount=7.655&currency=eur", "amount"],
			["amount=7.6&currency=jpy", "amount"],
			["amount=7.65&currency=euros", "currency"],
			["amount=7.65&currency=eur&trial_days=x", "trial_days"],
		] as const) {
			const page = await owner.open(at1(query));
			expect([query, page.status, acts(page)]).toEqual([query, 200, []]);
			expect(page.html).toMatch(new RegExp(`<input id="${field}"[^>]*aria-invalid="true"`));
		}
		const seen = await owner.open(at1("amount=76,50&currency=EUR&interval=year&trial_days=14"));
		expect(buttonOf(seen, "price")).toBe("Sell at €76.50 a year");
		// The card's own parts, with the price that is about to be, in both looks.
		for (const scheme of ["light", "dark"]) {
			const [, look = ""] = new RegExp(`<div class="look in-${scheme}">(.*?)</figure>`, "s").exec(seen.html) ?? [];
			const words = look.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
			expect(words).toContain("Choose a plan Nothing is charged yet: you pay on the next page. Plus All of it");
			expect(words).toContain("Up to 500 pictures Large prints No frames €76.50 a year The first 14 days are free.");
			expect(look).toMatch(/<button class="primary" type="button" disabled="">Try it for 14 days<\/button>/);
		}
		expect((await plansOf(team))[0]?.prices).toEqual([]);
		const sent = formOf(seen, "price");
		await twice(owner, sent.action, sent.fields);
		const terms = { amount: 7650, currency: "eur", interval: "year", trial_days: 14, on_sale: true };
		expect((await plansOf(team))[0]?.prices).toMatchObject([terms]);
		const cheap = await owner.open(at1("amount=0.01&currency=eur&interval=month"));
		const refused = await sendForm(owner, cheap, "price");
		expect([refused.status, refused.html.includes("less cannot be charged")]).toEqual([422, true]);
		expect(refused.html).toMatch(/<input id="amount"[^>]*value="0.01"|value="0.01"[^>]*id="amount"/);
		const list = await owner.open(at(team));
		expect(buttonOf(list, "on_sale")).toBe("Stop selling at €76.50 a year");
		const off = await owner.follow(await sendForm(owner, list, "on_sale"));
		expect([buttonOf(off, "on_sale"), (await plansOf(team))[0]?.prices]).toMatchObject([
			"Sell at €76.50 a year again",
			[{ ...terms, on_sale: false }],
		]);
	});

	test("are shown in the App's own colour, by a sheet that nobody else's words are part of", async () => {
		const { team, owner, plan } = await shop();
		await ask(service, team.owner, "PATCH", team.path, { profile: { accent_color: "#aa3300" } });
		const page = await owner.open(`${at(team)}?price=${plan}&amount=5&currency=usd`);
		const sheet = /href="(\/assets\/looks-aa3300\.[^"]*)"/.exec(page.html)?.[1] ?? "none";
		const { status, html } = await owner.open(sheet);
		expect([status, html]).toEqual([
			200,
			expect.stringMatching(/^\.in-light\{--accent:#aa3300;[^{}]*\}\.in-dark\{[^{}]*\}\n$/),
		]);
	});
});

test("the dark look of the card has the colours that a dark browser gives the whole page", async () => {
	const colours = (text: string) => [...text.matchAll(/--[\w-]+: [^;]+;/g)].map(([line]) => line);
	const within = (path: string, from: RegExp) => (from.exec(readFileSync(join(PAGES, path), "utf8"))?.[1] ?? "").trim();
	const page = colours(within("kit/pages.css", /prefers-color-scheme: dark\) \{\s*:root \{([^}]*)\}/));
	expect(page.length).toBeGreaterThan(10);
	expect(colours(within("console/console.css", /\.in-dark \{([^}]*)\}/))).toEqual(page);
});

describe("subscribers", () => {
	const paidBack = async (team: Team, subscription: string) => {
		const { body } = await ask(service, team.owner, "GET", `${team.path}/subscriptions/${subscription}`);
		return (body.invoices as readonly { amount_refunded: number }[]).map((one) => one.amount_refunded);
	};

	test("are listed with what they pay, and their invoices; a Viewer sees them, and nothing to press", async () => {
		const team = await makeTeam(service, "Papers");
		const viewer = await signedIn(service, team.viewer);
		expect((await viewer.open(at(team, "subscribers"))).html).toContain("Nobody has bought a plan yet.");
		const { subscription, invoice } = await sold(service, team);
		const list = await viewer.open(at(team, "subscribers"));
		const words = list.html.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
		expect(words).toMatch(/acc_\w+@example\.com sold-\w+ \$5\.00 a month Renews on .* \$5\.00 /);
		const path = at(team, `subscribers/${subscription}`);
		expect([...list.links.values()]).toContain(path);
		for (const address of [path, `${path}?refund=${invoice}`]) {
			const one = await viewer.open(address);
			expect([one.status, acts(one), one.html.includes("Paid $5.00 on")]).toEqual([200, [], true]);
			expect(one.html).not.toContain("?refund=");
		}
	});

	test("are paid back what the button says, once for two clicks, and told why; less is left then", async () => {
		const team = await makeTeam(service, "Frames");
		const { subscription, invoice } = await sold(service, team);
		const owner = await signedIn(service, team.owner);
		const path = at(team, `subscribers/${subscription}`);
		const whole = await owner.open(`${path}?refund=${invoice}`);
		expect(buttonOf(whole, "refund")).toBe("Refund $5.00");
		const part = await owner.open(`${path}?refund=${invoice}&amount=1.20`);
		expect(buttonOf(part, "refund")).toBe("Refund $1.20");
		expect(acts(await owner.open(`${path}?refund=${invoice}&amount=much`))).toEqual(["refund"]);
		expect(buttonOf(await owner.open(`${path}?refund=${invoice}&amount=much`), "refund")).toBe("");
		const silent = await sendForm(owner, part, "refund", { reason: "" });
		expect([silent.status, /<input id="reason"[^>]*aria-invalid="true"/.test(silent.html)]).toEqual([422, true]);
		const { action, fields } = formOf(part, "refund");
		const pressed = await twice(owner, action, { ...fields, reason: "Was down" });
		expect(await paidBack(team, subscription)).toEqual([120]);
		const done = await owner.follow(pressed);
		expect([done.html.includes("Paid back."), done.html.includes("$1.20 on")]).toEqual([true, true]);
		// What was shown before is more than what is left by now: it is refused, and said beside the amount.
		const late = await sendForm(owner, whole, "refund", { reason: "Was down" });
		expect([late.status, late.html.includes("must be at most 380")]).toEqual([422, true]);
		expect(late.html).toMatch(/<input id="amount"[^>]*aria-invalid="true"/);
		expect(await paidBack(team, subscription)).toEqual([120]);
		const rest = await owner.open(`${path}?refund=${invoice}`);
		expect(buttonOf(rest, "refund")).toBe("Refund $3.80");
	});

	test("are paid back after their Owner has confirmed who they are; without the processor's answer the page says so, and it is done once", async () => {
		const team = await makeTeam(service, "Slides");
		const { subscription, invoice } = await sold(service, team);
		const stale = await signedIn(service, team.owner, { freshForMs: 0 });
		const path = `${at(team, `subscribers/${subscription}`)}?refund=${invoice}&amount=2`;
		const asked = await sendForm(stale, await stale.open(path), "refund", { reason: "Was down" });
		expect([asked.location.startsWith("/account/confirm"), await paidBack(team, subscription)]).toEqual([true, [0]]);
		const code = await codeFor(service.database, team.owner.email);
		const confirmed = await stale.submit(await stale.follow(asked), "/account/confirm", { code });
		expect([(await stale.follow(confirmed)).status, await paidBack(team, subscription)]).toEqual([200, [200]]);
		await simulate(service, operator, subscription, "silent");
		const away = await sendForm(stale, await stale.open(path), "refund", { reason: "Was down again" });
		expect([away.status, away.headers.get("retry-after") !== null]).toEqual([503, true]);
		await simulate(service, operator, subscription, "pay");
		await advanceTo(service, operator, service.rooms.billing.clock.now() + 120_000);
		await service.runJobs();
		expect(await paidBack(team, subscription)).toEqual([400]);
	});
});
