import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import {
	addApp,
	addKey,
	connectUser,
	countOf,
	setAppState,
	setStorageState,
	type TestApp,
} from "../../support/apps.ts";
import { addMember, addPerson, addSession, as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { type Caller, errorOf, send } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import { readTicket, ticket, useTicket, useTicketSlowly } from "../../support/tickets.ts";
import { setAccountStatus } from "../../support/users.ts";

/* A ticket has the authority of who made it, as it is when somebody uploads with it. */

const service = serviceFor();
const picture = await plain(9, 7);

interface Ending {
	readonly maker: Caller;
	/** A caller who can still read the ticket. */
	readonly reader?: Caller;
	end(): Promise<unknown>;
}

interface Way {
	readonly status: number;
	readonly code: string;
	/** How the ticket then reads. */
	readonly state: string;
	arrange(app: TestApp): Promise<Ending>;
}

const database = () => service.database;
const run = (statement: ReturnType<typeof sql>) => database().write([{ run: statement }]);
const revoke = (id: unknown) => run(sql`UPDATE keys SET revoked_ms = 1 WHERE id = ${id}`);
const CANCELLED = { status: 409, code: "state_conflict", state: "cancelled" } as const;

async function keyId(key: string): Promise<unknown> {
	return ((await (await send(service, "GET", "/v1/key", undefined, { key })).json()) as { readonly id: string }).id;
}

async function member(app: TestApp, role: "editor" | "admin") {
	const person = await addPerson(database());
	await addMember(database(), app, person, role);
	return person;
}

const WAYS: Readonly<Record<string, Way>> = {
	"a key that was revoked": {
		...CANCELLED,
		async arrange(app) {
			const key = await addKey(database(), app);
			return { maker: { key }, end: async () => await revoke(await keyId(key)) };
		},
	},
	"a key that has expired": {
		...CANCELLED,
		async arrange(app) {
			const key = await addKey(database(), app, { expiresMs: service.clock.now() + 60_000 });
			return { maker: { key }, end: async () => service.clock.advance(60_000) };
		},
	},
	"a key whose creator is no Admin any more": {
		...CANCELLED,
		async arrange(app) {
			const admin = await member(app, "admin");
			const key = await addKey(database(), app, { creatorId: admin.id });
			const end = () =>
				run(
					sql`UPDATE members SET role = 'editor' WHERE account_pk = (SELECT pk FROM accounts WHERE id = ${admin.id})`,
				);
			return { maker: { key }, end };
		},
	},
	"a member who was demoted": {
		...CANCELLED,
		async arrange(app) {
			const editor = await member(app, "editor");
			const end = () =>
				run(
					sql`UPDATE members SET role = 'viewer' WHERE account_pk = (SELECT pk FROM accounts WHERE id = ${editor.id})`,
				);
			return { maker: as(editor, app.id), end };
		},
	},
	"a member who was removed": {
		...CANCELLED,
		async arrange(app) {
			const editor = await member(app, "editor");
			const end = () =>
				run(sql`DELETE FROM members WHERE account_pk = (SELECT pk FROM accounts WHERE id = ${editor.id})`);
			return { maker: as(editor, app.id), end };
		},
	},
	"a token that was revoked": {
		...CANCELLED,
		async arrange(app) {
			const editor = await member(app, "editor");
			const secret = await addSession(database(), editor.id, { scopes: ["images:write"] });
			const end = () =>
				run(
					sql`UPDATE sessions SET revoked_ms = 1 WHERE kind = 'pat' AND account_pk = (SELECT pk FROM accounts WHERE id = ${editor.id})`,
				);
			return { maker: as({ secret }, app.id), end };
		},
	},
	"an App-wide key whose App was paused": {
		...{ status: 403, code: "app_suspended", state: "open" },
		arrange: async (app) => ({ maker: { key: app.key }, end: () => setAppState(database(), app.id, "paused") }),
	},
	"an App-wide key whose App was blocked": {
		...{ status: 403, code: "app_suspended", state: "open" },
		arrange: async (app) => ({ maker: { key: app.key }, end: () => setAppState(database(), app.id, "blocked") }),
	},
	"an App-storage key whose App was blocked": {
		...{ status: 403, code: "app_blocked", state: "open" },
		async arrange(app) {
			const key = await addKey(database(), app, { reach: "bucket" });
			return { maker: { key }, end: () => setAppState(database(), app.id, "blocked") };
		},
	},
	"a member whose App was blocked": {
		...{ status: 403, code: "app_blocked", state: "open" },
		async arrange(app) {
			return { maker: as(await member(app, "editor"), app.id), end: () => setAppState(database(), app.id, "blocked") };
		},
	},
	"an App-wide key whose user disconnected": {
		...{ status: 403, code: "user_forbidden", state: "open" },
		async arrange(app) {
			const user = await connectUser(database(), app);
			async function end() {
				await run(sql`UPDATE connections SET state = 'disconnecting', ended_ms = 1 WHERE user_id = ${user.id}`);
				await setStorageState(database(), user.storageId, "deleting");
			}
			return { maker: { key: app.key, headers: { "X-Svc-User": user.id } }, end };
		},
	},
	"an App-wide key whose user's account was disabled": {
		...{ status: 403, code: "user_forbidden", state: "open" },
		async arrange(app) {
			const user = await connectUser(database(), app);
			const maker = { key: app.key, headers: { "X-Svc-User": user.id } };
			return { maker, end: () => setAccountStatus(database(), user.accountId, "disabled") };
		},
	},
	"a storage that is being deleted": {
		...{ status: 409, code: "workspace_unavailable", state: "open" },
		arrange: async (app) => ({
			maker: { key: app.key },
			end: () => setStorageState(database(), app.storageId, "deleting"),
		}),
	},
};

async function stateOf(id: string): Promise<string> {
	const { rooms, clock } = service;
	const [row] = await database().rows("SELECT storage_pk FROM upload_tickets WHERE id = ?", [id]);
	return (await rooms.tickets.store.find(Number(row?.[0]), id, clock.now()))?.state ?? "gone";
}

describe("a ticket made by", () => {
	test.each(Object.keys(WAYS))("%s takes nothing any more, and reads so at once", async (name) => {
		const { arrange, status, code, state } = WAYS[name] as Way;
		const { maker, end } = await arrange(await addApp(database()));
		const made = await ticket(service, {}, maker);
		expect(await stateOf(made.id)).toBe("open");
		await end();
		expect(await stateOf(made.id)).toBe(state);
		expect(await errorOf(await useTicket(service, made, picture))).toMatchObject({ status, code });
		expect(await countOf(database(), sql`SELECT count(*) FROM images WHERE id = ${made.image_id}`)).toBe(0);
		const [counted] = await database().rows("SELECT attempts, failure FROM upload_tickets WHERE id = ?", [made.id]);
		// A conflict may pass; whatever else is refused is an attempt.
		expect(counted?.[0]).toBe(status === 403 ? 1 : 0);
	});

	test.each(Object.keys(WAYS))("%s takes nothing, when it ends while the file is on its way", async (name) => {
		const { arrange, code } = WAYS[name] as Way;
		const { maker, end } = await arrange(await addApp(database()));
		const made = await ticket(service, {}, maker);
		const answer = await useTicketSlowly(service, made, picture, end);
		// Time alone ends no call that is under way.
		if (name === "a key that has expired") expect(answer.status).toBe(201);
		else expect((await errorOf(answer)).code).toBe(code);
	});

	test("a key that was rotated away is still answered with its image", async () => {
		const app = await addApp(database());
		const key = await addKey(database(), app);
		const made = await ticket(service, {}, { key });
		const image = await (await useTicket(service, made, picture)).json();
		await revoke(await keyId(key));
		expect((await readTicket(service, made.id, { key: app.key })).state).toBe("used");
		const again = await useTicket(service, made, picture);
		expect([again.status, await again.json()]).toEqual([201, image]);
	});

	test("an App-storage key works on while its App is paused", async () => {
		const app = await addApp(database());
		const key = await addKey(database(), app, { reach: "bucket" });
		const made = await ticket(service, {}, { key });
		await setAppState(database(), app.id, "paused");
		expect((await useTicket(service, made, picture)).status).toBe(201);
	});
});

test("cancelled while its file is on its way, it makes no image", async () => {
	const made = await ticket(service);
	const cancel = () => send(service, "POST", `/v1/upload_tickets/${made.id}/cancel`);
	const answer = await useTicketSlowly(service, made, picture, cancel);
	expect(await errorOf(answer)).toMatchObject({ status: 409, code: "state_conflict" });
	expect(await countOf(database(), sql`SELECT count(*) FROM images WHERE id = ${made.image_id}`)).toBe(0);
	expect((await readTicket(service, made.id)).state).toBe("cancelled");
});
