import { afterAll, beforeAll, expect, test } from "bun:test";
import { addApp, addKey, addUserKey, connectUser, firstApp, revokeKeys, setPlan } from "../support/apps.ts";
import { type Census, censusOf, openDescriptors } from "../support/census.ts";
import { limitMs } from "../support/limits.ts";
import { plain } from "../support/pictures.ts";
import { uploaded } from "../support/requests.ts";
import { type OpenService, openService } from "../support/service.ts";
import { faultOf, type Received } from "./malformed-answers.ts";
import { type Malformed, malformedRequest, type Target } from "./malformed-requests.ts";
import { Dice, seed } from "./seed.ts";

/* Thousands of requests that make no sense, through the whole service. SVC_TEST_MALFORMED says how many. */

const REQUESTS = Number(process.env.SVC_TEST_MALFORMED ?? 8_000);
/** Answered before anything is measured: what is loaded once is no leak. */
const WARM_UP = Math.min(2_000, REQUESTS / 4);
/** Images that requests name, some of which delete them. */
const NAMED = 120;
const AT_ONCE = 8;
/** For a request that hangs. One that waits its turn on a busy machine is answered long before. */
const ANSWER_MS = limitMs(AT_ONCE, 1_000);
/** A careless reader takes thousands of times as long as for text that holds nothing to look at. */
const LABORIOUS_TIMES = 60;
const DESCRIPTORS_SLACK = 10;
const MEMORY_SLACK_BYTES = 250_000_000;

let service: OpenService;
let target: Target;

beforeAll(async () => {
	service = await openService({ SVC_WEB_URL: "http://localhost:3005" });
	const app = await firstApp(service.database);
	await setPlan(service.database, app.id, "unlimited");
	const user = await connectUser(service.database, app);
	const stranger = await addApp(service.database);
	const revoked = await addApp(service.database, "Revoked");
	await revokeKeys(service.database, revoked.id);
	const pictures = await Promise.all(
		(["png", "jpeg", "webp", "gif", "avif"] as const).map((format) => plain(8, 6, format)),
	);
	const shown = await Promise.all(pictures.map((picture) => uploaded(service, picture)));
	const named = [];
	for (let count = 0; count < NAMED; count++) named.push(await uploaded(service, pictures[0] as Buffer<ArrayBuffer>));
	target = {
		base: "http://localhost:3000",
		cdn: "http://localhost:3001",
		web: "http://localhost:3005",
		keys: [
			service.apiKey,
			await addKey(service.database, app, { permissions: ["read"] }),
			await addKey(service.database, app, { reach: "bucket" }),
			await addUserKey(service.database, app, user),
			stranger.key,
			revoked.key,
		],
		userIds: [user.id],
		imageIds: named.map(({ id }) => id),
		urls: shown.map(({ url }) => url),
		pictures: pictures.map((picture) => new Uint8Array(picture)),
	};
});
afterAll(() => service.close());

/** What the service said it did. */
interface Acknowledged {
	readonly images: Set<string>;
	/** Creates that were not replays. */
	uploads: number;
	readonly statuses: Map<string, number>;
	slowestMs: number;
}

async function inTime<T>(work: Promise<T>): Promise<T> {
	const late = Promise.withResolvers<never>();
	const timer = setTimeout(() => late.reject(new Error(`nothing for ${ANSWER_MS} ms`)), ANSWER_MS);
	try {
		return await Promise.race([work, late.promise]);
	} finally {
		clearTimeout(timer);
	}
}

async function receive({ request, reads }: Malformed): Promise<Received> {
	const answer = await service.handle(request);
	const { status, headers } = answer;
	if (reads) return { status, headers, text: await answer.text() };
	await answer.body?.cancel();
	return { status, headers, text: "" };
}

function note(acknowledged: Acknowledged, { site, request: { method } }: Malformed, received: Received): void {
	const { status, headers, text } = received;
	const kind = `${site} ${status}`;
	acknowledged.statuses.set(kind, (acknowledged.statuses.get(kind) ?? 0) + 1);
	if (site !== "api" || status >= 300) return;
	if (status === 201) {
		acknowledged.images.add((JSON.parse(text) as { id: string }).id);
		if (!headers.has("Idempotent-Replayed")) acknowledged.uploads++;
	}
	if (method === "DELETE") for (const id of deletedIn(text)) acknowledged.images.delete(id);
}

/** The ids in a tombstone, or in a batch of them. */
function deletedIn(text: string): string[] {
	const body = JSON.parse(text) as { id: string } | { data: readonly { id: string }[] };
	return "id" in body ? [body.id] : body.data.map(({ id }) => id);
}

function described({ request }: Malformed): string {
	const headers = [...request.headers].map(([name, value]) => `${name}: ${value.slice(0, 80)}`).join("; ");
	return `${request.method} ${request.url.slice(0, 300)} [${headers}]`;
}

/** Sends one; SVC_TEST_SEED and the turn make the very same again. */
async function sendOne(turn: number, acknowledged: Acknowledged): Promise<void> {
	const malformed = malformedRequest(new Dice(seed, turn), target);
	// Whatever changes something is read to its end, or nobody would know what was acknowledged.
	if (!malformed) return;
	const sent = malformed.site === "api" ? { ...malformed, reads: true } : malformed;
	const about = `seed ${seed}, turn ${turn}: ${described(sent)}`;
	const startedMs = performance.now();
	const received = await inTime(receive(sent)).catch((cause: unknown) => {
		throw new Error(`no answer: ${about}`, { cause });
	});
	acknowledged.slowestMs = Math.max(acknowledged.slowestMs, performance.now() - startedMs);
	const fault = faultOf(sent, received);
	if (fault) throw new Error(`${fault}: ${received.status} ${received.text.slice(0, 500)}: ${about}`);
	note(acknowledged, sent, received);
}

async function sendAll(from: number, to: number, acknowledged: Acknowledged): Promise<void> {
	let turn = from;
	const sender = async () => {
		while (turn < to) await sendOne(turn++, acknowledged);
	};
	await Promise.all(Array.from({ length: AT_ONCE }, sender));
	expectQuietLog();
}

/** A failure that was answered with something harmless is still one; and lines that nobody reads must not look like a leak. */
function expectQuietLog(): void {
	const loud = service.log.lines.filter(({ level }) => level === "error");
	expect([seed, loud]).toEqual([seed, []]);
	service.log.lines.length = 0;
}

async function memoryBytes(): Promise<number> {
	Bun.gc(true);
	await Bun.sleep(50);
	return process.memoryUsage.rss();
}

function expectHeld(census: Census, acknowledged: Acknowledged): void {
	expect(census.images).toEqual([...acknowledged.images].sort());
	expect(census.usage).toEqual(census.counted);
	expect(census.uploads).toBe(acknowledged.uploads);
	expect(census.blobs.pending).toEqual([]);
	expect(census.blobs.live).toHaveLength(census.images.length);
	expect(census.files).toEqual([...census.blobs.live, ...census.blobs.dead].sort());
	expect(census.incoming).toEqual([]);
	expect(census.unfinishedKeys).toBe(0);
}

test(
	`${REQUESTS} malformed requests: no failure of ours, refusals in the envelope, nothing left behind (seed ${seed})`,
	async () => {
		const before = await censusOf(service);
		const acknowledged: Acknowledged = {
			images: new Set(before.images),
			uploads: before.uploads,
			statuses: new Map(),
			slowestMs: 0,
		};
		await sendAll(0, WARM_UP, acknowledged);
		const descriptors = await openDescriptors();
		const memory = await memoryBytes();
		for (let from = WARM_UP; from < REQUESTS; from += 5_000) {
			await sendAll(from, Math.min(REQUESTS, from + 5_000), acknowledged);
		}
		expectHeld(await censusOf(service), acknowledged);
		expect((await openDescriptors()) - descriptors).toBeLessThanOrEqual(DESCRIPTORS_SLACK);
		const grown = (await memoryBytes()) - memory;
		expect(grown).toBeLessThan(MEMORY_SLACK_BYTES);
		if (process.env.SVC_TEST_REPORT) {
			const statuses = Object.fromEntries([...acknowledged.statuses].sort());
			process.stderr.write(
				`${JSON.stringify({ seed, statuses, slowestMs: acknowledged.slowestMs, memory, grown }, null, 1)}\n`,
			);
		}
	},
	limitMs(REQUESTS, 60),
);

test("a sweep a day later leaves exactly the files of the images that are there", async () => {
	service.clock.advance(25 * 3_600_000);
	while (true) {
		const swept = await service.sweep();
		if (swept.expired + swept.blobs + swept.staged + swept.keys === 0) break;
	}
	const census = await censusOf(service);
	expect(census.blobs.dead).toEqual([]);
	expect(census.files).toEqual(census.blobs.live);
	expect(census.images).toHaveLength(census.files.length);
	expect(census.usage).toEqual(census.counted);
});

test.each(['\\"', '"', "\\", '"\\', "[]", " "])(
	"half a megabyte of %p is refused as fast as it is read",
	async (unit) => {
		// Side by side, on the same machine: what keeps it busy keeps both.
		const [plainMs, unitMs] = [await refusalMs("x"), await refusalMs(unit)];
		expect(unitMs).toBeLessThan(Math.max(plainMs, 1) * LABORIOUS_TIMES);
	},
);

/** The least of three, for half a megabyte. */
async function refusalMs(unit: string): Promise<number> {
	const body = `{"caption":"${unit.repeat(500_000 / unit.length)}`;
	const times = [];
	for (let tries = 0; tries < 3; tries++) {
		const startedMs = performance.now();
		const answer = await service.api("/v1/images", {
			method: "POST",
			body,
			headers: { Authorization: `Bearer ${service.apiKey}`, "Content-Type": "application/json" },
		});
		expect(answer.status).toBe(400);
		times.push(performance.now() - startedMs);
	}
	return Math.min(...times);
}
