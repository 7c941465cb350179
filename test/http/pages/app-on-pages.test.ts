import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { lockImage, setImageStatus } from "../../support/apps.ts";
import { Browser, type Shown } from "../../support/browser.ts";
import { connectLink, SIGN_IN_UNLIMITED, toCode } from "../../support/connect.ts";
import { plain } from "../../support/pictures.ts";
import { send, uploaded } from "../../support/requests.ts";
import { madeBefore, type OpenService, serviceFor } from "../../support/service.ts";
import { addCustomer, CALLBACK, cardAddress, openCard, openShop, press } from "../../support/subscribers.ts";

/* Who is behind an App, where people sign in to it and pay. */

const LINKS = {
	homepage_url: "https://shop.example/?a=1&b=2",
	privacy_url: "https://shop.example/privacy",
	terms_url: "https://shop.example/terms",
};
const NOTHING = {
	...{ developer: null, homepage_url: null, privacy_url: null },
	...{ terms_url: null, support_email: null, logo_image_id: null, accent_color: null },
};
const CDN = "http://localhost:3001";

/** Past the API; what is returned takes it away again. */
async function setAccent(service: OpenService, appId: string, accent: string): Promise<() => Promise<unknown>> {
	const profile = JSON.stringify({ accent_color: accent });
	const set = (value: string | null) =>
		service.database.write([{ run: sql`UPDATE apps SET profile = ${value} WHERE id = ${appId}` }]);
	await set(profile);
	return () => set(null);
}

describe.each(["current", "transition", "legacy"])("in %s", (variant) => {
	const service = serviceFor({ SVC_VARIANT: variant, ...SIGN_IN_UNLIMITED });
	const shop = madeBefore(() => openShop(service));

	async function setProfile(profile: object): Promise<void> {
		const answer = await send(service, "PATCH", `/v1/apps/${shop.app.id}`, { profile }, shop.owner);
		expect(answer.status).toBe(200);
	}

	async function addLogo(): Promise<string> {
		const { id } = await uploaded(service, await plain(120, 80), "logo.png", {}, { key: shop.app.key });
		await setProfile({
			developer: "Ada <b>Press</b>",
			...LINKS,
			support_email: "help@shop.example",
			logo_image_id: id,
		});
		return id;
	}

	/** Every page on which a person is about to sign in to the App, or to pay it. */
	async function pages(): Promise<Readonly<Record<string, Shown>>> {
		const customer = await addCustomer(service, shop);
		const checkout = await press(customer, "checkout", {
			...(variant === "legacy" ? { plan: "pro", interval: "monthly" } : { price_id: shop.silver.id }),
		});
		const link = connectLink(shop.app, { redirectUri: CALLBACK });
		const toCard = new Browser(service);
		const asked = await toCard.open(cardAddress(shop));
		return {
			connect: await new Browser(service).open(link),
			"connect, the code": await toCode(new Browser(service), link, "someone@example.com"),
			"sign-in before the card": asked,
			"sign-in before the card, the code": await toCard.follow(
				await toCard.submit(asked, "/account/sign-in", { email: "someone@example.com" }),
			),
			card: await openCard(customer),
			checkout: await customer.browser.follow(checkout),
		};
	}

	const pictureOf = ({ html }: Shown) => /<img [^>]*>/.exec(html)?.[0];
	const picturesFrom = ({ headers }: Shown) =>
		/img-src ([^;]*);/.exec(headers.get("Content-Security-Policy") ?? "")?.[1];

	test("a profile is shown with its picture, its developer and its links, which learn nothing of the page", async () => {
		const id = await addLogo();
		for (const [name, page] of Object.entries(await pages())) {
			expect([name, page.status]).toEqual([name, 200]);
			expect(page.html).toContain("Shop");
			expect(page.html).toContain("Ada &lt;b&gt;Press&lt;/b&gt;");
			expect(pictureOf(page)).toContain(`/${id}.png?w=96&amp;h=96&amp;fit=cover&amp;format=png"`);
			expect(pictureOf(page)).toContain(`src="${CDN}/`);
			expect([name, picturesFrom(page)]).toEqual([name, `'self' ${CDN}`]);
			const links = [...page.html.matchAll(/<a [^>]*rel="noopener noreferrer nofollow"[^>]*>/g)].map(([tag]) => tag);
			expect(links.map((tag) => /href="([^"]*)"/.exec(tag)?.[1]?.replaceAll("&amp;", "&"))).toEqual([
				...Object.values(LINKS),
				"mailto:help@shop.example",
			]);
			for (const tag of links) expect(tag).toContain('target="_blank"');
		}
		const answer = await service.open(
			pictureOf((await pages()).connect as Shown)
				?.match(/src="([^"]*)"/)?.[1]
				?.replaceAll("&amp;", "&") ?? "",
		);
		expect([answer.status, answer.headers.get("Content-Type")]).toEqual([200, "image/png"]);
	});

	test("the frame has its picture and its name, leads nowhere, and names this service in its foot alone", async () => {
		await addLogo();
		for (const [name, page] of Object.entries(await pages())) {
			const frame = /<header class="top">(.*?)<\/header>/s.exec(page.html)?.[1] ?? "";
			expect([name, frame.replace(/ src="[^"]*"/, "")]).toEqual([
				name,
				'<span class="brand"><img width="40" height="40" alt=""/><bdi>Shop</bdi></span>',
			]);
			expect([name, page.links.get("with Svc")]).toEqual([name, "/"]);
		}
	});

	test("one's account leads back to an App that says where it is, which learns nothing of the page", async () => {
		await setProfile({ ...NOTHING, homepage_url: LINKS.homepage_url });
		const { browser } = await addCustomer(service, shop);
		const leads = async () => (await browser.open("/account")).links.get("Shop");
		expect(await leads()).toBe(LINKS.homepage_url);
		expect((await browser.open("/account")).html).toMatch(/<a href="[^"]*" rel="noreferrer nofollow"><bdi>Shop/);
		await setProfile(NOTHING);
		expect(await leads()).toBeUndefined();
	});

	test("its accent is a sheet after ours on the way to sign in and to pay, and on no page of one's own account", async () => {
		const sheets = ({ html }: Shown) =>
			[...html.matchAll(/<link rel="stylesheet" href="([^"]*)"/g)].map(([, at]) => at);
		await setProfile({ ...NOTHING, accent_color: "#E4572E" });
		const addresses = new Set<string | undefined>();
		for (const [name, page] of Object.entries(await pages())) {
			expect([name, sheets(page).length, page.html.includes("style=")]).toEqual([name, 2, false]);
			expect([name, page.headers.get("Content-Security-Policy")]).toEqual([
				name,
				expect.stringContaining("style-src 'self';"),
			]);
			addresses.add(sheets(page)[1]);
		}
		expect([...addresses]).toEqual([expect.stringMatching(/^\/assets\/accent-e4572e\.[0-9a-f]{16}\.css$/)]);
		const sheet = await service.open(`http://localhost:3000${[...addresses][0]}`);
		expect([sheet.status, sheet.headers.get("Content-Type")]).toEqual([200, "text/css; charset=utf-8"]);
		expect(await sheet.text()).toMatch(/^:root\{(?:--[a-z-]+:#[0-9a-f]{6};?){4}\}/);
		const customer = await addCustomer(service, shop);
		for (const path of ["/account", "/account/plans", `/account/apps/${shop.app.id}/disconnect`])
			expect([path, sheets(await customer.browser.open(path)).length]).toEqual([path, 1]);
		await setProfile(NOTHING);
		expect(sheets((await pages()).connect as Shown)).toHaveLength(1);
	});

	test("what stands in the database and is no colour never becomes a sheet, and no other address is one", async () => {
		const before = await setAccent(service, shop.app.id, "#123456}*{display:none}");
		expect((await pages()).connect?.html).not.toContain("/assets/accent");
		await before();
		for (const name of [
			"accent-123456.0000000000000000.css",
			"accent-123456.css",
			"accent-}.css",
			"accent-12345g.x.css",
		])
			expect([name, (await service.open(`http://localhost:3000/assets/${name}`)).status]).toEqual([name, 404]);
	});

	test("a picture that is blocked, locked, expired or deleted is not shown, and nothing else is loaded from there", async () => {
		const gone: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
			blocked: (id) => setImageStatus(service.database, id, "blocked", "spam"),
			locked: (id) => lockImage(service.database, id),
			expired: (id) => service.database.write([{ run: sql`UPDATE images SET expires_ms = 1 WHERE id = ${id}` }]),
			deleted: (id) => send(service, "DELETE", `/v1/images/${id}`, undefined, { key: shop.app.key }),
		};
		for (const [how, away] of Object.entries(gone)) {
			await away(await addLogo());
			for (const [name, page] of Object.entries(await pages())) {
				expect([how, name, pictureOf(page), picturesFrom(page)]).toEqual([how, name, undefined, "'self'"]);
				expect(page.html).toContain("Ada &lt;b&gt;");
			}
		}
	});

	test("an App that says nothing of itself is named by its name and the letter that it begins with", async () => {
		await setProfile(NOTHING);
		for (const [name, page] of Object.entries(await pages())) {
			expect([name, page.html.includes('class="app"'), pictureOf(page)]).toEqual([name, false, undefined]);
			expect(page.html).toContain('<span class="initials" aria-hidden="true">S</span><bdi>Shop</bdi>');
			expect(picturesFrom(page)).toBe("'self'");
		}
	});

	test("card and checkout say which account pays, and the sign-in before the card which App has sent them", async () => {
		const customer = await addCustomer(service, shop);
		const { card, checkout, "sign-in before the card": asked } = await pages();
		expect(card?.html).toMatch(/Signed in as <strong><bdi>acc_\w+@example\.com/i);
		expect(checkout?.html).toMatch(/App: <strong><bdi>Shop<.*Account: <strong><bdi>acc_\w+@example\.com/i);
		expect(asked?.html).toContain("<strong><bdi>Shop</bdi></strong> has sent you here");
		// Nobody but the App itself can have it named: the card refuses any other way back.
		const elsewhere = new URLSearchParams({ app: shop.app.id, redirect_uri: "https://evil.example/" });
		const planted = await customer.browser.open(`/account/code?${new URLSearchParams({ card: `${elsewhere}` })}`);
		expect(planted.html).not.toContain("Shop");
	});
});
