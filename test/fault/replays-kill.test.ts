import { expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { countOf } from "../support/apps.ts";
import { limitMs } from "../support/limits.ts";
import { addPerson, type TestPerson } from "../support/people.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";
import { openService } from "../support/service.ts";
import { Dice, seed } from "./seed.ts";

/* kill -9 while Apps are being made under Idempotency-Keys: whoever asks again has the one App that the first try made, or makes it. */

const KILLS = Number(process.env.SVC_TEST_REPLAY_KILLS ?? 6);
const AT_ONCE = 8;

test(
	`${KILLS} kills while Apps are made: each is there once, and every second try is answered 201 (SVC_TEST_SEED=${seed})`,
	async () => {
		const dice = new Dice(seed);
		const dataDir = await mkdtemp(join(tmpdir(), "svc-replays-kill-"));
		const env = { SVC_DATA_DIR: dataDir, SVC_KEY_RATE: "0", SVC_LOG: "error" };
		const before = await openService(env);
		const people = await Promise.all(Array.from({ length: KILLS * AT_ONCE }, () => addPerson(before.database)));
		await before.close();

		let server = await startProcess(env);
		for (let kill = 0; kill < KILLS; kill++) {
			await server.ready();
			const these = people.slice(kill * AT_ONCE, (kill + 1) * AT_ONCE);
			const asked = these.map((person) => make(server, person).catch(() => undefined));
			await Bun.sleep(dice.below(25));
			server.process.kill("SIGKILL");
			await Promise.all([server.process.exited, ...asked]);
			server = await startProcess(env);
		}
		await server.ready();
		for (const person of people) {
			const [one, two] = [await make(server, person), await make(server, person)];
			expect([one.status, two.status, two.id]).toEqual([201, 201, one.id]);
		}
		expect(await server.stop()).toBe(0);

		const after = await openService(env);
		for (const { id } of people) {
			const owned = sql`SELECT count(*) FROM members JOIN accounts ON accounts.pk = account_pk WHERE accounts.id = ${id}`;
			expect(await countOf(after.database, owned)).toBe(1);
		}
		await after.close();
		await removeData(dataDir);
	},
	limitMs(KILLS, 20_000),
);

async function make(server: ServerProcess, { secret }: TestPerson) {
	const answer = await fetch(`${server.baseUrl}/v1/apps`, {
		method: "POST",
		headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json", "Idempotency-Key": "mine" },
		body: JSON.stringify({ name: "App of one's own" }),
	});
	return { status: answer.status, id: ((await answer.json()) as { readonly id?: string }).id };
}
