import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { addApp, connectUser, firstApp, setImageStatus, setStorageState, type TestApp } from "../../support/apps.ts";
import { placeOf } from "../../support/bulk-images.ts";
import { plain } from "../../support/pictures.ts";
import { send, uploaded } from "../../support/requests.ts";
import { type OpenService, openService } from "../../support/service.ts";

const WEB = "http://localhost:3000";
const MINUTE_MS = 60_000;

interface Listed {
	readonly loc: string;
	readonly lastmod: string;
	readonly image: string;
}

/** The pages that a file of the sitemap names. */
function entriesOf(xml: string): Listed[] {
	expect(xml).toStartWith(
		'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"',
	);
	expect(xml).toEndWith("</urlset>\n");
	const entry =
		/<url><loc>([^<]*)<\/loc><lastmod>([^<]*)<\/lastmod><image:image><image:loc>([^<]*)<\/image:loc><\/image:image><\/url>/g;
	return [...xml.matchAll(entry)].map(([, loc = "", lastmod = "", image = ""]) => ({ loc, lastmod, image }));
}

describe.each(["transition", "legacy"])("[%s]", (variant) => {
	let service: OpenService;
	let app: TestApp;
	let file: Buffer<ArrayBuffer>;
	beforeEach(async () => {
		service = await openService({ SVC_VARIANT: variant });
		app = await addApp(service.database);
		file = await plain(40, 20);
	});
	afterEach(() => service.close());

	const create = (isPublic: boolean, more: Record<string, string> = {}) =>
		uploaded(service, file, "a.png", { public: String(isPublic), ...more }, { key: app.key });
	const ask = (path: string, init: RequestInit = {}) => service.open(`${WEB}${path}`, init);
	/** As it is from now on. */
	const listed = async () => {
		service.clock.advance(MINUTE_MS);
		return entriesOf(await (await ask("/sitemap.xml")).text());
	};
	const pages = async () => (await listed()).map(({ loc }) => loc);

	test("names the public image's page and not the private one's, and follows a change [public.private-excluded-sitemap]", async () => {
		const [shown, hidden] = [await create(true), await create(false)];
		const answer = await ask("/sitemap.xml");
		expect(answer.status).toBe(200);
		expect(answer.headers.get("Content-Type")).toBe("application/xml; charset=utf-8");
		expect(answer.headers.get("Cache-Control")).toMatch(/^public, max-age=(59|60)$/);
		expect(entriesOf(await answer.text())).toEqual([
			{ loc: shown.page_url ?? "", lastmod: shown.created_at, image: shown.url },
		]);
		for (const { loc } of await listed()) expect((await service.open(loc)).status).toBe(200);
		await send(service, "PATCH", `/v1/images/${hidden.id}`, { public: true }, { key: app.key });
		await send(service, "PATCH", `/v1/images/${shown.id}`, { public: false }, { key: app.key });
		expect(await pages()).toEqual([hidden.page_url ?? ""]);
		await send(service, "DELETE", `/v1/images/${hidden.id}`, undefined, { key: app.key });
		expect(await pages()).toEqual([]);
	});

	test("leaves out what is not ready, may not be suitable, has expired, or lies in a storage that is being deleted", async () => {
		const kept = await create(true);
		const brief = await create(true, { ttl: "5m" });
		const user = await connectUser(service.database, app);
		const caller = { key: app.key, headers: { "X-Svc-User": user.id } };
		const theirs = await uploaded(service, file, "a.png", { public: "true" }, caller);
		for (const status of ["processing", "failed", "blocked"]) {
			const image = await create(true);
			await setImageStatus(service.database, image.id, status, status === "blocked" ? "spam" : null);
		}
		const unsuitable = await create(true);
		await service.database.write([{ run: sql`UPDATE images SET nsfw = 1 WHERE id = ${unsuitable.id}` }]);
		expect(await pages()).toEqual([kept, brief, theirs].map(({ page_url = "" }) => page_url));
		await setStorageState(service.database, user.storageId, "deleting");
		expect(await pages()).toEqual([kept, brief].map(({ page_url = "" }) => page_url));
		service.clock.advance(300_000);
		expect(await pages()).toEqual([kept.page_url ?? ""]);
	});

	test("is taken once a minute: what changes meanwhile shows after that, and no cache keeps it for longer", async () => {
		await create(true);
		await listed();
		await create(true);
		const now = async () => entriesOf(await (await ask("/sitemap.xml")).text()).length;
		expect(await now()).toBe(1);
		service.clock.advance(MINUTE_MS / 2);
		const answer = await ask("/sitemap.xml");
		const age = Number(/max-age=(\d+)/.exec(answer.headers.get("Cache-Control") ?? "")?.[1]);
		expect(age).toBeLessThanOrEqual(30);
		expect(age).toBeGreaterThan(20);
		expect(entriesOf(await answer.text())).toHaveLength(1);
		service.clock.advance(MINUTE_MS / 2);
		expect(await now()).toBe(2);
	});

	test("one file is the whole of it; there is no other, and nothing else by such a name", async () => {
		await create(true);
		const whole = await listed();
		expect(whole).toHaveLength(1);
		expect(entriesOf(await (await ask("/sitemap-1.xml")).text())).toEqual(whole);
		for (const name of ["2", "0", "01", "1e3", "-1", "99999", "999999", "x", "%00", "%ff"]) {
			const answer = await ask(`/sitemap-${name}.xml`, { headers: { Accept: "text/html" } });
			expect([name, answer.status]).toEqual([name, 404]);
		}
		for (const path of ["/sitemap-1", "/sitemap-1.xml/2", "/sitemap", "/sitemap-"])
			expect((await ask(path)).status).toBe(404);
		const post = await ask("/sitemap.xml", { method: "POST", headers: { Accept: "text/html" } });
		expect([post.status, post.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
		const head = await ask("/sitemap.xml", { method: "HEAD" });
		expect([head.status, await head.text()]).toEqual([200, ""]);
	});

	test("robots.txt names it, and leaves out what is for one person only", async () => {
		const answer = await ask("/robots.txt");
		expect([answer.status, answer.headers.get("Content-Type")]).toEqual([200, "text/plain; charset=utf-8"]);
		expect(await answer.text()).toBe(
			`User-agent: *\nDisallow: /connect\nDisallow: /account\nDisallow: /billing\nDisallow: /checkout\nDisallow: /console\n\nSitemap: ${WEB}/sitemap.xml\n`,
		);
	});
});

test("past 50,000 public images it is an index of numbered files that hold them all", async () => {
	const service = await openService({ SVC_VARIANT: "legacy" });
	const place = await placeOf(service, (await firstApp(service.database)).storageId);
	const COUNT = 50_003;
	// Private ones between them take no places.
	await service.database.write([
		{
			run: sql`INSERT INTO images (id, app_pk, storage_pk, status, public, filename, format, width, height, bytes,
					sha256, blob_key, published_ms, created_ms)
				WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${COUNT + 100})
				SELECT printf('img_%022d', i), ${place.appPk}, ${place.pk}, 'ready', i > 100, 'a.png', 'png', 6, 6, 1,
					zeroblob(32), i, i, i * 1000 FROM n`,
		},
	]);
	const read = async (path: string) => {
		const answer = await service.open(WEB + path);
		expect(answer.status).toBe(200);
		return await answer.text();
	};
	expect(await read("/sitemap.xml")).toBe(
		'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n' +
			`<sitemap><loc>${WEB}/sitemap-1.xml</loc></sitemap>\n<sitemap><loc>${WEB}/sitemap-2.xml</loc></sitemap>\n</sitemapindex>\n`,
	);
	const whole = await read("/sitemap-1.xml");
	// The protocol's bound on a file.
	expect(whole.length).toBeLessThan(50 * 1_024 ** 2);
	const [first, second] = [entriesOf(whole), entriesOf(await read("/sitemap-2.xml"))];
	expect([first.length, second.length]).toEqual([50_000, 3]);
	const all = [...first, ...second];
	expect(new Set(all.map(({ loc }) => loc)).size).toBe(COUNT);
	expect(all[0]).toEqual({
		loc: `${WEB}/i/img_0000000000000000000101`,
		lastmod: "1970-01-01T00:01:41.000Z",
		image: `http://localhost:3001/${place.teamHash}/img_0000000000000000000101.png`,
	});
	expect((await service.open(`${WEB}/sitemap-3.xml`)).status).toBe(404);
	await service.close();
});

test("what stands in it is escaped", async () => {
	const service = await openService({ SVC_VARIANT: "transition" });
	const image = await uploaded(service, await plain(5, 5), "a.png", { public: "true" });
	await service.database.write([{ run: sql`UPDATE storages SET team_hash = ${`a&<>"'b`}` }]);
	const xml = await (await service.open(`${WEB}/sitemap.xml`)).text();
	expect(xml).toContain(`/a&amp;&lt;&gt;&quot;&apos;b/${image.id}.png</image:loc>`);
	await service.close();
});
