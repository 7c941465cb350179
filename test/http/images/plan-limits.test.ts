import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ConnectedUser, ImportItem, Job } from "@svc/sdk/shapes";
import type { List } from "@svc/sdk/types";
import { sql } from "drizzle-orm";
import { addUserKey, countOf, setPlan, type TestUser } from "../../support/apps.ts";
import { advanceTo, simulate } from "../../support/billing.ts";
import { libsqlNote, startLibsql, withoutLibsql } from "../../support/libsql-server.ts";
import { type Origin, startOrigin } from "../../support/origin.ts";
import { addPerson } from "../../support/people.ts";
import { noise, plain } from "../../support/pictures.ts";
import { type Caller, errorOf, form, headersOf, importImage, send, upload, uploaded } from "../../support/requests.ts";
import { made } from "../../support/selling.ts";
import { type OpenService, openService, serviceFor } from "../../support/service.ts";
import {
	accessOf,
	addCustomer,
	type Customer,
	cardAddress,
	DAY_MS,
	openShop,
	periodEndOf,
	type Shop,
	subscribe,
	subscriptionOf,
} from "../../support/subscribers.ts";
import { readTicket, ticket, useTicket } from "../../support/tickets.ts";

/* What a plan of an App lets a user's storage hold, and an App those without one: held by the service, whichever way an image comes. */

const small = await plain(8, 8);
/** About 25 times as large. */
const large = await noise(60, 60);

interface Limits {
	readonly images?: number | null;
	readonly bytes?: number | null;
}

/** A service with an App that sells, and those who use it. */
class Scene {
	readonly #service: () => OpenService;
	shop!: Shop;

	constructor(service: () => OpenService) {
		this.#service = service;
	}

	get service() {
		return this.#service();
	}

	async open(): Promise<this> {
		this.shop = await openShop(this.service);
		return this;
	}

	async free(free_limits: Limits): Promise<void> {
		await made(send(this.service, "PATCH", `/v1/apps/${this.shop.app.id}`, { free_limits }, this.shop.owner));
	}

	async plan(key: string, limits: Limits): Promise<void> {
		const path = `/v1/apps/${this.shop.app.id}/plans`;
		const { data } = await made<List<{ id: string; key: string }>>(
			send(this.service, "GET", path, undefined, this.shop.owner),
		);
		const id = data.find((one) => one.key === key)?.id;
		await made(send(this.service, "PATCH", `${path}/${id}`, { limits }, this.shop.owner));
	}

	async give({ user }: Customer, plan_key: string, days = 30): Promise<void> {
		const until = new Date(this.service.rooms.clock.now() + days * DAY_MS).toISOString();
		const body = { plan_key, until, reason: "A test" };
		const path = `/v1/apps/${this.shop.app.id}/users/${user.id}/grant`;
		await made(send(this.service, "PUT", path, body, this.shop.owner));
	}

	customer(): Promise<Customer> {
		return addCustomer(this.service, this.shop);
	}

	for(user?: TestUser): Caller {
		return { key: this.shop.app.key, headers: user ? { "X-Svc-User": user.id } : {} };
	}

	async upload({ user }: Customer, file = small): Promise<number> {
		return (await upload(this.service, file, "a.png", {}, this.for(user))).status;
	}

	async refusal({ user }: Customer, file = small): Promise<string> {
		const { status, code, message } = await errorOf(await upload(this.service, file, "a.png", {}, this.for(user)));
		return `${status} ${code}: ${message}`;
	}

	images({ user }: Customer): Promise<number> {
		const query = sql`SELECT count(*) FROM images JOIN storages ON storages.pk = storage_pk WHERE storages.id = ${user.storageId}`;
		return countOf(this.service.database, query);
	}
}

const service = serviceFor({ SVC_VARIANT: "current" });
const opened = () => new Scene(() => service).open();
let operator: Awaited<ReturnType<typeof addPerson>>;
beforeAll(async () => {
	operator = await addPerson(service.database, { operator: true });
});

describe("a user without a plan", () => {
	test("403 quota_exceeded beyond the App's free_limits, until one is deleted; the App storage and others are not concerned", async () => {
		const scene = await opened();
		await scene.free({ images: 2 });
		const [ann, bob] = [await scene.customer(), await scene.customer()];
		const first = await uploaded(service, small, "a.png", {}, scene.for(ann.user));
		expect(await scene.upload(ann)).toBe(201);
		expect(await scene.refusal(ann)).toBe(
			"403 quota_exceeded: A user without a plan has room in this App for 2 images, and this user has reached that; delete images, or let the user take a plan that holds more.",
		);
		expect([
			await scene.upload(bob),
			await upload(service, small, "a.png", {}, scene.for()).then((one) => one.status),
		]).toEqual([201, 201]);
		await made(send(service, "DELETE", `/v1/images/${first.id}`, undefined, scene.for(ann.user)));
		expect([await scene.upload(ann), await scene.upload(ann)]).toEqual([201, 403]);
		await scene.free({ images: null });
		expect(await scene.upload(ann)).toBe(201);
		expect(await scene.images(ann)).toBe(3);
	});

	test("with room for nothing takes nothing; its own key hears only that the App takes no more", async () => {
		const scene = await opened();
		await scene.free({ images: 0 });
		const ann = await scene.customer();
		const key = await addUserKey(service.database, scene.shop.app, ann.user);
		const own = await errorOf(await upload(service, small, "a.png", {}, { key }));
		expect([own.status, own.code, own.message]).toEqual([403, "quota_exceeded", "This App takes no new uploads."]);
		expect(await scene.refusal(ann)).toContain("without a plan has room in this App for 0 images");
	});

	test("has as many bytes as the App says, to the byte", async () => {
		const scene = await opened();
		await scene.free({ bytes: 2 * small.byteLength });
		const ann = await scene.customer();
		expect([await scene.upload(ann), await scene.upload(ann)]).toEqual([201, 201]);
		expect(await scene.refusal(ann)).toContain(`${2 * small.byteLength} bytes, and this image does not fit`);
		await scene.free({ bytes: 3 * small.byteLength - 1 });
		expect(await scene.upload(ann)).toBe(403);
		await scene.free({ bytes: 3 * small.byteLength });
		expect(await scene.upload(ann)).toBe(201);
	});

	test("hears first of the App's own plan, where both are full", async () => {
		const scene = await opened();
		await scene.free({ images: 1 });
		const ann = await scene.customer();
		await scene.upload(ann);
		await setPlan(service.database, scene.shop.app.id, "free", 1);
		expect(await scene.refusal(ann)).toContain("An operator has limited this App to 1 image");
		await setPlan(service.database, scene.shop.app.id, "free", 2);
		expect(await scene.refusal(ann)).toContain("without a plan");
	});
});

describe("a user with a plan", () => {
	test("has what the plan holds, and is told its name, while it is given, tried or paid, and in the days of grace; afterwards what all have", async () => {
		const scene = await opened();
		await scene.free({ images: 1 });
		await scene.plan("silver", { images: 2 });
		await scene.plan("gold", { images: 3 });
		const [ann, bob] = [await scene.customer(), await scene.customer()];
		await scene.give(ann, "gold", 1);
		expect([await scene.upload(ann), await scene.upload(ann), await scene.upload(ann)]).toEqual([201, 201, 201]);
		expect(await scene.refusal(ann)).toBe(
			'403 quota_exceeded: The plan "Gold" (gold) holds 3 images, and this user has reached that; delete images, or let the user move to a plan that holds more.',
		);
		await subscribe(bob, scene.shop.trial);
		expect(await accessOf(service, bob)).toBe("trialing silver");
		expect([await scene.upload(bob), await scene.upload(bob)]).toEqual([201, 201]);
		expect(await scene.refusal(bob)).toContain('The plan "Silver" (silver) holds 2 images');
		const { id } = await subscriptionOf(service, bob);
		await simulate(service, operator, id, "decline");
		await advanceTo(service, operator, (await periodEndOf(service, bob)) + DAY_MS);
		expect(await accessOf(service, bob)).toBe("grace silver");
		expect(await scene.refusal(bob)).toContain("Silver");
		expect(await scene.refusal(ann)).toContain("without a plan");
		await advanceTo(service, operator, service.rooms.clock.now() + 4 * DAY_MS);
		expect(await accessOf(service, bob)).toBe("inactive");
		expect(await scene.refusal(bob)).toContain("without a plan");
		expect([await scene.images(ann), await scene.images(bob)]).toEqual([3, 2]);
	});

	test("is bound by the plan alone: one without limits holds any number, whatever those without a plan have", async () => {
		const scene = await opened();
		await scene.free({ images: 0, bytes: 0 });
		const ann = await scene.customer();
		await scene.give(ann, "gold");
		expect([await scene.upload(ann), await scene.upload(ann)]).toEqual([201, 201]);
	});

	test("keeps all images of a plan that was lowered or archived, and adds none", async () => {
		const scene = await opened();
		const ann = await scene.customer();
		await scene.give(ann, "gold");
		await Promise.all([1, 2, 3].map(() => scene.upload(ann)));
		await scene.plan("gold", { images: 1 });
		expect([await scene.upload(ann), await scene.images(ann)]).toEqual([403, 3]);
		const { data } = await made<List<{ id: string; key: string }>>(
			send(service, "GET", `/v1/apps/${scene.shop.app.id}/plans`, undefined, scene.shop.owner),
		);
		const gold = data.find(({ key }) => key === "gold")?.id;
		await made(send(service, "POST", `/v1/apps/${scene.shop.app.id}/plans/${gold}/archive`, {}, scene.shop.owner));
		expect([await scene.refusal(ann), await scene.images(ann)]).toEqual([expect.stringContaining("Gold"), 3]);
	});
});

test("each user's `limits` are those that hold for them, as the key, the list and the team read them", async () => {
	const scene = await opened();
	await scene.free({ images: 3 });
	await scene.plan("gold", { images: 500, bytes: 20_000_000 });
	const [ann, bob] = [await scene.customer(), await scene.customer()];
	const limits = async () => {
		const path = `/v1/apps/${scene.shop.app.id}/users`;
		const shown = [
			...(await made<List<ConnectedUser>>(send(service, "GET", "/v1/users", undefined, scene.for()))).data,
			await made<ConnectedUser>(send(service, "GET", `/v1/users/${bob.user.id}`, undefined, scene.for())),
			await made<ConnectedUser>(send(service, "GET", `${path}/${ann.user.id}`, undefined, scene.shop.owner)),
		];
		return shown.map(({ id, limits: held }) => [id === ann.user.id ? "ann" : "bob", held?.images, held?.bytes]);
	};
	const free = ["bob", 3, null];
	expect(await limits()).toEqual([free, ["ann", 3, null], free, ["ann", 3, null]]);
	await scene.give(ann, "gold");
	expect(await limits()).toEqual([free, ["ann", 500, 20_000_000], free, ["ann", 500, 20_000_000]]);
});

test("the card on which they buy says what a plan lets them keep, in the reader's language", async () => {
	const scene = await opened();
	await scene.plan("gold", { images: 5_000, bytes: 20_000_000_000 });
	await scene.plan("silver", { images: 1 });
	const ann = await scene.customer();
	const said = {
		en: ["Up to 5,000 pictures", "Up to 20 GB in all", "Up to 1 picture<"],
		de: ["Bis zu 5.000 Bilder", "Bis zu 20 GB insgesamt", "Bis zu 1 Bild<"],
		es: ["Hasta 5000 imágenes", "Hasta 20 GB en total", "Hasta 1 imagen<"],
		fr: ["Jusqu’à 5 000 images", "Jusqu’à 20 Go en tout", "Jusqu’à 1 image<"],
		ja: ["画像5,000枚まで", "合計20 GBまで", "画像1枚まで"],
	};
	for (const [language, words] of Object.entries(said)) {
		const opening = { headers: { "Accept-Language": language } };
		const html = (await ann.browser.open(cardAddress(scene.shop), opening)).html.replaceAll(/[\u00a0\u202f]/g, " ");
		for (const word of words) expect(html).toContain(word);
	}
});

describe("every way in is held", () => {
	let origin: Origin;
	let importing: OpenService;
	beforeAll(async () => {
		origin = await startOrigin((_request, response) => {
			response.end(small);
		});
		importing = await openService({ SVC_VARIANT: "current", SVC_IMPORT_ALLOW: origin.host });
		importing.startJobs();
	});
	afterAll(async () => {
		await importing.close();
		origin.stop();
	});

	test("a create by address, and the items of an import: those beyond fail with quota_exceeded", async () => {
		const scene = await new Scene(() => importing).open();
		await scene.free({ images: 2 });
		const ann = await scene.customer();
		const url = origin.url("/a.png");
		expect((await importImage(importing, { url }, scene.for(ann.user))).status).toBe(201);
		const body = { items: [{ url: `${url}?1` }, { url: `${url}?2` }, { url: `${url}?3` }] };
		const { id } = await made<Job>(send(importing, "POST", "/v1/imports", body, scene.for(ann.user)));
		let job: Job;
		do {
			job = await made<Job>(send(importing, "GET", `/v1/imports/${id}`, undefined, scene.for(ann.user)));
		} while (job.state === "queued" || job.state === "running");
		expect(job).toMatchObject({ state: "done", result: { created: 1, failed: 2 } });
		const items = await made<List<ImportItem>>(
			send(importing, "GET", `/v1/imports/${id}/items?state=failed`, undefined, scene.for(ann.user)),
		);
		expect(items.data.map(({ error }) => error?.code)).toEqual(["quota_exceeded", "quota_exceeded"]);
		expect(items.data[0]?.error?.message).toContain("without a plan");
		expect((await importImage(importing, { url }, scene.for(ann.user))).status).toBe(403);
		expect(await scene.images(ann)).toBe(2);
	});

	test("an upload by ticket: its bearer hears that this user has no room left, and nothing of the plan, the App the plan", async () => {
		const scene = await opened();
		await scene.plan("gold", { images: 1 });
		const ann = await scene.customer();
		await scene.give(ann, "gold");
		const [one, two] = [await ticket(service, {}, scene.for(ann.user)), await ticket(service, {}, scene.for(ann.user))];
		expect((await useTicket(service, one, small)).status).toBe(201);
		const refused = await errorOf(await useTicket(service, two, small));
		expect([refused.status, refused.code, refused.message]).toEqual([
			403,
			"quota_exceeded",
			"This user has no room left for this image in this App; delete images, or get more room there.",
		]);
		const { failure, state } = await readTicket(service, two.id, scene.for(ann.user));
		expect([state, failure]).toMatchObject(["open", { code: "quota_exceeded" }]);
		expect(JSON.stringify(failure)).toContain("Gold");
	});

	test("403 quota_exceeded for a ticket of a user who has no room now, naming the limit, until there is; others get theirs", async () => {
		const scene = await opened();
		await scene.free({ images: 1 });
		const [ann, bob] = [await scene.customer(), await scene.customer()];
		const image = await uploaded(service, small, "a.png", {}, scene.for(ann.user));
		const headers = { "Idempotency-Key": `ticket of ${ann.user.id}` };
		const ask = () =>
			send(
				service,
				"POST",
				"/v1/upload_tickets",
				{},
				{ ...scene.for(ann.user), headers: { ...scene.for(ann.user).headers, ...headers } },
			);
		const refused = await errorOf(await ask());
		expect([refused.status, refused.code, refused.message]).toEqual([
			403,
			"quota_exceeded",
			"A user without a plan has room in this App for 1 image, and this user has reached that; delete images, or let the user take a plan that holds more.",
		]);
		expect((await ticket(service, {}, scene.for(bob.user))).state).toBe("open");
		expect((await ticket(service, {}, scene.for())).state).toBe("open");
		await made(send(service, "DELETE", `/v1/images/${image.id}`, undefined, scene.for(ann.user)));
		expect((await ask()).status).toBe(201);
	});

	test("a copy and a move into the user's storage, and out of it nothing is held", async () => {
		const scene = await opened();
		await scene.free({ images: 1 });
		const ann = await scene.customer();
		const mine = await uploaded(service, small, "a.png", {}, scene.for());
		const to = (verb: string, id: string, user_id: string | null, by = scene.for()) =>
			send(service, "POST", `/v1/images/${id}/${verb}`, { user_id }, by);
		const copied = (await (await to("copy", mine.id, ann.user.id)).json()) as { id: string };
		for (const verb of ["copy", "move"]) {
			const refused = await errorOf(await to(verb, mine.id, ann.user.id));
			expect([verb, refused.status, refused.code]).toEqual([verb, 403, "quota_exceeded"]);
			expect(refused.message).toContain("without a plan");
		}
		expect((await to("move", copied.id, null, scene.for(ann.user))).status).toBe(200);
		expect((await to("move", mine.id, ann.user.id)).status).toBe(200);
		expect(await scene.images(ann)).toBe(1);
	});

	test("other bytes for an image, by the difference: they may fill the storage, and shrink one that holds too much", async () => {
		const scene = await opened();
		const ann = await scene.customer();
		const image = await uploaded(service, small, "a.png", {}, scene.for(ann.user));
		const replace = (file: BlobPart) =>
			service.api(`/v1/images/${image.id}/replace`, {
				method: "POST",
				body: form(file, "b.png"),
				headers: headersOf(service, scene.for(ann.user)),
			});
		await scene.free({ images: 1, bytes: large.byteLength - 1 });
		const refused = await errorOf(await replace(large));
		expect([refused.status, refused.code]).toEqual([403, "quota_exceeded"]);
		expect(refused.message).toContain("bytes, and this image does not fit");
		await scene.free({ bytes: large.byteLength });
		expect((await replace(large)).status).toBe(200);
		await scene.free({ images: 0, bytes: 1 });
		expect([(await replace(small)).status, await scene.images(ann)]).toEqual([200, 1]);
	});

	test("a restore: it waits, for its day, until there is room again", async () => {
		const scene = await opened();
		await scene.free({ images: 1 });
		const ann = await scene.customer();
		const [first] = [await uploaded(service, small, "a.png", {}, scene.for(ann.user))];
		await made(send(service, "DELETE", `/v1/images/${first.id}`, undefined, scene.for(ann.user)));
		expect(await scene.upload(ann)).toBe(201);
		const restore = () => send(service, "POST", `/v1/images/${first.id}/restore`, {}, scene.for(ann.user));
		const refused = await errorOf(await restore());
		expect([refused.status, refused.code]).toEqual([403, "quota_exceeded"]);
		await scene.free({ images: 2 });
		expect((await restore()).status).toBe(200);
	});

	test("in the newest interface version alone: where limits refuse nothing, these do not either", async () => {
		await using older = await openService({ SVC_VARIANT: "transition" }).then((one) =>
			Object.assign(one, { [Symbol.asyncDispose]: () => one.close() }),
		);
		const scene = await new Scene(() => older).open();
		await scene.free({ images: 0 });
		const ann = await scene.customer();
		const answer = await upload(older, small, "a.png", {}, scene.for(ann.user));
		expect([answer.status, answer.headers.get("x-limits-enforced")]).toEqual([201, "false"]);
	});
});

/** How many of so many uploads at once were taken. */
async function taken(scenes: readonly Scene[], { user }: Customer, count: number): Promise<number> {
	const answers = await Promise.all(
		Array.from({ length: count }, (_, place) => {
			const scene = scenes[place % scenes.length] as Scene;
			const key = place % 2 === 0 ? {} : { "Idempotency-Key": `race ${place}` };
			const { key: secret, headers } = scene.for(user);
			return upload(
				scene.service,
				small,
				"a.png",
				{},
				{ ...(secret && { key: secret }), headers: { ...headers, ...key } },
			);
		}),
	);
	const statuses = new Set(answers.map(({ status }) => status));
	expect([...statuses].every((status) => status === 201 || status === 403)).toBe(true);
	return answers.filter(({ status }) => status === 201).length;
}

describe("uploads at once", () => {
	test("of two into the last place exactly one is taken, ten times; of twenty as many as there are places", async () => {
		const scene = await opened();
		await scene.plan("gold", { images: 1 });
		for (let round = 0; round < 10; round++) {
			const ann = await scene.customer();
			await scene.give(ann, "gold");
			expect(await taken([scene], ann, 2)).toBe(1);
		}
		await scene.plan("gold", { images: 7 });
		const bob = await scene.customer();
		await scene.give(bob, "gold");
		expect([await taken([scene], bob, 20), await scene.images(bob)]).toEqual([7, 7]);
	});

	test("are held by the bytes as well", async () => {
		const scene = await opened();
		await scene.free({ bytes: 3 * small.byteLength });
		const ann = await scene.customer();
		expect([await taken([scene], ann, 12), await scene.images(ann)]).toEqual([3, 3]);
	});

	test.skipIf(withoutLibsql)(`are held by two services of one libSQL server together${libsqlNote}`, async () => {
		await using server = await startLibsql();
		const [one, two] = [
			await openService({ SVC_VARIANT: "current", SVC_DATABASE_URL: server.url }),
			await openService({ SVC_VARIANT: "current", SVC_DATABASE_URL: server.url }),
		];
		try {
			const scene = await new Scene(() => one).open();
			const other = new Scene(() => two);
			other.shop = scene.shop;
			await scene.plan("gold", { images: 3 });
			const ann = await scene.customer();
			await scene.give(ann, "gold");
			// The second service has met the caller before: what it guesses and foresees of them must pass no limit either.
			expect(await other.upload(ann)).toBe(201);
			expect([await taken([scene, other], ann, 12), await scene.images(ann)]).toEqual([2, 3]);
			expect(await other.refusal(ann)).toContain('The plan "Gold" (gold) holds 3 images');
		} finally {
			await one.close();
			await two.close();
		}
	});
});
