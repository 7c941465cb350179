import { expect, test } from "bun:test";
import { mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recounter } from "@svc/db/recount";
import type { Image, Usage } from "@svc/sdk/types";
import { sql } from "drizzle-orm";
import { firstApp, setPlan } from "../support/apps.ts";
import { plain } from "../support/pictures.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";
import { openService } from "../support/service.ts";

/* kill -9 at random moments under load, and a restart each time: what was acknowledged is there, once, and nothing else is. */

const CYCLES = Number(process.env.SVC_TEST_KILLS ?? 12);
const CLIENTS = 6;
const PICTURES = 8;
const DAY_MS = 86_400_000;

/** One image as its client believes it to be. */
interface Belief {
	readonly key: string;
	readonly body: Buffer<ArrayBuffer>;
	/** Set by the first 201; every later one must say the same. */
	id: string | undefined;
	/** The last acknowledged caption, and one that was sent since without an answer. */
	caption: string;
	pendingCaption: string | undefined;
	state: "creating" | "kept" | "deleting" | "deleted";
}

class Client {
	readonly beliefs: Belief[] = [];
	readonly contradictions: string[] = [];
	readonly #server: () => ServerProcess;
	readonly #apiKey: string;
	readonly #pictures: readonly Buffer<ArrayBuffer>[];
	#stopped = false;

	constructor(server: () => ServerProcess, apiKey: string, pictures: readonly Buffer<ArrayBuffer>[]) {
		this.#server = server;
		this.#apiKey = apiKey;
		this.#pictures = pictures;
	}

	stop(): void {
		this.#stopped = true;
	}

	async run(): Promise<void> {
		while (!this.#stopped) {
			const belief = this.#next();
			await this.#create(belief);
			if (Math.random() < 0.4) await this.#patch(belief);
			if (Math.random() < 0.2) await this.#create(belief);
			if (Math.random() < 0.3) await this.#delete(belief);
		}
	}

	#next(): Belief {
		const body = this.#pictures[Math.floor(Math.random() * this.#pictures.length)] ?? Buffer.alloc(0);
		const belief: Belief = {
			key: crypto.randomUUID(),
			body,
			id: undefined,
			caption: "",
			pendingCaption: undefined,
			state: "creating",
		};
		this.beliefs.push(belief);
		return belief;
	}

	/** Sends until there is an answer that settles the matter; the server may die and come back in between. */
	async #send(path: string, init: () => RequestInit): Promise<Response> {
		for (;;) {
			try {
				const { headers, ...rest } = init();
				const response = await fetch(`${this.#server().baseUrl}${path}`, {
					...rest,
					headers: { Authorization: `Bearer ${this.#apiKey}`, ...(headers as Record<string, string>) },
					signal: AbortSignal.timeout(10_000),
				});
				const text = await response.text();
				if (response.status < 500 && !text.includes("idempotency_key_in_progress")) return new Response(text, response);
			} catch {
				// Killed under our hands: try again when it is back.
			}
			await Bun.sleep(15 + Math.random() * 30);
		}
	}

	async #create(belief: Belief): Promise<void> {
		const response = await this.#send("/v1/images", () => {
			const body = new FormData();
			body.append("file", new Blob([belief.body]), "a.png");
			return { method: "POST", body, headers: { "Idempotency-Key": belief.key } };
		});
		if (response.status !== 201) {
			this.contradictions.push(`a create was answered ${response.status}: ${await response.text()}`);
			return;
		}
		const { id } = (await response.json()) as Image;
		if (belief.id !== undefined && belief.id !== id) this.contradictions.push(`one key made ${belief.id} and ${id}`);
		belief.id = id;
		belief.state = "kept";
	}

	async #patch(belief: Belief): Promise<void> {
		const caption = crypto.randomUUID();
		belief.pendingCaption = caption;
		const body = JSON.stringify({ caption });
		const response = await this.#send(`/v1/images/${belief.id}`, () => ({
			method: "PATCH",
			body,
			headers: { "Content-Type": "application/json" },
		}));
		if (response.status !== 200) this.contradictions.push(`a patch was answered ${response.status}`);
		belief.caption = caption;
		belief.pendingCaption = undefined;
	}

	async #delete(belief: Belief): Promise<void> {
		belief.state = "deleting";
		const response = await this.#send(`/v1/images/${belief.id}`, () => ({ method: "DELETE" }));
		// 404: an earlier try of this very delete was carried out, and its answer lost.
		if (response.status !== 200 && response.status !== 404)
			this.contradictions.push(`a delete was answered ${response.status}`);
		belief.state = "deleted";
	}
}

test(
	`${CYCLES} kills under load: nothing acknowledged is lost, nothing doubled, nothing left over`,
	async () => {
		const dataDir = await mkdtemp(join(tmpdir(), "svc-kill-"));
		const env = { SVC_DATA_DIR: dataDir, SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0", SVC_LOG: "error" };
		const apiKey = await prepare(env);
		const pictures = await Promise.all(Array.from({ length: PICTURES }, (_, n) => plain(4 + n, 4 + n)));

		let server = await startProcess(env);
		await server.ready();
		const clients = Array.from({ length: CLIENTS }, () => new Client(() => server, apiKey, pictures));
		const running = clients.map((client) => client.run());
		for (let cycle = 0; cycle < CYCLES; cycle++) {
			await Bun.sleep(50 + Math.random() * 700);
			server.process.kill("SIGKILL");
			await server.process.exited;
			server = await startProcess(env);
			await server.ready();
		}
		for (const client of clients) client.stop();
		await Promise.all(running);
		expect(await server.stop()).toBe(0);
		expect(server.stderr()).toBe("");

		const beliefs = clients.flatMap((client) => client.beliefs);
		expect(clients.flatMap((client) => client.contradictions)).toEqual([]);
		await compare(env, apiKey, beliefs);
		await removeData(dataDir);
	},
	Math.max(120_000, CYCLES * 5_000),
);

/** Makes the App, without the images limit of its plan. */
async function prepare(env: Record<string, string>): Promise<string> {
	const service = await openService(env);
	await setPlan(service.database, (await firstApp(service.database)).id, "unlimited");
	await service.close();
	return service.apiKey;
}

/** What the clients believe against what is there, opened afresh. */
async function compare(env: Record<string, string>, apiKey: string, beliefs: readonly Belief[]): Promise<void> {
	const service = await openService(env);
	const get = async (path: string) => service.api(path, { headers: { Authorization: `Bearer ${apiKey}` } });
	const kept = beliefs.filter(({ state }) => state === "kept");
	const faults: string[] = [];
	for (const belief of beliefs) {
		const answer = await get(`/v1/images/${belief.id}`);
		if (answer.status !== (belief.state === "kept" ? 200 : 404))
			faults.push(`${belief.state} ${belief.id}: ${answer.status}`);
		if (belief.state === "kept") faults.push(...(await differences(belief, (await answer.json()) as Image, service)));
	}
	expect(faults).toEqual([]);

	const count = async (query: ReturnType<typeof sql>) =>
		Number((await service.database.read(() => service.database.queries.values(query)))[0]?.[0]);
	expect(await count(sql`SELECT count(*) FROM images`)).toBe(kept.length);
	const usage = (await (await get("/v1/usage")).json()) as Usage;
	expect(usage.totals.images_stored).toBe(kept.length);
	expect(usage.totals.storage_used_bytes).toBe(kept.reduce((sum, { body }) => sum + body.length, 0));
	expect(await recounter(service.database).recount(Date.now())).toEqual([]);

	// Two days later everything that a crash left behind is past its grace.
	service.clock.advance(2 * DAY_MS);
	while ((await service.sweep()).blobs > 0);
	expect(await count(sql`SELECT count(*) FROM blobs WHERE state <> 'live'`)).toBe(0);
	const files = await readdir(join(env.SVC_DATA_DIR ?? "", "images"), { recursive: true, withFileTypes: true });
	expect(files.filter((entry) => entry.isFile())).toHaveLength(kept.length);
	await service.close();
}

async function differences(
	belief: Belief,
	image: Image,
	service: { open(url: string): Promise<Response> },
): Promise<string[]> {
	const faults: string[] = [];
	if (image.caption !== belief.caption && image.caption !== belief.pendingCaption)
		faults.push(`${image.id}: its caption was lost`);
	const bytes = Buffer.from(await (await service.open(image.url)).arrayBuffer());
	if (image.bytes !== belief.body.length || bytes.length === 0) faults.push(`${image.id}: its bytes are not whole`);
	return faults;
}
