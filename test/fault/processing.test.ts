import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { Failure } from "@svc/base/failure";
import { processImage } from "@svc/images/create/process-image";
import { processingStore } from "@svc/images/create/processing-store";
import { newJob } from "@svc/jobs/jobs";
import type { Image } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { countOf } from "../support/apps.ts";
import { censusOf } from "../support/census.ts";
import { corpus, corpusNote, withoutCorpus } from "../support/corpus.ts";
import { svg } from "../support/kept-as-is.ts";
import { plain } from "../support/pictures.ts";
import { send, uploaded } from "../support/requests.ts";
import { type OpenService, openService } from "../support/service.ts";

/* What may happen to an image between its answer and its end: it ends all the same, counted once, with nothing left over. */

const DAY_MS = 86_400_000;
/** Between one try and the next. */
const LONGEST_WAITS_MS = [1_000, 4_000, 16_000, 64_000, 256_000];
let service: OpenService;
beforeEach(async () => {
	service = await openService({ SVC_VARIANT: "legacy" });
});
afterEach(() => service.close());

const statusOf = async ({ id }: Image): Promise<string> => {
	const answer = (await (await service.api(`/v1/images/${id}`)).json()) as {
		status?: string;
		error?: { code: string };
	};
	return answer.status ?? answer.error?.code ?? "";
};
const count = (query: ReturnType<typeof sql>) => countOf(service.database, query);

/** Days later: a file for every image and no other, and counters that agree with the rows. */
async function checkNothingIsLeft(): Promise<void> {
	// No work for the sweep: nobody died here.
	expect((await censusOf(service)).incoming).toEqual([]);
	service.clock.advance(2 * DAY_MS);
	while ((await service.sweep()).blobs > 0);
	const census = await censusOf(service);
	expect([census.blobs.pending, census.blobs.dead, census.incoming]).toEqual([[], [], []]);
	expect(census.files).toEqual([...census.blobs.live].sort());
	expect(census.files).toHaveLength(census.images.length);
	expect(census.usage).toEqual(census.counted);
}

test("a fault of ours that lasts for minutes fails no image; tried again later, not at once", async () => {
	const image = await uploaded(service, await plain(8, 8, "avif"));
	const { inspector } = service.rooms.images;
	const inspect = spyOn(inspector, "inspect");
	for (let fault = 1; fault <= 5; fault++) {
		inspect.mockRejectedValueOnce(new Error("the disk is full"));
		await service.runJobs();
		expect([inspect.mock.calls.length, await statusOf(image)]).toEqual([fault, "processing"]);
		service.clock.advance(LONGEST_WAITS_MS[fault - 1] ?? 0);
	}
	await service.runJobs();
	expect(await statusOf(image)).toBe("ready");
	expect(await count(sql`SELECT uploads FROM monthly_usage`)).toBe(1);
	inspect.mockRestore();
	await checkNothingIsLeft();
});

test("after six faults of ours, over minutes, it has failed for good, and operators are told", async () => {
	const image = await uploaded(service, svg());
	const inspect = spyOn(service.rooms.images.inspector, "inspect").mockRejectedValue(new Error("the disk is full"));
	// Half of the shortest waits: however often it is looked for, it is not given up before then.
	for (let second = 0; second < 160; second++) {
		await service.runJobs();
		service.clock.advance(1_000);
	}
	expect(await statusOf(image)).toBe("processing");
	for (const waitMs of LONGEST_WAITS_MS) {
		await service.runJobs();
		service.clock.advance(waitMs);
	}
	await service.runJobs();
	expect(inspect.mock.calls).toHaveLength(6);
	inspect.mockRestore();
	await service.runJobs();
	expect(await statusOf(image)).toBe("media_failed");
	expect(await count(sql`SELECT count(*) FROM jobs WHERE state = 'failed' AND kind = 'image.process'`)).toBe(1);
	expect(service.log.lines.some(({ level, message }) => level === "error" && message === "a job failed")).toBe(true);
	await checkNothingIsLeft();
});

test("a file that is refused fails at the first try, and the job says why", async () => {
	const image = await uploaded(service, svg("<g>"));
	await service.runJobs();
	expect(await statusOf(image)).toBe("media_failed");
	const [row] = await service.database.read(() =>
		service.database.queries.values<[string, string]>(sql`SELECT state, result FROM jobs`),
	);
	expect([row?.[0], JSON.parse(row?.[1] ?? "")]).toEqual([
		"done",
		{ status: "failed", reason: "is an SVG file but its g is not closed" },
	]);
});

test("a file that ended the process three times is not looked at a fourth time", async () => {
	const image = await uploaded(service, svg());
	const inspect = spyOn(service.rooms.images.inspector, "inspect");
	// As three processes that were killed in the middle leave it.
	await service.database.write([
		{ run: sql`UPDATE jobs SET state = 'running', claim = 'gone', lease_ms = 0, attempts = 3` },
	]);
	await service.runJobs();
	expect(inspect).not.toHaveBeenCalled();
	inspect.mockRestore();
	expect(await statusOf(image)).toBe("media_failed");
});

test("being turned away from the line is no try: it goes on once there is room", async () => {
	const image = await uploaded(service, svg());
	const run = spyOn(service.rooms.images.inspector, "inspect");
	for (let times = 0; times < 2; times++) {
		run.mockRejectedValueOnce(new Failure("server_error", undefined, { timedOut: true, retryAfterSeconds: 0 }));
	}
	await service.runJobs();
	expect(run.mock.calls).toHaveLength(3);
	run.mockRestore();
	expect(await statusOf(image)).toBe("ready");
});

/** Runs the job of an image that is deleted after it was looked at, and before anything came of it. */
async function processDeleted(image: Image): Promise<void> {
	const { inspector } = service.rooms.images;
	const inspect = inspector.inspect.bind(inspector);
	const spy = spyOn(inspector, "inspect").mockImplementation(async (...args) => {
		const inspected = await inspect(...args);
		await send(service, "DELETE", `/v1/images/${image.id}`);
		return inspected;
	});
	await service.runJobs();
	spy.mockRestore();
	expect(await statusOf(image)).toBe("not_found");
	expect(await count(sql`SELECT count(*) FROM jobs WHERE state = 'done' AND result = '{"status":"gone"}'`)).toBe(1);
}

test("deleted while it is looked at: nothing comes of it", async () => {
	await processDeleted(await uploaded(service, await plain(8, 8, "avif")));
	await checkNothingIsLeft();
});

test.skipIf(withoutCorpus)(`nor of a HEIC, whose master goes at once${corpusNote}`, async () => {
	await processDeleted(await uploaded(service, await corpus("alpha.heic")));
	const { blobs, files } = await censusOf(service);
	expect([blobs.pending, blobs.live, blobs.dead]).toEqual([[], [], files as string[]]);
	expect(files).toHaveLength(1);
	await checkNothingIsLeft();
});

test.skipIf(withoutCorpus)(
	`HEIC: ended before the commit, with a lost answer after it, and with the image gone: one master is left in the end${corpusNote}`,
	async () => {
		const image = await uploaded(service, await corpus("alpha.heic"), "a.heic");
		const store = processingStore(service.database);
		// The runner must not have it: the lease is this test's own.
		await service.database.write([{ run: sql`UPDATE jobs SET run_ms = ${Number.MAX_SAFE_INTEGER}` }]);
		const fresh = newJob("image.process", { imageId: image.id });
		const attempt = async (processing: typeof store) => {
			await service.database.write([
				{
					run: sql`INSERT INTO jobs (id, kind, payload, state, claim, lease_ms, attempts, run_ms, created_ms)
						VALUES (${fresh.id}, ${fresh.kind}, ${JSON.stringify(fresh.payload)}, 'running', 'mine',
							${Number.MAX_SAFE_INTEGER}, 1, 0, 0) ON CONFLICT DO NOTHING`,
				},
			]);
			const job = { ...fresh, attempts: 1, cutOff: false, lease: { jobId: fresh.id, claim: "mine" } };
			return await processImage(
				{ ...service.rooms.images, processing },
				{ job, yieldToRequests: () => Promise.resolve() },
			);
		};
		const before = { ...store, finish: () => Promise.reject(new Error("killed")) };
		expect(await attempt(before).catch(String)).toContain("killed");
		expect(await statusOf(image)).toBe("processing");
		const after: typeof store = {
			...store,
			finish: async (...args) => {
				await store.finish(...args);
				throw new Error("no answer");
			},
		};
		expect(await attempt(after).catch(String)).toContain("no answer");
		expect(await statusOf(image)).toBe("ready");
		expect(await attempt(store)).toEqual({ status: "gone" });
		const { blobs } = await censusOf(service);
		expect([blobs.live.length, blobs.dead.length]).toEqual([1, 1]);
		expect((await service.open(image.url)).status).toBe(200);
		await checkNothingIsLeft();
	},
	20_000,
);
