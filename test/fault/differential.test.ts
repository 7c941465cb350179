import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { APP_ROWS } from "../matrix/app-rows.ts";
import { findStrangers, newCast, type Strangers } from "../matrix/cast.ts";
import type { Row } from "../matrix/row.ts";
import { SERVICE_ROWS } from "../matrix/service-rows.ts";
import { type LibsqlServer, libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";
import { plain } from "../support/pictures.ts";
import { type Caller, send, upload } from "../support/requests.ts";
import { type OpenService, openService } from "../support/service.ts";

/* The same requests to two services, one on a file and one on a libSQL server: nobody can tell which is which. */

interface Side {
	readonly service: OpenService;
	readonly strangers: Strangers;
}

let server: LibsqlServer;
let sides: readonly Side[] = [];
beforeAll(async () => {
	if (withoutLibsql) return;
	server = await startLibsql();
	sides = await Promise.all([{}, { SVC_DATABASE_URL: server.url }].map(openSide));
});
afterAll(async () => {
	for (const { service } of sides) await service.close();
	if (!withoutLibsql) await server[Symbol.asyncDispose]();
});

async function openSide(env: Readonly<Record<string, string>>): Promise<Side> {
	const service = await openService({ SVC_SIGN_IN_IP_RATE: "0", ...env });
	return { service, strangers: await findStrangers(service) };
}

/** Drawn by chance, found out or written down a moment later, or about the database itself. */
const VARYING = new Set([
	"secret",
	"prefix",
	"last4",
	"token",
	"subject",
	"text",
	"html",
	"next_cursor",
	"next_url",
	"database",
	"uptime_seconds",
	"last_used_at",
	"placeholder",
	"clock_ahead_ms",
]);

/** An answer with everything left out that may differ: ids are numbered in the order in which they come. */
async function seen(answer: Response): Promise<{ readonly status: number; readonly body: unknown }> {
	const ids = new Map<string, string>();
	const numbered = (id: string) => {
		const known = ids.get(id) ?? `${id.split("_")[0]}_${ids.size}`;
		ids.set(id, known);
		return known;
	};
	const text = (await answer.text())
		.replace(/\b[a-z]{2,5}_[0-9A-Za-z]{22}\b/g, numbered)
		// What a browser signs for a passkey: 32 bytes drawn by chance, and a person's number, which each service makes up.
		.replace(/"[0-9A-Za-z_-]{43}"/g, '"varies"')
		// What an App's image host has to show, which is bound to the installation.
		.replace(/"svc-app=[0-9A-Za-z_-]{32}"/g, '"varies"')
		// The secret in the address of an upload ticket.
		.replace(/\/v1\/uploads\/[0-9A-Za-z_-]{43}"/g, '/v1/uploads/varies"')
		// The end and the signature of an address, and the ticket in one of the console.
		.replace(/(?<=[?&]exp=)\d+/g, "a time")
		.replace(/(?<=[?&](?:sig|start)=)[0-9A-Za-z_-]{43,44}/g, "varies")
		.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "a time")
		.replace(/http:\/\/localhost:3001\/[0-9A-Za-z]+\//g, "cdn/");
	const revive = (name: string, value: unknown) => {
		if (VARYING.has(name)) return "varies";
		// Beside a file there is no other machine's clock, and nobody else's way of keeping a commit.
		if (name === "clocks" || name === "durability") return undefined;
		return typeof value === "number" && value > 1_600_000_000 ? "a time" : value;
	};
	const isJson = answer.headers.get("content-type")?.includes("json") ?? false;
	return { status: answer.status, body: isJson ? JSON.parse(text, revive) : text.length > 0 };
}

async function expectSame(work: (side: Side) => Promise<unknown>): Promise<void> {
	const [onFile, onServer] = await Promise.all(sides.map(work));
	expect(onServer).toEqual(onFile);
}

/** By somebody who may. */
const CALLERS: Readonly<Partial<Record<Row["audience"], "operator" | "admin">>> = {
	operator: "operator",
	creator: "admin",
};

async function tryRow({ service, strangers }: Side, row: Row) {
	const cast = await newCast(service, strangers);
	const { path, body } = await row.attempt(cast);
	const [method = ""] = row.route.split(" ");
	const headers = { "X-Svc-App": cast.app.id };
	return await seen(
		await send(service, method, path, body, { key: cast.people[CALLERS[row.audience] ?? "owner"].secret, headers }),
	);
}

/** A server has backups of its own; and how long each took, which is in the log, is just what differs. */
const NOT_ALIKE = new Set(["POST /v1/operator/backups", "GET /v1/operator/logs"]);
const ROWS = [...APP_ROWS, ...SERVICE_ROWS].filter(({ route }) => !NOT_ALIKE.has(route));

describe.skipIf(withoutLibsql)(`a file and a libSQL server${libsqlNote}`, () => {
	for (const [place, row] of ROWS.entries()) {
		test(`${row.route} (${place}) is answered alike`, async () => {
			await expectSame((side) => tryRow(side, row));
		});
	}

	test("a life of images is answered alike, step by step", async () => {
		const [a, b] = [await plain(20, 10), await plain(10, 20)];
		await expectSame(async ({ service, strangers }) => {
			const { app, user: connect } = await newCast(service, strangers);
			const caller: Caller = { key: app.key };
			const user: Caller = { ...caller, headers: { "X-Svc-User": await connect() } };
			const steps: unknown[] = [];
			const ids: string[] = [];
			const create = async (file: BlobPart, fields: Record<string, string>, who: Caller = caller) => {
				const answer = await upload(service, file, "a.png", fields, who);
				ids.push(((await answer.clone().json()) as { id?: string }).id ?? "img_none");
				steps.push(await seen(answer));
			};
			const call = async (method: string, path: string, body?: unknown, who: Caller = caller) =>
				steps.push(await seen(await send(service, method, path, body, who)));

			const keyed = { ...caller, headers: { "Idempotency-Key": "once" } };
			await create(a, { caption: "é\u{1f600}", labels: '{"album":"summer","n":"1"}' });
			await create(a, { ttl: "5m", metadata: '{"by":"me"}' });
			await create(b, { labels: '{"album":"winter"}' }, user);
			for (const file of [a, a, b]) await create(file, { caption: "keyed" }, keyed);
			await create("no picture", {});
			for (const query of ["", "?limit=1", "?labels[album]=summer", "?limit=0", "?order=x"])
				await call("GET", `/v1/images${query}`);
			const [first = "", expiring = ""] = ids;
			await call("GET", "/v1/images", undefined, user);
			await call("GET", `/v1/images/${ids[2]}`);
			await call("PATCH", `/v1/images/${first}`, { caption: "new", labels: { album: null, other: "x" } });
			await call("PATCH", `/v1/images/${first}`, { published_at: null });
			await call("PATCH", "/v1/images/batch", { ids: [first, "img_none"], caption: "both" });
			await call("GET", "/v1/usage");
			service.clock.advance(301_000);
			await call("GET", `/v1/images/${expiring}`);
			await service.sweep();
			await call("DELETE", `/v1/images/${first}`);
			await call("DELETE", `/v1/images/${first}`);
			for (const path of ["/v1/images", "/v1/usage", `/v1/images/${first}`]) await call("GET", path);
			return steps;
		});
	});
});
