import { listOf } from "../../fake-objects.ts";
import type { FakeAnswer } from "../../fake-world.ts";

const ACCOUNT = {
	id: "acc_1",
	object: "account",
	email: "ada@example.com",
	verified: true,
	operator: true,
	status: "active",
	created_at: "2026-01-01T00:00:00.000Z",
};

const SESSION = {
	id: "ses_1",
	object: "session",
	kind: "console",
	device: "svc on here",
	fresh_until: null,
	expires_at: "2026-02-01T00:00:00.000Z",
	last_used_at: null,
	created_at: "2026-01-01T00:00:00.000Z",
};

// The tests look for this text in every output.
const HIDDEN = "svc_sk_test_secret";

const VERIFIED = {
	...SESSION,
	secret: `svc_ses_${HIDDEN}`,
	device_token: `nonce.${HIDDEN}`,
	account: ACCOUNT,
};

const LOGIN = {
	id: "lgn_1",
	object: "login",
	secret: `svc_lgn_${HIDDEN}`,
	expires_at: "2026-01-01T00:10:00.000Z",
	resend_after: "2026-01-01T00:01:00.000Z",
};

const TOKEN = {
	id: "tok_1",
	object: "token",
	name: "ci",
	app_id: null,
	scopes: ["images:read", "images:write"],
	expires_at: "2026-04-01T00:00:00.000Z",
	last_used_at: null,
	created_at: "2026-01-01T00:00:00.000Z",
};

/** Signing in, and what a person has of sessions and tokens. */
export const ACCOUNT_ANSWERS: readonly FakeAnswer[] = [
	["GET", /^\/v1\/me$/, () => ACCOUNT],
	["POST", /^\/v1\/sessions\/login\/[^/]+\/verify$/, () => VERIFIED],
	["POST", /^\/v1\/sessions\/(login|step-up)$/, () => LOGIN],
	["GET", /^\/v1\/sessions$/, () => listOf(SESSION, { ...SESSION, id: "ses_2", device: null })],
	["GET", /^\/v1\/tokens$/, () => listOf(TOKEN)],
	["POST", /^\/v1\/tokens$/, () => ({ ...TOKEN, secret: "svc_pat_shown_once" })],
];
