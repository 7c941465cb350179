import { Database as SqliteFile } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { migrate, readMigrations } from "@svc/base/database/migrations/migrate";
import { openDatabase } from "@svc/base/database/open";
import { addMail } from "../support/mail.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";
import { type SmtpReceiver, startSmtp } from "../support/smtp.ts";

/* The real process dies while it sends mail, and is started again. */

const MAILS = 40;
const clock = { now: () => Date.now() };

async function openData(dataDir: string) {
	const database = await openDatabase({ url: pathToFileURL(join(dataDir, "svc.db")).href });
	await migrate(database, await readMigrations(), clock);
	return database;
}

/** A data directory whose outbox holds that many mails. */
async function fillOutbox(): Promise<{ dataDir: string; ids: readonly string[] }> {
	const dataDir = await mkdtemp(join(tmpdir(), "svc-mail-"));
	const database = await openData(dataDir);
	const ids: string[] = [];
	for (let made = 0; made < MAILS; made++) {
		ids.push(await addMail({ database, clock }, "sign_in_code", { code: "402917", minutes: 10 }));
	}
	await database.close();
	return { dataDir, ids };
}

/** How many wait to be sent; may be asked while a server runs. */
function unsent(dataDir: string): number {
	using database = new SqliteFile(join(dataDir, "svc.db"), { readonly: true });
	const [row] = database.query("SELECT count(*) AS unsent FROM emails WHERE sent_ms IS NULL").all() as {
		unsent: number;
	}[];
	return row?.unsent ?? -1;
}

/** How often each mail has arrived, by its Message-ID. */
function arrivals({ mails }: SmtpReceiver): Map<string, number> {
	const counts = new Map<string, number>();
	for (const { parsed } of mails) {
		const id = /<(eml_\w+)@/.exec(parsed.messageId ?? "")?.[1] ?? "";
		counts.set(id, (counts.get(id) ?? 0) + 1);
	}
	return counts;
}

/** Until nothing waits to be sent; what had arrived before a kill goes out again last. */
async function untilSent(server: ServerProcess): Promise<void> {
	for (let tries = 0; tries < 4_000; tries++) {
		if (server.process.exitCode !== null) throw new Error(`it ended: ${server.stderr()}`);
		if (unsent(server.dataDir) === 0) return;
		await Bun.sleep(50);
	}
	throw new Error(`it did not happen: ${server.stderr()}`);
}

test("kill -9 at the moment a mail was taken: after a restart every mail has arrived, none more than twice, only what was on its way twice", async () => {
	const { dataDir, ids } = await fillOutbox();
	const killed = Promise.withResolvers<void>();
	let server: ServerProcess | undefined;
	const smtp = await startSmtp({
		async mail() {
			if (smtp.mails.length !== 7) return undefined;
			// The server has the mail; its answer never comes.
			server?.process.kill("SIGKILL");
			await server?.process.exited;
			killed.resolve();
			return undefined;
		},
	});
	const env = { ...smtp.env, SVC_DATA_DIR: dataDir, SVC_LOG: "error" };
	server = await startProcess(env);
	await killed.promise;
	const again = await startProcess(env);
	await untilSent(again);
	expect(await again.stop()).toBe(0);

	const counts = arrivals(smtp);
	expect([...counts.keys()].sort()).toEqual([...ids].sort());
	const twice = [...counts.values()].filter((count) => count > 1);
	expect(twice.length).toBeGreaterThanOrEqual(1);
	// Codes may take all four lanes, and each has one on its way.
	expect(twice.length).toBeLessThanOrEqual(4);
	expect(Math.max(...counts.values())).toBe(2);
	expect(unsent(dataDir)).toBe(0);
	await smtp.stop();
	await removeData(dataDir);
});

test("SIGTERM while mail is on its way: what was begun is finished, and after a restart every mail has arrived once", async () => {
	const { dataDir, ids } = await fillOutbox();
	const begun = Promise.withResolvers<void>();
	const smtp = await startSmtp({
		async mail() {
			if (smtp.mails.length >= 5) begun.resolve();
			await Bun.sleep(20);
			return undefined;
		},
	});
	const env = { ...smtp.env, SVC_DATA_DIR: dataDir, SVC_LOG: "error" };
	const server = await startProcess(env);
	await begun.promise;
	expect(await server.stop()).toBe(0);
	expect(arrivals(smtp).size).toBeLessThan(MAILS);
	expect(unsent(dataDir)).toBe(MAILS - arrivals(smtp).size);

	const again = await startProcess(env);
	await untilSent(again);
	expect(await again.stop()).toBe(0);
	expect([...arrivals(smtp)].sort()).toEqual(ids.map((id) => [id, 1] as [string, number]).sort());
	await smtp.stop();
	await removeData(dataDir);
});
