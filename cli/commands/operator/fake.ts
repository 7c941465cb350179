import { listOf } from "../../fake-objects.ts";
import type { FakeAnswer } from "../../fake-world.ts";

const AT = "2026-01-01T00:00:00.000Z";

const ACCOUNT = {
	id: "acc_1",
	object: "account",
	email: "ann@example.com",
	verified: true,
	operator: false,
	status: "active",
	created_at: AT,
};

const EMAIL = {
	id: "eml_1",
	object: "email",
	template: "sign_in_code",
	recipient: "ann@example.com",
	subject: "Your code",
	text: "Hello",
	html: "<p>Hello</p>",
	state: "sent",
	attempts: 1,
	failure: null,
	sent_at: AT,
	created_at: AT,
};

const SERVICE_USAGE = {
	object: "service_usage",
	apps: { total: 1, active: 1, paused: 0, blocked: 0 },
	accounts: { total: 1, active: 1, disabled: 0, deleting: 0 },
	users: 0,
	images: { stored: 1, bytes: 70, uploads_this_month: 1 },
	moderation: { locked: 0, blocked: 0, nsfw: 0, open_reports: 1 },
};

/** What operators see of the service. */
export const OPERATOR_ANSWERS: readonly FakeAnswer[] = [
	["GET", /^\/v1\/operator\/usage$/, () => SERVICE_USAGE],
	["GET", /^\/v1\/operator\/accounts$/, () => listOf(ACCOUNT)],
	["POST", /^\/v1\/operator\/accounts\//, () => ACCOUNT],
	["GET", /^\/v1\/operator\/emails$/, () => listOf(EMAIL)],
	["GET", /^\/v1\/operator\/apps$/, () => listOf({ id: "app_1", object: "app", name: "Shop", owner: null })],
];
