import { beforeAll, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { createReport } from "@svc/moderation/reports";
import { sql } from "drizzle-orm";
import sharp from "sharp";
import { fill } from "../../bench/full-storage.ts";
import { addApp } from "../../support/apps.ts";
import type { Browser, Shown } from "../../support/browser.ts";
import { formOf, sendForm, signedIn } from "../../support/console.ts";
import { acted, itemOf } from "../../support/moderation.ts";
import { addPerson, as } from "../../support/people.ts";
import { detailed, plain } from "../../support/pictures.ts";
import { send, uploaded } from "../../support/requests.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { forgetKept, hearStatements, statementsOf } from "../../support/statement-count.ts";

/* The queue of pictures that operators decide of, by forms alone. */

hearStatements();
const service = serviceFor();
const many = serviceFor();
const app = madeBefore(() => addApp(service.database));
const operator = madeBefore(() => addPerson(service.database, { operator: true }));
const other = madeBefore(() => addPerson(service.database, { operator: true }));
let browser: Browser;
beforeAll(async () => {
	browser = await signedIn(service, operator);
});
const QUEUE = "/console/operator/moderation";
const file = await plain(30, 20);

let networks = 1;

/** A picture that somebody has reported. */
async function reported(name: string, note = "This is my own picture."): Promise<string> {
	const { id, url } = await uploaded(service, file, name, {}, { key: app.key });
	const said = { url, reason: "dmca", note, email: "reporter@example.com" } as const;
	// Of another network each: how many come from one is limited.
	await createReport(service.rooms.moderation, { ...said, address: `2001:db8:${(networks++).toString(16)}::1` });
	return id;
}

/** The form of a deed on one picture of the list, sent and followed. */
async function press(page: Shown, id: string, act: string, typed: Readonly<Record<string, string>> = {}) {
	const form = page.forms.find(({ action, fields }) => action.endsWith(`/${id}`) && fields.act === act);
	if (!form) throw new Error(`no form does ${act} to ${id}: ${page.status} ${page.title}`);
	const sent = await browser.post(form.action, { ...form.fields, ...typed });
	return sent.status === 303 ? await browser.follow(sent) : sent;
}

const textOf = ({ html }: Shown) =>
	html
		.replace(/^[\s\S]*<main/, "<main")
		.replaceAll(/<[^>]*>/g, " ")
		.replaceAll(/\s+/g, " ");

async function get(address: string, by: Browser = browser): Promise<Response> {
	const Cookie = `session=${by.cookies.get("session")?.value}`;
	return await service.open(`http://localhost:3000${address}`, { headers: { Cookie } });
}

describe("the queue", () => {
	test("shows what was reported with the reporter's words and its picture, and one form blocks it for that reason", async () => {
		const id = await reported("moth.png", "I took this <b>myself</b>.");
		const page = await browser.open(QUEUE);
		expect(textOf(page)).toContain("DMCA I took this &lt;b&gt;myself&lt;/b&gt;. reporter@example.com");
		expect(page.html).toContain(`src="${QUEUE}/${id}/preview?w=1200&amp;h=900"`);
		expect(page.html).toMatch(/<option value="dmca" selected="">/);
		const after = await press(page, id, "block", { reason: "dmca" });
		expect([after.url.endsWith(QUEUE), after.html.includes(`id="${id}"`)]).toEqual([true, false]);
		expect(textOf(after)).toContain("Blocked: moth.png .");
		expect(await itemOf(service, operator, id)).toMatchObject({ blocked_reason: "dmca", reports_count: 0 });
		const one = await browser.open(`${QUEUE}/${id}`);
		expect(textOf(one)).toMatch(/History Blocked for DMCA by \S+@/);
	});

	test("takes back what was done last, with the reports that it settled, on the page after it alone", async () => {
		const id = await reported("back.png");
		const after = await press(await browser.open(`${QUEUE}?state=reported`), id, "block", { reason: "spam" });
		expect(after.url).toEndWith(`${QUEUE}?state=reported`);
		const undone = await press(after, id, "unblock");
		expect(undone.html).toContain(`id="${id}"`);
		expect(await itemOf(service, operator, id)).toMatchObject({ blocked_reason: null, reports_count: 1 });
		const later = await browser.open(QUEUE);
		expect(later.html).not.toContain("Unblocked: ");
		const flagged = await press(later, id, "nsfw");
		await acted(service, other, id, "lock");
		const late = await press(flagged, id, "not_nsfw", { revision: formOf(flagged, "not_nsfw").fields.revision ?? "" });
		expect([late.status, late.alerts.join()]).toEqual([409, expect.stringContaining("has changed since revision")]);
	});

	test("says of what is locked that it is still served, and unblocks for no made-up reason", async () => {
		const id = await reported("held.png");
		await press(await browser.open(QUEUE), id, "lock");
		for (const at of [QUEUE, `${QUEUE}?state=locked`, `${QUEUE}/${id}`])
			expect(textOf(await browser.open(at))).toContain("still served until it is decided");
		await acted(service, operator, id, "block", { reason: "terms" });
		const lifted = await press(await browser.open(`${QUEUE}?state=blocked`), id, "unblock");
		const again = await press(lifted, id, "block");
		expect(again.status).toBe(200);
		expect(await itemOf(service, operator, id)).toMatchObject({ blocked_reason: "terms" });
	});

	test("what another operator decided meanwhile stands, and the page says who it was", async () => {
		const id = await reported("twice.png");
		const mine = await browser.open(QUEUE);
		await acted(service, other, id, "block", { reason: "spam" });
		const refused = await press(mine, id, "lock");
		expect([refused.status, refused.alerts.join()]).toEqual([409, expect.stringContaining("Last: block by")]);
		expect(await itemOf(service, operator, id)).toMatchObject({ blocked_reason: "spam", locked: false });
		expect(textOf(refused)).toContain("Unblock");
	});

	test("dismisses the reports of a picture that stays as it is", async () => {
		const id = await reported("fine.png");
		const after = await press(await browser.open(QUEUE), id, "dismiss");
		expect(after.html).not.toContain(`id="${id}"`);
		expect(await itemOf(service, operator, id)).toMatchObject({
			reports_count: 0,
			blocked_reason: null,
			locked: false,
		});
	});

	test("decides of many at once, and takes that back picture by picture", async () => {
		const ids = [await reported("a.png"), await reported("b.png"), await reported("c.png")];
		const query = new URLSearchParams(ids.map((id) => ["ids", id]));
		const page = await browser.open(`${QUEUE}?${query}`);
		expect([page.title, formOf(page, "block").fields.ids?.split(",").sort()]).toEqual(["3 pictures · Svc", ids.sort()]);
		await acted(service, other, ids[0] ?? "", "block", { reason: "terms" });
		const done = await browser.follow(await sendForm(browser, page, "block", { reason: "spam" }));
		expect(textOf(done)).toContain("Blocked: 2 pictures. 1 stayed as they were:");
		const reasons = async () =>
			(await Promise.all(ids.map((id) => itemOf(service, operator, id)))).map((one) => one.blocked_reason);
		expect((await reasons()).sort()).toEqual(["spam", "spam", "terms"]);
		await acted(service, other, ids[1] ?? "", "lock");
		const undone = await browser.follow(await sendForm(browser, done, "undo"));
		expect(textOf(undone)).toMatch(/Unblocked: 1 pictures. 1 stayed as they were: This image has changed since/);
		expect(await reasons()).toEqual(["terms", "spam", null]);
	});
});

describe("five thousand reports", () => {
	/** Reports each of the newest images so many times that there are as many. */
	const report = (images: number) =>
		many.database.write([
			{
				run: sql`INSERT INTO reports (id, image_id, app_pk, reason, note, ip_hash, created_ms)
					SELECT 'rep_' || id, id, app_pk, 'spam', 'Seen before.', x'00', 1 FROM images
					WHERE id NOT IN (SELECT image_id FROM reports) ORDER BY pk DESC LIMIT ${images}`,
			},
		]);

	test("are walked page by page as fifty are: each page asks as much, and is as large", async () => {
		const { id, key } = await addApp(many.database);
		await uploaded(many, file, "first.png", {}, { key });
		const [row = []] = await many.database.rows(
			"SELECT pk, app_pk FROM storages WHERE pk IN (SELECT storage_pk FROM images)",
			[],
		);
		await fill(many, 5_000, { storagePk: Number(row[0]), appPk: Number(row[1]) });
		const walker = await signedIn(many, await addPerson(many.database, { operator: true }));
		const costOf = async (at: string) => {
			await walker.open(at);
			await forgetKept(many.database);
			let page = await walker.open(at);
			const sent = await statementsOf(async () => {
				page = await walker.open(at);
			});
			return { page, cost: [sent.length, gzipSync(page.html).length < 15_000] as const };
		};
		await report(50);
		const few = await costOf(`${QUEUE}?app=${id}`);
		await report(4_950);
		const seen = new Set<string>();
		let at = `${QUEUE}?app=${id}`;
		for (let pages = 0; pages < 5; pages++) {
			const { page, cost } = await costOf(at);
			expect(cost).toEqual(few.cost);
			for (const [, one = ""] of page.html.matchAll(/<li id="(img_\w+)"/g)) seen.add(one);
			at = page.links.get("Next") ?? "none";
		}
		expect([seen.size, few.cost[0] <= 9, few.cost[1]]).toEqual([60, true, true]);
	});
});

describe("a picture that is like a blocked one", () => {
	test("stands in the queue with the other beside it, blurred, and leads to what is like it in all Apps", async () => {
		const picture = await detailed(7).jpeg({ quality: 90 }).toBuffer();
		const create = async (bytes: Uint8Array) =>
			(await uploaded(service, new Uint8Array(bytes), "again.jpg", {}, { key: app.key })).id;
		const first = await create(picture);
		await service.judgePictures();
		await acted(service, operator, first, "block", { reason: "terms" });
		const alike = await create(await sharp(picture).jpeg({ quality: 60 }).toBuffer());
		const same = await create(picture);
		await service.judgePictures();
		const queue = await browser.open(QUEUE);
		const card = queue.html.slice(queue.html.indexOf(`<li id="${alike}"`)).split("</li><li id=")[0] ?? "";
		expect(card).toMatch(/Like one that was blocked, by \d+ %/);
		expect(card).toContain("Terms of service, by the service itself");
		expect(card).toContain("still served until it is decided");
		expect(card).toMatch(
			new RegExp(`<details class="veil"><summary>.*?<img src="${QUEUE}/${first}/preview\\?w=480&amp;h=320"`),
		);
		const one = await browser.open(`${QUEUE}/${same}`);
		expect(textOf(one)).toMatch(
			new RegExp(`The same file as one that was blocked ${first} , blocked for Terms of service`),
		);
		expect(textOf(one)).toContain(`Blocked for Terms of service by service , like ${first}`);
		const elsewhere = await browser.open(one.links.get("The same elsewhere") ?? "none");
		const shown = [...elsewhere.html.matchAll(/<li id="(img_\w+)"/g)].map(([, id]) => id);
		expect([shown.includes(first), shown.includes(alike)]).toEqual([true, true]);
	});
});

describe("a picture", () => {
	test("is blurred once it is flagged or blocked, until it is asked for", async () => {
		const id = await reported("bare.png");
		expect((await browser.open(`${QUEUE}/${id}`)).html).not.toContain("veil");
		const flagged = await press(await browser.open(`${QUEUE}/${id}`), id, "nsfw");
		expect(flagged.html).toMatch(/<details class="veil"><summary[^>]*><span[^>]*>Show or hide the picture<\/span><img/);
		await press(flagged, id, "not_nsfw");
		await acted(service, operator, id, "block", { reason: "content_policy" });
		expect((await browser.open(`${QUEUE}?state=blocked`)).html).toContain('<details class="veil">');
		expect((await browser.open(`${QUEUE}?state=blocked&view=grid`)).html).toContain('<span class="veil">');
	});

	test("comes by the page's own address, whatever its state, is kept nowhere, and shows no script what the API takes", async () => {
		const id = await reported("seen.png");
		await acted(service, operator, id, "block", { reason: "spam" });
		const whole = await get(`${QUEUE}/${id}/preview`);
		expect([whole.status, whole.headers.get("cache-control"), whole.headers.get("content-security-policy")]).toEqual([
			200,
			"no-store",
			"default-src 'none'; sandbox",
		]);
		expect(new Uint8Array(await whole.arrayBuffer())).toEqual(new Uint8Array(file));
		const small = await get(`${QUEUE}/${id}/preview?w=10&h=10&other=1`);
		expect([small.status, small.headers.get("content-type")]).toEqual([200, "image/png"]);
		const { html } = await browser.open(`${QUEUE}/${id}`);
		expect(html).not.toMatch(/svc_(ses|pat|live)_/);
		expect(html).not.toContain("/v1/");
		const member = await signedIn(service, await addPerson(service.database));
		expect((await get(`${QUEUE}/${id}/preview`, member)).status).toBe(404);
		expect((await get(`${QUEUE}/img_nothing/preview`)).status).toBe(404);
	});

	test("is deleted for good by who confirms who they are", async () => {
		const id = await reported("gone.png");
		const stale = await signedIn(service, operator, { freshForMs: 0 });
		const sent = await sendForm(stale, await stale.open(`${QUEUE}/${id}`), "delete");
		expect(sent.location).toStartWith("/account/confirm");
		const gone = await press(await browser.open(`${QUEUE}/${id}`), id, "delete");
		expect([gone.url.endsWith(QUEUE), (await browser.open(`${QUEUE}/${id}`)).status]).toEqual([true, 404]);
		expect((await send(service, "GET", `/v1/moderation/images/${id}`, undefined, as(operator))).status).toBe(404);
	});
});
