import { describe, expect, test } from "bun:test";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GROUP_MAX } from "@svc/base/database/write/change-line";
import { libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";
import { plain } from "../support/pictures.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";
import { form } from "../support/requests.ts";
import { keyIn } from "../support/whole-service.ts";
import { found } from "./scoreboard.ts";

/* What was acknowledged is on the disk: the calls of the system that put it there are counted, of whoever commits. */

const canTrace = Bun.which("strace") !== null && Bun.spawnSync(["strace", "-o", "/dev/null", "true"]).success;
const traceNote = canTrace ? "" : " (SKIPPED: strace is missing or may not trace)";
const ENV = { SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0", SVC_LOG: "error" };
const COUNT = 12;
const DATA = join("dbs", "default", "data");

/** How often a process syncs files whose path has these words, while the work is done. */
async function syncsDuring(pid: number, words: string, work: () => Promise<void>): Promise<number> {
	const folder = await mkdtemp(join(tmpdir(), "svc-strace-"));
	const log = join(folder, "calls");
	const calls = ["-f", "-y", "-e", "trace=fsync,fdatasync", "-o", log, "-p", String(pid)];
	const tracer = Bun.spawn(["strace", ...calls], { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
	const { value } = await tracer.stderr.getReader().read();
	expect(new TextDecoder().decode(value)).toContain("attached");
	await work();
	tracer.kill("SIGINT");
	await tracer.exited;
	const lines = (await readFile(log, "utf8")).split("\n");
	await rm(folder, { recursive: true, force: true });
	// One that another call comes between is written in two lines, of which the first has the path.
	return lines.filter((line) => /f(data)?sync\(/.test(line) && line.includes(words)).length;
}

async function creates({ baseUrl }: ServerProcess, key: string, atOnce: number): Promise<void> {
	const picture = await plain(8, 8);
	const headers = { Authorization: `Bearer ${key}` };
	let left = COUNT;
	const one = async () => {
		while (left-- > 0) {
			const made = await fetch(`${baseUrl}/v1/images`, { method: "POST", headers, body: form(picture, "a.png") });
			expect(made.status).toBe(201);
		}
	};
	await Promise.all(Array.from({ length: atOnce }, one));
}

async function withService(
	env: Readonly<Record<string, string>>,
	use: (service: ServerProcess, key: string) => Promise<void>,
) {
	const service = await startProcess({ ...ENV, ...env });
	await service.ready();
	await use(service, keyIn(service.stdout()));
	await service.stop();
	await removeData(service.dataDir);
}

describe.skipIf(!canTrace)(`acknowledged creates are at most as many as syncs of the database${traceNote}`, () => {
	test("times one with a file one after the other, and times those at once for many at once", async () => {
		await withService({}, async (service, key) => {
			for (const atOnce of [1, 8]) {
				const syncs = await syncsDuring(service.process.pid, "svc.db", () => creates(service, key, atOnce));
				expect(COUNT).toBeLessThanOrEqual(syncs * atOnce);
			}
		});
	}, 120_000);

	/** So many syncs for creates one after the other, and for some at once. */
	async function syncsOfServer(mode: "strong" | "relaxed"): Promise<readonly [alone: number, together: number]> {
		await using server = await startLibsql(["--checkpoint-interval-s", "10"]);
		await server.keepCommits(mode);
		let syncs: readonly [number, number] = [0, 0];
		await withService({ SVC_DATABASE_URL: server.url }, async (service, key) => {
			const counted = (atOnce: number) => syncsDuring(server.pid, DATA, () => creates(service, key, atOnce));
			syncs = [await counted(1), await counted(8)];
		});
		return syncs;
	}

	test.skipIf(withoutLibsql)(
		`times a group with a libSQL server that syncs each commit, and more than that with one that does not${libsqlNote}`,
		async () => {
			const [alone, together] = await syncsOfServer("strong");
			expect(COUNT).toBeLessThanOrEqual(alone);
			expect(COUNT).toBeLessThanOrEqual(together * GROUP_MAX);
			const [relaxed] = await syncsOfServer("relaxed");
			expect(COUNT).toBeGreaterThan(relaxed);
			found("syncs", { creates: COUNT, strong: alone, "strong, eight at once": together, relaxed });
		},
		120_000,
	);
});
