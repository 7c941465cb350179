import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { send } from "../support/requests.ts";
import { type OpenService, openService } from "../support/service.ts";
import { APP_ROWS } from "./app-rows.ts";
import { type Cast, findStrangers, newCast, type Strangers } from "./cast.ts";
import { READY, secretFor } from "./ready.ts";
import type { Row } from "./row.ts";
import { SERVICE_ROWS } from "./service-rows.ts";

/* Every call that changes something, and what the audit says about it: who, in which request, and what in the API's own names. */

let service: OpenService;
let strangers: Strangers;
beforeAll(async () => {
	service = await openService({ SVC_SIGN_IN_IP_RATE: "0" });
	strangers = await findStrangers(service);
});
afterAll(() => service.close());

/** What the table's row leaves as it was, or what is no change of anything that stays. */
const UNAUDITED: ReadonlySet<string> = new Set([
	// Nothing was paused, or in the trash.
	"POST /v1/apps/:id/resume",
	"POST /v1/operator/trash/restore",
	// An address of the payment processor.
	"POST /v1/apps/:id/billing/payment_method",
	// Codes, which are spent or run out; what they bring about is audited.
	"POST /v1/auth/exchange",
	"POST /v1/sessions/step-up",
	"POST /v1/console_tickets",
	// What a passkey is to sign; the passkey is audited.
	"POST /v1/me/passkeys/options",
	// What a record says is noted; a host that comes into use by it, or goes, is audited.
	"POST /v1/apps/:id/image_host/verify",
	// An address is worked out, and nothing is changed.
	"POST /v1/images/:id/sign",
	// Deliveries: they are listed with their attempts.
	"POST /v1/apps/:id/webhook_endpoints/:endpoint/test",
	"POST /v1/apps/:id/webhook_endpoints/:endpoint/deliveries/:delivery/redeliver",
]);

/** An App knows its users by other names than the service, and its audit has these. */
const BY_USER_ID: ReadonlySet<string> = new Set(["POST /v1/me/connections/:app/keys"]);

const ROWS = [...APP_ROWS, ...SERVICE_ROWS].filter(
	({ route, audience, status }) =>
		!route.startsWith("GET ") && audience !== "anybody" && (status < 300 || READY[route] !== undefined),
);

interface Entry {
	readonly actor: string;
	readonly event: string;
	readonly changes: string | null;
}

async function entriesOf(requestId: string): Promise<readonly Entry[]> {
	const found = await service.database.rows("SELECT actor, event, changes FROM audit WHERE request_id = ?", [
		requestId,
	]);
	return found.map(([actor, event, changes]) => ({
		actor: String(actor),
		event: String(event),
		changes: changes === null ? null : String(changes),
	}));
}

async function callersOf(cast: Cast, secret: string): Promise<string> {
	const me = await send(service, "GET", "/v1/me", undefined, { key: secret });
	if (me.status === 200) return ((await me.json()) as { readonly id: string }).id;
	return ((await (await send(service, "GET", "/v1/key", undefined, { key: cast.app.key })).json()) as { id: string })
		.id;
}

describe("the audit names who did it, in which request, and what in the API's names:", () => {
	for (const row of [...new Map(ROWS.map((one) => [one.route, one])).values()]) {
		test(row.route, () => expectAudited(row));
	}
});

async function expectAudited(row: Row): Promise<void> {
	const cast = await newCast(service, strangers);
	const ready = READY[row.route];
	const posting = ready ? await ready(cast) : { ...(await row.attempt(cast)), secret: secretFor(row.audience, cast) };
	const caller = await callersOf(cast, posting.secret);
	const [method = ""] = row.route.split(" ");
	const headers = { "X-Svc-App": cast.app.id };
	const answer = await send(service, method, posting.path, posting.body, { key: posting.secret, headers });
	expect(answer.status < 300 ? "done" : await answer.text()).toBe("done");
	const entries = await entriesOf(answer.headers.get("x-request-id") ?? "");
	if (UNAUDITED.has(row.route)) expect(entries).toEqual([]);
	else expect(entries.length).toBeGreaterThan(0);
	for (const { actor, changes } of entries) {
		expect(actor).toEqual(BY_USER_ID.has(row.route) ? expect.stringMatching(/^usr_/) : caller);
		expect(changes ?? "{}").not.toMatch(/"[a-z_]*[A-Z]\w*":/);
	}
}
