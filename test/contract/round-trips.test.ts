import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import { type LibsqlProxy, type Passage, startLibsqlProxy } from "../support/libsql-proxy.ts";
import { type LibsqlServer, libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";
import { plain } from "../support/pictures.ts";
import { send, upload, uploaded } from "../support/requests.ts";
import { type OpenService, openService } from "../support/service.ts";

/*
 * How often a call waits for a libSQL server: each request to it is one round trip. A key that a process has seen before is meant; what is
 * written in the background, as the time of a key's last use, does not keep a call waiting.
 */

const BACKGROUND =
	/AS used WHERE|select \\"value\\" from \\"image_facts|insert into \\"image_facts|left join \\"damaged_blobs/i;
/** Lets most of what the call before has left behind be done. */
const QUIET_MS = 100;
const TURNS = 8;

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

	/**
	 * The requests of one call, after one like it has made the caller known: the fewest of several such calls, since what a service does by
	 * itself meanwhile is counted as well.
	 */
	async function tripsOf(call: () => Promise<Response>): Promise<number> {
		await call();
		let fewest = Number.POSITIVE_INFINITY;
		for (let turn = 0; turn < TURNS; turn += 1) {
			await Bun.sleep(QUIET_MS);
			bodies.length = 0;
			const answer = await call();
			fewest = Math.min(fewest, bodies.filter((body) => !BACKGROUND.test(body)).length);
			expect(answer.status).toBeLessThan(300);
			const usage = await send(service, "GET", "/v1/usage");
			const counters = ["x-storage-used", "x-monthly-uploads-used"];
			expect(counters.map((name) => answer.headers.get(name))).toEqual(counters.map((name) => usage.headers.get(name)));
		}
		return fewest;
	}

	test("reading an image, a list, or the usage is one", async () => {
		const image = await uploaded(service, file);
		expect(await tripsOf(() => send(service, "GET", `/v1/images/${image.id}`))).toBe(1);
		expect(await tripsOf(() => send(service, "GET", "/v1/images?limit=10"))).toBe(1);
		expect(await tripsOf(() => send(service, "GET", "/v1/usage"))).toBe(1);
	});

	test("changing an image is two, deleting one is two", async () => {
		const images: Image[] = [];
		for (let count = 0; count <= TURNS + 1; count += 1) images.push(await uploaded(service, file));
		let turn = 0;
		const patch = () => send(service, "PATCH", `/v1/images/${images[0]?.id}`, { caption: `turn ${turn++}` });
		expect(await tripsOf(patch)).toBe(2);
		const remove = () => send(service, "DELETE", `/v1/images/${images.pop()?.id}`);
		expect(await tripsOf(remove)).toBe(2);
	});

	test("creating an image is three, under an Idempotency-Key five", async () => {
		expect(await tripsOf(() => upload(service, file))).toBe(3);
		let turn = 0;
		const keyed = () => upload(service, file, "a.png", {}, { headers: { "Idempotency-Key": `key ${turn++}` } });
		expect(await tripsOf(keyed)).toBe(5);
	});
});
