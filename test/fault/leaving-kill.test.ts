import { Database as SqliteFile } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { limitMs } from "../support/limits.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";
import { openService } from "../support/service.ts";
import { addCustomer, lastingSession, openShop, subscribe } from "../support/subscribers.ts";

/*
 * kill -9 while somebody leaves an App whose plan they may still withdraw from. A trigger that never ends holds the service at the change that
 * comes after the point, so that it dies there and nowhere else.
 */

/** In the currency's smallest unit. */
const PAID = 500;
const ENDLESS =
	"SELECT max(x) FROM (WITH RECURSIVE count(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM count) SELECT x FROM count)";

const WITHDRAWN = "EXISTS (SELECT 1 FROM subscriptions WHERE withdrawn_ms IS NOT NULL)";

interface Leaving {
	readonly dataDir: string;
	readonly env: Readonly<Record<string, string>>;
	readonly appId: string;
	readonly secret: string;
}

async function subscriber(): Promise<Leaving> {
	const dataDir = await mkdtemp(join(tmpdir(), "svc-leaving-kill-"));
	const env = { SVC_DATA_DIR: dataDir, SVC_KEY_RATE: "0", SVC_LOG: "error" };
	const service = await openService(env);
	const shop = await openShop(service);
	const customer = await addCustomer(service, shop);
	await subscribe(customer, shop.silver);
	const secret = await lastingSession(service, customer.user.accountId, "console");
	await service.close();
	return { dataDir, env, appId: shop.app.id, secret };
}

function alter({ dataDir }: Leaving, sql: string): void {
	using database = new SqliteFile(join(dataDir, "svc.db"));
	database.run(sql);
}

/** All of it that is to be exact. */
function standing({ dataDir }: Leaving) {
	using database = new SqliteFile(join(dataDir, "svc.db"), { readonly: true });
	const one = (sql: string) => Object.values(database.query(sql).get() as Readonly<Record<string, unknown>>)[0];
	return {
		withdrawn: one("SELECT count(*) FROM subscriptions WHERE withdrawn_ms IS NOT NULL"),
		ended: one("SELECT count(*) FROM subscriptions WHERE ended_ms IS NOT NULL"),
		refunded: one("SELECT sum(amount_refunded) FROM invoices"),
		withdrawals: one("SELECT count(*) FROM audit WHERE event = 'subscription.withdrawn'"),
		mails: one("SELECT count(*) FROM emails WHERE template = 'withdrawn'"),
		further: one("SELECT count(*) FROM emails WHERE template IN ('further_refund', 'plan_gone')"),
		connected: one(
			"SELECT count(*) FROM connections WHERE state = 'connected' AND app_pk = (SELECT app_pk FROM plans LIMIT 1)",
		),
		disconnected: one("SELECT count(*) FROM audit WHERE event = 'user.disconnected'"),
		jobs: one("SELECT count(*) FROM jobs WHERE kind = 'storage.empty' AND state = 'done'"),
	};
}

async function until(leaving: Leaving, server: ServerProcess, is: (now: ReturnType<typeof standing>) => boolean) {
	for (let tries = 0; tries < 3_000; tries++) {
		if (is(standing(leaving))) return;
		if (server.process.exitCode !== null) break;
		await Bun.sleep(50);
	}
	// A step that is held for ever keeps a core busy.
	server.process.kill("SIGKILL");
	throw new Error(`it did not come to it: ${JSON.stringify(standing(leaving))} ${server.stderr()}`);
}

function leave({ baseUrl }: ServerProcess, { appId, secret }: Leaving): Promise<Response> {
	const headers = { Authorization: `Bearer ${secret}` };
	return fetch(`${baseUrl}/v1/me/connections/${appId}`, { method: "DELETE", headers });
}

const GONE = { withdrawn: 1, withdrawals: 1, mails: 1, further: 0, connected: 0, disconnected: 1 };
const PAID_BACK = { ...GONE, ended: 1, refunded: PAID };

test.each([
	["after they have left, before it is paid back", "UPDATE ON sim_objects", "1", { refunded: 0, ended: 0 }],
	["after it is paid back, before the job has ended", "UPDATE OF state ON jobs", "NEW.state = 'done'", {}],
])(
	"kill -9 %s: all is paid back once, told once, and the pictures go",
	async (_, held, when, yet) => {
		const leaving = await subscriber();
		alter(leaving, `CREATE TRIGGER hold BEFORE ${held} WHEN ${WITHDRAWN} AND ${when} BEGIN ${ENDLESS}; END`);
		let server = await startProcess(leaving.env);
		await server.ready();
		const asked = leave(server, leaving).then(
			({ status }) => status,
			() => "cut off",
		);
		const point = { ...PAID_BACK, jobs: 0, ...yet };
		await until(leaving, server, ({ withdrawn, refunded, ended }) => {
			return withdrawn === 1 && refunded === point.refunded && ended === point.ended;
		});
		server.process.kill("SIGKILL");
		await server.process.exited;
		// The job goes on behind the answer, which may be on its way.
		expect([202, "cut off"]).toContain(await asked);
		expect(standing(leaving)).toEqual(point);

		alter(leaving, "DROP TRIGGER hold");
		server = await startProcess(leaving.env);
		await server.ready();
		await until(leaving, server, ({ jobs }) => jobs === 1);
		expect(standing(leaving)).toEqual({ ...PAID_BACK, jobs: 1 });
		expect((await leave(server, leaving)).status).toBe(404);
		expect(await server.stop()).toBe(0);
		expect(standing(leaving)).toEqual({ ...PAID_BACK, jobs: 1 });
		await removeData(leaving.dataDir);
	},
	limitMs(2, 60_000),
);
