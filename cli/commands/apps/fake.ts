import { listOf } from "../../fake-objects.ts";
import type { FakeAnswer } from "../../fake-world.ts";

/* What a healthy service answers about an App and its team. */

const AT = "2026-01-01T00:00:00.000Z";
const created = { created_at: AT };

const lastOf = (path: string) => path.split("/").at(-1);
const gone = (object: string) => (path: string) => ({ id: lastOf(path), object, deleted: true });

const APP = {
	...{ id: "app_1", object: "app", name: "My first App", state: "active", paused_at: null, blocked_at: null },
	...{ sign_in_enabled: true, selling_enabled: false, plan: "free", limits: { images: 100, users: 10 } },
	...{ role: "owner", ...created },
};

const OPERATED = {
	...APP,
	...{ role: undefined, block_reason: null, own_limits: { images: null, users: null } },
	...{ images: 2, bytes: 140, users: 1, owner: { id: "acc_1", email: "ada@example.com" } },
};

const KEY = {
	...{ id: "key_1", object: "key", name: "First", reach: "app", permissions: ["read", "write"] },
	...{ prefix: "svc_sk_test_", last4: "wxyz", last_used_at: AT, expires_at: null, revoked_at: null },
	...{ revoke_reason: null, replaced_by: null, created_by: "acc_1", ...created },
};

/** The key that the fake service says it was called with, so that a new one passes its check. */
const MADE = { ...KEY, last_used_at: null, secret: "svc_sk_test_made" };

const MEMBER = {
	id: "acc_1",
	object: "member",
	account_id: "acc_1",
	email: "ada@example.com",
	role: "admin",
	...created,
};
const INVITE = { id: "inv_1", object: "invite", email: "ada@example.com", role: "editor", expires_at: AT, ...created };
const URI = { id: "red_1", object: "redirect_uri", uri: "https://app.example.com/callback", ...created };
const USER = {
	...{ id: "usr_1", object: "connected_user", email: "ada@example.com", verified: true, state: "connected" },
	...{ images: 2, bytes: 140, access: null, ...created },
};
const JOB = {
	...{ id: "job_1", object: "job", kind: "app.delete", state: "done", done: 2, total: 2 },
	...{ failure: null, result: { images: 2 }, ended_at: AT, ...created },
};
const ENTRY = {
	...{ id: "aud_1", object: "audit_entry", actor: "acc_1", event: "key.revoked", target: "key_1" },
	...{ changes: { reason: "revoked" }, request_id: "req_1", ...created },
};

const team: readonly FakeAnswer[] = [
	["GET", /^\/v1\/apps\/[^/]+\/keys$/, () => listOf(KEY, { ...KEY, id: "key_2" })],
	["GET", /^\/v1\/apps\/[^/]+\/keys\/[^/]+$/, (path) => ({ ...KEY, id: lastOf(path) })],
	["POST", /^\/v1\/apps\/[^/]+\/keys(\/[^/]+\/rotate)?$/, () => MADE],
	["DELETE", /^\/v1\/apps\/[^/]+\/keys\//, gone("key")],
	["GET", /^\/v1\/apps\/[^/]+\/members$/, () => listOf(MEMBER)],
	["PATCH", /^\/v1\/apps\/[^/]+\/members\//, () => MEMBER],
	["DELETE", /^\/v1\/apps\/[^/]+\/members\//, gone("member")],
	["GET", /^\/v1\/apps\/[^/]+\/invites$/, () => listOf(INVITE)],
	["POST", /^\/v1\/apps\/[^/]+\/invites$/, () => ({ ...INVITE, token: "token-of-the-mail" })],
	["DELETE", /^\/v1\/apps\/[^/]+\/invites\//, gone("invite")],
	["GET", /^\/v1\/apps\/[^/]+\/redirect_uris$/, () => listOf(URI)],
	["POST", /^\/v1\/apps\/[^/]+\/redirect_uris$/, () => URI],
	["DELETE", /^\/v1\/apps\/[^/]+\/redirect_uris\//, gone("redirect_uri")],
	["GET", /^\/v1\/apps\/[^/]+\/users$/, () => listOf(USER)],
	["GET", /^\/v1\/apps\/[^/]+\/users\//, () => USER],
	["DELETE", /^\/v1\/apps\/[^/]+\/users\//, () => JOB],
	["GET", /^\/v1\/apps\/[^/]+\/audit$/, () => listOf({ ...ENTRY, id: "aud_2" }, ENTRY)],
];

export const TEAM_ANSWERS: readonly FakeAnswer[] = [
	["GET", /^\/v1\/apps$/, () => listOf(APP)],
	["POST", /^\/v1\/apps$/, () => APP],
	["GET", /^\/v1\/apps\/[^/]+$/, () => APP],
	["PATCH", /^\/v1\/apps\/[^/]+$/, () => APP],
	["POST", /^\/v1\/apps\/[^/]+\/(pause|resume|transfer)$/, () => APP],
	["DELETE", /^\/v1\/apps\/[^/]+$/, () => JOB],
	["POST", /^\/v1\/operator\/apps\/[^/]+\/(block|unblock)$/, () => OPERATED],
	["GET", /^\/v1\/jobs\//, () => JOB],
	["GET", /^\/v1\/operator\/jobs$/, () => listOf(JOB, { ...JOB, id: "job_2" })],
	...team,
];
