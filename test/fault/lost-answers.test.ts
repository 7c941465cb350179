import { expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { recounter } from "@svc/images/usage/recount-store";
import type { Usage } from "@svc/sdk/shapes";
import { addApp, setPlan } from "../support/apps.ts";
import { censusOf } from "../support/census.ts";
import { type LibsqlProxy, PASSING, startLibsqlProxy } from "../support/libsql-proxy.ts";
import { type LibsqlServer, libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";
import { limitMs } from "../support/limits.ts";
import { plain } from "../support/pictures.ts";
import { send, upload } from "../support/requests.ts";
import { type OpenService, openService } from "../support/service.ts";
import { Dice, seed } from "./seed.ts";

/* A bad road to the libSQL server: requests and answers get lost, and the server is killed. Nobody can know what was committed. */

const CREATES = Number(process.env.SVC_TEST_CREATES ?? 120);
const AT_ONCE = 8;
/** Of all requests to the server that come while nothing is wrong; a create takes about six. */
const LOST = 0.03;
const MOST_BAD_MS = 20;
const TRIES = 20;
/** Longer than any lease. */
const LEASE_MS = 5 * 60_000;
const DAY_MS = 86_400_000;
/** What a caller may be told while the road is bad; all of it invites to try again. */
const PASSING_CODES = new Set([
	"app_context_unavailable",
	"create_outcome_ambiguous",
	"idempotency_key_in_progress",
	"server_error",
	"upload_failed",
]);

interface Sent {
	readonly key: string;
	/** Of every 201. */
	readonly ids: Set<string>;
	/** Codes of the answers before the first 201. */
	readonly refusals: string[];
}

/** Faults come in clusters: what finds out about a lost answer is often lost as well. */
function makeBad(proxy: LibsqlProxy, dice: Dice): { lost: number } {
	const counted = { lost: 0 };
	let badUntilMs = 0;
	proxy.passage = async (_, forward) => {
		const lost = performance.now() < badUntilMs || dice.chance(LOST);
		if (!lost) return await forward();
		counted.lost += 1;
		badUntilMs = Math.max(badUntilMs, performance.now() + dice.below(MOST_BAD_MS));
		if (dice.chance(0.5)) await forward();
		return undefined;
	};
	return counted;
}

/** Until it is there, or somebody who is gone holds its key. */
async function create(service: OpenService, key: string, sent: Sent, file: Buffer<ArrayBuffer>): Promise<void> {
	for (let tries = 0; tries < TRIES; tries++) {
		const answer = await upload(service, file, "a.png", {}, { key, headers: { "Idempotency-Key": sent.key } });
		const body = (await answer.json()) as { readonly id?: string; readonly error?: { readonly code: string } };
		if (body.id !== undefined) {
			sent.ids.add(body.id);
			return;
		}
		sent.refusals.push(body.error?.code ?? String(answer.status));
		// As long as the road is bad there is no use in asking.
		await Bun.sleep(MOST_BAD_MS);
	}
}

/** At most so many at once. */
async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
	const waiting = [...items];
	const worker = async () => {
		for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
	};
	await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function killNowAndThen(server: LibsqlServer, until: Promise<void>): Promise<void> {
	let done = false;
	void until.finally(() => {
		done = true;
	});
	for (let kills = 0; kills < 3 && !done; kills++) {
		await Promise.race([until, Bun.sleep(500)]);
		await server.restart();
	}
}

async function expectExact(service: OpenService, key: string): Promise<void> {
	const usage = (await (await send(service, "GET", "/v1/usage", undefined, { key })).json()) as Usage;
	expect(usage.totals.images_stored).toBe(CREATES);
	expect(await recounter(service.database).recount(Date.now())).toEqual([]);
	service.clock.advance(2 * DAY_MS);
	while ((await service.sweep()).blobs > 0);
	const census = await censusOf(service);
	expect([census.images.length, census.uploads]).toEqual([CREATES, CREATES]);
	expect([census.blobs.pending, census.blobs.dead]).toEqual([[], []]);
	expect(census.files).toEqual([...census.blobs.live].sort());
	expect(await readdir(join(service.dataDir, "images", "incoming"))).toEqual([]);
}

test.skipIf(withoutLibsql)(
	`${CREATES} creates on a road that loses ${LOST * 100} % of all requests or answers, to a server that is killed: each ends as one image, counted once (SVC_TEST_SEED=${seed})${libsqlNote} [idem.ambiguous-no-duplicate]`,
	async () => {
		await using server = await startLibsql();
		await using proxy = await startLibsqlProxy(server.url);
		const service = await openService({ SVC_DATABASE_URL: proxy.url });
		const app = await addApp(service.database);
		await setPlan(service.database, app.id, "unlimited");
		const file = await plain(6, 6);
		const all = Array.from({ length: CREATES }, (_, n): Sent => ({ key: `key ${n}`, ids: new Set(), refusals: [] }));

		const road = makeBad(proxy, new Dice(seed));
		const creating = forEach(all, (sent) => create(service, app.key, sent, file));
		await Promise.all([creating, killNowAndThen(server, creating)]);
		proxy.passage = PASSING;
		const told = new Set(all.flatMap(({ refusals }) => refusals));
		expect([...told].filter((code) => !PASSING_CODES.has(code))).toEqual([]);
		expect(road.lost).toBeGreaterThan(0);

		// Whoever was told of a request that is still under way comes back once its lease is over; the others get what they had.
		service.clock.advance(LEASE_MS);
		await forEach(all, (sent) => create(service, app.key, sent, file));
		expect(all.filter(({ ids }) => ids.size !== 1)).toEqual([]);
		expect(new Set(all.flatMap(({ ids }) => [...ids])).size).toBe(CREATES);
		await expectExact(service, app.key);
		await service.close();
	},
	limitMs(CREATES, 2_000),
);
