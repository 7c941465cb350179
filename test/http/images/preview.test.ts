import { beforeAll, expect, test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import type { List } from "@svc/sdk/types";
import sharp from "sharp";
import { plain } from "../../support/pictures.ts";
import { headersOf, send, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import { ask, makeKey, makeTeam } from "../../support/teams.ts";

const service = serviceFor({ SVC_VARIANT: "current" });
let file: Buffer<ArrayBuffer>;
beforeAll(async () => {
	file = await plain(900, 600, "jpeg");
});

async function openShop(delivery: string) {
	const team = await makeTeam(service);
	const { secret: key } = await makeKey(service, team.owner, team.path);
	const image = await uploaded(service, file, "a.jpg", {}, { key });
	await ask(service, team.admin, "PATCH", team.path, { delivery });
	const read = async (query: string) =>
		await (await send(service, "GET", `/v1/images${query}`, undefined, { key })).json();
	const get = async (query: string) => (await read(query)) as Image;
	const list = async (query: string) => (await read(query)) as List<Image>;
	return { ...team, key, image, get, list };
}

const statusOf = async (url: string) => (await service.open(url)).status;

test("include=preview: an address of the smallest size, on one image and on lists, whatever the delivery policy is", async () => {
	for (const delivery of ["open", "presets", "signed"]) {
		const shop = await openShop(delivery);
		const { preview } = await shop.get(`/${shop.image.id}?include=preview`);
		const listed = await shop.list("?include=preview,total");
		expect(listed.data.map((image) => image.preview)).toEqual([preview]);
		const answer = await service.open(preview?.url ?? "");
		expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
		const { width, height } = await sharp(await answer.bytes()).metadata();
		expect([width, height]).toEqual([480, 320]);
		expect(await shop.get(`/${shop.image.id}`)).not.toHaveProperty("preview");
	}
});

test("403 where a preview's address is changed: it shows nothing but its size, and no other image", async () => {
	const shop = await openShop("signed");
	const other = await uploaded(service, file, "b.jpg", {}, { key: shop.key });
	const url = (await shop.get(`/${shop.image.id}?include=preview`)).preview?.url ?? "";
	const query = new URL(url).search;
	expect(await statusOf(url)).toBe(200);
	for (const changed of [
		url.replace("size=s", "size=l"),
		`${url}&w=40`,
		`${url}&dl=1`,
		url.replace("size=s&", ""),
		url.replace(".jpg", ".png"),
		other.url + query,
		url.replace(/exp=\d+/, (exp) => `exp=${Number(exp.slice(4)) + 300}`),
	]) {
		expect(await statusOf(changed)).toBe(403);
	}
});

test("a preview's address stays the same for five minutes, so that browsers keep the picture, and is answered for five to ten", async () => {
	const shop = await openShop("signed");
	const read = async () => (await shop.get(`/${shop.image.id}?include=preview`)).preview;
	service.clock.advance(300_000 - (service.clock.now() % 300_000));
	const first = await read();
	const ends = Date.parse(first?.expires_at ?? "");
	expect((ends - service.clock.now()) / 60_000).toBeCloseTo(10, 0);
	service.clock.advance(240_000);
	expect(await read()).toEqual(first);
	service.clock.advance(60_000);
	const second = await read();
	expect(second?.url).not.toBe(first?.url ?? "");
	expect([await statusOf(first?.url ?? ""), await statusOf(second?.url ?? "")]).toEqual([200, 200]);
	service.clock.advance(300_000);
	expect([await statusOf(first?.url ?? ""), await statusOf(second?.url ?? "")]).toEqual([403, 200]);
});

test("where there is nothing to see the preview is null, and what was read may be sent back", async () => {
	const shop = await openShop("open");
	const whole = await shop.get(`/${shop.image.id}?include=preview,revision,facts`);
	const { caption, ...sent } = whole;
	expect(caption).toBe("");
	const back = { caption: "x", preview: sent.preview, revision: sent.revision, facts: sent.facts };
	const changed = await send(service, "PATCH", `/v1/images/${shop.image.id}?include=preview`, back, { key: shop.key });
	expect([changed.status, ((await changed.json()) as Image).preview]).toEqual([200, whole.preview ?? null]);
	const created = await service.api("/v1/images?include=preview", {
		...{ method: "POST", headers: headersOf(service, { key: shop.key }) },
		body: (() => {
			const form = new FormData();
			form.append("file", new Blob([file]), "c.jpg");
			return form;
		})(),
	});
	expect(((await created.json()) as Image).preview?.url).toContain("size=s&exp=");
});
