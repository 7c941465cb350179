import { expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Image } from "@svc/sdk/shapes";
import sharp from "sharp";
import { connectUser } from "../support/apps.ts";
import { censusOf } from "../support/census.ts";
import { limitMs } from "../support/limits.ts";
import { plain } from "../support/pictures.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";
import { form, uploaded } from "../support/requests.ts";
import { type OpenService, openService } from "../support/service.ts";
import { Dice, seed } from "./seed.ts";

/*
 * kill -9 while images are replaced, copied, moved, deleted and restored: what was acknowledged is so, a copy under one Idempotency-Key is one,
 * and all counters say what is there.
 */

const KILLS = Number(process.env.SVC_TEST_MOVE_KILLS ?? 6);
const IMAGES = 8;

/** What is sent about one image. */
interface Deed {
	readonly kind: "replace" | "copy" | "move" | "delete" | "restore";
	readonly image: string;
	/** The user whose image it may be by now; undefined: the App storage. Of the two, one says that there is none. */
	readonly from: string | undefined;
	readonly key: string;
	/** Of the copy that was made. */
	id?: string | undefined;
}

const KINDS: readonly Deed["kind"][] = ["replace", "copy", "move", "delete", "restore"];

test(
	`${KILLS} kills while images are replaced, copied, moved, deleted and restored: nothing is lost or doubled (SVC_TEST_SEED=${seed})`,
	async () => {
		const dice = new Dice(seed);
		const dataDir = await mkdtemp(join(tmpdir(), "svc-moves-kill-"));
		const env = { SVC_DATA_DIR: dataDir, SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0", SVC_LOG: "error" };
		const before = await openService(env);
		const { apiKey } = before;
		const [app] = await before.database.rows("SELECT id FROM apps", []);
		const user = await connectUser(before.database, { id: String(app?.[0]) });
		const small = await plain(8, 8);
		const large = await plain(9, 9);
		const images: Image[] = [];
		for (let count = 0; count < IMAGES; count++)
			images.push(await uploaded(before, small, "a.png", {}, { key: apiKey }));
		await before.close();

		const copies: Deed[] = [];
		let server = await startProcess(env);
		for (let kill = 0; kill < KILLS; kill++) {
			await server.ready();
			const asked = images.map(async ({ id: image }, place) => {
				const kind = KINDS[dice.below(KINDS.length)] ?? "copy";
				for (const from of [undefined, user.id]) {
					const deed: Deed = { kind, image, from, key: `${kill} ${place} ${from}` };
					if (kind === "copy") copies.push(deed);
					await send(server, apiKey, deed, user.id, large);
				}
			});
			await Bun.sleep(dice.below(200));
			server.process.kill("SIGKILL");
			await Promise.all([server.process.exited, ...asked.map((one) => one.catch(() => undefined))]);
			server = await startProcess(env);
		}
		await server.ready();
		// Whoever asks again under the same key learns what became of it.
		let unshown = 0;
		for (const deed of copies) {
			const status = await settled(() => send(server, apiKey, deed, user.id, large));
			if (status === 409) unshown++;
		}
		expect(await server.stop()).toBe(0);

		const after = await openService(env);
		const { usage, counted, images: there, blobs } = await censusOf(after);
		expect(usage).toEqual(counted);
		const keys = (await after.database.rows("SELECT blob_key FROM images ORDER BY blob_key", [])).map(([key]) => key);
		expect(blobs.live).toEqual(keys as string[]);
		await expectServed(after);
		const made = new Set(copies.flatMap(({ id }) => (id === undefined ? [] : [id])));
		const originals = new Set(images.map(({ id }) => id));
		expect([...made].filter((id) => !there.includes(id))).toEqual([]);
		expect(there.filter((id) => !originals.has(id))).toHaveLength(made.size + unshown);
		await after.close();
		await removeData(dataDir);
	},
	limitMs(KILLS, 20_000),
);

/** Each image is the picture that its row tells of. */
async function expectServed(service: OpenService): Promise<void> {
	const rows = await service.database.rows(
		"SELECT team_hash, images.id, format, width FROM images JOIN storages ON storages.pk = storage_pk WHERE images.status = 'ready'",
		[],
	);
	for (const [team, id, format, width] of rows) {
		const answer = await service.open(`http://localhost:3001/${team}/${id}.${format}`);
		expect([answer.status, (await sharp(await answer.arrayBuffer()).metadata()).width]).toEqual([200, Number(width)]);
	}
}

/** Asks again while another one is being answered, which the kills have ended. */
async function settled(ask: () => Promise<Sent>): Promise<number> {
	for (;;) {
		const { status, code } = await ask();
		if (code !== "idempotency_key_in_progress") return status;
		await Bun.sleep(50);
	}
}

interface Sent {
	readonly status: number;
	readonly code: string | undefined;
}

async function send(server: ServerProcess, apiKey: string, deed: Deed, to: string, large: BlobPart): Promise<Sent> {
	const { kind, image, from, key } = deed;
	const headers: Record<string, string> = { Authorization: `Bearer ${apiKey}` };
	if (from) headers["X-Svc-User"] = from;
	if (kind !== "delete") headers["Idempotency-Key"] = key;
	const path = `/v1/images/${image}${kind === "delete" ? "" : `/${kind}`}`;
	const init: RequestInit = { method: kind === "delete" ? "DELETE" : "POST", headers };
	if (kind === "replace") init.body = form(large, "b.png");
	if (kind === "copy" || kind === "move") {
		headers["Content-Type"] = "application/json";
		init.body = JSON.stringify({ user_id: from ? null : to });
	}
	const answer = await fetch(new URL(path, server.baseUrl), init);
	const body = (await answer.json()) as Partial<Image> & { readonly error?: { readonly code: string } };
	if (answer.status === 201) deed.id = body.id;
	return { status: answer.status, code: body.error?.code };
}
