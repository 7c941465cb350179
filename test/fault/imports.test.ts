import { expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ImportItem, Job } from "@svc/sdk/shapes";
import type { List } from "@svc/sdk/types";
import { limitMs } from "../support/limits.ts";
import { startOrigin } from "../support/origin.ts";
import { plain } from "../support/pictures.ts";
import { removeData, startProcess } from "../support/process.ts";
import { openService } from "../support/service.ts";
import { found } from "./scoreboard.ts";

/* A long list of addresses, good, slow, failing and hostile ones, whose process is killed in the middle: each is made once, or says why not. */

const ITEMS = Number(process.env.SVC_TEST_IMPORT_ITEMS ?? 400);
const PAGE = 100;
const SLOW_MS = 400;

type Serve = (response: ServerResponse, picture: Buffer, times: number) => void;

interface Kind {
	readonly serve: Serve;
	/** What becomes of it: the code of its error; made where there is none. */
	readonly code?: string;
}

const redirectTo =
	(location: string): Serve =>
	(response) =>
		void response.writeHead(302, { Location: location }).end();
const GOOD: Kind = { serve: (response, picture) => void response.end(picture) };
const SLOW: Kind = { serve: (response, picture) => void setTimeout(() => response.end(picture), SLOW_MS) };
/** Not all of it in the first two tries. */
const BREAKING: Kind = {
	serve(response, picture, times) {
		if (times > 2) return void response.end(picture);
		response.writeHead(200, { "Content-Length": picture.length }).write(picture.subarray(0, 20));
		response.destroy();
	},
};
const BUSY: Kind = {
	serve: (response, picture, times) => void (times > 1 ? response.end(picture) : response.writeHead(503).end()),
};
const RARE: readonly Kind[] = [
	BREAKING,
	BUSY,
	{ serve: (response) => void response.writeHead(500).end(), code: "fetch_failed" },
	{ serve: (response) => void response.destroy(), code: "fetch_failed" },
];
const KINDS: Readonly<Record<number, Kind>> = {
	1: SLOW,
	2: { serve: (response) => void response.writeHead(404).end(), code: "fetch_failed" },
	3: { serve: redirectTo("http://169.254.169.254/latest/meta-data/"), code: "validation_error" },
	4: { serve: redirectTo("file:///etc/passwd"), code: "validation_error" },
	5: { serve: (response) => void response.end("<html>"), code: "validation_error" },
	6: {
		serve: (response) => void response.writeHead(200, { "Content-Length": 20_000_001 }).write("x"),
		code: "validation_error",
	},
};

/** Each twentieth is of a kind; each hundredth takes tries and pauses. */
function kindOf(index: number): Kind {
	if (index % 100 === 19) return RARE[Math.floor(index / 100) % RARE.length] ?? GOOD;
	return KINDS[index % 20] ?? GOOD;
}

test(
	`${ITEMS} addresses, slow, failing and hostile ones among them, killed in the middle: each is made once, or says why not`,
	async () => {
		const picture = await plain(8, 6);
		const asked = new Map<number, number>();
		const serve = (request: IncomingMessage, response: ServerResponse) => {
			const index = Number(/\d+/.exec(request.url ?? "")?.[0]);
			const times = (asked.get(index) ?? 0) + 1;
			asked.set(index, times);
			kindOf(index).serve(response, picture, times);
		};
		// Eight at once need two hosts.
		const origins = [await startOrigin(serve), await startOrigin(serve)];
		const dataDir = await mkdtemp(join(tmpdir(), "svc-imports-fault-"));
		const allow = origins.map(({ host }) => host).join();
		const limits = { SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0", SVC_LOG: "error" };
		const env = { SVC_DATA_DIR: dataDir, SVC_IMPORT_ALLOW: allow, ...limits };
		let server = await startProcess(env);
		await server.ready();
		const headers = { Authorization: `Bearer ${/svc_sk_test_\w{38}/.exec(server.stdout())?.[0]}` };
		const get = async <T>(path: string) =>
			(await (await fetch(`${server.baseUrl}/v1${path}`, { headers })).json()) as T;
		const items = Array.from({ length: ITEMS }, (_, index) => ({
			url: origins[index % 2]?.url(`/${index}.png`),
			external_id: String(index),
		}));
		const begun = await fetch(`${server.baseUrl}/v1/imports`, {
			method: "POST",
			headers: { ...headers, "Content-Type": "application/json" },
			body: JSON.stringify({ items }),
		});
		const { id } = (await begun.json()) as Job;
		while ((await get<Job>(`/imports/${id}`)).done < ITEMS / 2) await Bun.sleep(5);
		server.process.kill("SIGKILL");
		await server.process.exited;
		server = await startProcess(env);
		await server.ready();
		let job = await get<Job>(`/imports/${id}`);
		while (job.state !== "done") {
			await Bun.sleep(50);
			job = await get<Job>(`/imports/${id}`);
		}
		const seen: ImportItem[] = [];
		for (let next: string | null = `/imports/${id}/items?limit=${PAGE}`; next !== null; ) {
			const page: List<ImportItem> = await get(next);
			seen.push(...page.data);
			const { next_cursor: cursor } = page.pagination;
			next = cursor === null ? null : `/imports/${id}/items?limit=${PAGE}&cursor=${cursor}`;
		}
		expect(await server.stop()).toBe(0);
		for (const origin of origins) origin.stop();

		const expected = items.map((_, index) => kindOf(index).code);
		expect(seen.map(({ error }) => error?.code)).toEqual(expected);
		expect(seen.map(({ state }) => state)).toEqual(expected.map((code) => (code ? "failed" : "created")));
		const created = expected.filter((code) => code === undefined).length;
		expect(job).toMatchObject({ done: ITEMS, total: ITEMS, result: { created, failed: ITEMS - created } });

		const after = await openService(env);
		try {
			const rows = await after.database.rows("SELECT external_id, id FROM images", []);
			const made = new Map(rows.map(([external, image]) => [Number(external), image]));
			expect(rows).toHaveLength(created);
			for (const { index, image_id } of seen) expect(image_id).toBe((made.get(index) as string | undefined) ?? null);
			const count = async (query: string) => Number((await after.database.rows(query, []))[0]?.[0]);
			expect(await count("SELECT count(*) FROM events WHERE type = 'image.created'")).toBe(created);
			expect(await count("SELECT count(*) FROM events WHERE type = 'import.done'")).toBe(1);
			expect(await count("SELECT sum(uploads) FROM monthly_usage")).toBe(created);
			// What was being fetched when the process was killed is fetched again.
			const again = seen.filter(({ index }) => kindOf(index) === GOOD && (asked.get(index) ?? 0) > 1).length;
			expect(again).toBeLessThanOrEqual(8);
			found("imports", { items: ITEMS, created, failed: ITEMS - created, "fetched again": again });
		} finally {
			await after.close();
			await removeData(dataDir);
		}
	},
	limitMs(ITEMS, 1_000),
);
