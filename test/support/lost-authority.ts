import { addApp, addKey, addUserKey, type TestApp } from "./apps.ts";
import { addMember, addPerson, addSession, as, type TestPerson } from "./people.ts";
import { type Caller, send } from "./requests.ts";
import type { OpenService } from "./service.ts";
import { addUser } from "./users.ts";

/* The ways in which somebody who was let in loses the right to a call while it goes on. */

/** A caller, and how their authority ends. */
export interface Ending {
	readonly caller: Caller;
	/** Ends it, and says so. */
	readonly end: () => Promise<Response>;
}

export interface Arranged {
	readonly service: OpenService;
	readonly app: TestApp;
	readonly owner: TestPerson;
}

export interface Way {
	readonly code: string;
	/** The code of a change, where it is another: an image whose storage is being emptied is gone. */
	readonly changes?: string;
	readonly arrange: (given: Arranged) => Promise<Ending>;
}

export const WAYS: Readonly<Record<string, Way>> = {
	"an App-wide key that was revoked": {
		code: "unauthorized",
		arrange: async (given) => ({ caller: { key: given.app.key }, end: () => revokeKeys(given) }),
	},
	"an App-storage key that was revoked": {
		code: "unauthorized",
		arrange: async (given) => ({ caller: await bucketKey(given), end: () => revokeKeys(given) }),
	},
	"an App-wide key whose App was paused": {
		code: "app_suspended",
		arrange: async ({ service, app, owner }) => ({
			caller: { key: app.key },
			end: () => send(service, "POST", `/v1/apps/${app.id}/pause`, undefined, as(owner)),
		}),
	},
	"an App-wide key whose App was blocked": {
		code: "app_suspended",
		arrange: async (given) => ({ caller: { key: given.app.key }, end: () => block(given) }),
	},
	"an App-storage key whose App was blocked": {
		code: "app_blocked",
		arrange: async (given) => ({ caller: await bucketKey(given), end: () => block(given) }),
	},
	"a key whose creator is no Admin any more": {
		code: "unauthorized",
		arrange: async (given) => {
			const admin = await memberOf(given, "admin");
			const key = await addKey(given.service.database, given.app, { creatorId: admin.id });
			return { caller: { key }, end: () => changeRole(given, admin, "editor") };
		},
	},
	"a key whose selected user disconnected": {
		code: "user_forbidden",
		changes: "not_found",
		arrange: async ({ service, app }) => {
			const user = await addUser(service.database, app);
			const end = () => send(service, "DELETE", `/v1/me/connections/${app.id}`, undefined, as(user));
			return { caller: { key: app.key, headers: { "X-Svc-User": user.id } }, end };
		},
	},
	"a key whose selected user was disabled": {
		code: "user_forbidden",
		arrange: async (given) => {
			const user = await addUser(given.service.database, given.app);
			const end = () => disable(given, user.accountId);
			return { caller: { key: given.app.key, headers: { "X-Svc-User": user.id } }, end };
		},
	},
	"the own key of a user who was disabled": {
		code: "unauthorized",
		arrange: async (given) => {
			const user = await addUser(given.service.database, given.app);
			const key = await addUserKey(given.service.database, given.app, user);
			return { caller: { key }, end: () => disable(given, user.accountId) };
		},
	},
	"an Editor who signed out": {
		code: "unauthorized",
		arrange: async (given) => {
			const editor = await memberOf(given, "editor");
			const end = () => send(given.service, "DELETE", "/v1/sessions/current", undefined, as(editor));
			return { caller: as(editor, given.app.id), end };
		},
	},
	"an Editor who became a Viewer": {
		code: "forbidden",
		arrange: async (given) => {
			const editor = await memberOf(given, "editor");
			return { caller: as(editor, given.app.id), end: () => changeRole(given, editor, "viewer") };
		},
	},
	"an Editor of an App that was blocked": {
		code: "app_blocked",
		arrange: async (given) => ({
			caller: as(await memberOf(given, "editor"), given.app.id),
			end: () => block(given),
		}),
	},
};

let apps = 0;

/** A new App with somebody of one of the ways. */
export async function arrangedIn(service: OpenService, { arrange }: Way): Promise<Ending & Arranged> {
	const app = await addApp(service.database, `App ${++apps}`);
	const secret = await addSession(service.database, app.ownerId);
	const given = { service, app, owner: { id: app.ownerId, email: "", secret } };
	return { ...given, ...(await arrange(given)) };
}

async function bucketKey({ service, app }: Arranged): Promise<Caller> {
	return { key: await addKey(service.database, app, { reach: "bucket" }) };
}

async function memberOf({ service, app }: Arranged, role: "admin" | "editor"): Promise<TestPerson> {
	const person = await addPerson(service.database);
	await addMember(service.database, app, person, role);
	return person;
}

async function revokeKeys({ service, app, owner }: Arranged): Promise<Response> {
	const { data } = (await (await send(service, "GET", `/v1/apps/${app.id}/keys`, undefined, as(owner))).json()) as {
		data: readonly { id: string }[];
	};
	const revoked = data.map(({ id }) => send(service, "DELETE", `/v1/apps/${app.id}/keys/${id}`, undefined, as(owner)));
	return (await Promise.all(revoked))[0] ?? Response.error();
}

function changeRole({ service, app, owner }: Arranged, { id }: TestPerson, role: string): Promise<Response> {
	return send(service, "PATCH", `/v1/apps/${app.id}/members/${id}`, { role, revoke_keys: true }, as(owner));
}

async function block({ service, app }: Arranged): Promise<Response> {
	const operator = await addPerson(service.database, { operator: true });
	return send(service, "POST", `/v1/operator/apps/${app.id}/block`, { reason: "spam" }, as(operator));
}

async function disable({ service }: Arranged, accountId: string): Promise<Response> {
	const operator = await addPerson(service.database, { operator: true });
	return send(service, "POST", `/v1/operator/accounts/${accountId}/disable`, undefined, as(operator));
}

/** A body whose second half comes when it is told to. Callers are identified before a byte of a body is read. */
export async function halfOf(whole: Response) {
	const bytes = new Uint8Array(await whole.arrayBuffer());
	const middle = bytes.length >> 1;
	const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
	const { promise: isFinished, resolve: finish } = Promise.withResolvers<void>();
	async function* halves() {
		read();
		yield bytes.subarray(0, middle);
		await isFinished;
		yield bytes.subarray(middle);
	}
	return { body: new ReadableStream({ pull: pulling(halves()) }, { highWaterMark: 0 }), isRead, finish };
}

function pulling(chunks: AsyncGenerator<Uint8Array>) {
	return async (controller: ReadableStreamDefaultController<Uint8Array>) => {
		const { done, value } = await chunks.next();
		if (done) controller.close();
		else controller.enqueue(value);
	};
}
