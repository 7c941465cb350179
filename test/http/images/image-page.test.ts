import { beforeAll, describe, expect, test } from "bun:test";
import { newId } from "@svc/base/ids";
import type { Image } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { addApp, connectUser, setImageStatus, setStorageState, type TestApp } from "../../support/apps.ts";
import { Browser } from "../../support/browser.ts";
import { acted } from "../../support/moderation.ts";
import { addMember, addPerson, addSession } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { send, uploaded } from "../../support/requests.ts";
import { type OpenService, openService, serviceFor } from "../../support/service.ts";

/* The page behind `page_url`. */

const WEB = "http://localhost:3000";
const CDN = "http://localhost:3001";

/** A page as a visitor gets it who shows `session`, or nothing. */
async function visit(service: OpenService, address: string, session?: string) {
	const headers = { Accept: "text/html", ...(session !== undefined && { Cookie: `session=${session}` }) };
	const answer = await service.open(address, { headers });
	const html = await answer.text();
	return { status: answer.status, headers: answer.headers, html };
}

const metaOf = (html: string) =>
	Object.fromEntries(
		[...html.matchAll(/<meta (?:property|name)="([^"]*)" content="([^"]*)"/g)].map(([, name = "", value = ""]) => [
			name,
			value,
		]),
	);

describe.each(["transition", "legacy"])("[%s]", (variant) => {
	const service = serviceFor({ SVC_VARIANT: variant });
	let app: TestApp;
	let file: Buffer<ArrayBuffer>;
	beforeAll(async () => {
		app = await addApp(service.database);
		file = await plain(1_600, 1_200, "jpeg");
	});

	const create = (isPublic: boolean, more: Record<string, string> = {}, name = "lake.jpg") =>
		uploaded(service, file, name, { public: String(isPublic), ...more }, { key: app.key });
	const pageOf = ({ page_url = "" }: Image, session?: string) => visit(service, page_url, session);
	const setPublic = (id: string, isPublic: boolean) =>
		send(service, "PATCH", `/v1/images/${id}`, { public: isPublic }, { key: app.key });
	const setNsfw = (id: string) => service.database.write([{ run: sql`UPDATE images SET nsfw = 1 WHERE id = ${id}` }]);

	test("every Image has one, an absolute address that shows the picture and what it is [image.fields.page_url]", async () => {
		const image = await create(true, { caption: "A quiet lake", published_at: "2026-03-09T22:00:00Z" });
		const hidden = await create(false);
		expect([image.page_url, hidden.page_url]).toEqual([`${WEB}/i/${image.id}`, `${WEB}/i/${hidden.id}`]);
		const list = (await (await send(service, "GET", "/v1/images", undefined, { key: app.key })).json()) as {
			data: Image[];
		};
		for (const one of list.data) expect(one.page_url).toBe(`${WEB}/i/${one.id}`);
		const page = await pageOf(image);
		expect(page.status).toBe(200);
		expect(page.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
		expect(page.html).toContain("<title>A quiet lake · Svc</title>");
		expect(page.html).toContain("<h1><bdi>A quiet lake</bdi></h1>");
		const tag = /<img [^>]*>/.exec(page.html)?.[0] ?? "";
		expect(tag).toContain(`src="${image.url}?size=l"`);
		expect(tag).toContain(`srcSet="${image.url}?size=l 1440w, ${image.url}?size=m 853w, ${image.url}?size=s 427w"`);
		for (const part of ['alt="A quiet lake"', 'width="1600"', 'height="1200"']) expect(tag).toContain(part);
		expect(page.html).toContain('<time dateTime="2026-03-09T22:00:00.000Z">March 9, 2026</time>');
		expect(page.html).toContain("<dd>1,600 × 1,200 pixels</dd>");
		expect(page.html).toContain("<dd>JPEG, ");
		const links = (await new Browser(service).open(`/i/${image.id}`)).links;
		expect(links.get("Open the original")).toBe(image.url);
		expect(links.get("Report this picture")).toBe(`/report/${image.id}`);
		expect((await visit(service, `${WEB}/report/${image.id}`)).status).toBe(200);
		for (const url of [image.url, `${image.url}?size=m`]) expect((await service.open(url)).status).toBe(200);
	});

	test("a private one is 404 to visitors; made public it shows, made private again it is gone [image.fields.page_url-private-404, public.private-hides-page]", async () => {
		const image = await create(false);
		const absent = await visit(service, `${WEB}/i/${newId("img")}`);
		for (const isPublic of [false, true, false]) {
			await setPublic(image.id, isPublic);
			const page = await pageOf(image);
			expect(page.status).toBe(isPublic ? 200 : 404);
			if (!isPublic) expect(page.html).toBe(absent.html);
		}
	});

	test("what may not be seen looks the same as what is not there, to visitors and to strangers who are signed in [image.fields.page_url-private-404]", async () => {
		const stranger = await addPerson(service.database);
		const session = await addSession(service.database, stranger.id, { kind: "web" });
		const gone = await create(true);
		await send(service, "DELETE", `/v1/images/${gone.id}`, undefined, { key: app.key });
		const names = ["nonsense", "%00", "%ff", newId("img"), newId("app"), gone.id, (await create(false)).id];
		for (const status of ["blocked", "failed", "processing"]) {
			for (const isPublic of [true, false]) {
				const { id } = await create(isPublic);
				await setImageStatus(service.database, id, status, status === "blocked" ? "spam" : null);
				names.push(id);
			}
		}
		const pages = await Promise.all(
			names.flatMap((id) => [visit(service, `${WEB}/i/${id}`), visit(service, `${WEB}/i/${id}`, session)]),
		);
		expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([404]));
		expect(new Set(pages.map(({ html }) => html)).size).toBe(1);
		expect(new Set(pages.map(({ headers }) => [...headers.keys()].sort().join())).size).toBe(1);
		expect(pages.map(({ headers }) => headers.get("Cache-Control"))).toEqual(pages.map(() => "no-store"));
	});

	test("a private one shows to the App's team and to whose storage it lies in, kept by nobody and told to nobody [image.fields.page_url-private-404]", async () => {
		const [viewer, owner] = [await addPerson(service.database), { id: app.ownerId }];
		await addMember(service.database, app, viewer, "viewer");
		const [user, neighbour] = [await connectUser(service.database, app), await connectUser(service.database, app)];
		const sessionOf = (accountId: string) => addSession(service.database, accountId, { kind: "web" });
		const team = await create(false, { caption: "ours" });
		const theirs = await uploaded(
			service,
			file,
			"a.jpg",
			{ public: "false" },
			{
				key: app.key,
				headers: { "X-Svc-User": user.id },
			},
		);
		const statuses = async (accountId: string) => {
			const session = await sessionOf(accountId);
			return [(await pageOf(team, session)).status, (await pageOf(theirs, session)).status];
		};
		expect(await statuses(viewer.id)).toEqual([200, 200]);
		expect(await statuses(owner.id)).toEqual([200, 200]);
		expect(await statuses(user.accountId)).toEqual([404, 200]);
		expect(await statuses(neighbour.accountId)).toEqual([404, 404]);
		expect(await statuses((await addApp(service.database)).ownerId)).toEqual([404, 404]);
		const page = await pageOf(team, await sessionOf(viewer.id));
		expect(page.headers.get("Cache-Control")).toBe("no-store");
		expect(page.html).toContain('<meta name="robots" content="noindex"/>');
		expect(page.html).not.toMatch(/og:|twitter:|canonical/);
		// Only a session of these pages is one: not a console's, not a token.
		for (const other of [
			await addSession(service.database, viewer.id),
			await addSession(service.database, viewer.id, { scopes: ["images:read"] }),
			"svc_ses_nonsense",
		])
			expect((await pageOf(team, other)).status).toBe(404);
		await setStorageState(service.database, user.storageId, "deleting");
		expect(await statuses(user.accountId)).toEqual([404, 404]);
	});

	test("a public page is kept for a minute at most, and never past the image", async () => {
		const timed = await openService({ SVC_VARIANT: variant });
		const lasting = await uploaded(timed, file, "a.jpg", { public: "true" });
		const brief = await uploaded(timed, file, "a.jpg", { public: "true", ttl: "5m" });
		const kept = async ({ page_url = "" }: Image) =>
			(await visit(timed, page_url)).headers.get("Cache-Control")?.match(/^public, max-age=(\d+)$/)?.[1];
		expect([await kept(lasting), await kept(brief)]).toEqual(["60", "60"]);
		timed.clock.advance(270_000);
		expect(Number(await kept(brief))).toBeLessThanOrEqual(30);
		expect(await kept(lasting)).toBe("60");
		timed.clock.advance(31_000);
		expect((await visit(timed, brief.page_url ?? "")).status).toBe(404);
		await timed.close();
	});

	test("blocked, it is gone at the next request; unblocked, it is back", async () => {
		const operator = await addPerson(service.database, { operator: true });
		const image = await create(true);
		await acted(service, operator, image.id, "block", { reason: "dmca" });
		expect((await pageOf(image)).status).toBe(404);
		await acted(service, operator, image.id, "unblock");
		expect((await pageOf(image)).status).toBe(200);
	});

	test("it runs nothing, and loads nothing but our own sheet and the picture", async () => {
		const { headers, html } = await pageOf(await create(true));
		expect(headers.get("Content-Security-Policy")).toBe(
			`default-src 'none'; style-src 'self'; img-src 'self' ${CDN}; frame-ancestors 'none'; base-uri 'none'`,
		);
		expect(html).not.toMatch(/<script|\son[a-z]+=|\sstyle=|<style|<iframe|<form(?! class="languages")/i);
	});

	test("other sites are told its title, its address and a card of it", async () => {
		const image = await create(true, { caption: "A quiet lake" });
		const { html } = await pageOf(image);
		expect(html).toContain(`<link rel="canonical" href="${image.page_url}"/>`);
		expect(metaOf(html)).toMatchObject({
			"og:type": "website",
			"og:site_name": "Svc",
			"og:url": image.page_url,
			"og:title": "A quiet lake",
			"og:description": "A quiet lake",
			"og:image": `${image.url}?size=social`,
			"og:image:width": "1200",
			"og:image:height": "630",
			"og:image:alt": "A quiet lake",
			"twitter:card": "summary_large_image",
			"twitter:image": `${image.url}?size=social`,
		});
		expect(metaOf(html)).not.toHaveProperty("robots");
		expect((await service.open(`${image.url}?size=social`)).status).toBe(200);
	});

	test("what may not be suitable is veiled, not fetched before it is asked for, and not told to search engines", async () => {
		const image = await create(true);
		await setNsfw(image.id);
		const { html } = await pageOf(image);
		expect(html).toMatch(/<details class="veil"><summary>[^<]+<\/summary><div class="frame"><img [^>]*loading="lazy"/);
		expect(html).not.toContain("<details open");
		expect(html).not.toContain('rel="preload"');
		expect(metaOf(html)).toMatchObject({ robots: "noindex", "twitter:card": "summary" });
		expect(html).not.toMatch(/og:image|twitter:image/);
	});

	test("captions and file names are text, however they look", async () => {
		const caption = `</title><script>alert(1)</script>"' onload=x & \u202e`;
		const image = await create(true, { caption }, `"><img src=x onerror=alert(1)>.jpg`);
		for (const { html } of [await pageOf(image), await pageOf(await create(true, {}, "<b>&.jpg"))]) {
			expect(html).not.toMatch(/<script|<b>|<img src=x|" onload/);
			expect(html.match(/<img /g)).toHaveLength(1);
		}
	});

	test("a long caption stands below the name of the file; its alternative text is short", async () => {
		const caption = `${"words and more ".repeat(300)}\n\nthe end 🦆`;
		const image = await create(true, {}, "duck.jpg");
		await send(service, "PATCH", `/v1/images/${image.id}`, { caption }, { key: app.key });
		const { html } = await pageOf(image);
		expect(html).toContain("<h1><bdi>duck.jpg</bdi></h1>");
		expect(html.includes(`<p class="caption" dir="auto">${caption}</p>`)).toBe(true);
		expect(/ alt="([^"]*)"/.exec(html)?.[1]).toHaveLength(300);
		const { html: bare } = await pageOf(await create(true, {}, "duck.jpg"));
		expect(bare).toContain(' alt="duck.jpg"');
	});

	test("a picture smaller than the sizes is offered once, as large as it is", async () => {
		const image = await uploaded(service, await plain(30, 20), "a.png", { public: "true" });
		const { html } = await pageOf(image);
		expect(html).toContain(`srcSet="${image.url}?size=s 30w"`);
		expect(html).toContain('sizes="min(100vw, 44rem, 30px)"');
	});

	test("a picture that cannot be transformed is shown as it is", async () => {
		const image = await create(true);
		await service.database.write([{ run: sql`UPDATE images SET format = 'svg' WHERE id = ${image.id}` }]);
		const { html } = await pageOf(image);
		const url = image.url.replace(/jpg$/, "svg");
		const tag = /<img [^>]*>/.exec(html)?.[0] ?? "";
		expect(tag).toContain(`src="${url}"`);
		expect(tag).not.toMatch(/srcset|size=/i);
		expect(metaOf(html)).toMatchObject({ "og:image": url });
		expect(metaOf(html)).not.toHaveProperty("og:image:width");
		expect(html).toContain("<dd>SVG, ");
	});

	test("HEAD answers like GET; nothing else is allowed", async () => {
		const { page_url = "" } = await create(true);
		const head = await service.open(page_url, { method: "HEAD" });
		expect([head.status, await head.text(), head.headers.get("Cache-Control")]).toEqual([
			200,
			"",
			"public, max-age=60",
		]);
		const post = await service.open(page_url, { method: "POST", headers: { Accept: "text/html" } });
		expect([post.status, post.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
	});
});

test("[C] there is no such page, and no sitemap", async () => {
	await using stack = new AsyncDisposableStack();
	const service = await openService();
	stack.defer(() => service.close());
	for (const path of ["/sitemap.xml", "/sitemap-1.xml"]) expect((await visit(service, WEB + path)).status).toBe(404);
	expect((await visit(service, `${WEB}/i/${newId("img")}`)).status).toBe(302);
});
