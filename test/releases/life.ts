import { createHash } from "node:crypto";
import { Browser } from "../support/browser.ts";
import { connectLink, exchanged, returned, signInTo } from "../support/connect.ts";
import { plain } from "../support/pictures.ts";
import { type Caller, send, uploaded } from "../support/requests.ts";
import { addPlan, addPrice, made } from "../support/selling.ts";
import type { OpenService } from "../support/service.ts";

/* A little of everything that a service keeps, made through its doors alone, and how it answered then: what a later release still answers. */

const CALLBACK = "https://shop.example/callback";
const USER = "hiker+svc_test@example.com";

interface Answer {
	/** A path of the API, or the address of a picture. */
	readonly at: string;
	/** Who asked the API. */
	readonly caller?: Caller;
	/** An object of the API, or the SHA-256 of a picture in hexadecimal. */
	readonly body: unknown;
}

/** What stands beside a data directory. */
export interface Life {
	/** Milliseconds since 1970. Terms are compared as they were at that moment. */
	readonly atMs: number;
	/** A secret that the first start printed. */
	readonly apiKey: string;
	/** What {@link uploadAgain} made, and still answers. */
	readonly repeatedId: string;
	readonly answers: readonly Answer[];
}

/** An upload under an Idempotency-Key, which makes one image however often it is sent. */
export async function uploadAgain(service: OpenService, key: string): Promise<string> {
	const caller: Caller = { key, headers: { "Idempotency-Key": "release-1" } };
	const { id } = await uploaded(service, await plain(16, 16), "again.png", {}, caller);
	return id;
}

/** Lives through an App's first day. @param isLegacy whether Apps sell nothing of their own, as in 4.2.0 */
export async function live(service: OpenService, isLegacy: boolean): Promise<Life> {
	const pictures = await firstPictures(service);
	const repeatedId = await uploadAgain(service, service.apiKey);
	const shop = await openShop(service);
	const user = await firstUser(service, shop);
	if (!isLegacy) await buy(service, shop, user);
	const backend: Caller = { key: service.apiKey };
	const paths: readonly [string, Caller][] = [
		...pictures.map(({ id }): [string, Caller] => [`/v1/images/${id}`, backend]),
		["/v1/images", backend],
		["/v1/usage", backend],
		["/v1/me", shop.owner],
		[`/v1/apps/${shop.id}`, shop.owner],
		[`/v1/apps/${shop.id}/keys`, shop.owner],
		[`/v1/apps/${shop.id}/plans`, shop.owner],
		[`/v1/apps/${shop.id}/subscriptions`, shop.owner],
		["/v1/images", { key: shop.key, headers: { "X-Svc-User": user.id } }],
		["/v1/operator/apps", shop.owner],
	];
	const answers: Answer[] = [];
	for (const [at, caller] of paths) answers.push({ at, caller, body: await answerAt(service, at, caller) });
	for (const { url } of [...pictures, user.picture]) {
		for (const at of [url, `${url}?w=12&format=webp`]) answers.push({ at, body: await answerAt(service, at) });
	}
	return { atMs: service.clock.now(), apiKey: service.apiKey, repeatedId, answers };
}

/**
 * What a path of the API answers to a caller; without one, the SHA-256 of the picture at an address, in hexadecimal. Of a rendition only its
 * type: a newer encoder may write other bytes.
 * @throws Error unless it is a success
 */
export async function answerAt(service: OpenService, at: string, caller?: Caller): Promise<unknown> {
	if (caller) return lasting(await made(send(service, "GET", at, undefined, caller)));
	const answer = await service.open(at);
	if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
	if (at.includes("?")) return answer.headers.get("content-type");
	return createHash("sha256")
		.update(new Uint8Array(await answer.arrayBuffer()))
		.digest("hex");
}

/** Without what each look changes. */
function lasting(body: unknown): unknown {
	return JSON.parse(JSON.stringify(body, (name, value: unknown) => (name === "last_used_at" ? undefined : value)));
}

async function firstPictures(service: OpenService) {
	return [
		await uploaded(service, await plain(40, 30, "jpeg"), "hill.jpg", { labels: '{"trip":"hills","day":"1"}' }),
		await uploaded(service, await plain(30, 40), "lake.png", { labels: '{"trip":"lakes"}' }),
		await uploaded(service, await plain(24, 24, "webp"), "day.webp"),
	];
}

async function openShop(service: OpenService) {
	const owner: Caller = { key: service.token };
	const { id } = await made<{ id: string }>(send(service, "POST", "/v1/apps", { name: "Sunday Hikers" }, owner));
	const path = `/v1/apps/${id}`;
	const { secret: key } = await made<{ secret: string }>(
		send(service, "POST", `${path}/keys`, { name: "Backend", reach: "app", permissions: ["read", "write"] }, owner),
	);
	await made(send(service, "POST", `${path}/redirect_uris`, { uri: CALLBACK }, owner));
	await made(send(service, "PATCH", path, { sign_in_enabled: true }, owner));
	return { id, key, owner };
}

type OpenedShop = Awaited<ReturnType<typeof openShop>>;

async function firstUser(service: OpenService, shop: OpenedShop) {
	const browser = new Browser(service);
	const back = await signInTo(service, browser, connectLink(shop, { redirectUri: CALLBACK }), USER);
	const { user } = await exchanged(service, shop, returned(back).code ?? "");
	const headers = { "X-Svc-User": user.id };
	const picture = await uploaded(service, await plain(20, 20), "private.png", {}, { key: shop.key, headers });
	return { id: user.id, browser, picture };
}

async function buy(
	service: OpenService,
	shop: OpenedShop,
	{ browser }: Awaited<ReturnType<typeof firstUser>>,
): Promise<void> {
	await made(send(service, "PATCH", `/v1/operator/apps/${shop.id}`, { selling_enabled: true }, shop.owner));
	const plan = await addPlan(service, shop.id, shop.owner, { key: "gold", name: "Gold" });
	const price = await addPrice(service, shop.id, plan.id, shop.owner, { amount: 500 });
	const card = `/billing?${new URLSearchParams({ app: shop.id, redirect_uri: CALLBACK, price_id: price.id })}`;
	const page = await browser.follow(await browser.open(card));
	await browser.submit(page, "/checkout/", { card: "pays" });
}
