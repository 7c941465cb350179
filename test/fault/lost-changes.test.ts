import { expect, test } from "bun:test";
import type { Database } from "@svc/base/database/client";
import { openDatabase } from "@svc/base/database/open";
import { type SQL, sql } from "drizzle-orm";
import { type LibsqlProxy, PASSING, startLibsqlProxy } from "../support/libsql-proxy.ts";
import { libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";
import { addPerson, as } from "../support/people.ts";
import { plain } from "../support/pictures.ts";
import { type Caller, send, upload, uploaded } from "../support/requests.ts";
import { type OpenService, openService } from "../support/service.ts";
import { found } from "./scoreboard.ts";
import { Dice, seed } from "./seed.ts";

/* Changes of every kind on a road to the libSQL server that loses answers: each answer is true, or says that it does not know, and where to look. */

const CHANGES = Number(process.env.SVC_TEST_CHANGES ?? 128);
const AT_ONCE = 8;
const LOST = 0.03;

/** A change that is ready to be made, and the number of times that it has happened. */
interface Change {
	send(): Promise<Response>;
	readonly happened: SQL;
}

interface World {
	readonly service: OpenService;
	readonly appId: string;
	readonly file: Buffer<ArrayBuffer>;
	/** Somebody who has just signed in. */
	readonly person: Caller;
	/** A call of the Owner, who is an operator too. */
	owner(method: string, path: string, body?: unknown): Promise<Response>;
}

const counted = (table: string, where: SQL) => sql`SELECT count(*) FROM ${sql.identifier(table)} WHERE ${where}`;
const gone = (table: string, id: string) => sql`SELECT 1 - count(*) FROM ${sql.identifier(table)} WHERE id = ${id}`;
const idOf = async (answer: Response) => {
	const { id, ...rest } = (await answer.json()) as { readonly id?: string };
	if (id === undefined) throw new Error(`what a change needs could not be made: ${JSON.stringify(rest)}`);
	return id;
};
const KEY = { reach: "app", permissions: ["read"] };

/** What is made beforehand is made while the road is good. */
const KINDS: Readonly<Record<string, (world: World, name: string) => Promise<Change>>> = {
	async "image.create"({ service, file }, name) {
		return {
			send: () => upload(service, file, "a.png", { caption: name }),
			happened: counted("images", sql`caption = ${name}`),
		};
	},
	async "image.update"({ service, file }, name) {
		const { id } = await uploaded(service, file);
		const send_ = () => send(service, "PATCH", `/v1/images/${id}`, { caption: name, labels: { run: "lost" } });
		return { send: send_, happened: counted("images", sql`caption = ${name} AND revision = 2`) };
	},
	async "image.delete"({ service, file }) {
		const { id } = await uploaded(service, file);
		return { send: () => send(service, "DELETE", `/v1/images/${id}`), happened: gone("images", id) };
	},
	async "image.update in a batch"({ service, file }, name) {
		const { id } = await uploaded(service, file);
		const send_ = () => send(service, "PATCH", "/v1/images/batch", { ids: [id], caption: name });
		return { send: send_, happened: counted("images", sql`caption = ${name}`) };
	},
	async "app.create"({ owner }, name) {
		return { send: () => owner("POST", "/v1/apps", { name }), happened: counted("apps", sql`name = ${name}`) };
	},
	async "app.update"({ owner }, name) {
		const id = await idOf(await owner("POST", "/v1/apps", { name: `${name} before` }));
		return { send: () => owner("PATCH", `/v1/apps/${id}`, { name }), happened: counted("apps", sql`name = ${name}`) };
	},
	async "app.block"({ owner }, name) {
		const id = await idOf(await owner("POST", "/v1/apps", { name }));
		const send_ = () => owner("POST", `/v1/operator/apps/${id}/block`, { reason: "terms" });
		return { send: send_, happened: counted("apps", sql`id = ${id} AND blocked_ms IS NOT NULL`) };
	},
	async "key.create"({ owner, appId }, name) {
		const send_ = () => owner("POST", `/v1/apps/${appId}/keys`, { ...KEY, name });
		return { send: send_, happened: counted("keys", sql`name = ${name}`) };
	},
	async "key.rotate"({ owner, appId }, name) {
		const id = await idOf(await owner("POST", `/v1/apps/${appId}/keys`, { ...KEY, name }));
		const send_ = () => owner("POST", `/v1/apps/${appId}/keys/${id}/rotate`, {});
		return { send: send_, happened: sql`SELECT count(*) - 1 FROM keys WHERE name = ${name}` };
	},
	async "key.revoke"({ owner, appId }, name) {
		const id = await idOf(await owner("POST", `/v1/apps/${appId}/keys`, { ...KEY, name }));
		const send_ = () => owner("DELETE", `/v1/apps/${appId}/keys/${id}`);
		return { send: send_, happened: counted("keys", sql`id = ${id} AND revoked_ms IS NOT NULL`) };
	},
	async "invite.create"({ owner, appId }, name) {
		const email = `${name}@example.com`;
		const send_ = () => owner("POST", `/v1/apps/${appId}/invites`, { email, role: "viewer" });
		return { send: send_, happened: counted("invites", sql`email_norm = ${email}`) };
	},
	async "redirect_uri.create"({ owner }, name) {
		const id = await idOf(await owner("POST", "/v1/apps", { name }));
		const uri = `https://app.example/${name}`;
		const send_ = () => owner("POST", `/v1/apps/${id}/redirect_uris`, { uri });
		return { send: send_, happened: counted("redirect_uris", sql`uri = ${uri}`) };
	},
	async "plan.create"({ service, owner }, name) {
		const id = await idOf(await owner("POST", "/v1/apps", { name }));
		await service.database.write([{ run: sql`UPDATE apps SET selling = 1 WHERE id = ${id}` }]);
		const plan = { key: "gold", name, description: "", benefits: [], display_order: 1 };
		return { send: () => owner("POST", `/v1/apps/${id}/plans`, plan), happened: counted("plans", sql`name = ${name}`) };
	},
	async "token.create"({ service, person }, name) {
		const token = { name, scopes: ["apps:read"], expires_in: "1d" };
		const send_ = () => send(service, "POST", "/v1/tokens", token, person);
		return { send: send_, happened: counted("sessions", sql`name = ${name}`) };
	},
	async "moderation.lock"({ service, file, owner }) {
		const { id } = await uploaded(service, file);
		const send_ = () => owner("POST", `/v1/moderation/images/${id}/lock`, {});
		return { send: send_, happened: counted("images", sql`id = ${id} AND locked_ms IS NOT NULL`) };
	},
	async "moderation.flag"({ service, file, owner }) {
		const { id } = await uploaded(service, file);
		const send_ = () => owner("PATCH", `/v1/moderation/images/${id}`, { nsfw: true });
		return { send: send_, happened: counted("images", sql`id = ${id} AND nsfw = 1`) };
	},
};

/** Answers get lost more than requests do, and faults come in clusters. */
function makeBad(proxy: LibsqlProxy, dice: Dice, road: { lost: number }): void {
	let badUntilMs = 0;
	proxy.passage = async (_, forward) => {
		if (performance.now() > badUntilMs && !dice.chance(LOST)) return await forward();
		road.lost += 1;
		badUntilMs = Math.max(badUntilMs, performance.now() + dice.below(20));
		if (dice.chance(0.7)) await forward();
		return undefined;
	};
}

type Verdict = "happened" | "did not" | "not known" | "not understood";

interface Told {
	readonly code: string;
	readonly message: string;
}

/** What an answer says of the change. */
async function verdictOf(answer: Response): Promise<Verdict> {
	const body = (await answer.json()) as { error?: Told; errors?: readonly { error: Told }[] };
	const error = body.error ?? body.errors?.[0]?.error;
	if (!error) return answer.ok ? "happened" : "not understood";
	// By the table of errors, what is known to have changed nothing is 500.
	const expected = /^(upload|update|delete)_failed$/.test(error.code) ? [500, 207] : [503, 207];
	return expected.includes(answer.status) ? verdictIn(error, answer.status === 207) : "not understood";
}

/** An item of a batch is looked at by its id. */
function verdictIn({ code, message }: Told, isItem: boolean): Verdict {
	if (code === "create_outcome_ambiguous") return "not known";
	if (/nothing was (changed|kept)|could not be checked in time/.test(message)) return "did not";
	const saysWhere = isItem || / GET \/v1\/\S+ shows it\.$/.test(message);
	return message.includes("is not known") && saysWhere ? "not known" : "not understood";
}

/** How often a change may have happened, by what was said of it. */
const TRUE_TIMES: Readonly<Record<Verdict, readonly number[]>> = {
	happened: [1],
	"did not": [0],
	"not known": [0, 1],
	"not understood": [],
};

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
	const waiting = [...items];
	const worker = async () => {
		for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
	};
	await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function timesOf(truth: Database, { happened }: Change): Promise<number> {
	const [row] = await truth.read(() => truth.queries.values<[number]>(happened));
	return Number(row?.[0]);
}

/** What the last bad moment left behind may still refuse the first call after it. */
async function prepared(prepare: (world: World, name: string) => Promise<Change>, world: World, name: string) {
	for (let tries = 1; tries < 4; tries++) {
		const change = await prepare(world, `${name}-${tries}`).catch(() => undefined);
		if (change) return change;
		await Bun.sleep(tries * 100);
	}
	return await prepare(world, name);
}

/** A person may own a hundred Apps, an App have as many keys and invites, and no more. */
async function makeRoom(truth: Database): Promise<void> {
	await truth.write([
		{ run: sql`DELETE FROM members WHERE app_pk IN (SELECT pk FROM apps WHERE name LIKE 'n%')` },
		{ run: sql`UPDATE keys SET revoked_ms = created_ms WHERE name LIKE 'n%' AND revoked_ms IS NULL` },
		{ run: sql`DELETE FROM invites WHERE email LIKE 'n%'` },
		{ run: sql`DELETE FROM sessions WHERE name LIKE 'n%'` },
		{ run: sql`DELETE FROM throttles` },
	]);
}

test.skipIf(withoutLibsql)(
	`${CHANGES} changes of every kind on a road that loses ${LOST * 100} % of all answers: each answer is true, or says where to look (SVC_TEST_CHANGES, SVC_TEST_SEED=${seed})${libsqlNote}`,
	async () => {
		await using server = await startLibsql();
		await using proxy = await startLibsqlProxy(server.url);
		const service = await openService({ SVC_DATABASE_URL: proxy.url });
		const truth = await openDatabase({ url: server.url });
		const owner = (method: string, path: string, body?: unknown) =>
			send(service, method, path, body, { key: service.token });
		const file = await plain(6, 6);
		const appId = await idOf(await owner("POST", "/v1/apps", { name: "All of it" }));
		const person = as(await addPerson(service.database));
		const world: World = { service, appId, file, person, owner };
		const dice = new Dice(seed);
		const road = { lost: 0 };
		const told: Record<Verdict, number> = { happened: 0, "did not": 0, "not known": 0, "not understood": 0 };
		const untrue: unknown[] = [];

		for (let done = 0; done < CHANGES; done += Object.keys(KINDS).length) {
			const ready = Object.entries(KINDS).map(async ([kind, prepare]) => {
				return { kind, change: await prepared(prepare, world, `n${done}-${kind.replace(/\W/g, "")}`) };
			});
			const sent: { kind: string; change: Change; answer: Response }[] = [];
			const changes = await Promise.all(ready);
			makeBad(proxy, dice, road);
			await inParallel(changes, async ({ kind, change }) => {
				sent.push({ kind, change, answer: await change.send() });
			});
			proxy.passage = PASSING;
			for (const { kind, change, answer } of sent) {
				const text = await answer.clone().text();
				const verdict = await verdictOf(answer);
				told[verdict] += 1;
				const times = await timesOf(truth, change);
				if (!TRUE_TIMES[verdict].includes(times)) untrue.push({ kind, verdict, times, status: answer.status, text });
			}
			await makeRoom(truth);
		}
		found("lost answers: changes of every kind", { changes: CHANGES, lost: road.lost, ...told, untrue: untrue.length });
		expect(untrue).toEqual([]);
		expect(road.lost).toBeGreaterThan(0);
		await truth.close();
		await service.close();
	},
	120_000 + CHANGES * 1_000,
);
