import { expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { addApp, connectUser, countOf } from "../support/apps.ts";
import { addImages } from "../support/bulk-images.ts";
import { limitMs } from "../support/limits.ts";
import { addSession } from "../support/people.ts";
import { plain } from "../support/pictures.ts";
import { removeData, startProcess } from "../support/process.ts";
import { openService } from "../support/service.ts";
import { HAS_PYTHON, readZip } from "../support/zip-file.ts";
import { Dice, seed } from "./seed.ts";

/* kill -9 while an export is counted, and while its file is read: the next process goes on, one mail is written, the file is whole. */

const KILLS = 3;
const IMAGES = 1_000;
/** More than a thousand small pictures, their names and what is said of them take together; a process that gathered them would need it again and again. */
const ROOM_BYTES = 300_000_000;

test.skipIf(!HAS_PYTHON)(
	`${IMAGES} pictures, ${KILLS} kills: one export, one mail, a file that is whole and bounded memory (SVC_TEST_SEED=${seed})`,
	async () => {
		const dice = new Dice(seed);
		const dataDir = await mkdtemp(join(tmpdir(), "svc-export-kill-"));
		const env = { SVC_DATA_DIR: dataDir, SVC_KEY_RATE: "0", SVC_LOG: "error" };
		const prepared = await openService(env);
		const app = await addApp(prepared.database);
		const user = await connectUser(prepared.database, app);
		await addImages(prepared, user.storageId, IMAGES, Uint8Array.from(await plain(6, 6)));
		const headers = { Authorization: `Bearer ${await addSession(prepared.database, user.accountId)}` };
		await prepared.close();

		let server = await startProcess(env);
		await server.ready();
		const asked = await fetch(`${server.baseUrl}/v1/me/export`, { method: "POST", headers });
		expect(asked.status).toBe(202);
		const { id } = (await asked.json()) as { id: string };
		for (let kill = 0; kill < KILLS; kill++) {
			await Bun.sleep(dice.below(20));
			server.process.kill("SIGKILL");
			await server.process.exited;
			server = await startProcess(env);
			await server.ready();
		}
		const job = async () =>
			(await (await fetch(`${server.baseUrl}/v1/jobs/${id}`, { headers })).json()) as {
				state: string;
				result: { images: number };
			};
		while ((await job()).state !== "done") await Bun.sleep(50);
		expect((await job()).result.images).toBe(IMAGES);

		const read = () => fetch(`${server.baseUrl}/v1/me/exports/${id}/file`, { headers });
		// Somebody reads a little of it, and the process dies.
		const reader = (await read()).body?.getReader();
		await reader?.read();
		server.process.kill("SIGKILL");
		await server.process.exited;
		await reader?.cancel().catch(() => undefined);
		server = await startProcess(env);
		await server.ready();
		const before = await memoryOf(server.process.pid);
		const files = await readZip(await (await read()).arrayBuffer());
		expect(files.size).toBe(IMAGES + 2);
		expect(JSON.parse(Buffer.from(files.get("images.json") ?? []).toString())).toHaveLength(IMAGES);
		expect((await memoryOf(server.process.pid)) - before).toBeLessThan(ROOM_BYTES);
		expect(await server.stop()).toBe(0);

		const after = await openService(env);
		expect(await countOf(after.database, sql`SELECT count(*) FROM emails WHERE template = 'export_ready'`)).toBe(1);
		expect(await countOf(after.database, sql`SELECT count(*) FROM audit WHERE event = 'account.exported'`)).toBe(1);
		await after.close();
		await removeData(dataDir);
	},
	limitMs(KILLS + 2, 30_000),
);

/** Bytes that a process holds. */
async function memoryOf(pid: number): Promise<number> {
	const status = await Bun.file(`/proc/${pid}/status`).text();
	return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1_024;
}
