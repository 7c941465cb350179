import { beforeAll, describe, expect, test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import { type SignedParameters, signUrl } from "@svc/sdk/sign-url";
import { sql } from "drizzle-orm";
import sharp from "sharp";
import { connectUser } from "../../support/apps.ts";
import { plain } from "../../support/pictures.ts";
import { uploaded } from "../../support/requests.ts";
import { openService, serviceFor } from "../../support/service.ts";
import { ask, makeKey, makeTeam, type Team } from "../../support/teams.ts";

const service = serviceFor({ SVC_VARIANT: "current" });
let file: Buffer<ArrayBuffer>;
beforeAll(async () => {
	file = await plain(400, 300, "jpeg");
});

interface Shop extends Team {
	readonly image: Image;
	/** Of a connected user. */
	readonly users: Image;
}

async function openShop(): Promise<Shop> {
	const team = await makeTeam(service);
	const { secret: key } = await makeKey(service, team.owner, team.path);
	const user = await connectUser(service.database, { id: team.appId });
	const image = await uploaded(service, file, "a.jpg", {}, { key });
	const users = await uploaded(service, file, "a.jpg", {}, { key, headers: { "X-Svc-User": user.id } });
	return { ...team, image, users };
}

const setPolicy = (shop: Shop, delivery: unknown, role: "viewer" | "editor" | "admin" | "owner" = "admin") =>
	ask(service, shop[role], "PATCH", shop.path, { delivery });

async function newSecret(shop: Shop, name = "web"): Promise<{ id: string; secret: string }> {
	const { body } = await ask(service, shop.admin, "POST", `${shop.path}/signing_keys`, { name });
	return { id: String(body.id), secret: String(body.secret) };
}

const inAnHour = () => Math.floor(service.clock.now() / 1_000) + 3_600;
const sign = ({ url }: Image, secret: string, parameters: SignedParameters = {}) =>
	signUrl(url, { secret, expiresAt: inAnHour(), parameters });
const statusOf = async (url: string) => (await service.open(url)).status;
const sizeOf = async (url: string) => {
	const { width, height } = await sharp(await (await service.open(url)).bytes()).metadata();
	return `${width}x${height}`;
};

test("a policy holds from the next request on, for the App's own images and those of its users, and for old addresses", async () => {
	const shop = await openShop();
	const all = async () =>
		await Promise.all([shop.image, shop.users].flatMap(({ url }) => [statusOf(`${url}?w=40`), statusOf(url)]));
	expect(await all()).toEqual([200, 200, 200, 200]);
	for (let round = 0; round < 3; round++) {
		expect((await setPolicy(shop, "signed")).body.delivery).toBe("signed");
		expect(await all()).toEqual([403, 403, 403, 403]);
		await setPolicy(shop, "presets");
		expect(await all()).toEqual([403, 200, 403, 200]);
		await setPolicy(shop, "open");
		expect(await all()).toEqual([200, 200, 200, 200]);
	}
	const other = await openShop();
	await setPolicy(shop, "signed");
	expect(await statusOf(other.image.url)).toBe(200);
});

test("Admins and the Owner set it, once is audited once, and what is no policy is 422", async () => {
	const shop = await openShop();
	expect((await ask(service, shop.viewer, "GET", shop.path)).body.delivery).toBe("open");
	for (const role of ["viewer", "editor"] as const) expect((await setPolicy(shop, "signed", role)).status).toBe(403);
	for (let again = 0; again < 2; again++) expect((await setPolicy(shop, "presets")).status).toBe(200);
	for (const wrong of ["closed", null, 1]) {
		const { status, details } = await setPolicy(shop, wrong);
		expect([status, Object.keys(details)]).toEqual([422, ["delivery"]]);
	}
	const { body } = await ask(service, shop.admin, "GET", `${shop.path}/audit?event=app.delivery_changed`);
	expect((body.data as { changes: unknown }[]).map(({ changes }) => changes)).toEqual([{ delivery: "presets" }]);
});

describe("presets", () => {
	const create = (shop: Shop, name: string, parameters: unknown) =>
		ask(service, shop.admin, "POST", `${shop.path}/presets`, { name, parameters });

	test("are made, changed and removed, and each change holds at the next request", async () => {
		const shop = await openShop();
		await setPolicy(shop, "presets");
		const url = `${shop.image.url}?preset=thumb`;
		expect(await statusOf(url)).toBe(403);
		const made = await create(shop, "thumb", { w: "30", h: "20", fit: "cover" });
		expect(made).toMatchObject({ status: 201, body: { object: "preset", name: "thumb" } });
		expect(made.body.parameters).toEqual({ w: "30", h: "20", fit: "cover" });
		expect(await sizeOf(url)).toBe("30x20");
		const path = `${shop.path}/presets/${made.body.id}`;
		await ask(service, shop.admin, "PATCH", path, { parameters: { w: "50" } });
		expect(await sizeOf(url)).toBe("50x38");
		await ask(service, shop.admin, "PATCH", path, { name: "small" });
		expect([await statusOf(url), await sizeOf(`${shop.image.url}?preset=small`)]).toEqual([403, "50x38"]);
		const { body } = await ask(service, shop.viewer, "GET", `${shop.path}/presets`);
		expect(body.data).toEqual([{ ...made.body, name: "small", parameters: { w: "50" } }]);
		expect((await ask(service, shop.admin, "DELETE", path)).status).toBe(200);
		expect(await statusOf(`${shop.image.url}?preset=small`)).toBe(403);
		expect((await ask(service, shop.admin, "DELETE", path)).status).toBe(404);
	});

	test("give the very rendition that their parameters give", async () => {
		const shop = await openShop();
		await create(shop, "thumb", { w: "30", h: "20", fit: "cover" });
		const etag = async (query: string) => (await service.open(shop.image.url + query)).headers.get("etag") ?? "";
		expect(await etag("?preset=thumb")).toBe(await etag("?fit=cover&h=20&w=30"));
	});

	test("422 names each parameter that the transform host would ignore, and a name that is wrong or taken", async () => {
		const shop = await openShop();
		const faults = async (name: string, parameters: unknown) => {
			const { status, details } = await create(shop, name, parameters);
			return [status, ...Object.keys(details).sort()];
		};
		expect(await faults("a", { w: "0", colour: "red", strength: "251", q: "high", fit: "Cover" })).toEqual([
			...[422, "parameters.colour", "parameters.fit", "parameters.strength", "parameters.w"],
		]);
		for (const reserved of ["preset", "sig", "exp", "__proto__", "constructor"]) {
			expect(await faults("a", JSON.parse(`{"${reserved}":"1"}`))).toEqual([422, `parameters.${reserved}`]);
		}
		expect((await faults("a", { w: 300 }))[0]).toBe(422);
		for (const wrong of [null, [], "w=1", undefined]) expect((await faults("a", wrong))[0]).toBe(422);
		for (const wrong of ["", "A", "a b", "a.b", "x".repeat(33), "ä"])
			expect(await faults(wrong, {})).toEqual([422, "name"]);
		expect(await faults("__proto__", { w: "30" })).toEqual([201]);
		expect(await faults("b", {})).toEqual([201]);
		expect(await faults("b", {})).toEqual([422, "name"]);
		expect(await sizeOf(`${shop.image.url}?preset=__proto__`)).toBe("30x23");
	});

	test("there are at most 100, however many are made at once", async () => {
		const shop = await openShop();
		for (let made = 0; made < 96; made++) await create(shop, `p${made}`, {});
		const more = await Promise.all(Array.from({ length: 8 }, (_, n) => create(shop, `more${n}`, {})));
		expect(more.filter(({ status }) => status === 201)).toHaveLength(4);
		expect(more.filter(({ details }) => "presets" in details)).toHaveLength(4);
	});
});

describe("signing keys", () => {
	test("sign with the SDK what is answered, and no other key does", async () => {
		const shop = await openShop();
		const { secret } = await newSecret(shop);
		const signed = await sign(shop.image, secret, { w: 40, background: "#ff8800", preset: undefined });
		expect(await statusOf(signed)).toBe(200);
		await setPolicy(shop, "signed");
		expect(await sizeOf(signed)).toBe("40x30");
		expect(await statusOf(await sign(shop.users, secret))).toBe(200);
		expect(await statusOf(signed.replace("w=40", "w=41"))).toBe(403);
		const other = await openShop();
		expect(await statusOf(await sign(shop.image, (await newSecret(other)).secret))).toBe(403);
		expect(
			await statusOf(await sign({ ...shop.image, url: shop.image.url.replace(/img_\w+/, "img_none") }, secret)),
		).toBe(404);
		service.clock.advance(3_600_000);
		expect(await statusOf(signed)).toBe(403);
		service.clock.advance(-3_600_000);
	});

	test("end with their deletion at the next request, each for itself", async () => {
		const shop = await openShop();
		await setPolicy(shop, "signed");
		const [one, two] = [await newSecret(shop, "one"), await newSecret(shop, "two")];
		const signed = await Promise.all([one, two].map(({ secret }) => sign(shop.image, secret, { w: 40 })));
		const statuses = () => Promise.all(signed.map(statusOf));
		expect(await statuses()).toEqual([200, 200]);
		await ask(service, shop.admin, "DELETE", `${shop.path}/signing_keys/${one.id}`);
		expect(await statuses()).toEqual([403, 200]);
	});

	test("are 5 at most, show their secret once, and stand in no list, audit or log", async () => {
		const shop = await openShop();
		const made = await Promise.all(Array.from({ length: 7 }, (_, n) => newSecret(shop, `key ${n}`)));
		const secrets = made.map(({ secret }) => secret).filter((secret) => secret !== "undefined");
		expect(secrets).toHaveLength(5);
		for (const secret of secrets) expect(secret).toMatch(/^svc_sig_[0-9A-Za-z]{38}$/);
		const refused = await ask(service, shop.admin, "POST", `${shop.path}/signing_keys`, { name: "sixth" });
		expect([refused.status, Object.keys(refused.details)]).toEqual([422, ["signing_keys"]]);
		const { body } = await ask(service, shop.viewer, "GET", `${shop.path}/signing_keys`);
		expect((body.data as object[]).map((key) => Object.keys(key))).toEqual(
			Array.from({ length: 5 }, () => ["id", "object", "created_at", "name", "last4"]),
		);
		const audit = await ask(service, shop.admin, "GET", `${shop.path}/audit?limit=100`);
		const told = JSON.stringify([body, audit.body, service.log.lines]);
		for (const secret of secrets) expect(told).not.toContain(secret);
		expect(JSON.stringify(audit.body)).toContain("signing_key.created");
	});
});

test("a page of the service goes on showing an App's logo, whatever its policy", async () => {
	const shop = await openShop();
	await ask(service, shop.admin, "PATCH", shop.path, {
		sign_in_enabled: true,
		profile: { logo_image_id: shop.image.id },
	});
	await ask(service, shop.admin, "POST", `${shop.path}/redirect_uris`, { uri: "https://a.example/cb" });
	await setPolicy(shop, "signed");
	const query = new URLSearchParams({ app: shop.appId, redirect_uri: "https://a.example/cb" });
	const page = await (await service.open(`${service.rooms.operator.addresses.web}/connect?${query}`)).text();
	const logo = /<img src="([^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? "";
	expect(logo).toContain("&sig=");
	expect(await sizeOf(logo)).toBe("96x96");
	expect(await statusOf(logo.replace("w=96", "w=97"))).toBe(403);
});

test.each(["transition", "legacy"])("the interface %s answers every address, and knows none of it", async (variant) => {
	await using other = {
		service: await openService({ SVC_VARIANT: variant }),
		[Symbol.asyncDispose]: () => other.service.close(),
	};
	const image = await uploaded(other.service, file, "a.jpg");
	await other.service.database.write([{ run: sql`UPDATE apps SET delivery = 'signed'` }]);
	for (const query of ["", "?w=9", "?w=9&exp=1&sig=x", "?preset=none"]) {
		expect((await other.service.open(image.url + query)).status).toBe(200);
	}
	const team = await makeTeam(other.service);
	expect((await ask(other.service, team.admin, "GET", team.path)).body).not.toHaveProperty("delivery");
	const refused = await ask(other.service, team.admin, "PATCH", team.path, { delivery: "open" });
	expect([refused.status, Object.keys(refused.details)]).toEqual([422, ["delivery"]]);
	for (const path of ["presets", "signing_keys"]) {
		expect((await ask(other.service, team.admin, "GET", `${team.path}/${path}`)).status).toBe(404);
	}
});
