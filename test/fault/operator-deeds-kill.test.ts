import { Database as SqliteFile } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { limitMs } from "../support/limits.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";
import { openService } from "../support/service.ts";
import { addCustomer, openShop, subscribe, subscriptionOf } from "../support/subscribers.ts";
import { found } from "./scoreboard.ts";
import { Dice, seed } from "./seed.ts";

/* kill -9 while operators end subscriptions and pay invoices back: what was ordered is done once, and told once. */

const KILLS = Number(process.env.SVC_TEST_DEED_KILLS ?? 6);
const DEEDS = ["cancel", "refund"] as const;
const REFUNDED = 120;

interface Sold {
	readonly id: string;
	readonly invoice: string;
	readonly deed: (typeof DEEDS)[number];
}

test(
	`${KILLS} kills during operators' orders: each deed, its entry and its mail are there once, or none is (SVC_TEST_SEED=${seed})`,
	async () => {
		const dice = new Dice(seed);
		const dataDir = await mkdtemp(join(tmpdir(), "svc-deeds-kill-"));
		const env = { SVC_DATA_DIR: dataDir, SVC_KEY_RATE: "0", SVC_LOG: "error" };
		const { token, sold } = await sell(env);

		let server = await startProcess(env);
		for (let kill = 0; kill < KILLS; kill++) {
			await server.ready();
			const these = sold.slice(kill * DEEDS.length, (kill + 1) * DEEDS.length);
			const asked = these.map((one) => order(server, token, one).catch(() => 0));
			// Some die before anything is kept, and some just after.
			if (kill % 3 > 0) await untilKept(dataDir, these);
			await Bun.sleep(dice.below(kill % 3 > 0 ? 12 : 60));
			server.process.kill("SIGKILL");
			await Promise.all([server.process.exited, ...asked]);
			server = await startProcess(env);
		}
		await server.ready();
		await untilDone(server);
		expect(await server.stop()).toBe(0);

		using database = new SqliteFile(join(dataDir, "svc.db"), { readonly: true });
		const told = sold.map((one) => [one.deed, ...standing(database, one)]);
		for (const [deed, done, entries, mails] of told) {
			expect([deed, entries, mails]).toEqual([deed, done, done]);
		}
		const ordered = told.filter(([, done]) => done === 1).length;
		const [taken] = database
			.query("SELECT count(*) AS over FROM jobs WHERE kind = 'billing.deed' AND attempts > 0")
			.all();
		found("operators' orders: kill -9", { orders: sold.length, ordered, ...(taken as { readonly over: number }) });
		await removeData(dataDir);
	},
	limitMs(KILLS, 20_000),
);

/** As many subscriptions as there are orders. */
async function sell(env: Readonly<Record<string, string>>) {
	const service = await openService(env);
	const shop = await openShop(service);
	const sold: Sold[] = [];
	for (let made = 0; made < KILLS * DEEDS.length; made++) {
		const customer = await addCustomer(service, shop);
		await subscribe(customer, shop.silver);
		const { id } = await subscriptionOf(service, customer);
		const rows = await service.database.rows(
			"SELECT invoices.id FROM invoices JOIN subscriptions ON subscriptions.pk = subscription_pk WHERE subscriptions.id = ?",
			[id],
		);
		sold.push({ id, invoice: String(rows[0]?.[0]), deed: DEEDS[made % DEEDS.length] ?? "cancel" });
	}
	const { token } = service;
	await service.close();
	return { token, sold };
}

async function order(server: ServerProcess, token: string, { id, invoice, deed }: Sold): Promise<number> {
	const wish = deed === "cancel" ? { at: "now" } : { invoice, amount: REFUNDED };
	const answer = await fetch(`${server.baseUrl}/v1/operator/subscriptions/${id}/${deed}`, {
		method: "POST",
		headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", "Idempotency-Key": id },
		body: JSON.stringify({ ...wish, reason: "Asked for it" }),
	});
	return answer.status;
}

/** Until one of these orders is kept. */
async function untilKept(dataDir: string, these: readonly Sold[]): Promise<void> {
	using database = new SqliteFile(join(dataDir, "svc.db"), { readonly: true });
	const kept = database.query("SELECT 1 FROM jobs WHERE payload ->> 'subscriptionId' = ?");
	for (let tries = 0; tries < 5_000 && !these.some(({ id }) => kept.get(id)); tries++) await Bun.sleep(2);
}

/** Until no order is under way; a job takes over what a request has left. */
async function untilDone({ process, dataDir, stderr }: ServerProcess): Promise<void> {
	for (let tries = 0; tries < 3_000; tries++) {
		if (process.exitCode !== null) throw new Error(`it ended: ${stderr()}`);
		using database = new SqliteFile(join(dataDir, "svc.db"), { readonly: true });
		const open = database.query("SELECT 1 FROM jobs WHERE kind = 'billing.deed' AND state <> 'done'").all();
		if (open.length === 0) return;
		await Bun.sleep(50);
	}
	throw new Error(`orders were not done: ${stderr()}`);
}

/** How often an order was done, has an entry in the audit, and a mail. */
function standing(database: SqliteFile, { id, invoice, deed }: Sold): readonly [number, number, number] {
	const count = (sql: string, ...values: string[]) =>
		(database.query(sql).get(...values) as { readonly count: number }).count;
	const done =
		deed === "cancel"
			? count("SELECT ended_ms IS NOT NULL AS count FROM subscriptions WHERE id = ?", id)
			: count("SELECT amount_refunded AS count FROM invoices WHERE id = ?", invoice) / REFUNDED;
	return [
		done,
		count("SELECT count(*) AS count FROM audit WHERE target = ? AND event LIKE 'operator.%'", id),
		count(
			"SELECT count(*) AS count FROM emails WHERE template = 'plan_by_operator' AND facts ->> 'page' LIKE ?",
			`%/${id}`,
		),
	];
}
