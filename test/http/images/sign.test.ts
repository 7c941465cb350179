import { beforeAll, expect, test } from "bun:test";
import type { Image, SignedAddress } from "@svc/sdk/shapes";
import sharp from "sharp";
import { connectUser } from "../../support/apps.ts";
import { as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import { ask, makeKey, makeTeam, TEAM_ROLES, type TeamRole } from "../../support/teams.ts";

const service = serviceFor({ SVC_VARIANT: "current" });
let file: Buffer<ArrayBuffer>;
beforeAll(async () => {
	file = await plain(900, 600, "jpeg");
});

async function openShop() {
	const team = await makeTeam(service);
	const { secret: key } = await makeKey(service, team.owner, team.path);
	const image = await uploaded(service, file, "a.jpg", {}, { key });
	await ask(service, team.admin, "PATCH", team.path, { delivery: "signed" });
	const sign = async (role: TeamRole, body: unknown, id = image.id, user?: string) => {
		const { headers, ...caller } = as(team[role], team.appId);
		const all = { ...headers, ...(user && { "X-Svc-User": user }) };
		return await send(service, "POST", `/v1/images/${id}/sign`, body, { ...caller, headers: all });
	};
	const signed = async (role: TeamRole, body: unknown) => (await (await sign(role, body)).json()) as SignedAddress;
	return { ...team, key, image, sign, signed };
}

const statusOf = async (url: string) => (await service.open(url)).status;

test("an address that somebody of the team has signed shows what it says until it ends, and nothing else", async () => {
	const shop = await openShop();
	const { url, ...rest } = await shop.signed("editor", {
		parameters: { w: "90", fit: "cover", h: "40" },
		expires_in: "1h",
	});
	expect(rest).toMatchObject({ object: "signed_address" });
	const { width, height } = await sharp(await (await service.open(url)).bytes()).metadata();
	expect([width, height]).toEqual([90, 40]);
	expect(await statusOf(url.replace("w=90", "w=91"))).toBe(403);
	const ends = Date.parse(rest.expires_at);
	expect(ends - service.clock.now()).toBeLessThanOrEqual(3_600_000);
	service.clock.advance(ends - service.clock.now());
	expect(await statusOf(url)).toBe(403);
	expect(await statusOf((await shop.signed("editor", { expires_in: 60 })).url)).toBe(200);
});

test("who may only look signs for ten minutes at most, an Editor for up to 366 days", async () => {
	const shop = await openShop();
	const of = async (expires_in: unknown) =>
		await Promise.all(TEAM_ROLES.map(async (role) => (await shop.sign(role, { expires_in })).status));
	expect(await of("10m")).toEqual([200, 200, 200, 200]);
	expect(await of(601)).toEqual([403, 200, 200, 200]);
	expect(await of("366d")).toEqual([403, 200, 200, 200]);
	const { secret: reader } = await makeKey(service, shop.owner, shop.path, { permissions: ["read"] });
	const byKey = async (expires_in: number) =>
		(await send(service, "POST", `/v1/images/${shop.image.id}/sign`, { expires_in }, { key: reader })).status;
	expect([await byKey(600), await byKey(601)]).toEqual([200, 403]);
	const refused = await errorOf(await shop.sign("viewer", { expires_in: 601 }));
	expect(refused).toMatchObject({ status: 403, code: "forbidden" });
});

test("422 names each parameter that the transform host would ignore, a preset that there is not, and too late an end", async () => {
	const shop = await openShop();
	const fields = async (body: unknown) => (await errorOf(await shop.sign("editor", body))).fields;
	expect(await fields({ parameters: { w: "0", colour: "red" }, expires_in: 60 })).toEqual([
		...["parameters.w", "parameters.colour"],
	]);
	expect(await fields({ parameters: { preset: "thumb" }, expires_in: 60 })).toEqual(["parameters.preset"]);
	for (const sent of ["367d", 0, -1, "soon", null]) expect(await fields({ expires_in: sent })).toEqual(["expires_in"]);
	for (const name of ["sig", "exp", "__proto__"])
		expect(await fields({ parameters: JSON.parse(`{"${name}":"1"}`), expires_in: 60 })).toEqual([`parameters.${name}`]);
	await ask(service, shop.admin, "POST", `${shop.path}/presets`, { name: "thumb", parameters: { w: "30" } });
	const { url } = await shop.signed("editor", { parameters: { preset: "thumb" }, expires_in: 60 });
	expect((await sharp(await (await service.open(url)).bytes()).metadata()).width).toBe(30);
});

test("where the App has a signing key it signs, and deleting that key ends the address", async () => {
	const shop = await openShop();
	const path = `${shop.path}/signing_keys`;
	const { body } = await ask(service, shop.admin, "POST", path, { name: "web" });
	const { url } = await shop.signed("editor", { expires_in: "300d" });
	expect(await statusOf(url)).toBe(200);
	await ask(service, shop.admin, "DELETE", `${path}/${String(body.id)}`);
	expect(await statusOf(url)).toBe(403);
});

test("404 for an image of another App or storage, and for one that is gone", async () => {
	const [shop, other] = [await openShop(), await openShop()];
	const user = await connectUser(service.database, { id: shop.appId });
	const users = await uploaded(service, file, "u.jpg", {}, { key: shop.key, headers: { "X-Svc-User": user.id } });
	const status = async (image: Image, of?: string) =>
		(await shop.sign("owner", { expires_in: 60 }, image.id, of)).status;
	expect([await status(other.image), await status(users), await status(users, user.id)]).toEqual([404, 404, 200]);
	await send(service, "DELETE", `/v1/images/${shop.image.id}`, undefined, { key: shop.key });
	expect(await status(shop.image)).toBe(404);
});
