import { afterAll, describe, expect, test } from "bun:test";
import { WorkLost } from "@svc/base/failure";
import { removeFolders, transformHost } from "@svc/test/support/transform-host";

afterAll(removeFolders);

/** Until the promise chain has come to rest; file I/O included. */
async function until(condition: () => boolean): Promise<void> {
	while (!condition()) await new Promise(setImmediate);
}

/** A renderer that waits until it is let go; like libvips, it does not look at the signal once it runs. */
function held(host: Awaited<ReturnType<typeof transformHost>>) {
	const { promise, resolve } = Promise.withResolvers<void>();
	const signals: AbortSignal[] = [];
	host.renderer.pace = (signal) => {
		signals.push(signal);
		return promise;
	};
	return { signals, release: resolve };
}

const ONE_PLACE = { places: 1, waiting: 1 };

describe("joining", () => {
	test("one render for many who ask at once", async () => {
		const host = await transformHost();
		const { release } = held(host);
		const asking = Array.from({ length: 20 }, () => host.ask(".jpg?w=100"));
		await until(() => host.renderer.asked.length > 0);
		release();
		const bodies = await Promise.all(asking.map(async (response) => (await response).text()));
		expect(new Set(bodies)).toEqual(new Set(["pixels of w=100"]));
		expect(host.renderer.asked).toEqual(["w=100"]);
		expect(host.meters.outcomes()).toEqual({ rendered: 1, joined: 19 });
	});

	test("the render goes on while one of its clients is there, and is stopped when the last has gone", async () => {
		const host = await transformHost();
		const { signals, release } = held(host);
		const clients = [new AbortController(), new AbortController()];
		const asking = clients.map(({ signal }) => host.ask(".jpg?w=100", { signal }));
		await until(() => signals.length > 0 && host.renderer.asked.length > 0);
		await Promise.resolve();
		clients[0]?.abort();
		expect((await asking[0])?.status).toBe(499);
		expect(signals[0]?.aborted).toBe(false);
		clients[1]?.abort();
		expect((await asking[1])?.status).toBe(499);
		expect(signals[0]?.aborted).toBe(true);

		// Whoever comes now is not given what is being stopped.
		const newcomer = host.ask(".jpg?w=100");
		await until(() => signals.length === 2);
		release();
		expect((await newcomer).status).toBe(200);
		expect(host.meters.outcomes()).toEqual({ abandoned: 2, rendered: 1 });
		expect(host.log.lines).toEqual([]);
	});

	test("a client that leaves the line gives up its place at once", async () => {
		const host = await transformHost({ line: ONE_PLACE });
		const { release } = held(host);
		const running = host.ask(".jpg?w=1");
		await until(() => host.line.running === 1);
		const client = new AbortController();
		const waiting = host.ask(".jpg?w=2", { signal: client.signal });
		await until(() => host.line.waiting === 1);
		client.abort();
		expect(host.line.waiting).toBe(0);
		expect((await waiting).status).toBe(499);
		release();
		await running;
		expect(host.renderer.asked).toEqual(["w=1"]);
	});
});

describe("sizes that are made ahead", () => {
	test("a request takes the place of one that waits, and joins one that has begun", async () => {
		const host = await transformHost({ line: { places: 1 }, image: { width: 4_000, height: 2_000 } });
		const { release, signals } = held(host);
		const running = host.ask(".jpg?w=1");
		await until(() => host.line.running === 1);
		const ahead = host.app.makeSizes(host.image).catch(() => undefined);
		await until(() => host.line.waiting === 1);
		const asking = host.ask(".jpg?size=s");
		await ahead;
		await until(() => host.line.waiting === 1);
		release();
		expect([(await running).status, (await asking).status]).toEqual([200, 200]);
		expect(host.renderer.asked).toEqual(["w=1", "size=s"]);

		const second = held(host);
		const more = host.app.makeSizes(host.image);
		await until(() => second.signals.length === 1);
		const joining = host.ask(".jpg?size=m");
		await until(() => host.meters.outcomes().joined === undefined && host.line.running === 1);
		second.release();
		expect((await joining).status).toBe(200);
		await more;
		expect(host.renderer.asked).toEqual(["w=1", "size=s", "size=m", "size=l"]);
		expect(host.meters.outcomes()).toEqual({ rendered: 2, joined: 1 });
		expect(signals.some(({ aborted }) => aborted)).toBe(false);
	});

	test("are those of an App that shows them: where nobody asks for one, the smallest alone is made after a while, and kept apart", async () => {
		const host = await transformHost({ image: { width: 4_000, height: 2_000 } });
		const others = { ...host.image, blobKey: "not there" };
		for (let pictures = 0; pictures < 16; pictures++) await host.app.makeSizes(others).catch(() => undefined);
		await host.app.makeSizes(host.image);
		expect(host.renderer.asked).toEqual(["size=s"]);
		expect([host.cache.bytes, host.cache.smallBytes]).toEqual([0, 4096]);
		// Under whatever parameters it is asked for, these are its bytes.
		for (const query of ["size=s", "h=320", "size=s&format=jpg"])
			expect((await host.ask(`.jpg?${query}`)).status).toBe(200);
		expect(host.renderer.asked).toEqual(["size=s"]);
		await host.app.makeSizes(host.image);
		expect(host.renderer.asked).toEqual(["size=s", "size=m", "size=l"]);
		expect([host.cache.bytes, host.cache.smallBytes]).toEqual([2 * 4096, 4096]);
	});
});

describe("overload", () => {
	test("503 with Retry-After past the line; what is cached or known is still served", async () => {
		const host = await transformHost({ line: ONE_PLACE });
		await host.ask(".jpg?w=9");
		const { release } = held(host);
		const busy = [host.ask(".jpg?w=1"), host.ask(".jpg?w=2")];
		await until(() => host.line.waiting === 1);
		const response = await host.ask(".jpg?w=3");
		expect(response.status).toBe(503);
		expect(response.headers.get("retry-after")).toBe("1");
		expect(response.headers.get("cache-control")).toBe("no-store");
		expect(await response.json()).toMatchObject({
			error: { type: "api_error", code: "server_error", action: { type: "wait", retry_after: 1 } },
		});
		expect((await host.ask(".jpg?w=9")).status).toBe(200);
		release();
		expect((await Promise.all(busy)).map(({ status }) => status)).toEqual([200, 200]);
		expect(host.meters.outcomes()).toEqual({ rendered: 3, shed: 1, "hit-memory": 1 });
	});

	test("503 when a render takes too long; it keeps its place until it ends, and is then kept", async () => {
		const host = await transformHost({ line: ONE_PLACE, renderTimeoutMs: 5 });
		const { signals, release } = held(host);
		const response = await host.ask(".jpg?w=1");
		expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
		expect(signals[0]?.aborted).toBe(false);
		expect(host.line.running).toBe(1);
		// Asking again does not start it again.
		expect((await host.ask(".jpg?w=1")).status).toBe(503);
		expect(signals).toHaveLength(1);
		release();
		await until(() => host.cache.entries === 1);
		expect(await (await host.ask(".jpg?w=1")).text()).toBe("pixels of w=1");
		expect(host.log.lines).toEqual(["warn: A rendition takes too long"]);
	});
});

describe("a form that cannot be made", () => {
	test("503 while another try may succeed; after the second worker 422 at once, for whoever asks for it, and for nothing else", async () => {
		const host = await transformHost();
		host.renderer.pace = async () => {
			throw new WorkLost(1, { cause: new Error("out of memory") });
		};
		for (let visit = 0; visit < 2; visit++) {
			const response = await host.ask(".jpg?w=1");
			expect([response.status, response.headers.get("retry-after")]).toEqual([503, "2"]);
		}
		const refused = await host.ask(".jpg?w=1");
		expect([refused.status, refused.headers.get("cache-control"), refused.headers.get("retry-after")]).toEqual([
			422,
			"public, max-age=60",
			null,
		]);
		expect(await refused.json()).toMatchObject({ error: { code: "media_failed" } });
		expect(host.renderer.asked).toHaveLength(2);
		host.renderer.pace = async () => undefined;
		expect((await host.ask(".jpg?w=2")).status).toBe(200);
		host.world.nowMs += 10 * 60_000;
		expect((await host.ask(".jpg?w=1")).status).toBe(200);
		expect(host.log.lines).toEqual(["error: A rendition cost its worker", "error: A rendition cost its worker"]);
		expect(host.meters.outcomes()).toEqual({ late: 2, impossible: 1, rendered: 2 });
	});

	test("503 and no more where the machine was at fault", async () => {
		const host = await transformHost();
		host.renderer.pace = async () => {
			throw new WorkLost(0, { cause: new Error("stopped") });
		};
		for (let visit = 0; visit < 5; visit++) expect((await host.ask(".jpg?w=1")).status).toBe(503);
	});
});

describe("failures", () => {
	test("500 to all who wait, logged whole once, and tried again by the next", async () => {
		const host = await transformHost();
		host.renderer.pace = async () => {
			throw new Error("VipsJpeg: secret path");
		};
		const responses = await Promise.all([host.ask(".jpg?w=1"), host.ask(".jpg?w=1"), host.ask(".jpg?w=1")]);
		for (const response of responses) {
			expect(response.status).toBe(500);
			expect(response.headers.get("x-content-type-options")).toBe("nosniff");
			const body = await response.text();
			expect(JSON.parse(body)).toMatchObject({ error: { type: "api_error", code: "server_error" } });
			expect(body).not.toContain("secret");
		}
		const joined = "warn: A request failed with the rendition that it had joined";
		expect(host.log.lines).toEqual(["error: A rendition could not be made", joined, joined]);
		// Each answer's id is in the log, with what was to be made.
		expect(host.log.facts.map(({ request_id }) => request_id).sort()).toEqual(
			responses.map(({ headers }) => headers.get("x-request-id")).sort(),
		);
		for (const facts of host.log.facts) expect(facts).toMatchObject({ image: host.image.id, form: "jpg w=1" });
		expect(host.log.facts[0]).toMatchObject({ error: { message: "VipsJpeg: secret path" } });
		expect(host.meters.outcomes()).toEqual({ failed: 3 });
		host.renderer.pace = async () => undefined;
		expect((await host.ask(".jpg?w=1")).status).toBe(200);
	});

	test.each([
		["made", (lost: Error) => lost, "A rendition could not be made"],
		["lost", (lost: Error) => new WorkLost(0, { cause: lost }), "A rendition cost its worker"],
	])("the line in the log names the worker and the price of what could not be %s", async (_, thrown, message) => {
		const host = await transformHost();
		const job = { worker: 4_711, price: { bytes: 5, cpuMs: 6 } };
		host.renderer.pace = () => Promise.reject(thrown(Object.assign(new Error("no"), job)));
		const answer = await host.ask(".jpg?w=1");
		expect(host.log.lines).toEqual([`error: ${message}`]);
		const request = { request_id: answer.headers.get("x-request-id"), image: host.image.id, form: "jpg w=1" };
		expect(host.log.facts).toMatchObject([{ ...request, ...job }]);
	});

	test("503 to try again, and nothing in the log, when the image was given other bytes between the two questions", async () => {
		const host = await transformHost();
		const { image } = host;
		host.world.blob = false;
		let questions = 0;
		const replaced = { ...image, blobKey: `${image.id}/other`, revision: image.revision + 1 };
		Object.defineProperty(host.world, "image", { get: () => (questions++ === 0 ? image : replaced) });
		const answer = await host.ask(".jpg?w=1");
		expect([answer.status, answer.headers.has("retry-after")]).toEqual([503, true]);
		expect(host.log.lines).toEqual([]);
	});

	test("500 when the blob of an image that is there is missing", async () => {
		const host = await transformHost();
		host.world.blob = false;
		expect((await host.ask(".jpg?w=1")).status).toBe(500);
		expect(host.log.lines).toHaveLength(1);
	});

	test("404 when image and blob went between the two questions", async () => {
		const host = await transformHost();
		const { image } = host;
		host.world.blob = false;
		// Found by the first question only.
		let questions = 0;
		Object.defineProperty(host.world, "image", { get: () => (questions++ === 0 ? image : undefined) });
		expect((await host.ask(".jpg?w=1")).status).toBe(404);
		expect(host.log.lines).toEqual([]);
	});

	test("404 to all, and nothing kept, when the image is deleted while it is rendered", async () => {
		const host = await transformHost();
		const { release } = held(host);
		const asking = [host.ask(".jpg?w=1"), host.ask(".jpg?w=1")];
		await until(() => host.renderer.asked.length > 0);
		host.world.image = undefined;
		expect((await host.ask(".jpg?w=1")).status).toBe(404);
		await host.cache.purge(host.image.blobKey);
		release();
		expect((await Promise.all(asking)).map(({ status }) => status)).toEqual([404, 404]);
		expect([host.cache.entries, host.cache.hotBytes]).toEqual([0, 0]);
		expect(host.log.lines).toEqual([]);
	});

	test("nothing is kept when it is deleted and purged while the answer is on its way that it is still there", async () => {
		const host = await transformHost();
		const { release } = held(host);
		const asking = host.ask(".jpg?w=1");
		await until(() => host.renderer.asked.length > 0);
		host.world.database = async (answer) => {
			const found = answer();
			host.world.image = undefined;
			await host.cache.purge(host.image.blobKey);
			return found;
		};
		release();
		expect((await asking).status).toBe(200);
		expect([host.cache.entries, host.cache.hotBytes]).toEqual([0, 0]);
	});

	test("503 and a line in the log when the database fails", async () => {
		const host = await transformHost();
		host.world.database = () => Promise.reject(new Error("SQL: secret"));
		const response = await host.ask(".jpg");
		expect([response.status, response.headers.get("retry-after")]).toEqual([503, "2"]);
		expect(await response.text()).not.toContain("secret");
		expect(host.log.lines).toEqual(["error: A request to the transform host failed"]);
		expect(host.log.facts).toMatchObject([
			{
				request_id: response.headers.get("x-request-id"),
				image: host.image.id,
				error: { cause: { message: "SQL: secret" } },
			},
		]);
	});
});
