import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import { addApp, connectUser } from "../support/apps.ts";
import { type LibsqlProxy, type Passage, startLibsqlProxy } from "../support/libsql-proxy.ts";
import { type LibsqlServer, libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";
import { plain } from "../support/pictures.ts";
import { type Caller, send, upload, uploaded } from "../support/requests.ts";
import { type OpenService, openService } from "../support/service.ts";

/*
 * How often a call waits for a libSQL server: each request to it is one round trip. A key that a process has seen before is meant; what is
 * written in the background, as the time of a key's last use, does not keep a call waiting.
 */

const BACKGROUND = /AS used WHERE|select "value" from "image_facts|insert into "image_facts|left join "damaged_blobs/i;
/** Lets most of what the call before has left behind be done. */
const QUIET_MS = 100;
const TURNS = 8;
const HOUR_MS = 3_600_000;

interface Requested {
	readonly batch?: { readonly steps: readonly { readonly stmt: { readonly sql: string } }[] };
}

describe.skipIf(withoutLibsql)(`round trips to a libSQL server${libsqlNote}`, () => {
	let server: LibsqlServer;
	let proxy: LibsqlProxy;
	let service: OpenService;
	let file: Buffer<ArrayBuffer>;
	const bodies: string[] = [];

	const counting: Passage = (_, forward, body) => {
		bodies.push(String(body));
		return forward();
	};

	beforeAll(async () => {
		server = await startLibsql();
		proxy = await startLibsqlProxy(server.url);
		service = await openService({ SVC_DATABASE_URL: proxy.url });
		file = await plain(6, 6);
		proxy.passage = counting;
	});
	afterAll(async () => {
		await service.close();
		await proxy[Symbol.asyncDispose]();
		await server[Symbol.asyncDispose]();
	});

	/** A change is the background's whole, but may go along with a call's in one commit; and so may reads. */
	function isBackground(body: string): boolean {
		const { requests } = JSON.parse(body) as { readonly requests: readonly Requested[] };
		const texts = requests.flatMap(({ batch }) => batch?.steps.map(({ stmt }) => stmt.sql) ?? []);
		if (texts[0] !== "BEGIN IMMEDIATE") return texts.every((text) => BACKGROUND.test(text));
		const changes = texts.join("\n").split("\nSAVEPOINT one\n");
		return changes.every((change) => change === "BEGIN IMMEDIATE" || BACKGROUND.test(change));
	}

	/**
	 * The requests of one call, after one like it has made the caller known: the fewest of several such calls, since what a service does by
	 * itself meanwhile is counted as well.
	 */
	async function tripsOf(call: () => Promise<Response>, caller: Caller = {}): Promise<number> {
		await call();
		let fewest = Number.POSITIVE_INFINITY;
		for (let turn = 0; turn < TURNS; turn += 1) {
			await Bun.sleep(QUIET_MS);
			bodies.length = 0;
			const answer = await call();
			fewest = Math.min(fewest, bodies.filter((body) => !isBackground(body)).length);
			expect(answer.status).toBeLessThan(300);
			const usage = await send(service, "GET", "/v1/usage", undefined, caller);
			const counters = ["x-storage-used", "x-monthly-uploads-used"];
			expect(counters.map((name) => answer.headers.get(name))).toEqual(counters.map((name) => usage.headers.get(name)));
		}
		return fewest;
	}

	test("reading an image, a list, or the usage is two: who calls, and what they read", async () => {
		const image = await uploaded(service, file);
		expect(await tripsOf(() => send(service, "GET", `/v1/images/${image.id}`))).toBe(2);
		expect(await tripsOf(() => send(service, "GET", "/v1/images?limit=10"))).toBe(2);
		expect(await tripsOf(() => send(service, "GET", "/v1/usage"))).toBe(2);
	});

	test("changing an image is three, deleting one is three", async () => {
		const images: Image[] = [];
		for (let count = 0; count <= TURNS + 1; count += 1) images.push(await uploaded(service, file));
		let turn = 0;
		const patch = () => send(service, "PATCH", `/v1/images/${images[0]?.id}`, { caption: `turn ${turn++}` });
		expect(await tripsOf(patch)).toBe(3);
		const remove = () => send(service, "DELETE", `/v1/images/${images.pop()?.id}`);
		expect(await tripsOf(remove)).toBe(3);
	});

	test("changing or deleting fifty in a batch is three", async () => {
		const images: Image[] = [];
		for (let count = 0; count < 50; count += 1) images.push(await uploaded(service, file));
		const ids = images.map(({ id }) => id);
		let turn = 0;
		const patch = () => send(service, "PATCH", "/v1/images/batch", { ids, caption: `turn ${turn++}` });
		expect(await tripsOf(patch)).toBe(3);
		const remove = () => send(service, "DELETE", "/v1/images/batch", { ids: ids.splice(0, 5) });
		expect(await tripsOf(remove)).toBe(3);
	});

	test("creating an image is two, under an Idempotency-Key four", async () => {
		expect(await tripsOf(() => upload(service, file))).toBe(2);
		let turn = 0;
		const keyed = () => upload(service, file, "a.png", {}, { headers: { "Idempotency-Key": `key ${turn++}` } });
		expect(await tripsOf(keyed)).toBe(4);
	});

	test("creates under new keys and old ones that are sent at once make each image once, and answer each with its own", async () => {
		const keyed = async (name: string) => {
			const answer = await upload(service, file, "a.png", {}, { headers: { "Idempotency-Key": name } });
			return [answer.status, ((await answer.json()) as Image).id, answer.headers.get("idempotent-replayed")] as const;
		};
		const names = Array.from({ length: 9 }, (_, place) => `at once ${place}`);
		const made = await Promise.all(names.slice(0, 6).map(keyed));
		const all = await Promise.all(names.map(keyed));
		expect(all.slice(0, 6)).toEqual(made.map(([status, id]) => [status, id, "true"]));
		expect(all.slice(6).map(([status, , replayed]) => [status, replayed])).toEqual(
			names.slice(6).map(() => [201, null]),
		);
		expect(new Set(all.map(([, id]) => id)).size).toBe(names.length);
	});

	test("a create long after the one before it does not count on what the sweep has taken meanwhile", async () => {
		for (let pause = 0; pause < 2; pause += 1) {
			await uploaded(service, file);
			service.clock.advance(2 * HOUR_MS);
			while ((await service.sweep()).blobs > 0);
		}
		expect((await upload(service, file)).status).toBe(201);
	});

	test("images that are read at once come each with its own fields, and one that is not there is not", async () => {
		const captions = Array.from({ length: 24 }, (_, n) => `${n} "quoted" \\ [null] \u{1f408} \u0001 ${"x".repeat(n)}`);
		const fields = (caption: string) => ({ caption, metadata: JSON.stringify({ about: caption }) });
		const images = await Promise.all(captions.map((caption) => uploaded(service, file, "a.png", fields(caption))));
		const alone: unknown[] = [];
		for (const { id } of images) alone.push(await (await send(service, "GET", `/v1/images/${id}`)).json());
		const together = await Promise.all(images.map(({ id }) => send(service, "GET", `/v1/images/${id}`)));
		expect(await Promise.all(together.map((answer) => answer.json()))).toEqual(alone as never);
		expect(alone).toMatchObject(captions.map((caption) => ({ caption, metadata: { about: caption } })));
		const addresses = images.flatMap(({ url }) => [url, url.replace(/img_\w+/, "img_0000000000000000000000")]);
		const answers = await Promise.all(addresses.map((url) => service.open(url)));
		expect(answers.map(({ status }) => status)).toEqual(images.flatMap(() => [200, 404]));
	});

	test("selecting a user with an App's key costs one more", async () => {
		const app = await addApp(service.database);
		const user = await connectUser(service.database, app);
		const caller = { key: app.key, headers: { "X-Svc-User": user.id } };
		const keyed = (name: string) => ({ ...caller, headers: { ...caller.headers, "Idempotency-Key": name } });
		const image = await uploaded(service, file, "a.png", {}, caller);
		let turn = 0;
		const calls: readonly (readonly [number, () => Promise<Response>])[] = [
			[3, () => send(service, "GET", `/v1/images/${image.id}`, undefined, caller)],
			[3, () => send(service, "GET", "/v1/images?limit=10", undefined, caller)],
			[4, () => send(service, "PATCH", `/v1/images/${image.id}`, { caption: `turn ${turn++}` }, caller)],
			[3, () => upload(service, file, "a.png", {}, caller)],
			[5, () => upload(service, file, "a.png", {}, keyed(`user's key ${turn++}`))],
		];
		for (const [trips, call] of calls) expect(await tripsOf(call, caller)).toBe(trips);
	}, 30_000);
});
