import { expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Image } from "@svc/sdk/shapes";
import { limitMs } from "../support/limits.ts";
import { plain } from "../support/pictures.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";
import { form } from "../support/requests.ts";
import { openService } from "../support/service.ts";
import { readTicket, type TicketAnswer, ticket } from "../support/tickets.ts";
import { Dice, seed } from "./seed.ts";

/* kill -9 while pictures are uploaded with tickets, each by two phones at once: no image that was acknowledged is lost, and none is doubled. */

const KILLS = Number(process.env.SVC_TEST_TICKET_KILLS ?? 5);
const AT_ONCE = 8;

interface Sent {
	readonly status: number;
	readonly code: string | undefined;
	readonly id: string | undefined;
}

test(
	`${KILLS} kills while tickets are used: each makes one image, and is used exactly when that is there (SVC_TEST_SEED=${seed})`,
	async () => {
		const dice = new Dice(seed);
		const dataDir = await mkdtemp(join(tmpdir(), "svc-tickets-kill-"));
		const env = { SVC_DATA_DIR: dataDir, SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0", SVC_LOG: "error" };
		const files = [await plain(7, 5), await plain(5, 7)] as const;
		const before = await openService(env);
		const { apiKey } = before;
		const caller = { key: apiKey };
		const tickets: TicketAnswer[] = [];
		for (let count = 0; count < KILLS * AT_ONCE; count++) tickets.push(await ticket(before, {}, caller));
		await before.close();

		/** The file that was acknowledged, by the ticket. */
		const acknowledged = new Map<string, number>();
		const contradictions: string[] = [];
		async function use(server: ServerProcess, made: TicketAnswer, which: number): Promise<Sent> {
			const sent = await send(server, made, files[which] ?? files[0]);
			if (sent.status !== 201) return sent;
			if (sent.id !== made.image_id) contradictions.push(`${made.id} made ${sent.id}`);
			if ((acknowledged.get(made.id) ?? which) !== which) contradictions.push(`${made.id} took two files`);
			acknowledged.set(made.id, which);
			return sent;
		}

		let server = await startProcess(env);
		for (let kill = 0; kill < KILLS; kill++) {
			await server.ready();
			const these = tickets.slice(kill * AT_ONCE, (kill + 1) * AT_ONCE);
			const asked = these.flatMap((made) => [0, 1].map((which) => use(server, made, which).catch(() => undefined)));
			await Bun.sleep(dice.below(120));
			server.process.kill("SIGKILL");
			await Promise.all([server.process.exited, ...asked]);
			server = await startProcess(env);
		}
		await server.ready();
		for (const made of tickets) {
			const first = acknowledged.get(made.id) ?? dice.below(2);
			const one = await settled(() => use(server, made, first));
			// Where nothing was acknowledged, the other phone's picture may have been kept all the same.
			if (one.status !== 201)
				expect([one.code, acknowledged.has(made.id)]).toEqual(["idempotency_key_conflict", false]);
			const which = one.status === 201 ? first : 1 - first;
			expect((await use(server, made, which)).status).toBe(201);
			expect((await use(server, made, 1 - which)).code).toBe("idempotency_key_conflict");
		}
		expect(await server.stop()).toBe(0);
		expect(contradictions).toEqual([]);

		const after = await openService(env);
		const count = async (query: string) => Number((await after.database.rows(query, []))[0]?.[0]);
		expect(await count("SELECT count(*) FROM images")).toBe(tickets.length);
		expect(await count("SELECT sum(uploads) FROM monthly_usage")).toBe(tickets.length);
		expect(await count("SELECT count(*) FROM events WHERE type = 'upload_ticket.used'")).toBe(tickets.length);
		for (const { id } of tickets) expect((await readTicket(after, id, caller)).state).toBe("used");
		await after.close();
		await removeData(dataDir);
	},
	limitMs(KILLS, 20_000),
);

async function send(server: ServerProcess, made: TicketAnswer, file: BlobPart): Promise<Sent> {
	const url = new URL(new URL(made.url).pathname, server.baseUrl);
	const answer = await fetch(url, { method: "POST", body: form(file, "a.png") });
	const body = (await answer.json()) as Partial<Image> & { readonly error?: { readonly code: string } };
	return { status: answer.status, code: body.error?.code, id: body.id };
}

/** Asks again while another upload is running, which the kills have ended. */
async function settled(use: () => Promise<Sent>): Promise<Sent> {
	for (;;) {
		const sent = await use();
		if (sent.code !== "idempotency_key_in_progress") return sent;
		await Bun.sleep(50);
	}
}
